"""The queries that set paths, placements, streams and throttles side by side, over a made-up run that has them all."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from query_runner import TODAY, Row, Tables, measurements_below, run, written_by


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory, tables: Tables) -> duckdb.DuckDBPyConnection:
    folder: Path = tmp_path_factory.mktemp("compared")
    written_by("write-compared-rows.ts", folder, TODAY)
    return measurements_below(folder, tables)


def is_in(row: Row, *parts: str) -> bool:
    """Whether the row's identity has all these settings and conditions."""
    return set(parts) <= set(str(row["cell"]).split())


def test_a_path_is_measured_against_the_private_address(compared: duckdb.DuckDBPyConnection) -> None:
    rows = [row for row in run(compared, "latency-by-path") if is_in(row, "mode=ping_pong")]
    assert len(rows) == 12
    assert {row["measurement_count"] for row in rows} == {3}
    same = {row["path"]: row for row in rows if is_in(row, "zone_relation=same_zone", "protocol=tcp")}
    assert same["private"]["added_to_private_micros"] == 0
    means = [same[path]["rtt_mean_micros"] for path in ("private", "public", "nlb")]
    assert means == sorted(means)
    assert same["nlb"]["added_to_private_micros"] == pytest.approx(means[2] - means[0], abs=0.11)
    assert same["private"]["rtt_p99_99_micros"] == pytest.approx(9 * means[0], rel=0.001)


def test_a_route_between_named_subnets_is_measured_against_the_private_address(
    compared: duckdb.DuckDBPyConnection,
) -> None:
    pinned = "mtu_bytes=9001 client_pinned_place=subnet-1 server_pinned_place=subnet-2 "
    compared.execute("BEGIN")
    try:
        compared.execute(
            "INSERT INTO measurements SELECT * REPLACE ('own' AS path, rtt_mean_micros + 50 AS rtt_mean_micros, "
            f"replace(replace(cell, 'path=private', 'path=own'), 'mtu_bytes=9001 ', '{pinned}') AS cell) "
            "FROM measurements WHERE path = 'private'"
        )
        own = [row for row in run(compared, "latency-by-path") if row["path"] == "own"]
    finally:
        compared.execute("ROLLBACK")
    assert own
    assert all(is_in(row, "path=own", "client_pinned_place=subnet-1") for row in own)
    assert [row["added_to_private_micros"] for row in own] == [50] * len(own)


def test_a_percentile_that_the_count_cannot_support_is_left_out(compared: duckdb.DuckDBPyConnection) -> None:
    slow = [row for row in run(compared, "latency-by-path") if not is_in(row, "mode=ping_pong")]
    assert slow
    assert {row["rtt_p99_99_micros"] for row in slow} == {None}


def test_placements_and_sides_of_ena_express(compared: duckdb.DuckDBPyConnection) -> None:
    rows = [row for row in run(compared, "round-trip-by-placement") if row["client_type"] == "c6i.8xlarge"]
    assert len(rows) == 12
    by_place = {(row["placement"], row["zone_relation"], row["ena_express"]): row for row in rows}
    cluster = by_place["cluster", "same_zone", "both"]
    assert (cluster["rtt_mean_micros"], cluster["measurement_count"]) == (94, 1)
    assert cluster["rtt_min_micros"] < cluster["rtt_mean_micros"] < cluster["rtt_max_micros"]
    # ENA Express is slower here, and the row shows it.
    assert by_place["cluster", "same_zone", "off"]["rtt_mean_micros"] == 78


def test_gain_of_more_streams_over_fewer(compared: duckdb.DuckDBPyConnection) -> None:
    rows: list[Row] = [row for row in run(compared, "throughput-by-streams") if is_in(row, "scheme=http")]
    assert [row["parallel_streams"] for row in rows] == [1, 2, 3, 4, 6, 8, 12]
    assert rows[0]["gain_over_fewer_streams"] is None
    assert rows[1]["gain_over_fewer_streams"] == pytest.approx(0.96, abs=0.01)
    assert [row["gain_over_fewer_streams"] for row in rows[4:]] == [0, 0, 0]
    assert [row["straggler_count"] for row in rows] == [0, 0, 0, 0, 0, 1, 0]
    assert rows[5]["slowest_stream_gbits_per_second"] < 0.5 * rows[5]["fastest_stream_gbits_per_second"]
    assert (rows[1]["client_cpu_percent"], rows[1]["server_cpu_percent"]) == (34, 22)


def test_latency_before_and_after_a_throttle(compared: duckdb.DuckDBPyConnection) -> None:
    throttled, unthrottled = sorted(run(compared, "latency-under-throttle"), key=lambda row: str(row["measurement_id"]))
    assert (throttled["onset_seconds"], throttled["times_as_long"]) == (60.4, 14)
    assert (throttled["rtt_before_onset_p99_micros"], throttled["rtt_after_onset_p99_micros"]) == (610, 8540)
    assert unthrottled["onset_seconds"] is None
    assert unthrottled["times_as_long"] is None
    assert unthrottled["rtt_before_onset_p99_micros"] is None
