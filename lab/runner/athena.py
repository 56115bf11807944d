"""Runs one query through the embedded AWS's Athena API."""

from __future__ import annotations

import time

from lab.runner.deployment import Deployment
from lab.runner.embedded_aws import EmbeddedAws
from lab.runner.errors import LabError

QUERY_DEADLINE_SECONDS = 120
Row = list[str | None]


def run_query(aws: EmbeddedAws, deployment: Deployment, query: str) -> list[Row]:
    """Returns the result of an SQL text or of a named query, with the header as its first row.

    Raises LabError with Athena's reason when the query fails.
    """
    started = aws.athena.start_query_execution(
        QueryString=_named_queries(aws, deployment).get(query, query),
        QueryExecutionContext={"Database": deployment.database},
        WorkGroup=deployment.workgroup,
    )
    execution_id = started["QueryExecutionId"]
    deadline = time.monotonic() + QUERY_DEADLINE_SECONDS
    while True:
        execution = aws.athena.get_query_execution(QueryExecutionId=execution_id)["QueryExecution"]
        status = execution["Status"]
        if status["State"] == "SUCCEEDED":
            break
        if status["State"] in ("FAILED", "CANCELLED"):
            raise LabError(f"Athena: {status.get('StateChangeReason', status['State'])}")
        if time.monotonic() > deadline:
            raise LabError(f"Athena: no result after {QUERY_DEADLINE_SECONDS} s")
        time.sleep(0.1)
    rows: list[Row] = []
    for page in aws.athena.get_paginator("get_query_results").paginate(QueryExecutionId=execution_id):
        for row in page["ResultSet"]["Rows"]:
            rows.append([cell.get("VarCharValue") for cell in row["Data"]])
    return rows


def _named_queries(aws: EmbeddedAws, deployment: Deployment) -> dict[str, str]:
    queries = {}
    for query_id in aws.athena.list_named_queries(WorkGroup=deployment.workgroup)["NamedQueryIds"]:
        named = aws.athena.get_named_query(NamedQueryId=query_id)["NamedQuery"]
        queries[named["Name"]] = named["QueryString"]
    return queries


def format_rows(rows: list[Row]) -> str:
    """Returns the rows as an aligned table in which NULL is an empty cell."""
    cells = [["" if cell is None else cell for cell in row] for row in rows]
    if not cells:
        return ""
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)
