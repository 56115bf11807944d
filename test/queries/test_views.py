"""The views, over rows that the product's own writers wrote, and over rows whose answer is known."""

from __future__ import annotations

from itertools import product

import duckdb
import pytest
import sqlglot
from query_runner import TODAY, VIEWS, Row, Tables, ask, database_of, run
from sqlglot import exp

TAGS = ("Team", "cost.center", "costcenter")
MEASUREMENT: Row = {
    "run_id": "r1",
    "pair_id": "p0001",
    "measurement_id": "p0001-m01",
    "kind": "throughput",
    "sample_count": 1,
    "started_at": "2026-11-20T21:02:03.250Z",
}


def sample(metric: str, start_seconds: float, host_role: str = "server", **values: object) -> Row:
    row = {key: MEASUREMENT[key] for key in ("run_id", "pair_id", "measurement_id")} | {"stream": "sum"}
    row |= {"metric": metric, "host_role": host_role, "direction": "forward", "start_seconds": start_seconds}
    return row | {"length_seconds": 1.0} | values


def series_of(tables: Tables, *samples: Row) -> list[Row]:
    database = database_of(tables, {"measurements": [MEASUREMENT], "samples": list(samples)})
    return ask(database, "SELECT * FROM series ORDER BY direction, second")


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_one_select_of_the_declared_columns(
    name: str, views: Tables, database: duckdb.DuckDBPyConnection
) -> None:
    (statement,) = sqlglot.parse(VIEWS[name], read="trino")
    assert isinstance(statement, exp.Select)
    declared = [column["name"] for column in views[name]["columns"]]
    assert [row["column_name"] for row in ask(database, f"DESCRIBE {name}")] == declared


# In a real run the counters are read shortly before the tool's intervals end.
FALL: list[Row] = [
    sample("throughput", second, throughput_bits_per_second=9.5e9 if second < 3 else 1.2e9, lost_packets=second)
    for second in range(5)
] + [
    counted
    for second in range(5)
    for counted in (
        sample("sent_throughput", second + 0.0004, "client", retransmits=10 + second),
        sample("allowance", second - 0.03, "client", bw_out_allowance_exceeded=0 if second < 3 else 1478 + second),
        sample("allowance", second + 0.07, "server", bw_in_allowance_exceeded=second),
        sample("interface", second - 0.03, "client", sent_bits_per_second=second * 1e9),
        sample("tool_cpu", second - 0.04, "client", user_cpu_percent=2.0 * second, system_cpu_percent=3.0),
        sample("tool_cpu", second - 0.02, "server", waiting_cpu_percent=1.0 * second, cpu_pressure_percent=0.0),
        sample("round_trip", second, "client", rtt_median_micros=100.0 + second, rtt_max_micros=900.0, observations=5),
    )
]


def test_counters_stand_in_the_second_in_which_most_of_their_interval_lies(tables: Tables) -> None:
    rows = series_of(tables, *FALL)
    assert [row["second"] for row in rows] == list(range(5))
    assert [row["client_bw_out_allowance_exceeded"] for row in rows] == [0, 0, 0, 1481, 1482]
    assert [row["server_bw_in_allowance_exceeded"] for row in rows] == list(range(5))
    assert [row["client_sent_bits_per_second"] for row in rows] == [second * 1e9 for second in range(5)]
    assert [row["client_user_cpu_percent"] for row in rows] == [2.0 * second for second in range(5)]
    assert [row["server_waiting_cpu_percent"] for row in rows] == [1.0 * second for second in range(5)]
    assert [row["retransmits"] for row in rows] == [10 + second for second in range(5)]
    assert [row["rtt_median_micros"] for row in rows] == [100.0 + second for second in range(5)]
    assert [row["at"].isoformat(timespec="milliseconds") for row in rows[:2]] == [
        "2026-11-20T21:02:03.250",
        "2026-11-20T21:02:04.250",
    ]
    # A host that reported nothing has NULL and not 0.
    assert rows[0]["server_sent_bits_per_second"] is None
    assert rows[0]["client_bw_in_allowance_exceeded"] is None
    # Nor is what a host's kernel does not count 0, beside what it counts.
    assert (rows[0]["server_cpu_pressure_percent"], rows[0]["server_steal_cpu_percent"]) == (0, None)


