"""What plan-run and summarise-run ask about earlier runs, run as the named queries are."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta

import duckdb
from query_runner import TODAY, Row, Tables, ask, database_of, evaluated

CELL = "client_type=c5.xlarge server_type=c5.xlarge tool=a_tool "


RUN = {"runId": "this-run", "createdAt": f"{TODAY}T10:00:00.000Z", "day": str(TODAY)}


def test_the_previous_run_is_the_last_complete_one_of_the_plan_before_this_one(tables: Tables) -> None:
    run = json.dumps(RUN | {"plan": {"name": "weekly check"}})
    sql = evaluated(f"previousRunQuery({run})", previousRunQuery="domain/run/earlier-runs")

    def planned(run_id: str, minute: int, **facts: object) -> Row:
        created_at = f"{TODAY}T09:{minute:02}:00.000Z"
        return {"run_id": run_id, "plan_name": "weekly check", "outcome": "complete", "created_at": created_at, **facts}

    rows = [
        planned("before", 1),
        planned("last", 2),
        planned("incomplete", 3, outcome="incomplete"),
        planned("of another plan", 4, plan_name="weekly check 2"),
        planned("this-run", 5),
        planned("later", 6, created_at=f"{TODAY}T10:00:00.001Z"),
    ]
    assert ask(database_of(tables, {"runs": rows}), sql) == [{"run_id": "last"}]
    assert ask(database_of(tables, {"runs": rows[2:]}), sql) == []


def measured(run_id: str, pair: int, **figures: object) -> Row:
    return {
        "run_id": run_id,
        "pair_id": f"p{pair:04}",
        "measurement_id": f"p{pair:04}-m01",
        "client_type": "c5.xlarge",
        "server_type": "c5.xlarge",
        "cell": CELL,
        "status": "complete",
        "started_at": f"{TODAY}T09:59:59.999Z",
        **figures,
    }


def repeat(database: duckdb.DuckDBPyConnection, where: str, count: int) -> None:
    """Lets there be so many of the one row."""
    database.execute(
        f"INSERT INTO open_measurements SELECT m.* FROM measurements AS m, range({count - 1}) WHERE {where}"
    )


def test_every_value_of_each_cell_comes_with_its_days_and_bounds(tables: Tables) -> None:
    rows = [
        measured("one", 1, burst_bits_per_second=9.5e9, burst_low_bits_per_second=9.4e9, observations=99)
        | {"kind": "throughput", "verdict_cause": "network_credits"},
        measured("one", 2, burst_bits_per_second=9.25e9, rtt_p99_micros=201.5, observations=100, kind="latency"),
        measured("held back", 1, rtt_p99_micros=999.5, observations=100, kind="latency", verdict_cause="packet_rate"),
        measured("two", 1, rtt_p99_micros=999.5, observations=99),
        measured("two", 1, cell=CELL + "parallel_streams=4 ", onset_seconds=60.25),
        measured("this-run", 1, burst_bits_per_second=1e9),
        measured("failed", 1, burst_bits_per_second=1e9, status="failed"),
        measured("before", 1, burst_bits_per_second=1e9, cell=None),
        # When a run is summarised again, runs that came after it on the same day are in the table too.
        measured("later", 1, burst_bits_per_second=1e9, started_at=f"{TODAY}T10:00:00.001Z"),
    ]
    results = "[{ clientType: 'c5.xlarge', serverType: 'c5.xlarge' } as any]"
    sql = evaluated(f"earlierRunsQuery({json.dumps(RUN)}, {results})", earlierRunsQuery="domain/run/earlier-runs")
    found = {row["cell"]: row for row in ask(database_of(tables, {"measurements": rows}), sql)}
    assert set(found) == {CELL, CELL + "parallel_streams=4 "}
    common = found[CELL]
    assert (common["earlier_count"], common["pair_count"]) == (3, 3)
    assert sorted(float(value.split("@")[0]) for value in common["burst_bits_per_second"].split()) == [9.25e9, 9.5e9]
    assert common["burst_low_bits_per_second"] == 9.4e9
    # A p99 of 99 round trips is only the longest of them.
    assert common["rtt_p99_micros"] == "201.5@"
    assert common["onset_seconds"] is None


def test_the_newest_runs_count_as_soon_as_they_have_enough_repetitions_of_a_cell(tables: Tables) -> None:
    def row_of(run_id: str, days: int, value: float) -> Row:
        day = TODAY - timedelta(days=days)
        return measured(run_id, 1, burst_bits_per_second=value, started_at=f"{day}T09:00:00.000Z", day=day)

    rows = [
        row_of("oldest", 3, 1e9),
        row_of("a of that day", 2, 2e9),
        row_of("b of that day", 2, 3e9),
        row_of("newest", 1, 4e9),
    ]
    database = database_of(tables, {"measurements": rows})
    repeat(database, "run_id = 'newest'", 999)
    repeat(database, "run_id = 'b of that day'", 5)
    results = "[{ clientType: 'c5.xlarge', serverType: 'c5.xlarge' } as any]"
    sql = evaluated(f"earlierRunsQuery({json.dumps(RUN)}, {results})", earlierRunsQuery="domain/run/earlier-runs")
    (found,) = ask(database, sql)
    counts = Counter(value.split("@")[0] for value in str(found["burst_bits_per_second"]).split())
    assert {float(value): count for value, count in counts.items()} == {4e9: 999, 3e9: 5}
    assert (found["earlier_count"], found["first_day"]) == (1004, TODAY - timedelta(days=2))


def throttled(number: int, burst: float, bucket: float, **facts: object) -> Row:
    return {
        "run_id": "r",
        "measurement_id": f"p{number:04}-m01",
        "client_type": "c5.xlarge",
        "server_type": "c5.xlarge",
        "status": "complete",
        "verdict_kind": "drop",
        "verdict_cause": "network_credits",
        "verdict_direction": "forward",
        "throttled_by": "sender",
        "burst_bits_per_second": burst,
        "baseline_bits_per_second": 1.25e9,
        "bucket_bits": bucket,
        **facts,
    }


def test_a_burst_limited_by_something_else_does_not_count_for_the_type(tables: Tables) -> None:
    single_flows = [throttled(number, 4.96e9, 4400e9 + number) for number in (1, 2, 3)]
    rows = [
        *single_flows,
        throttled(4, 9.69e9, 4700e9),
        # Whose credits these were: the server's.
        throttled(5, 8e9, 1e9, server_type="m5.large", throttled_by="receiver"),
        throttled(6, 20e9, 9e9, throttled_by=None),
    ]
    asked = f"earlierBucketsQuery('{TODAY}', ['c5.xlarge', 'm5.large'])"
    sql = evaluated(asked, earlierBucketsQuery="domain/forecast/credits")
    own, other = ask(database_of(tables, {"measurements": rows}), sql)
    assert (own["instance_type"], own["measurement_count"]) == ("c5.xlarge", 4)
    assert own["burst_bits_per_second"] == 9.69e9
    assert (own["bucket_low_bits"], own["bucket_bits"], own["bucket_high_bits"]) == (4400e9 + 1, 4400e9 + 2, 4700e9)
    assert (other["instance_type"], other["burst_bits_per_second"]) == ("m5.large", 8e9)


def test_the_newest_buckets_of_a_type_count(tables: Tables) -> None:
    rows = [throttled(1, 9e9, 4400e9), throttled(1, 8e9, 1e9, day=TODAY - timedelta(days=1))]
    database = database_of(tables, {"measurements": rows})
    repeat(database, f"day = '{TODAY}'", 1000)
    repeat(database, f"day < '{TODAY}'", 2000)
    sql = evaluated(f"earlierBucketsQuery('{TODAY}', ['c5.xlarge'])", earlierBucketsQuery="domain/forecast/credits")
    (found,) = ask(database, sql)
    assert (found["measurement_count"], found["bucket_low_bits"], found["bucket_bits"]) == (1000, 4400e9, 4400e9)
