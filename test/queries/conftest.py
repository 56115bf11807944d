"""The tables as the product declares them, and the rows that its own writers make of a made-up run."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from query_runner import TODAY, Tables, connected, create_table, create_views, rows_below, written_by


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows")
    written_by("write-rows.ts", path, TODAY)
    return path


@pytest.fixture(scope="session")
def tables(folder: Path) -> Tables:
    return json.loads((folder / "tables.json").read_text())


@pytest.fixture(scope="session")
def views(folder: Path) -> Tables:
    return json.loads((folder / "views.json").read_text())


@pytest.fixture(scope="session")
def database(folder: Path, tables: Tables) -> duckdb.DuckDBPyConnection:
    """The rows as tables of exactly the declared columns and types, and the views over them."""
    connection = connected()
    for name, table in tables.items():
        create_table(connection, table)
        # No month is closed.
        if not name.startswith("closed_"):
            connection.execute(f"INSERT INTO {name} BY NAME SELECT * FROM {rows_below(folder, table)}")
    create_views(connection)
    return connection