def test_every_counter_of_a_host_stands_in_the_column_of_that_host(tables: Tables, views: Tables) -> None:
    declared = [column["name"] for column in views["series"]["columns"]]
    counted = [name.removeprefix("client_") for name in declared if name.startswith("client_")]
    metrics = {"allowance_exceeded": "allowance", "cpu_percent": "tool_cpu", "cpu_pressure_percent": "tool_cpu"}
    values = {
        f"{role}_{name}": 2.0 + index for index, (role, name) in enumerate(product(("client", "server"), counted))
    }
    (row,) = series_of(
        tables,
        sample("throughput", 0, throughput_bits_per_second=1.0),
        *(
            sample(
                next((metric for end, metric in metrics.items() if name.endswith(end)), "interface"),
                0,
                role,
                **{name: values[f"{role}_{name}"]},
            )
            for role, name in product(("client", "server"), counted)
        ),
    )
    assert {name: row[name] for name in values} == values
    assert len(counted) == 14


PACKETS: list[Row] = [
    each
    for second, rate in enumerate((5e3, 5e3, 2.5e3))
    for each in (
        sample("packets", second - 0.03, packets_per_second=rate),
        sample("allowance", second - 0.02, "client", pps_allowance_exceeded=0 if second < 2 else 70_000),
        sample("sent_throughput", second, "client", throughput_bits_per_second=9e6),
    )
]

# Both directions driven at once, in intervals of several lengths.
DIRECTIONS: list[Row] = [
    each
    for direction in ("forward", "reverse")
    for each in (
        sample("throughput", 4.0, direction=direction, length_seconds=0.75, throughput_bits_per_second=4e9),
        sample("throughput", 4.75, direction=direction, length_seconds=0.25, jitter_micros=3.0, retransmits=2),
        sample("sent_throughput", 4, direction=direction, retransmits=len(direction), throughput_bits_per_second=9.0),
        sample("sent_throughput", 9, direction=direction, retransmits=1),
        sample("stream_throughput", 4, stream="5", direction=direction, throughput_bits_per_second=2e9),
        sample("allowance", 3.97, "client", direction=direction, bw_out_allowance_exceeded=7),
        sample("allowance", 3.99, "server", direction=direction, pps_allowance_exceeded=1),
    )
]


def one_series_of(tables: Tables, *samples: Row, **onset: float) -> list[Row]:
    """By the named query."""
    rows = {"measurements": [MEASUREMENT | onset], "measurement_samples": list(samples)}
    edits = ("'burst-of-c5-20261120'", "'r1'"), ("'p0001-m02'", "'p0001-m01'"), ("CAST(NULL AS date)", "current_date")
    return run(database_of(tables, rows), "series-of-one-measurement", *edits)


def test_the_named_query_shows_no_shaped_packet_before_the_fall(tables: Tables) -> None:
    of_one = one_series_of(tables, *FALL, onset_seconds=3.0)
    assert [row["level"] for row in of_one] == ["burst"] * 3 + ["baseline"] * 2
    assert [row["client_bw_out_allowance_exceeded"] for row in of_one] == [0, 0, 0, 1481, 1482]


def test_the_series_of_one_measurement_has_the_rows_of_the_series(tables: Tables) -> None:
    samples = [*FALL, *PACKETS, *DIRECTIONS]
    rows = {"measurement_samples": samples, "samples": samples, "measurements": [MEASUREMENT]}
    database = database_of(tables, rows)
    of_one = ask(database, "SELECT * FROM measurement_series ORDER BY direction, second")
    assert {row["second"] for row in of_one} == {*range(5)}
    for row, expected in zip(of_one, series_of(tables, *samples), strict=True):
        assert row == pytest.approx({name: expected[name] for name in row})


def test_the_named_query_has_the_values_of_the_view(tables: Tables) -> None:
    samples = [*FALL, *DIRECTIONS]
    of_view = series_of(tables, *samples)
    of_query = one_series_of(tables, *samples)
    assert len(of_query) == len(of_view) == 6
    for row, expected in zip(of_query, of_view, strict=True):
        rate = expected["throughput_bits_per_second"]
        assert row.pop("throughput_gbits_per_second") == (None if rate is None else round(rate / 1e9, 4))
        assert row.pop("level") is None
        assert row == {name: expected[name] for name in row}


