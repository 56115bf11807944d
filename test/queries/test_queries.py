"""The named queries, run as the lab runs them: read as Athena's SQL, over rows that the product's own writers wrote."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
import sqlglot
from query_runner import QUERIES, run
from sqlglot import exp


def test_the_rows_have_no_key_that_no_column_declares(folder: Path, tables: dict) -> None:
    for name, table in tables.items():
        # One row of samples serves two tables, and has what stands in the keys of the one as a column of the other.
        columns = table["columns"] + table["partitions"] if "samples" in name else table["columns"]
        declared = {column["name"] for column in columns}
        for file in folder.glob(f"{table['prefix']}**/*.ndjson"):
            for line in file.read_text().splitlines():
                assert set(json.loads(line)) <= declared


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_is_one_select_over_declared_columns(name: str, tables: dict, views: dict) -> None:
    statements = sqlglot.parse(QUERIES[name], read="trino")
    assert len(statements) == 1
    assert isinstance(statements[0], exp.Select)
    schema = {
        table: {column["name"]: column["type"] for column in [*facts["partitions"], *facts["columns"]]}
        for table, facts in tables.items()
    } | {view: {column["name"]: column["type"] for column in facts["columns"]} for view, facts in views.items()}
    # Raises on a column or a table that is not there.
    sqlglot.optimizer.qualify.qualify(statements[0], schema=schema, dialect="trino")


def test_a_column_that_is_not_there_is_caught(tables: dict) -> None:
    schema = {"measurements": {column["name"]: column["type"] for column in tables["open_measurements"]["columns"]}}
    query = sqlglot.parse_one("SELECT m.onset_minutes FROM measurements AS m", read="trino")
    with pytest.raises(sqlglot.errors.OptimizeError):
        sqlglot.optimizer.qualify.qualify(query, schema=schema, dialect="trino")


def test_throttle_onsets(database: duckdb.DuckDBPyConnection) -> None:
    (row,) = run(database, "throttle-onsets")
    assert row["client_type"] == "c5.xlarge"
    assert row["measurement_id"] == "p0001-m02"
    assert (row["onset_seconds"], row["onset_low_seconds"], row["onset_high_seconds"]) == (60.4, 60.3, 60.6)
    assert (row["burst_gbits_per_second"], row["baseline_gbits_per_second"]) == (9.52, 1.24)
    assert row["published_client_baseline_gbits_per_second"] == 1.25
    assert (row["agreeing_witnesses"], row["disagreeing_witnesses"]) == (3, 0)


def test_throttle_onsets_of_a_family(database: duckdb.DuckDBPyConnection) -> None:
    assert len(run(database, "throttle-onsets", ("'%' AS type_pattern", "'c5.%' AS type_pattern"))) == 1
    assert run(database, "throttle-onsets", ("'%' AS type_pattern", "'c7g.%' AS type_pattern")) == []


def test_series_of_one_measurement(database: duckdb.DuckDBPyConnection) -> None:
    rows = run(database, "series-of-one-measurement", ("CAST(NULL AS date) AS day", "current_date AS day"))
    assert [row["second"] for row in rows] == list(range(180))
    assert rows[59]["level"] == "burst"
    assert rows[61]["level"] == "baseline"
    assert rows[3]["retransmits"] == 3
    assert rows[10]["client_bw_out_allowance_exceeded"] == 0
    assert rows[100]["client_bw_out_allowance_exceeded"] > 1000
    assert rows[100]["client_pps_allowance_exceeded"] is None
    assert rows[100]["server_bw_out_allowance_exceeded"] is None


def test_on_another_day_the_series_has_no_levels(database: duckdb.DuckDBPyConnection) -> None:
    for day in ("date '1999-01-01'", "CAST(NULL AS date)"):
        rows = run(database, "series-of-one-measurement", ("CAST(NULL AS date) AS day", f"{day} AS day"))
        assert (len(rows), {row["level"] for row in rows}) == (180, {None})


def test_comparison_of_instance_types(database: duckdb.DuckDBPyConnection) -> None:
    rows = run(database, "comparison-of-instance-types")
    assert [row["client_type"] for row in rows] == ["c5.9xlarge", "c5.xlarge", "c5.9xlarge"]
    throttled = rows[1]
    assert (throttled["measurement_count"], throttled["throttled_count"]) == (1, 1)
    assert throttled["published_peak_gbits_per_second"] == 10
    assert throttled["published_baseline_gbits_per_second"] == 1.25
    assert rows[0]["onset_seconds"] is None


def test_latency_percentiles(database: duckdb.DuckDBPyConnection) -> None:
    (row,) = run(database, "latency-percentiles")
    assert row["measurement_count"] == 2
    assert (row["rtt_p50_micros"], row["rtt_p99_9_micros"], row["rtt_max_micros"]) == (114.6, 402.6, 4023.8)
    assert row["dropped_messages"] == 2


def test_live_throughput(database: duckdb.DuckDBPyConnection) -> None:
    (row,) = run(database, "live-throughput", ("name-of-your-run", "burst-of-c5-20261120"))
    assert (row["sample_count"], row["measured_seconds"]) == (20, 20)
    assert row["latest_gbits_per_second"] == pytest.approx(9.52, rel=0.03)


def test_failed_measurements(database: duckdb.DuckDBPyConnection) -> None:
    (row,) = run(database, "failed-measurements")
    assert row["measurement_id"] == "p0003-m02"
    assert (row["outcome"], row["interrupted_reason"]) == ("incomplete", "the run was stopped")
    assert "Connection refused" in str(row["reason"])
