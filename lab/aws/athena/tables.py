"""Glue tables of newline-delimited JSON as DuckDB views."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import duckdb

from lab.aws import embedded
from lab.aws.wire import AwsError

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
MAX_OBJECT_BYTES = 64 * 1024 * 1024


def create_view(
    connection: duckdb.DuckDBPyConnection, schema: str, definition: dict[str, Any]
) -> tuple[dict[str, str], int]:
    """Makes `schema.table` a view of the objects that the table's projection reaches, typed as Glue says.

    Returns the columns with their Hive types, and the size of the objects in bytes.
    """
    declared = definition["StorageDescriptor"]["Columns"]
    partition_keys = definition.get("PartitionKeys") or []
    columns = {column["Name"]: duckdb_type(column["Type"]) for column in declared}
    partitions = {column["Name"]: duckdb_type(column["Type"]) for column in partition_keys}
    objects = list(_objects(definition, list(partitions)))
    body = _rows_of(objects, columns, partitions) if objects else _no_rows(columns | partitions)
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(schema)}")
    connection.execute(f"CREATE OR REPLACE VIEW {quoted(schema)}.{quoted(definition['Name'])} AS {body}")
    hive_types = {column["Name"]: column["Type"] for column in [*declared, *partition_keys]}
    return hive_types, sum(path.stat().st_size for path, _ in objects)


def _rows_of(objects: list[tuple[Path, dict[str, str]]], columns: dict[str, str], partitions: dict[str, str]) -> str:
    """The rows in the objects, each with the partition values of its object's path."""
    paths = ", ".join(text(str(path)) for path, _ in objects)
    types = ", ".join(f"{text(column)}: {text(kind)}" for column, kind in columns.items())
    values = ", ".join(
        "("
        + ", ".join([text(str(path))] + [f"CAST({text(found[key])} AS {kind})" for key, kind in partitions.items()])
        + ")"
        for path, found in objects
    )
    aliases = ", ".join(["lab_path", *(quoted(key) for key in partitions)])
    selected = ", ".join([f"r.{quoted(column)}" for column in columns] + [f"p.{quoted(key)}" for key in partitions])
    return (
        f"SELECT {selected} FROM read_json([{paths}], columns = {{{types}}}, format = 'newline_delimited', "
        f"filename = true, maximum_object_size = {MAX_OBJECT_BYTES}) AS r "
        f"JOIN (VALUES {values}) AS p({aliases}) ON r.filename = p.lab_path"
    )


def _no_rows(columns: dict[str, str]) -> str:
    nulls = ", ".join(f"CAST(NULL AS {kind}) AS {quoted(column)}" for column, kind in columns.items())
    return f"SELECT {nulls} WHERE false"


def _objects(definition: dict[str, Any], partitions: list[str]) -> Iterator[tuple[Path, dict[str, str]]]:
    """Path on disk and partition values of each object below the table's location."""
    parameters = definition.get("Parameters") or {}
    location = definition["StorageDescriptor"]["Location"].rstrip("/") + "/"
    is_projected = str(parameters.get("projection.enabled", "false")).lower() == "true"
    default = location + "".join(f"{key}=${{{key}}}/" for key in partitions)
    template = parameters.get("storage.location.template", default) if is_projected else default
    url = urlparse(template.rstrip("/") + "/")
    prefix = url.path.lstrip("/")
    pattern = re.compile(
        "".join(
            f"(?P<{part[2:-1]}>[^/]+)" if part.startswith("${") else re.escape(part)
            for part in re.split(r"(\$\{\w+\})", prefix)
        )
    )
    try:
        keys = list(_keys(url.netloc, prefix.partition("${")[0]))
    except AwsError as error:
        raise ValueError(f"{error.code}: bucket {url.netloc} of table {definition['Name']}: {error.message}") from error
    for key in keys:
        match = pattern.match(key)
        # Like Trino, Athena omits files whose name begins with _ or .
        if match and key != match.group(0) and not key.rsplit("/", 1)[1].startswith(("_", ".")):
            yield embedded.object_path(url.netloc, key), match.groupdict()


def _keys(bucket: str, prefix: str) -> Iterator[str]:
    """The keys below the prefix, in order."""
    more: dict[str, str] = {}
    while True:
        page = embedded.call("s3", "ListObjectsV2", Bucket=bucket, Prefix=prefix, **more)
        yield from (item["Key"] for item in page.get("Contents", []))
        if not page.get("IsTruncated"):
            return
        more = {"ContinuationToken": page["NextContinuationToken"]}


def duckdb_type(hive: str) -> str:
    """Turns a Hive type into DuckDB's: `struct<a:int,b:array<double>>` becomes `STRUCT("a" INTEGER, "b" DOUBLE[])`."""
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
    parts: list[str] = []
    depth, current = 0, ""
    for character in inner:
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += character
    return [*parts, current]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
