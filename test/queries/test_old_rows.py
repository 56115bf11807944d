"""Rows that an older version stored, under today's definition of the table."""

from __future__ import annotations

import duckdb
from query_runner import REPOSITORY, Tables, rows_below


def test_rows_of_the_old_layout_are_read_and_lack_only_what_came_later(tables: Tables) -> None:
    table = tables["measurements"]
    later = table | {"columns": [*table["columns"], {"name": "came_later", "type": "double", "comment": ""}]}
    rows = rows_below(REPOSITORY / "test/fixtures/old-layout", later)
    found = duckdb.sql(
        f"SELECT measurement_id, status, CAST(day AS varchar), came_later FROM {rows} ORDER BY 1"
    ).fetchall()
    assert found == [
        ("p0001-m01", "failed", "2026-11-20", None),
        ("p0001-m02", "complete", "2026-11-20", None),
        ("p0002-m01", "failed", "2026-11-20", None),
        ("p0002-m02", "complete", "2026-11-20", None),
    ]