def test_both_directions_have_the_counters_of_the_hosts(tables: Tables) -> None:
    both = [sample("throughput", 7, direction=each, throughput_bits_per_second=1.0) for each in ("forward", "reverse")]
    sent = [sample("sent_throughput", 7, direction=each, retransmits=len(each)) for each in ("forward", "reverse")]
    counted = sample("allowance", 6.97, "client", pps_allowance_exceeded=4)
    forward, reverse = series_of(tables, *both, *sent, counted)
    assert (forward["direction"], reverse["direction"]) == ("forward", "reverse")
    assert forward["client_pps_allowance_exceeded"] == reverse["client_pps_allowance_exceeded"] == 4
    reverse_sent = sample("sent_throughput", 7, direction="reverse", retransmits=9)
    forward, reverse = series_of(tables, *both, reverse_sent)
    assert (forward["retransmits"], reverse["retransmits"]) == (None, 9)


def test_intervals_that_share_a_second_make_one_row(tables: Tables) -> None:
    parts = [(4.0, 0.75, 4e9, 1), (4.75, 0.25, 8e9, 2)]
    (row,) = series_of(
        tables,
        *[
            sample("throughput", start, length_seconds=length, throughput_bits_per_second=rate, retransmits=count)
            for start, length, rate, count in parts
        ],
    )
    assert (row["second"], row["throughput_bits_per_second"], row["retransmits"]) == (4, 5e9, 3)


def test_parallel_streams_are_in_no_row(tables: Tables) -> None:
    streams = [sample("stream_throughput", 0, stream="5", throughput_bits_per_second=1.0)]
    assert series_of(tables, *streams) == []


def test_packets_have_a_series_in_packets_per_second_and_none_in_bits(tables: Tables) -> None:
    rows = series_of(tables, *PACKETS)
    assert [row["packets_per_second"] for row in rows] == [5e3, 5e3, 2.5e3]
    assert [row["client_pps_allowance_exceeded"] for row in rows] == [0, 0, 70_000]
    assert {row["throughput_bits_per_second"] for row in rows} == {None}
    halves = [sample("packets", 4 + start, length_seconds=0.5, packets_per_second=1e3 + start) for start in (0.0, 0.5)]
    (row,) = series_of(tables, *halves)
    assert row["packets_per_second"] == 1000.25
    (row,) = series_of(tables, sample("throughput", 0, throughput_bits_per_second=1.0))
    assert row["packets_per_second"] is None


def test_the_named_query_has_the_packets_and_their_levels(tables: Tables) -> None:
    of_one = one_series_of(tables, *PACKETS, packet_onset_seconds=2.0)
    assert [row["level"] for row in of_one] == ["burst", "burst", "baseline"]
    assert [row["packets_per_second"] for row in of_one] == [5e3, 5e3, 2.5e3]
    assert {row["throughput_gbits_per_second"] for row in of_one} == {None}


def test_a_measurement_without_a_row_has_a_series_without_time(tables: Tables) -> None:
    database = database_of(tables, {"samples": [sample("throughput", 0, throughput_bits_per_second=1.0)]})
    assert ask(database, "SELECT second, at FROM series") == [{"second": 0, "at": None}]


def verdicts_of(tables: Tables, *rows: Row, live: tuple[Row, ...] = ()) -> list[Row]:
    database = database_of(tables, {"measurements": list(rows), "live_measurements": list(live)})
    return ask(database, "SELECT * FROM verdicts ORDER BY run_id, measurement_id")


