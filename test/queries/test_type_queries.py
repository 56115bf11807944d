"""The queries by instance type, over few rows: every answer can be checked by hand."""

from __future__ import annotations

import json

import pytest
from query_runner import Row, Tables, answer, database_of, evaluated, run

PAIR = {
    "client_type": "c5.large",
    "server_type": "c5.9xlarge",
    "verdict_direction": "forward",
    "protocol": "tcp",
    "parallel_streams": 8,
    "zone_relation": "same_zone",
    "placement": "none",
    "path": "private",
    "status": "complete",
    "duration_seconds": 1800,
    "sample_count": 1800,
}


def throttled(number: int, **changes: object) -> Row:
    ids = {"run_id": "r", "measurement_id": f"p{number:04}-m01"}
    verdict = {"kind": "throughput", "verdict_kind": "drop", "verdict_cause": "network_credits"}
    return PAIR | ids | verdict | changes


def steady(number: int, **changes: object) -> Row:
    return throttled(number) | {"verdict_kind": "steady", "verdict_cause": None} | changes


def test_throttle_onsets_by_type(tables: Tables) -> None:
    rows = [
        throttled(1, onset_seconds=100.0),
        throttled(2, onset_seconds=400.0),
        throttled(3, onset_seconds=250.04),
        steady(4),
        steady(5, verdict_kind="insufficient"),
        throttled(6, onset_seconds=1.0, status="failed"),
        # Lost packets end no burst of the type.
        throttled(10, onset_seconds=1.0, verdict_cause="packet_loss"),
        steady(7, verdict_direction="reverse", duration_seconds=90, sample_count=90),
        steady(8, verdict_direction="reverse", duration_seconds=90, sample_count=90),
        {"run_id": "r", "measurement_id": "p0009-m01", "client_type": "c5.large", "status": "complete"},
    ]
    columns = ["measurement_count", "throttled_count", "insufficient_count", "throttled_share", "onset_min_seconds"]
    columns += ["onset_median_seconds", "onset_max_seconds", "longest_without_onset_seconds"]
    found = answer(tables, "throttle-onsets-by-type", *rows)
    assert {row["verdict_direction"]: [row[column] for column in columns] for row in found} == {
        "forward": [6, 3, 1, 0.6, 100, 250, 400, 1800],
        "reverse": [2, 0, 0, 0, None, None, None, 90],
    }


def test_an_interrupted_measurement_counts_only_the_seconds_that_it_observed(tables: Tables) -> None:
    interrupted = steady(1, status="truncated", verdict_kind="insufficient", sample_count=8)
    (row,) = answer(tables, "throttle-onsets-by-type", interrupted)
    assert row["longest_without_onset_seconds"] == 8


def test_no_share_where_every_series_is_too_short(tables: Tables) -> None:
    rows = [steady(1, verdict_kind="insufficient")]
    (row,) = answer(tables, "throttle-onsets-by-type", *rows)
    assert (row["insufficient_count"], row["throttled_share"]) == (1, None)


@pytest.mark.parametrize(
    "name",
    ["throttle-onsets-by-type", "bucket-volume-by-type", "documented-against-measured-baseline"],
)
def test_a_type_pattern_narrows_the_rows(tables: Tables, name: str) -> None:
    levels = {"burst_bits_per_second": 10e9, "baseline_bits_per_second": 1e9, "bucket_bits": 1e9}
    figures = levels | {"onset_seconds": 60.0, "published_client_baseline_bits_per_second": 1_000_000_000}
    rows = [throttled(1, **figures), throttled(2, client_type="m5.large", **figures)]
    database = database_of(tables, {"measurements": rows})
    assert len(run(database, name)) == 2
    assert len(run(database, name, ("'%' AS type_pattern", "'m5.%' AS type_pattern"))) == 1


