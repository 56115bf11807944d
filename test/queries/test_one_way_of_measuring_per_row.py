"""A query puts repetitions into one row, and never two measurements that differ in a setting or a condition."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import duckdb
import pytest
from query_runner import QUERIES, TODAY, Row, Tables, connected, duckdb_columns, run, written_by

# The queries that put several measurements into one row, and which of the written measurements they are about. The
# settings that make them differ have the offered load among them, so that runs with and without one are never one row.
AGGREGATING = {
    "atlas": "different",
    "bucket-volume-by-type": "different",
    "cheapest-type-that-holds-a-rate": "ofOneType",
    "comparison-of-instance-types": "different",
    "documented-against-measured-baseline": "different",
    "latency-by-path": "different",
    "latency-percentiles": "different",
    "packets-per-second-by-type": "different",
    "round-trip-by-placement": "byPrivateAddress",
    "sustained-throughput-per-dollar-by-type": "ofOneType",
    "throttle-onsets-by-type": "different",
    "throughput-by-streams": "withStreams",
}


# What each counts: all measurements of a row, unless it says here which.
COUNTED = {
    "atlas": "repetition_count",
    "cheapest-type-that-holds-a-rate": "held_count",
    "sustained-throughput-per-dollar-by-type": "sustained_count",
}
# The rate to hold must be below every load that is offered. The atlas has a row for each figure.
EDITS = {
    "atlas": (("'%' AS figure_pattern", "'burst_gbits%' AS figure_pattern"),),
    "cheapest-type-that-holds-a-rate": (("1 AS gbits", "1e-9 AS gbits"),),
}
# Queries that count other things: runs, pairs or seconds.
COUNTING_OTHERS = {"cost-of-runs", "live-throughput", "series-of-one-measurement", "throttle-screen"}


@pytest.fixture(scope="module")
def differing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("differing")
    written_by("write-differing-rows.ts", folder, TODAY)
    return folder


def read(folder: Path, tables: Tables, change: str = "*") -> duckdb.DuckDBPyConnection:
    connection = connected()
    connection.execute(
        f"CREATE TABLE measurements AS SELECT {change} FROM read_json('{folder}/measurements.ndjson', "
        f"format = 'newline_delimited', columns = {duckdb_columns(tables['open_measurements']) | {'day': 'DATE'}})"
    )
    return connection


@pytest.mark.parametrize(("name", "measured"), AGGREGATING.items())
def test_a_row_is_one_way_of_measuring(differing: Path, tables: Tables, name: str, measured: str) -> None:
    facts = json.loads((differing / "facts.json").read_text())
    rows = run(read(differing, tables), name, *EDITS.get(name, ()))
    assert Counter(row[COUNTED.get(name, "measurement_count")] for row in rows) == {2: facts[measured]}
    # Each row says in words, types and instance type how it differs from every other.
    words = {(row.get("client_type"), row.get("server_type"), row.get("instance_type"), row["setting"]) for row in rows}
    if name != "documented-against-measured-baseline":
        assert len(words) == len(rows)


# The message's size was missing from the identity once: 64-byte and 65,000-byte messages gave one row.
@pytest.mark.parametrize("setting", ["message_bytes", "target_bits_per_second"])
def test_a_query_that_groups_by_less_is_caught(differing: Path, tables: Tables, setting: str) -> None:
    forgetful = f"* REPLACE (regexp_replace(cell, ' {setting}=[^ ]*', '') AS cell)"
    rows: list[Row] = run(read(differing, tables, forgetful), "comparison-of-instance-types")
    assert max(int(str(row["measurement_count"])) for row in rows) > 2


def test_every_query_that_puts_rows_into_one_is_checked() -> None:
    grouping = {name for name, text in QUERIES.items() if "GROUP BY" in text}
    assert grouping - COUNTING_OTHERS == set(AGGREGATING)
