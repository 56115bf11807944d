"""Runs one query through the embedded AWS's Athena API."""

import time
from dataclasses import dataclass

from lab.runner import LabError
from lab.runner.deployment import Deployment
from lab.runner.embedded_aws import EmbeddedAws
from lab.runner.near_names import meant, relations_in

QUERY_DEADLINE_SECONDS = 120


Row = list[str | None]


@dataclass(frozen=True)
class QueryResult:
    """Values as Athena writes them; None is NULL."""

    names: list[str]
    types: list[str]
    rows: list[Row]


def run_query(aws: EmbeddedAws, deployment: Deployment, query: str) -> list[Row]:
    """Returns the result of an SQL text or of a named query, with the header as its first row.

    Raises LabError with Athena's reason when the query fails.
    """
    result = query_result(aws, deployment, query)
    return [[*result.names], *result.rows]


def query_result(aws: EmbeddedAws, deployment: Deployment, query: str) -> QueryResult:
    """Returns the result of an SQL text or of a named query with the types of its columns; raises as `run_query`."""
    sql = _named_queries(aws, deployment).get(query, query)
    started = aws.athena.start_query_execution(
        QueryString=sql,
        QueryExecutionContext={"Database": deployment.database},
        WorkGroup=deployment.workgroup,
    )
    execution_id = started["QueryExecutionId"]
    deadline = time.monotonic() + QUERY_DEADLINE_SECONDS
    while True:
        status = aws.athena.get_query_execution(QueryExecutionId=execution_id)["QueryExecution"]["Status"]
        if status["State"] == "SUCCEEDED":
            break
        if status["State"] in ("FAILED", "CANCELLED"):
            reason = status.get("StateChangeReason", status["State"])
            suggestion = meant(reason, sql, lambda: relations_in(aws, deployment))
            raise LabError(f"Athena: {reason}{suggestion}")
        if time.monotonic() > deadline:
            raise LabError(f"Athena: no result after {QUERY_DEADLINE_SECONDS} s")
        time.sleep(0.1)
    pages = list(aws.athena.get_paginator("get_query_results").paginate(QueryExecutionId=execution_id))
    columns = pages[0]["ResultSet"]["ResultSetMetadata"]["ColumnInfo"]
    # The first row has the names again.
    [_, *rows] = [
        [cell.get("VarCharValue") for cell in row["Data"]] for page in pages for row in page["ResultSet"]["Rows"]
    ]
    return QueryResult([column["Name"] for column in columns], [column["Type"] for column in columns], rows)


def _named_queries(aws: EmbeddedAws, deployment: Deployment) -> dict[str, str]:
    ids = aws.athena.list_named_queries(WorkGroup=deployment.workgroup)["NamedQueryIds"]
    queries = [aws.athena.get_named_query(NamedQueryId=query_id)["NamedQuery"] for query_id in ids]
    return {query["Name"]: query["QueryString"] for query in queries}
