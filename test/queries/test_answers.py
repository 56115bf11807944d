"""A row of `answers` has the figures of the answer in `summary.json`, over the recorded instance types."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from answer_rows import Row, differing_cells
from query_runner import TODAY, Tables, ask, connected, create_table, create_views, rows_below, written_by

RUNS = {"recorded": 6, "two-settings": 2, "recorded-at-a-scale": 6, "empty-answer": 0, "no-answer": 0}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("answers")
    written_by("write-answers.ts", folder, TODAY)
    return folder


@pytest.fixture(scope="module")
def answered(written: Path, tables: Tables) -> duckdb.DuckDBPyConnection:
    database = connected()
    for table in tables.values():
        create_table(database, table)
    database.execute(f"INSERT INTO open_runs BY NAME SELECT * FROM {rows_below(written, tables['open_runs'])}")
    create_views(database)
    return database


def rows_of(database: duckdb.DuckDBPyConnection, run_id: str) -> list[Row]:
    return ask(database, f"SELECT * FROM answers WHERE run_id = '{run_id}' ORDER BY position")


def summary_of(written: Path, run_id: str) -> Any:
    return json.loads((written / f"reports/{run_id}/summary.json").read_text())


@pytest.mark.parametrize("run_id", RUNS)
def test_a_row_is_the_row_of_the_summary(answered: duckdb.DuckDBPyConnection, written: Path, run_id: str) -> None:
    found = rows_of(answered, run_id)
    assert len(found) == RUNS[run_id]
    assert differing_cells(found, summary_of(written, run_id)) == []


def test_every_column_has_a_value_somewhere(answered: duckdb.DuckDBPyConnection) -> None:
    rows = ask(answered, "SELECT * FROM answers")
    assert [name for name in rows[0] if all(row[name] in (None, []) for row in rows)] == []


def doubled(row: Row, *path: str | int) -> None:
    *parents, last = path
    for part in parents:
        row = row[part]
    row[last] *= 2


@pytest.mark.parametrize(
    "path",
    [
        ("label",),
        ("pairHourlyUsd",),
        ("sustained", "low"),
        ("burstSeconds", "value"),
        ("holds", 0, "reachedPairCount"),
        ("roundTrips", 0, "p99Micros", "value"),
    ],
)
def test_another_figure_is_seen(
    answered: duckdb.DuckDBPyConnection, written: Path, path: tuple[str | int, ...]
) -> None:
    summary = summary_of(written, "recorded")
    doubled(summary["answer"]["rows"][2], *path)
    assert len(differing_cells(rows_of(answered, "recorded"), summary)) == 1


def test_a_missing_row_is_seen(answered: duckdb.DuckDBPyConnection, written: Path) -> None:
    found = rows_of(answered, "recorded")[1:]
    assert differing_cells(found, summary_of(written, "recorded")) == ["6 rows expected, got 5"]
