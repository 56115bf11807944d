"""Runs a named query as the lab does: read as Athena's SQL, over tables of exactly the declared columns and types."""

from __future__ import annotations

import functools
import json
import subprocess
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import sqlglot
from sqlglot import exp

REPOSITORY = Path(__file__).resolve().parents[2]
QUERIES = {path.stem: path.read_text() for path in sorted((REPOSITORY / "queries").glob("*.sql"))}
VIEWS = {path.stem: path.read_text() for path in sorted((REPOSITORY / "views").glob("*.sql"))}

# What `current_date` is here, whatever the clock says. It is so long ago that a query that reads the clock nevertheless
# finds no row of it.
TODAY = date(1998, 3, 1)

Row = dict[str, object]
Tables = dict[str, dict[str, object]]
Edits = tuple[tuple[str, str], ...]


def written_by(writer: str, *arguments: object) -> None:
    """Has a program of this folder write its rows."""
    tsx = ["node_modules/.bin/tsx", f"test/queries/{writer}", *map(str, arguments)]
    subprocess.run(tsx, cwd=REPOSITORY, check=True)


def evaluated(expression: str, **modules: str) -> Any:
    """The value of an expression in TypeScript; `modules` are by the names that it uses of them."""
    imports = "".join(f"import {{ {name} }} from './{module}';" for name, module in modules.items())
    tsx = ["node_modules/.bin/tsx", "--eval", f"{imports} console.log(JSON.stringify({expression}))"]
    return json.loads(subprocess.run(tsx, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True).stdout)


def connected() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def measurements_below(folder: Path, tables: Tables) -> duckdb.DuckDBPyConnection:
    """The rows of measurements that were written below a folder."""
    connection = connected()
    connection.execute(f"CREATE TABLE measurements AS SELECT * FROM {rows_below(folder, tables['open_measurements'])}")
    return connection


def run(database: duckdb.DuckDBPyConnection, name: str, *edits: tuple[str, str]) -> list[Row]:
    sql = QUERIES[name]
    for before, after in edits:
        assert before in sql
        sql = sql.replace(before, after)
    return ask(database, sql)


def answer(tables: Tables, name: str, *measurements: Row, edits: Edits = ()) -> list[Row]:
    """The rows that a named query gives over these measurements alone."""
    return run(database_of(tables, {"measurements": list(measurements)}), name, *edits)


def ask(database: duckdb.DuckDBPyConnection, sql: str) -> list[Row]:
    """The rows that a query in Athena's SQL gives."""
    cursor = database.execute(for_duckdb(sql))
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


# A test makes a database of its own for each answer. To read the views' SQL and the columns' types again each time took
# over a third of the processor time.
@functools.cache
def for_duckdb(sql: str) -> str:
    today = sqlglot.parse_one(f"date '{TODAY}'", read="athena")
    statement = sqlglot.parse_one(sql, read="athena")
    dated = statement.transform(lambda node: today.copy() if isinstance(node, exp.CurrentDate) else node)
    return dated.sql(dialect="duckdb")


def create_views(database: duckdb.DuckDBPyConnection) -> None:
    # The views of open and closed rows first, because others read them.
    for name in sorted(VIEWS, key=lambda each: "closed_days" not in VIEWS[each]):
        database.execute(f"CREATE VIEW {name} AS {for_duckdb(VIEWS[name])}")


def duckdb_columns(table: dict[str, object]) -> dict[str, str]:
    return {column["name"]: _duckdb_type(column["type"]) for column in table["columns"]}


def duckdb_partitions(table: dict[str, object]) -> dict[str, str]:
    return {column["name"]: _duckdb_type(column["type"]) for column in table["partitions"]}


@functools.cache
def _duckdb_type(hive_type: str) -> str:
    return exp.DataType.build(hive_type, dialect="hive").sql(dialect="duckdb")


def rows_below(folder: Path, table: dict[str, object]) -> str:
    """What reads the rows of a table from its objects below a folder, uncompressed."""
    return (
        f"read_json('{folder}/{table['prefix']}**/*.ndjson', format = 'newline_delimited', "
        f"columns = {duckdb_columns(table)}, hive_partitioning = true, hive_types = {duckdb_partitions(table)})"
    )


def cell_of(table: dict[str, object], row: Row) -> str:
    """As the product writes it: the settings and conditions that the row has, in the order of the table's columns."""
    return "".join(f"{name}={row[name]} " for name in table["cellColumns"] if row.get(name) is not None)


def create_table(database: duckdb.DuckDBPyConnection, table: dict[str, object]) -> dict[str, str]:
    """Returns the types of its columns."""
    columns = duckdb_columns(table) | duckdb_partitions(table)
    declared = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
    database.execute(f"CREATE TABLE {table['name']} ({declared})")
    return columns


def database_of(tables: Tables, rows: dict[str, list[Row]]) -> duckdb.DuckDBPyConnection:
    """All tables, with `rows` of `TODAY` by the name of the table, or of the view whose open rows they are. What a row
    does not name is NULL, as in the store.
    """
    connection = connected()
    for name, table in tables.items():
        columns = create_table(connection, table)
        for row in rows.get(name, rows.get(name.removeprefix("open_"), [])):
            filled = ({"day": TODAY} if "day" in columns else {}) | row
            if "cell" in columns:
                filled.setdefault("cell", cell_of(table, row))
            places = ", ".join("?" for _ in filled)
            connection.execute(f"INSERT INTO {name} ({', '.join(filled)}) VALUES ({places})", list(filled.values()))
    create_views(connection)
    return connection
