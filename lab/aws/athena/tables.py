"""Creates DuckDB views of Glue tables, whose objects are JSON lines or Parquet, and reads Athena's views from Glue."""

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator, Sequence
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
    if not objects:
        body = _no_rows(columns | partitions)
    elif _is_parquet(definition):
        body = _rows_of_parquet(connection, objects, columns, partitions, _partition_path(definition, partitions))
    else:
        body = _rows_of(objects, columns, partitions, _partition_path(definition, partitions))
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


def _rows_of(objects: list[Path], columns: dict[str, str], partitions: dict[str, str], partition_path: str) -> str:
    """Returns a query for the rows in the objects, each with the partition values from its object's path."""
    paths = ", ".join(text(str(path)) for path in objects)
    types = ", ".join(f"{text(column)}: {text(kind)}" for column, kind in columns.items())
    option, values = _BY_FILE_NAME, _values_from_file_names(partitions, partition_path)
    if partition_path == _path_by_key(partitions):
        # DuckDB opens only the objects that a condition on such partitions admits.
        kinds = ", ".join(f"{text(key)}: {kind}" for key, kind in partitions.items())
        option = f"hive_partitioning = true, hive_types = {{{kinds}}}" if partitions else "hive_partitioning = false"
        values = [quoted(key) for key in partitions]
    return (
        f"SELECT {', '.join([*map(quoted, columns), *values])} "
        f"FROM read_json([{paths}], columns = {{{types}}}, format = 'newline_delimited', {option}, "
        f"maximum_object_size = {MAX_OBJECT_BYTES})"
    )


_BY_FILE_NAME = "hive_partitioning = false, filename = true"


def _values_from_file_names(partitions: dict[str, str], partition_path: str) -> list[str]:
    """Returns an expression for the value of each partition, in a query that reads objects with `_BY_FILE_NAME`."""
    pattern = text("/" + _PLACEHOLDER.sub("([^/]+)", partition_path))
    keys = _PLACEHOLDER.findall(partition_path)
    return [
        f"CAST(regexp_extract(filename, {pattern}, {keys.index(key) + 1}) AS {kind}) AS {quoted(key)}"
        for key, kind in partitions.items()
    ]


_PLACEHOLDER = re.compile(r"\$\{(\w+)\}")


def _path_by_key(partitions: Iterable[str]) -> str:
    return "".join(f"{key}=${{{key}}}/" for key in partitions)


def _partition_path(definition: dict[str, Any], partitions: Iterable[str]) -> str:
    """Returns what follows the location in the keys of a partition, with `${key}` for the partition's values."""
    location = definition["StorageDescriptor"]["Location"].rstrip("/") + "/"
    by_key = location + _path_by_key(partitions)
    template = (definition.get("Parameters") or {}).get("storage.location.template", by_key).rstrip("/") + "/"
    path: str = template.removeprefix(location)
    if template == path or sorted(_PLACEHOLDER.findall(path)) != sorted(partitions):
        raise ValueError(f"storage.location.template: must have the partitions below {location}, got {template}")
    return path


def _is_parquet(definition: dict[str, Any]) -> bool:
    serde = definition["StorageDescriptor"].get("SerdeInfo", {}).get("SerializationLibrary", "")
    return bool(serde.endswith("ParquetHiveSerDe"))


def _rows_of_parquet(
    connection: duckdb.DuckDBPyConnection,
    objects: list[Path],
    columns: dict[str, str],
    partitions: dict[str, str],
    partition_path: str,
) -> str:
    """Like `_rows_of`. As in Athena, a column that an object lacks is NULL, and one of another type is an error."""
    paths = ", ".join(text(str(path)) for path in objects)
    selected = ", ".join(["*", *_values_from_file_names(partitions, partition_path)])
    found = f"SELECT {selected} FROM read_parquet([{paths}], union_by_name = true, {_BY_FILE_NAME})"
    declared = _no_rows(columns | partitions)
    types, declared_types = (
        {name: kind for name, kind, *_ in connection.execute(f"DESCRIBE {query}").fetchall()}
        for query in (found, declared)
    )
    for name, kind in declared_types.items():
        if types.get(name, kind) != kind:
            raise ValueError(f"HIVE_BAD_DATA: column {name}: must be {kind} in every object, got {types[name]}")
    return f"SELECT {', '.join(map(quoted, declared_types))} FROM ({declared} UNION ALL BY NAME {found})"


def _no_rows(columns: dict[str, str]) -> str:
    nulls = ", ".join(f"CAST(NULL AS {kind}) AS {quoted(column)}" for column, kind in columns.items())
    return f"SELECT {nulls} WHERE false"


def _objects(definition: dict[str, Any], partitions: list[str], values: dict[str, str]) -> list[Path]:
    """Returns the paths on disk of the objects below the table's location, in folders named `key=value`."""
    url = urlparse(definition["StorageDescriptor"]["Location"].rstrip("/") + "/")
    prefix = url.path.lstrip("/")
    folders = _PLACEHOLDER.sub(
        lambda found: re.escape(values[found[1]]) if found[1] in values else "[^/]+",
        _partition_path(definition, partitions),
    )
    # Like Trino, Athena omits files whose names begin with `_` or `.`.
    pattern = re.compile(re.escape(prefix) + folders + "(?:.*/)?[^_./][^/]*")
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
