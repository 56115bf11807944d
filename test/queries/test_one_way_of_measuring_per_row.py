"""A query puts repetitions into one row, and never two measurements that differ in a setting or a condition."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from query_runner import QUERIES, REPOSITORY, Row, Tables, duckdb_columns, run

# The queries that put several measurements into one row, and which of the written measurements they are about.
AGGREGATING = {
    "bucket-volume-by-type": "different",
    "burst-plateau-modes": "different",
    "comparison-of-instance-types": "different",
    "documented-against-measured-baseline": "different",
    "latency-by-path": "different",
    "latency-percentiles": "different",
    "packets-per-second-by-type": "different",
    "round-trip-by-placement": "byPrivateAddress",
    "throttle-onsets-by-type": "different",
    "throughput-by-streams": "withStreams",
}


@pytest.fixture(scope="module")
def differing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("differing")
    today = datetime.now(UTC).date().isoformat()
    command = ["node_modules/.bin/tsx", "test/queries/write-differing-rows.ts", str(folder), today]
    subprocess.run(command, cwd=REPOSITORY, check=True)
    return folder


def read(folder: Path, tables: Tables, change: str = "*") -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(
        f"CREATE TABLE measurements AS SELECT {change} FROM read_json('{folder}/measurements.ndjson', "
        f"format = 'newline_delimited', columns = {duckdb_columns(tables['measurements']) | {'day': 'DATE'}})"
    )
    return connection


@pytest.mark.parametrize(("name", "measured"), AGGREGATING.items())
def test_a_row_is_one_way_of_measuring(differing: Path, tables: Tables, name: str, measured: str) -> None:
    facts = json.loads((differing / "facts.json").read_text())
    rows = run(read(differing, tables), name)
    assert Counter(row["measurement_count"] for row in rows) == {2: facts[measured]}
    # Each row says in words, types and instance type how it differs from every other.
    words = {(row.get("client_type"), row.get("server_type"), row.get("instance_type"), row["setting"]) for row in rows}
    if name != "documented-against-measured-baseline":
        assert len(words) == len(rows)


def test_a_query_that_groups_by_less_is_caught(differing: Path, tables: Tables) -> None:
    """The message's size was missing from the identity once: 64-byte and 65,000-byte messages gave one row."""
    forgetful = "* REPLACE (regexp_replace(cell, ' message_bytes=[^ ]*', '') AS cell)"
    rows: list[Row] = run(read(differing, tables, forgetful), "comparison-of-instance-types")
    assert max(int(str(row["measurement_count"])) for row in rows) > 2


def test_every_query_that_counts_measurements_is_checked() -> None:
    counting = {name for name, text in QUERIES.items() if "AS measurement_count" in text}
    assert counting == set(AGGREGATING)
