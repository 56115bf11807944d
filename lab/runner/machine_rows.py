"""Rows of a query for programs: CSV or NDJSON with every digit, in which NULL is not an empty text."""

import json
import re
from collections import Counter
from collections.abc import Iterator

from lab.runner import LabError
from lab.runner.athena import QueryResult

_NUMBERS = ("tinyint", "smallint", "integer", "int", "bigint", "float", "real", "double", "decimal")
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_CSV_SPECIAL = re.compile(r'[",\r\n]')


def csv_lines(result: QueryResult) -> Iterator[str]:
    """Yields the header and the rows by RFC 4180: nothing between two commas is NULL, "" is an empty text."""
    yield ",".join(_csv_cell(name) for name in result.names)
    for row in result.rows:
        yield ",".join(_csv_cell(value) for value in row)


def _csv_cell(value: str | None) -> str:
    if value is None:
        return ""
    if value == "" or _CSV_SPECIAL.search(value):
        return '"' + value.replace('"', '""') + '"'
    return value


def ndjson_lines(result: QueryResult) -> Iterator[str]:
    """Yields an object per row. Raises LabError where two columns have one name, because an object can't have both."""
    twice = [name for name, count in Counter(result.names).items() if count > 1]
    if twice:
        raise LabError(
            f"--json: each column must have a name of its own, got {', '.join(twice)} twice; name it with AS"
        )
    keys = [json.dumps(name) for name in result.names]
    for row in result.rows:
        cells = zip(keys, result.types, row, strict=True)
        yield "{" + ", ".join(f"{key}: {_json_value(kind, value)}" for key, kind, value in cells) + "}"


def _json_value(kind: str, value: str | None) -> str:
    """Writes numbers digit by digit as Athena does; those that JSON lacks (NaN, Infinity) are texts."""
    if value is None:
        return "null"
    if kind == "boolean":
        return value
    if kind.startswith(_NUMBERS) and _JSON_NUMBER.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)