def test_verdicts_are_of_finished_and_of_running_runs(database: duckdb.DuckDBPyConnection) -> None:
    rows = ask(database, "SELECT * FROM verdicts WHERE day = current_date ORDER BY run_id, measurement_id")
    assert [(row["run_id"], row["measurement_id"]) for row in rows] == [
        *(("burst-of-c5-20261120", f"p000{name}") for name in ("1-m01", "1-m02", "2-m02", "2-m03", "3-m02", "4-m01")),
        ("packets-of-c5-20261120", "p0001-m04"),
        ("still-running", "p0002-m02"),
    ]
    packets = rows[6]
    assert (packets["verdict_cause"], packets["packets_limited_by"]) == ("packet_rate", "sender")
    assert (packets["burst_packets_per_second"], packets["baseline_packets_per_second"]) == (1_251_000, 410_200)
    assert (packets["packet_onset_seconds"], packets["onset_seconds"], packets["verdict_kind"]) == (60.4, None, "drop")
    throttled = rows[1]
    assert throttled["verdict_cause"] == "network_credits"
    assert throttled["day"] == TODAY
    assert throttled["started_at"].isoformat(timespec="milliseconds") == "2026-11-20T21:02:03.250"
    assert throttled["ended_at"].isoformat(timespec="milliseconds") == "2026-11-20T21:05:03.900"
    assert (throttled["throttled_type"], throttled["throttled_bucket"]) == ("c5.xlarge", "outbound")
    assert throttled["published_baseline_bits_per_second"] == 1_250_000_000
    assert throttled["published_peak_bits_per_second"] == 10_000_000_000
    assert [throttled[f"{name}_usd"] for name in ("expected", "cost", "client_hourly", "server_hourly")] == [
        1.5, 1.25, 0.17, 1.53,
    ]  # fmt: skip
    # Full credits are 500.1 Gbit above the baseline of 1.24 Gbit/s, which carries 1 Gbit/s without end.
    held = [throttled[f"held_{gbits}_gbit_seconds"] for gbits in (1, 2, 5, 10)]
    assert held == [None, *(pytest.approx(500.1 / above_baseline) for above_baseline in (0.76, 3.76, 8.28))]
    assert [throttled[f"held_{gbits}_gbit"] for gbits in (1, 2)] == ["always", "for"]
    assert (throttled["sustained_bits_per_second"], throttled["sustained_bound"]) == (1_240_000_000, "measured")
    failed = rows[4]
    assert failed["status"] == "failed"
    assert [failed[name] for name in ("started_at", "throttled_type", "published_baseline_bits_per_second")] == [
        None
    ] * 3


def test_a_run_that_has_been_folded_is_not_read_from_its_live_rows(tables: Tables) -> None:
    late = MEASUREMENT | {"measurement_id": "p0001-m02"}
    other = MEASUREMENT | {"run_id": "r2"}
    rows = verdicts_of(tables, MEASUREMENT, live=(MEASUREMENT, late, other))
    assert [(row["run_id"], row["measurement_id"]) for row in rows] == [("r1", "p0001-m01"), ("r2", "p0001-m01")]


@pytest.mark.parametrize(
    ("throttled_by", "direction", "server_type", "cause", "throttled_type"),
    [
        ("sender", "forward", "m5.large", "network_credits", "c5.large"),
        ("receiver", "forward", "m5.large", "network_credits", "m5.large"),
        ("sender", "reverse", "m5.large", "network_credits", "m5.large"),
        ("receiver", "reverse", "m5.large", "network_credits", "c5.large"),
        (None, "forward", "m5.large", "network_credits", None),
        (None, "forward", "c5.large", "network_credits", "c5.large"),
        (None, "forward", "c5.large", "packet_loss", None),
        (None, None, "c5.large", None, None),
    ],
)
def test_the_throttled_type_is_of_the_end_whose_credits_ran_out(
    tables: Tables, throttled_by: str, direction: str, server_type: str, cause: str, throttled_type: str
) -> None:
    facts = {"throttled_by": throttled_by, "verdict_direction": direction, "verdict_cause": cause}
    (row,) = verdicts_of(tables, MEASUREMENT | facts | {"client_type": "c5.large", "server_type": server_type})
    assert row["throttled_type"] == throttled_type


def test_runs_are_grouped_by_a_tag_and_runs_without_tags_have_none(tables: Tables) -> None:
    runs = [
        {"run_id": "r1", "tags": '{"CostCenter":"42","Team":"net"}', "cost_usd": 1.5},
        {"run_id": "r2", "tags": '{"Team":"net","cost.center":"7"}', "cost_usd": 2.0},
        # As versions before the column wrote it.
        {"run_id": "r3", "cost_usd": 4.0},
    ]
    database = database_of(tables, {"runs": runs})
    by_tag = "SELECT json_extract_scalar(tags, '$[\"{}\"]') AS value, sum(cost_usd) AS cost_usd FROM runs GROUP BY 1"
    found = {tag: {row["value"]: row["cost_usd"] for row in ask(database, by_tag.format(tag))} for tag in TAGS}
    assert found == {
        "Team": {"net": 3.5, None: 4.0},
        "cost.center": {"7": 2.0, None: 5.5},
        # Tags differ by case.
        "costcenter": {None: 7.5},
    }
