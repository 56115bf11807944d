"""Creates DuckDB views of Glue tables, whose objects are newline-delimited JSON, and reads Athena's views from Glue."""

import base64
import binascii
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import duckdb
from sqlglot import exp
from sqlglot.errors import SqlglotError

from lab.aws import embedded
from lab.aws.wire import AwsError

MAX_OBJECT_BYTES = 64 * 1024 * 1024


def declared_columns(definition: dict[str, Any]) -> dict[str, str]:
    """Returns the Hive type of each column of a Glue table or view, partitions included."""
    return _hive_types(definition["StorageDescriptor"]["Columns"]) | _hive_types(definition.get("PartitionKeys"))


def create_relation(
    connection: duckdb.DuckDBPyConnection, schema: str, definition: dict[str, Any], values: Sequence[dict[str, str]]
) -> int:
    """Creates `schema.table` as a view of DuckDB over the table's objects, with the types of the Glue table.

    Reads the partitions that `values` name; a partition key that they omit matches all values. Returns the size of the
    objects in bytes.
    """
    columns, partitions = (
        {name: duckdb_type(kind) for name, kind in _hive_types(declared).items()}
        for declared in (definition["StorageDescriptor"]["Columns"], definition.get("PartitionKeys"))
    )
    reached = (path for each in values for path in _objects(definition, list(partitions), each))
    objects = list(dict.fromkeys(reached))
    body = _rows_of(objects, columns, partitions) if objects else _no_rows(columns | partitions)
    _create(connection, schema, definition["Name"], body)
    return sum(path.stat().st_size for path in objects)


def _hive_types(declared: list[dict[str, str]] | None) -> dict[str, str]:
    return {column["Name"]: column["Type"] for column in declared or []}


def create_view(
    connection: duckdb.DuckDBPyConnection, schema: str, name: str, columns: dict[str, str], body: str
) -> None:
    """Creates `schema.name` as a view of a DuckDB query, whose columns are cast to the given Hive types."""
    typed = [f"CAST({quoted(column)} AS {duckdb_type(kind)}) AS {quoted(column)}" for column, kind in columns.items()]
    _create(connection, schema, name, f"SELECT {', '.join(typed)} FROM ({body})")


def _create(connection: duckdb.DuckDBPyConnection, schema: str, name: str, body: str) -> None:
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(schema)}")
    connection.execute(f"CREATE OR REPLACE VIEW {quoted(schema)}.{quoted(name)} AS {body}")


def _rows_of(objects: list[Path], columns: dict[str, str], partitions: dict[str, str]) -> str:
    """Returns a query for the rows in the objects, each with the partition values from its object's path."""
    paths = ", ".join(text(str(path)) for path in objects)
    types = ", ".join(f"{text(column)}: {text(kind)}" for column, kind in columns.items())
    partition_types = ", ".join(f"{text(key)}: {kind}" for key, kind in partitions.items())
    return (
        f"SELECT {', '.join(quoted(name) for name in [*columns, *partitions])} "
        f"FROM read_json([{paths}], columns = {{{types}}}, format = 'newline_delimited', hive_partitioning = true, "
        f"hive_types = {{{partition_types}}}, maximum_object_size = {MAX_OBJECT_BYTES})"
    )


def _no_rows(columns: dict[str, str]) -> str:
    nulls = ", ".join(f"CAST(NULL AS {kind}) AS {quoted(column)}" for column, kind in columns.items())
    return f"SELECT {nulls} WHERE false"


def _objects(definition: dict[str, Any], partitions: list[str], values: dict[str, str]) -> list[Path]:
    """Returns the paths on disk of the objects below the table's location, in folders named `key=value`."""
    location = definition["StorageDescriptor"]["Location"].rstrip("/") + "/"
    by_key = location + "".join(f"{key}=${{{key}}}/" for key in partitions)
    template = (definition.get("Parameters") or {}).get("storage.location.template", by_key)
    if template.rstrip("/") + "/" != by_key:
        raise ValueError(f"storage.location.template: must be {by_key} in the lab, got {template}")
    url = urlparse(location)
    prefix = url.path.lstrip("/")
    # Like Trino, Athena omits files whose names begin with `_` or `.`.
    folders = (f"{re.escape(key)}={re.escape(values[key]) if key in values else '[^/]+'}/" for key in partitions)
    pattern = re.compile(re.escape(prefix) + "".join(folders) + "(?:.*/)?[^_./][^/]*")
    try:
        keys = list(_keys(url.netloc, prefix))
    except AwsError as error:
        raise ValueError(f"{error.code}: bucket {url.netloc} of table {definition['Name']}: {error.message}") from error
    return [embedded.object_path(url.netloc, key) for key in keys if pattern.fullmatch(key)]


def _keys(bucket: str, prefix: str) -> Iterator[str]:
    more: dict[str, str] = {}
    while True:
        page = embedded.call("s3", "ListObjectsV2", Bucket=bucket, Prefix=prefix, **more)
        yield from (item["Key"] for item in page.get("Contents", []))
        if not page.get("IsTruncated"):
            return
        more = {"ContinuationToken": page["NextContinuationToken"]}


def duckdb_type(hive: str) -> str:
    """Translates a Hive type to DuckDB's: `struct<a:int,b:array<double>>` becomes `STRUCT("a" INT, "b" DOUBLE[])`."""
    try:
        return exp.DataType.build(hive, dialect="hive").sql(dialect="duckdb", identify=True)
    except SqlglotError as error:
        raise ValueError(f"HIVE_METADATA: column type {hive} is not known in the lab") from error


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


COMMENT = "Presto View"
PREFIX, SUFFIX = "/* Presto View: ", " */"


@dataclass(frozen=True)
class StoredView:
    sql: str
    schema: str
    """Where tables that the query names without a database are."""
    columns: dict[str, str]
    """The declared columns with their Hive types."""


def is_view(definition: dict[str, Any]) -> bool:
    return definition.get("TableType") == "VIRTUAL_VIEW"


def stored_view(definition: dict[str, Any]) -> StoredView:
    """Parses a view as Athena stores it; raises ValueError for a definition that Athena would not have stored."""
    name = definition["Name"]
    text = (definition.get("ViewOriginalText") or "").strip()
    parameters = definition.get("Parameters") or {}
    # As in Trino's connector, the table's description takes precedence over its parameter `comment`.
    comment = definition.get("Description") or parameters.get("comment")
    if parameters.get("presto_view") != "true":
        raise ValueError(f"INVALID_VIEW: view {name}: parameter presto_view must be true")
    if comment != COMMENT:
        raise ValueError(
            f"INVALID_VIEW: view {name}: description or parameter comment must be {COMMENT}, got {comment}"
        )
    if not (text.startswith(PREFIX) and text.endswith(SUFFIX)):
        raise ValueError(f"INVALID_VIEW: view {name}: ViewOriginalText must be {PREFIX}<base64>{SUFFIX}")
    try:
        stored = json.loads(base64.b64decode(text[len(PREFIX) : -len(SUFFIX)], validate=True))
        sql, schema, names = stored["originalSql"], stored["schema"], [column["name"] for column in stored["columns"]]
    except (binascii.Error, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"INVALID_VIEW: view {name}: ViewOriginalText can't be decoded: {error!r}") from error
    columns = {column["Name"]: column["Type"] for column in definition["StorageDescriptor"]["Columns"]}
    if names != list(columns):
        raise ValueError(
            f"INVALID_VIEW: view {name}: columns must be those of the StorageDescriptor, {list(columns)}, got {names}"
        )
    return StoredView(sql, schema, columns)
