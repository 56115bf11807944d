"""Runs one query through the embedded AWS's Athena API, and says which name it most likely meant for an unknown one."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from lab.runner import LabError
from lab.runner.deployment import Deployment
from lab.runner.embedded_aws import EmbeddedAws

QUERY_DEADLINE_SECONDS = 120

Row = list[str | None]
# By the name of a table or view, its columns with those that partition it.
Relations = Mapping[str, Sequence[str]]

# Fewer letters are in many names by chance, and more names are no help.
_MIN_PART_LETTERS = 3
_MAX_LISTED = 6
_UNKNOWN_RELATION = re.compile(r"TABLE_NOT_FOUND: .*'(?:[^'.]+\.)*([^'.]+)' does not exist")
_UNKNOWN_COLUMN = re.compile(r"COLUMN_NOT_FOUND: .*'(?:[^'.]+\.)*([^'.]+)' cannot be resolved")


@dataclass(frozen=True)
class QueryResult:
    """Values as Athena writes them; None is NULL."""

    names: list[str]
    types: list[str]
    rows: list[Row]


def query_result(aws: EmbeddedAws, deployment: Deployment, query: str) -> QueryResult:
    """Returns the result of an SQL text or of a named query; raises LabError with Athena's reason when it fails."""
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
            suggestion = meant(reason, sql, lambda: _relations_in(aws, deployment))
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


def meant(reason: str, query: str, relations: Callable[[], Relations]) -> str:
    """Returns what is to be added to Athena's reason; nothing where it is no unknown name.

    `relations` is called only if a name is unknown.
    """
    relation, column = _UNKNOWN_RELATION.match(reason), _UNKNOWN_COLUMN.match(reason)
    if relation is not None:
        names = sorted(relations())
        return _suggestion(relation[1], names) or f"; there are {', '.join(names)}"
    if column is None:
        return ""
    known = relations()
    words = set(re.findall(r"\w+", query.lower()))
    asked = [name for name in sorted(known) if name in words] or sorted(known)
    columns = sorted({each for name in asked for each in known[name]})
    return _suggestion(column[1], columns) or f"; docs/reference/columns.md lists the columns of {', '.join(asked)}"


def _suggestion(written: str, names: list[str]) -> str:
    """Prefers the name that differs by slips of typing to those of which only a part is written (`onset`)."""
    word = written.lower()
    near = get_close_matches(word, names, n=1) or _with_part(word, names)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _with_part(word: str, names: list[str]) -> list[str]:
    found = [name for name in names if word in name] if len(word) >= _MIN_PART_LETTERS else []
    return found if len(found) <= _MAX_LISTED else []


def _relations_in(aws: EmbeddedAws, deployment: Deployment) -> Relations:
    pages = aws.glue.get_paginator("get_tables").paginate(DatabaseName=deployment.database)
    return {
        table["Name"]: [
            column["Name"] for column in [*table["StorageDescriptor"]["Columns"], *table.get("PartitionKeys", [])]
        ]
        for page in pages
        for table in page["TableList"]
    }