def test_documented_against_measured_baseline(tables: Tables) -> None:
    client = {
        "published_client_baseline_bits_per_second": 750_000_000,
        "published_client_peak_bits_per_second": 10_000_000_000,
    }
    server = {
        "published_server_baseline_bits_per_second": 12_000_000_000,
        "published_server_peak_bits_per_second": 12_000_000_000,
    }
    slow_server = {
        "published_server_baseline_bits_per_second": 500_000_000,
        "published_server_peak_bits_per_second": 5_000_000_000,
        "server_type": "t3.large",
    }
    rows = [
        throttled(1, baseline_bits_per_second=0.6e9, burst_bits_per_second=9e9, **client, **server),
        throttled(2, baseline_bits_per_second=0.9e9, burst_bits_per_second=10e9, **client, **server),
        throttled(3, baseline_bits_per_second=0.75e9, burst_bits_per_second=9.5e9, **client),
        throttled(4, baseline_bits_per_second=0.6e9, burst_bits_per_second=4e9, **client, **slow_server),
        throttled(5, baseline_bits_per_second=0.4e9, burst_bits_per_second=4e9, **slow_server),
        throttled(6, baseline_bits_per_second=0.1e9, burst_bits_per_second=4e9),
        steady(7, **client, **server),
    ]
    large, slow = answer(tables, "documented-against-measured-baseline", *rows)
    assert (large["instance_type"], large["measurement_count"]) == ("c5.large", 3)
    assert large["published_baseline_gbits_per_second"] == 0.75
    assert large["baseline_median_gbits_per_second"] == 0.75
    assert (large["baseline_min_gbits_per_second"], large["baseline_max_gbits_per_second"]) == (0.6, 0.9)
    assert large["baseline_ratio"] == 1
    assert (large["published_peak_gbits_per_second"], large["burst_median_gbits_per_second"]) == (10, 9.5)
    assert large["burst_ratio"] == 0.95
    # The end with the lower baseline is the one that is compared: here it is the server.
    assert (slow["instance_type"], slow["measurement_count"]) == ("t3.large", 2)
    assert (slow["baseline_median_gbits_per_second"], slow["baseline_ratio"]) == (0.4, 0.8)


def throttled_of_ten(number: int, burst: float, **changes: object) -> Row:
    """Of a type with a published peak of 10 Gbit/s."""
    published = {
        "published_client_baseline_bits_per_second": 2_500_000_000,
        "published_client_peak_bits_per_second": 10_000_000_000,
    }
    levels = {"burst_bits_per_second": burst, "baseline_bits_per_second": 2.5e9}
    return throttled(number, client_type="c5.2xlarge", server_type="c5.2xlarge", **levels, **published) | changes


def test_a_single_flow_is_not_measured_against_a_peak_that_no_flow_reaches(tables: Tables) -> None:
    rows = [
        throttled_of_ten(1, 9.6e9, parallel_streams=8),
        throttled_of_ten(2, 4.96e9, parallel_streams=1),
        throttled_of_ten(3, 9.5e9, parallel_streams=1, placement="cluster"),
        throttled_of_ten(4, 4.9e9, parallel_streams=None),
        throttled_of_ten(5, 4.5e9, parallel_streams=1, path="nlb", published_client_peak_bits_per_second=5_000_000_000),
    ]
    found = answer(tables, "documented-against-measured-baseline", *rows)
    limited = "one flow, which EC2 limits to 5 Gbit/s"
    assert {
        row["burst_median_gbits_per_second"]: (
            row["is_single_flow"],
            row["burst_ratio"],
            row["burst_not_compared_because"],
        )
        for row in found
    } == {
        9.6: (False, 0.96, None),
        4.96: (True, None, limited),
        9.5: (True, 0.95, None),
        4.9: (True, None, limited),
        4.5: (True, 0.9, None),
    }
    assert {row["baseline_ratio"] for row in found} == {1}


def test_a_load_that_was_offered_is_not_measured_against_a_peak_above_it(tables: Tables) -> None:
    rows = [
        throttled_of_ten(1, 9.6e9),
        throttled_of_ten(2, 5.03e9, target_bits_per_second=5_000_000_000),
        throttled_of_ten(3, 5.03e9, target_bits_per_second=5_000_000_000, parallel_streams=1),
        throttled_of_ten(4, 9.5e9, target_bits_per_second=10_000_000_000),
    ]
    found = answer(tables, "documented-against-measured-baseline", *rows)
    less = "the plan offered less than the published peak"
    ratios = sorted((row["burst_ratio"] or 0, row["burst_not_compared_because"] or "") for row in found)
    assert ratios == [(0, less), (0, less), (0.95, ""), (0.96, "")]
    # The level after the fall is the type's own, whatever was offered.
    assert {row["baseline_ratio"] for row in found} == {1}


