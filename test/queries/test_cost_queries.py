"""The queries about prices, over few rows: every answer can be checked by hand."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from query_runner import TODAY, Row, Tables, answer, database_of, evaluated, run

PARTS = [
    f"cost_{re.sub('[A-Z]', lambda letter: f'_{letter[0].lower()}', part)}_usd"
    for part in evaluated("PRICE_PARTS", PRICE_PARTS="domain/model/cost")
]


def pair(number: int, run_id: str = "r", **changes: object) -> Row:
    """Each part has a price of its own: one that a sum leaves out, or has twice, can be told from the difference."""
    parts = dict(zip(PARTS, (2.0**exponent for exponent in range(len(PARTS))), strict=True))
    ids = {"run_id": run_id, "plan_name": "weekly", "pair_id": f"p{number:04}"}
    return (
        ids | parts | {"cost_usd": sum(parts.values()), "host_seconds": 1800, "traffic_bytes": 5_000_000_000} | changes
    )


def run_row(run_id: str = "r", **changes: object) -> Row:
    prices = {"expected_usd": 10.0, "upper_usd": 30.0, "cost_usd": 12.0}
    ids = {"run_id": run_id, "plan_name": "weekly", "outcome": "complete", "created_at": "2026-11-20T10:00:00Z"}
    return ids | prices | {"pair_count": 2, "measurement_count": 4} | changes


def test_cost_of_runs(tables: Tables) -> None:
    pairs = [pair(1), pair(2)]
    total = sum(row["cost_usd"] for row in pairs)
    rows = {"runs": [run_row(cost_usd=total, expected_usd=total / 2)], "pairs": pairs}
    (row,) = run(database_of(tables, rows), "cost-of-runs")
    assert (row["expected_usd"], row["upper_usd"], row["cost_usd"]) == (total / 2, 30, total)
    assert row["cost_to_expected_ratio"] == 2
    parts = [row[part] for part in ("hosts_usd", "traffic_usd", "load_balancer_usd", "service_usd")]
    hosts = ("instances", "public_addresses", "cpu_credits")
    assert parts[0] == 2 * sum(pairs[0][f"cost_{part}_usd"] for part in hosts)
    assert sum(parts) == total
    assert (row["host_hours"], row["traffic_gigabytes"], row["pairs_without_cost"]) == (1, 10, 0)


def test_a_part_that_is_unknown_of_one_pair_is_unknown_of_the_run(tables: Tables) -> None:
    unknown = pair(2, cost_instances_usd=None, cost_usd=None, host_seconds=None)
    rows = {"runs": [run_row(cost_usd=None)], "pairs": [pair(1), unknown]}
    (row,) = run(database_of(tables, rows), "cost-of-runs")
    assert (row["cost_usd"], row["hosts_usd"], row["host_hours"]) == (None, None, None)
    assert row["cost_to_expected_ratio"] is None
    assert (row["traffic_usd"], row["pairs_without_cost"]) == (24, 1)


def test_a_run_without_pairs_has_its_own_figures(tables: Tables) -> None:
    (row,) = run(database_of(tables, {"runs": [run_row()]}), "cost-of-runs")
    assert (row["cost_usd"], row["hosts_usd"]) == (12, None)


def test_days_and_plan_are_parameters(tables: Tables) -> None:
    earlier = TODAY - timedelta(days=40)
    rows = {
        "runs": [run_row(), run_row("old", day=earlier), run_row("other", plan_name="canary")],
        "pairs": [pair(1), pair(1, "old", day=earlier)],
    }
    database = database_of(tables, rows)

    def runs_of(*edits: tuple[str, str]) -> set[object]:
        return {row["run_id"] for row in run(database, "cost-of-runs", *edits)}

    assert runs_of() == {"r", "other"}
    assert runs_of(("28 AS days", "90 AS days")) == {"r", "old", "other"}
    assert runs_of(("'%' AS plan", "'week%' AS plan")) == {"r"}


def measurement(number: int, instance_type: str, hourly_usd: float | None, **changes: object) -> Row:
    return {
        "run_id": "r",
        "measurement_id": f"p{number:04}-m01",
        "kind": "throughput",
        "client_type": instance_type,
        "server_type": instance_type,
        "client_hourly_usd": hourly_usd,
        "server_hourly_usd": hourly_usd,
        "verdict_direction": "forward",
        "parallel_streams": 8,
        "status": "complete",
        "started_at": f"2026-11-20T10:00:{number:02}Z",
    } | changes


def throttled(number: int, instance_type: str, hourly_usd: float | None, **changes: object) -> Row:
    """10 Gbit/s, and 2 Gbit/s after 600 s."""
    verdict = {
        "sustained_bits_per_second": 2e9,
        "sustained_bound": "measured",
        "held_1_gbit": "always",
        "held_2_gbit": "always",
        "held_5_gbit": "for",
        "held_5_gbit_seconds": 1600.0,
        "held_10_gbit": "for",
        "held_10_gbit_seconds": 600.0,
    }
    return measurement(number, instance_type, hourly_usd, **verdict) | changes


def steady(number: int, instance_type: str, hourly_usd: float | None, gbits: float, **changes: object) -> Row:
    """A level of 15 minutes, of types of which nothing is published."""
    held: Row = {}
    for rate in (1, 2, 5, 10):
        seconds = 900.0 if gbits >= rate else 0.0
        held |= {f"held_{rate}_gbit": "at_least" if seconds else "never", f"held_{rate}_gbit_seconds": seconds}
    sustained = {"sustained_bits_per_second": gbits * 1e9, "sustained_bound": "measured"}
    return measurement(number, instance_type, hourly_usd, **sustained, **held) | changes


def test_sustained_throughput_per_dollar(tables: Tables) -> None:
    rows = [
        throttled(1, "c5.large", 0.1),
        throttled(2, "c5.large", 0.1, sustained_bits_per_second=3e9),
        throttled(3, "c5.large", 0.1, sustained_bits_per_second=4e9),
        throttled(4, "c5.large", 0.1, parallel_streams=1, sustained_bits_per_second=1e9),
        steady(5, "m5.24xlarge", 4.0, 20),
        # The credits lasted, the price is unknown, or the hosts differ: nothing is sustained at a price.
        steady(6, "t3.large", 0.1, 5, sustained_bound="at_most"),
        steady(7, "x1.large", None, 5),
        steady(8, "m5.large", 0.1, 5, server_type="m5.24xlarge"),
        # All of what was offered has arrived, so that more may be sustained.
        steady(9, "m5.large", 0.1, 5, sustained_bound="at_least"),
    ]
    found = answer(tables, "sustained-throughput-per-dollar-by-type", *rows)
    figures = [
        (
            row["instance_type"],
            row["sustained_count"],
            row["sustained_gbits_per_second"],
            row["pair_hourly_usd"],
            row["sustained_gbits_per_second_per_pair_hourly_usd"],
        )
        for row in found
    ]
    assert figures == [("c5.large", 3, 3, 0.2, 15), ("c5.large", 1, 1, 0.2, 5), ("m5.24xlarge", 1, 20, 8, 2.5)]


def test_rates_of_a_scaled_model_are_those_of_ec2_where_its_price_divides_them(tables: Tables) -> None:
    row = throttled(1, "c5.large", 0.1, scaled_model="lab", scaled_model_rate_divisor=10.0)
    database = database_of(tables, {"measurements": [row]})
    (found,) = run(database, "sustained-throughput-per-dollar-by-type")
    assert (found["scaled_model"], found["sustained_gbits_per_second"]) == ("lab", 2)
    assert found["sustained_gbits_per_second_per_pair_hourly_usd"] == 100


@pytest.mark.parametrize(
    ("gbits", "minutes", "types"),
    [
        ("10.0", "10.0", ["c5.large", "m5.24xlarge"]),
        ("10.0", "10.1", ["m5.24xlarge"]),
        ("5.0", "26.0", ["c5.large"]),
        # Between the rates of the columns, the next higher one decides.
        ("4.0", "26.0", ["c5.large"]),
        ("4.0", "27.0", []),
        # A lower bound proves no more than itself.
        ("2.0", "600.0", ["c5.large"]),
        ("10.0", "15.0", ["m5.24xlarge"]),
    ],
)
def test_cheapest_type_that_holds_a_rate(tables: Tables, gbits: str, minutes: str, types: list[str]) -> None:
    rows = [
        steady(1, "m5.24xlarge", 4.0, 20),
        throttled(2, "c5.large", 0.1),
        # A measurement that does not tell is no objection.
        measurement(3, "m5.24xlarge", 4.0),
    ]
    database = database_of(tables, {"measurements": rows})
    edits = (("1 AS gbits", f"{gbits} AS gbits"), ("3 AS minutes", f"{minutes} AS minutes"))
    found = run(database, "cheapest-type-that-holds-a-rate", *edits)
    assert [row["instance_type"] for row in found] == types
    # The price is that of the pair, as in the report.
    assert {row["instance_type"]: row["pair_hourly_usd"] for row in found}.items() <= {
        ("c5.large", 0.2),
        ("m5.24xlarge", 8.0),
    }


def test_one_measurement_that_does_not_hold_it_takes_the_type_out(tables: Tables) -> None:
    weak = throttled(2, "c5.large", 0.1, held_5_gbit_seconds=100.0)

    def found(*rows: Row) -> list[Row]:
        database = database_of(tables, {"measurements": list(rows)})
        return run(database, "cheapest-type-that-holds-a-rate", ("1 AS gbits", "4 AS gbits"))

    assert len(found(throttled(1, "c5.large", 0.1))) == 1
    assert found(throttled(1, "c5.large", 0.1), weak) == []


def test_the_least_held_minutes_are_of_the_measurements_that_show_it(tables: Tables) -> None:
    short = {"held_5_gbit": "at_least", "held_5_gbit_seconds": 60.0}
    rows = [throttled(1, "c5.large", 0.1), throttled(2, "c5.large", 0.1, **short)]
    (held,) = run(
        database_of(tables, {"measurements": rows}), "cheapest-type-that-holds-a-rate", ("1 AS gbits", "5 AS gbits")
    )
    assert (held["held_count"], held["untold_count"], held["least_held_minutes"]) == (1, 1, 26.67)
