"""Closes the months of a store in a layout that the project's own function did not write: Parquet by DuckDB.

Only the rows and the pointer are as docs/data-model.md says; pages, dictionaries and compression are DuckDB's.
"""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import date, datetime, timedelta
from pathlib import Path

import duckdb
from sqlglot import exp

Columns = dict[str, str]
GENERATION = "by-duckdb"
# Of one object.
MOST_ROWS = 100_000


def close_months(folder: Path, tables: dict[str, Columns], until: date) -> None:
    """Makes a Parquet object of the open rows of each month, up to a day, and deletes them.

    `folder` has the objects by their keys, `tables` the Hive types of the columns by the names of the tables.
    """
    months = set()
    for table, columns in tables.items():
        by_month = defaultdict(list)
        for day in (folder / table).glob("day=*"):
            if date.fromisoformat(day.name.removeprefix("day=")) <= until:
                by_month[day.name.removeprefix("day=")[:7]].append(day)
        for month, days in by_month.items():
            months.add(month)
            objects = sorted(path for day in days for path in day.iterdir())
            _write_month(folder / "closed" / table / f"month={month}", objects, columns)
            for path in objects:
                path.unlink()
    valid_from = datetime.combine(until, datetime.min.time()) + timedelta(days=1)
    rows = [
        {
            "month": month,
            "generation": GENERATION,
            "until": min(until, _last_day(month)).isoformat(),
            "valid_from": valid_from.isoformat(timespec="milliseconds") + "Z",
        }
        for month in sorted(months)
    ]
    pointer = folder / "closed_months" / "months.ndjson"
    pointer.parent.mkdir(exist_ok=True)
    pointer.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def _last_day(month: str) -> date:
    first = date.fromisoformat(f"{month}-01")
    return (first + timedelta(days=32)).replace(day=1) - timedelta(days=1)


def _write_month(folder: Path, objects: list[Path], columns: Columns) -> None:
    folder.mkdir(parents=True)
    types = {name: exp.DataType.build(kind, dialect="hive").sql(dialect="duckdb") for name, kind in columns.items()}
    with duckdb.connect() as connection:
        connection.execute(
            f"CREATE TABLE month AS SELECT * EXCLUDE (filename), '{GENERATION}' AS generation FROM read_json("
            f"{[str(path) for path in objects]}, format = 'newline_delimited', columns = {types}, filename = true, "
            "hive_partitioning = true, hive_types = {'day': DATE})"
        )
        row_count = connection.execute("SELECT count(*) FROM month").fetchall()[0][0]
        for piece, first in enumerate(range(0, row_count, MOST_ROWS)):
            connection.execute(
                f"COPY (SELECT * FROM month WHERE rowid BETWEEN {first} AND {first + MOST_ROWS - 1}) "
                f"TO '{folder}/{GENERATION}.{piece:04}.parquet' (FORMAT parquet)"
            )