def test_the_limit_of_a_flow_is_that_of_the_verdict(tables: Tables) -> None:
    """`singleFlowCap` has the rule for the forecast and the verdict."""
    conditions = [
        {"path": path, "placement": placement, "ena_express": express, "ena_express_udp": for_udp, "protocol": protocol}
        for path in ("private", "public", "nlb", "peering")
        for placement in ("none", "cluster")
        for express, for_udp in (("off", False), ("both", False), ("both", True))
        for protocol in ("tcp", "udp")
    ]
    caps = evaluated(
        f"({json.dumps(conditions)} as any[]).map((each) => singleFlowCap(each.protocol, {{ ...each, "
        "enaExpress: each.ena_express, enaExpressUdp: each.ena_express_udp }).bitsPerSecond)",
        singleFlowCap="domain/model/flow-cap",
    )
    peak = {"published_client_peak_bits_per_second": 100_000_000_000}
    rows = [
        throttled_of_ten(number, 4e9 + number, parallel_streams=1, **peak) | each
        for number, each in enumerate(conditions)
    ]
    found = answer(tables, "documented-against-measured-baseline", *rows)
    by_cell = {row["cell"]: row["burst_not_compared_because"] for row in found}
    assert len(by_cell) == len(conditions)
    for each, cap in zip(conditions, caps, strict=True):
        (reason,) = [
            text
            for cell, text in by_cell.items()
            if all(f" {name}={value} " in f" {cell}" for name, value in each.items())
        ]
        assert reason == f"one flow, which EC2 limits to {cap // 10**9} Gbit/s"


def test_bucket_volume_keeps_lower_bounds_apart(tables: Tables) -> None:
    volumes = [throttled(number, bucket_bits=number * 100e9) for number in (1, 2, 3, 4, 5)]
    bounds = [steady(6, bucket_bits_at_least=9000e9), steady(7, bucket_bits_at_least=8000e9)]
    only_bounds = [steady(8, server_type="c5.large", bucket_bits_at_least=700e9), steady(9, server_type="c5.large")]
    database = database_of(tables, {"measurements": [*volumes, *bounds, *only_bounds]})
    measured, censored = run(database, "bucket-volume-by-type")
    assert measured["measurement_count"] == 5
    assert measured["bucket_median_gbits"] == 300
    assert (measured["bucket_min_gbits"], measured["bucket_max_gbits"]) == (100, 500)
    assert (measured["bucket_p25_gbits"], measured["bucket_p75_gbits"]) == (200, 400)
    another_pair = ("bucket_another_pair_low_gbits", "bucket_another_pair_high_gbits")
    # Another pair is expected at least as far apart as those that were measured.
    assert tuple(measured[name] for name in another_pair) == (100, 500)
    assert (measured["lower_bound_count"], measured["highest_lower_bound_gbits"]) == (2, 9000)
    assert (censored["measurement_count"], censored["bucket_median_gbits"]) == (0, None)
    assert tuple(censored[name] for name in another_pair) == (None, None)
    assert (censored["lower_bound_count"], censored["highest_lower_bound_gbits"]) == (1, 700)


@pytest.mark.parametrize("volumes", [[300e9], [300e9, 303e9], [300e9, 303e9, 297e9, 250e9, 302e9]])
def test_the_bucket_of_another_pair_is_that_of_the_report(tables: Tables, volumes: list[float]) -> None:
    found = evaluated(
        f"bucketOfAnotherPair(figureByKey('bucketBits'), repetitionStatistics({volumes}, figureByKey('bucketBits'))!)",
        repetitionStatistics="domain/maths/repetition-statistics",
        figureByKey="domain/tables/figures",
        bucketOfAnotherPair="domain/tables/figure-facts",
    )
    rows = [throttled(number, bucket_bits=each) for number, each in enumerate(volumes)]
    (row,) = answer(tables, "bucket-volume-by-type", *rows)
    for end in ("low", "high"):
        assert row[f"bucket_another_pair_{end}_gbits"] == pytest.approx(found[end] / 1e9, abs=5.1e-3)


