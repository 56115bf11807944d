"""DuckDB's types and values as Athena writes them."""

import datetime
import decimal
from typing import Any

# By the id of DuckDB's type.
ATHENA_TYPES = {
    "boolean": "boolean",
    "tinyint": "tinyint",
    "smallint": "smallint",
    "integer": "integer",
    "bigint": "bigint",
    "hugeint": "bigint",
    "float": "float",
    "double": "double",
    "decimal": "decimal",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp with time zone": "timestamp with time zone",
    "list": "array",
    "array": "array",
    "struct": "row",
    "map": "map",
}


def athena_text(value: Any) -> str | None:
    """A value as Athena's results show it: Java's doubles, rows as {a=1, b=2}."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _java_double(value)
    if isinstance(value, datetime.datetime):
        zone = " UTC" if value.tzinfo else ""
        return value.strftime("%Y-%m-%d %H:%M:%S.") + f"{value.microsecond // 1000:03d}{zone}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}={_nested(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_nested(item) for item in value) + "]"
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    return str(value)


def _nested(value: Any) -> str:
    shown = athena_text(value)
    return "null" if shown is None else shown


def _java_double(value: float) -> str:
    """Double.toString: plain from 10⁻³ to 10⁷, else with an exponent."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return format(decimal.Decimal(repr(value)), "f") if "e" in repr(value) else repr(value)
    mantissa, exponent = f"{decimal.Decimal(repr(value)):E}".split("E")
    digits = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{digits if '.' in digits else digits + '.0'}E{int(exponent)}"
