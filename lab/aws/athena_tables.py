"""Glue tables of newline-delimited JSON as DuckDB views, and DuckDB's values and types as Athena writes them."""

from __future__ import annotations

import datetime
import decimal
import os
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlparse

import duckdb
from ministack.core.responses import get_account_id
from ministack.services import s3

SCALARS = {
    "boolean": "BOOLEAN",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "integer": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "varchar": "VARCHAR",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
}
ATHENA_TYPES = {
    "BOOLEAN": "boolean",
    "TINYINT": "tinyint",
    "SMALLINT": "smallint",
    "INTEGER": "integer",
    "BIGINT": "bigint",
    "HUGEINT": "bigint",
    "FLOAT": "float",
    "DOUBLE": "double",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
    "TIMESTAMP WITH TIME ZONE": "timestamp with time zone",
}
MAX_OBJECT_BYTES = 64 * 1024 * 1024


def create_view(
    connection: duckdb.DuckDBPyConnection, schema: str, definition: dict[str, Any]
) -> tuple[dict[str, str], int]:
    """Makes `schema.table` the table's columns, typed as Glue says, over the objects that its projection reaches.

    Returns the columns with their Hive types, and how many bytes the objects have.
    """
    name = definition["Name"]
    columns = {column["Name"]: duckdb_type(column["Type"]) for column in definition["StorageDescriptor"]["Columns"]}
    partitions = {column["Name"]: duckdb_type(column["Type"]) for column in definition.get("PartitionKeys") or []}
    objects = list(_objects(definition, list(partitions)))
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(schema)}")
    if objects:
        paths = ", ".join(text(path) for path, _ in objects)
        types = ", ".join(f"{text(column)}: {text(kind)}" for column, kind in columns.items())
        values = ", ".join(
            "("
            + ", ".join([text(path)] + [f"CAST({text(found[key])} AS {kind})" for key, kind in partitions.items()])
            + ")"
            for path, found in objects
        )
        aliases = ", ".join(["lab_path", *(quoted(key) for key in partitions)])
        selected = ", ".join([f"r.{quoted(column)}" for column in columns] + [f"p.{quoted(key)}" for key in partitions])
        body = (
            f"SELECT {selected} FROM read_json([{paths}], columns = {{{types}}}, format = 'newline_delimited', "
            f"filename = true, maximum_object_size = {MAX_OBJECT_BYTES}) AS r "
            f"JOIN (VALUES {values}) AS p({aliases}) ON r.filename = p.lab_path"
        )
    else:
        nulls = ", ".join(
            f"CAST(NULL AS {kind}) AS {quoted(column)}" for column, kind in (columns | partitions).items()
        )
        body = f"SELECT {nulls} WHERE false"
    connection.execute(f"CREATE OR REPLACE VIEW {quoted(schema)}.{quoted(name)} AS {body}")
    declared = [*definition["StorageDescriptor"]["Columns"], *(definition.get("PartitionKeys") or [])]
    return {column["Name"]: column["Type"] for column in declared}, sum(os.path.getsize(path) for path, _ in objects)


def _objects(definition: dict[str, Any], partitions: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Path on disk and partition values of each object below the table's location."""
    parameters = definition.get("Parameters") or {}
    location = definition["StorageDescriptor"]["Location"].rstrip("/") + "/"
    is_projected = str(parameters.get("projection.enabled", "false")).lower() == "true"
    default = location + "".join(f"{key}=${{{key}}}/" for key in partitions)
    template = parameters.get("storage.location.template", default) if is_projected else default
    url = urlparse(template.rstrip("/") + "/")
    pattern = re.compile(
        "".join(
            f"(?P<{part[2:-1]}>[^/]+)" if part.startswith("${") else re.escape(part)
            for part in re.split(r"(\$\{\w+\})", url.path.lstrip("/"))
        )
    )
    bucket = s3._buckets.get(url.netloc)
    if bucket is None:
        raise ValueError(f"NoSuchBucket: bucket {url.netloc} of table {definition['Name']} does not exist")
    for key in sorted(bucket["objects"]):
        match = pattern.match(key)
        # As Trino does, files whose name begins with _ or . are left out.
        if match and key != match.group(0) and not key.rsplit("/", 1)[1].startswith(("_", ".")):
            path = os.path.join(s3.DATA_DIR, get_account_id(), url.netloc, key)
            if os.path.isfile(path):
                yield path, match.groupdict()


def duckdb_type(hive: str) -> str:
    """`struct<a:int,b:array<double>>` becomes `STRUCT("a" INTEGER, "b" DOUBLE[])`."""
    hive = hive.strip()
    outer, _, inner = hive.partition("<")
    if inner:
        parts = _split(inner.removesuffix(">"))
        if outer.lower() == "array":
            return f"{duckdb_type(parts[0])}[]"
        if outer.lower() == "map":
            return f"MAP({duckdb_type(parts[0])}, {duckdb_type(parts[1])})"
        fields = (part.partition(":") for part in parts)
        return "STRUCT(" + ", ".join(f"{quoted(name.strip())} {duckdb_type(kind)}" for name, _, kind in fields) + ")"
    base = hive.partition("(")[0].lower()
    if base == "decimal":
        return hive.upper()
    if base not in SCALARS:
        raise ValueError(f"HIVE_METADATA: column type {hive} is not known in the lab")
    return SCALARS[base]


def _split(inner: str) -> list[str]:
    parts, depth, current = [], 0, ""
    for character in inner:
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += character
    return [*parts, current]


def athena_type(duckdb_name: str) -> str:
    base = duckdb_name.upper()
    if base.endswith("[]") or base.startswith("LIST"):
        return "array"
    for start, name in (("STRUCT", "row"), ("MAP", "map"), ("DECIMAL", "decimal")):
        if base.startswith(start):
            return name
    return ATHENA_TYPES.get(base, "varchar")


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


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