def test_sizes_of_messages_and_objects_are_ways_of_measuring(tables: Tables) -> None:
    base = {"kind": "throughput", "tool": "a_tool"}
    ways = [
        {"message_bytes": 64, "throughput_mean_bits_per_second": 0.3e9},
        {"message_bytes": 65_000, "throughput_mean_bits_per_second": 9.5e9},
        {"object_bytes": 5_000_000, "throughput_mean_bits_per_second": 1e9},
        {"object_bytes": 5_000_000_000, "throughput_mean_bits_per_second": 4e9},
        {"object_bytes": 5_000_000_000, "range_bytes": 64_000_000, "throughput_mean_bits_per_second": 3e9},
    ]
    rows = [throttled(number, **base | way) for number, way in enumerate(ways)]
    compared = answer(tables, "comparison-of-instance-types", *rows)
    assert [(row["mean_gbits_per_second"], row["measurement_count"]) for row in compared] == [
        (9.5, 1),
        (4, 1),
        (3, 1),
        (1, 1),
        (0.3, 1),
    ]


def test_few_packets_and_many_are_not_one_latency(tables: Tables) -> None:
    base = {**PAIR, "run_id": "r", "kind": "latency", "tool": "a_tool", "rtt_p50_micros": 100.0}
    rows = [
        base | {"measurement_id": f"p{count}-m01", "packet_count": count, "observations": count}
        for count in (100, 100_000)
    ]
    found = answer(tables, "latency-percentiles", *rows)
    assert sorted(int(str(row["observations"])) for row in found) == [100, 100_000]


def test_instance_types_are_compared_by_what_was_measured_in_the_same_way(tables: Tables) -> None:
    base = {"kind": "throughput", "mtu_bytes": 9001, "ena_express": "off", "tool": "iperf3"}
    ways = [
        {"throughput_mean_bits_per_second": 3.7e9},
        {"throughput_mean_bits_per_second": 3.8e9},
        {"throughput_mean_bits_per_second": 9.5e9, "duration_seconds": 60},
        {"throughput_mean_bits_per_second": 24e9, "ena_express": "both"},
        {"throughput_mean_bits_per_second": 1e9, "target_bits_per_second": 1_000_000_000},
        {"throughput_mean_bits_per_second": 2.4e9, "duty_on_seconds": 10, "duty_off_seconds": 30},
        {"throughput_mean_bits_per_second": 8e9, "mtu_bytes": 1500},
    ]
    rows = [throttled(number, **base | way) for number, way in enumerate(ways)]
    compared = answer(tables, "comparison-of-instance-types", *rows)
    assert [row["mean_gbits_per_second"] for row in compared] == [24, 9.5, 8, 3.7, 2.4, 1]
    assert [row["measurement_count"] for row in compared] == [1, 1, 1, 2, 1, 1]


def test_more_streams_gain_over_fewer_that_were_measured_in_the_same_way(tables: Tables) -> None:
    base = {"kind": "throughput", "mtu_bytes": 9001, "ena_express": "off", "tool": "iperf3"}
    ways = [
        {"throughput_mean_bits_per_second": 3e9, "parallel_streams": 1},
        {"throughput_mean_bits_per_second": 4e9, "parallel_streams": 2, "duration_seconds": 60},
        {"throughput_mean_bits_per_second": 5e9, "parallel_streams": 4, "target_bits_per_second": 5_000_000_000},
        {"throughput_mean_bits_per_second": 6e9, "parallel_streams": 8},
    ]
    rows = [throttled(number, **base | way) for number, way in enumerate(ways)]
    found = answer(tables, "throughput-by-streams", *rows)
    assert {row["parallel_streams"]: row["gain_over_fewer_streams"] for row in found} == {
        1: None,
        2: None,
        4: None,
        8: 1,
    }


def test_round_trips_by_way_of_measuring_without_unsupported_percentiles(tables: Tables) -> None:
    base = {
        **PAIR,
        "kind": "latency",
        "tool": "sockperf",
        "mtu_bytes": 9001,
        "ena_express": "off",
        "rtt_p50_micros": 100.0,
        "rtt_p99_micros": 200.0,
        "rtt_p99_9_micros": 300.0,
        "rtt_p99_99_micros": 400.0,
    }
    ways = [
        {"observations": 99},
        {"observations": 1000, "ena_express": "both"},
        {"observations": 10**6, "mtu_bytes": 1500},
    ]
    rows = [base | {"run_id": "r", "measurement_id": f"p{number:04}-m01"} | way for number, way in enumerate(ways)]
    found = answer(tables, "latency-percentiles", *rows)
    tails = {
        row["observations"]: (row["rtt_p99_micros"], row["rtt_p99_9_micros"], row["rtt_p99_99_micros"]) for row in found
    }
    assert tails == {99: (None, None, None), 1000: (200, 300, None), 10**6: (200, 300, 400)}
