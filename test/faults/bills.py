"""What must hold of a run's price: every host is billed for as long as it was seen, at its list price."""

from __future__ import annotations

import math

from faults.agreement import seconds
from faults.conduct import Course
from faults.fault import Fault
from faults.stored import Object
from faults.witness import Resource

# AWS's public list prices of Linux in us-east-1 in USD an hour, looked up on 2026-11-20 apart from the product's table.
HOURLY_USD = {"m4.xlarge": 0.2, "c4.xlarge": 0.199, "m4.4xlarge": 0.8, "c5.metal": 4.08, "c5.large": 0.085}
LEAST_BILLED_SECONDS = 60
HOST_ROLES = ("client", "server")
# Both sides pay 0.01 USD for a gigabyte between zones.
ZONE_USD = 0.02
# The root disk is part of a host's price, and little beside it.
DISK_SHARE = 0.06
# How far what a witness sees every half second may be from what is billed, for each host; on a busy machine, the
# witness and the teardown that notes the end are both late.
SEEN_SECONDS, BUSY_SEEN_SECONDS = 12, 40
# The lab's waits are shorter than those that are forecast, so that less than the forecast is billed, and never more
# than its upper end.
LEAST_OF_FORECAST = 0.2
# Of bare metal, most of the forecast is the time in which it starts and stops.
LEAST_OF_METAL = 0.03
CENT_FRACTION = 1e-7
# What the service's own work costs against its forecast, with repeated calls.
OWN_WORK, LEAST_OF_WORK, MOST_OF_WORK = ("athena", "lambda", "s3", "step_functions"), 0.6, 1.5


def bills(fault: Fault, course: Course, resources: list[Resource], outcome: str) -> list[str]:
    store = course.store
    if store.documents.get("cost") is None or fault.details.get("unknown_hosts"):
        return []
    broken = []
    for number in range(fault.pair_count):
        pair_id = f"p{number + 1:04d}"
        hosts = [one for one in resources if one.kind == "instances" and one.pair_id == pair_id]
        for row in [one for one in store.rows.get("pairs", []) if one["pair_id"] == pair_id]:
            broken += [
                f"{pair_id} {problem}" for problem in _pair(fault, course, row, hosts, course.store.hosts.get(pair_id))
            ]
            if outcome == "green":
                broken += [f"{pair_id} {problem}" for problem in _forecast(fault, row)]
    return broken + _sums(course)


def _pair(fault: Fault, course: Course, row: Object, hosts: list[Resource], launched: Object | None) -> list[str]:
    if not launched or not hosts or row.get("host_seconds") is None:
        return [] if not hosts or not launched else ["must be billed for its hosts, is not"]
    broken = []
    # Where nobody recorded a teardown, hosts are billed until the end of their pair's execution, and the row says so.
    says_until_end = any("is up to when" in warning for warning in row.get("cost_warnings") or [])
    ends = [min(one.last_seen, course.ended or math.inf) if says_until_end else one.last_seen for one in hosts]
    seen = [max(LEAST_BILLED_SECONDS, end - one.first_seen) for end, one in zip(ends, hosts, strict=True)]
    # A host that dies while it boots may be gone before the witness looks.
    seen += [LEAST_BILLED_SECONDS] * max(0, len(HOST_ROLES) - len(hosts))
    allowed = BUSY_SEEN_SECONDS if course.was_busy else SEEN_SECONDS
    if not abs(row["host_seconds"] - sum(seen)) <= allowed * len(hosts):
        broken.append(f"must be billed for {sum(seen):.0f} s of {len(hosts)} hosts, is for {row['host_seconds']} s")
    prices = {role: HOURLY_USD[name] for role, name in fault.instance_types.items()}
    for role, hourly in prices.items():
        if row.get(f"{role}_hourly_usd") != hourly:
            broken.append(f"must have a {role} of {hourly} USD an hour, has {row.get(f'{role}_hourly_usd')}")
    usd, due = row["cost_instances_usd"], row["host_seconds"] / 3600 * sum(prices.values()) / 2
    if not due * 0.8 - CENT_FRACTION <= usd <= due * (1.2 + DISK_SHARE):
        broken.append(f"must cost {due:.5f} USD for its hosts, costs {usd:.5f}")
    if len(set(prices.values())) == 1 and not due - CENT_FRACTION <= usd <= due * (1 + DISK_SHARE):
        broken.append(f"must cost {due:.5f} USD for its hosts alone, costs {usd:.5f}")
    is_crossing = fault.types.get("zoneRelation") == "other_zone"
    crossing = row["traffic_bytes"] / 1e9 * ZONE_USD if is_crossing else 0.0
    if not math.isclose(row["cost_cross_zone_traffic_usd"], crossing, rel_tol=0.01, abs_tol=CENT_FRACTION):
        broken.append(f"must cost {crossing:.6f} USD between zones, costs {row['cost_cross_zone_traffic_usd']}")
    if row.get("cost_usd") is None:
        return [*broken, *([] if row.get("cost_warnings") else ["must say why its price is unknown"])]
    parts = [value or 0 for name, value in row.items() if name.startswith("cost_") and name.endswith("_usd")]
    if not math.isclose(sum(parts) - row["cost_usd"], row["cost_usd"], rel_tol=1e-6):
        broken.append(
            f"must cost the sum of its parts, {sum(parts) - row['cost_usd']:.6f} USD, costs {row['cost_usd']:.6f}"
        )
    began = min(one.first_seen for one in hosts)
    if abs(seconds(row["launched_at"]) - began) > SEEN_SECONDS:
        broken.append(f"must be launched when its hosts were, is at {row['launched_at']}")
    return broken


def _forecast(fault: Fault, row: Object) -> list[str]:
    broken = []
    least = LEAST_OF_METAL if "slow" in fault.details else LEAST_OF_FORECAST
    if not least * row["expected_usd"] <= row["cost_usd"] <= row["upper_usd"]:
        broken.append(f"must cost about what was forecast, {row['expected_usd']:.5f} USD, costs {row['cost_usd']:.5f}")
    for name in OWN_WORK:
        usd, expected = (row[f"{what}_{name}_usd"] for what in ("cost", "expected"))
        if not LEAST_OF_WORK * expected <= usd <= MOST_OF_WORK * expected:
            broken.append(f"must cost about {expected:.3g} USD of {name}, costs {usd:.3g}")
    if not 0 < row["expected_usd"] <= row["upper_usd"]:
        broken.append(f"must have a forecast below its upper end, has {row['expected_usd']} and {row['upper_usd']}")
    return broken


def _sums(course: Course) -> list[str]:
    """The price of a run is that of its pairs, and theirs is that of their measurements, wherever it is said."""
    rows, broken = course.store.rows, []
    runs = [row.get("cost_usd") for row in rows.get("runs", [])]
    pairs = {row["pair_id"]: row.get("cost_usd") or 0.0 for row in rows.get("pairs", [])}
    said = [(course.summary or {}).get("costUsd"), (course.store.documents["cost"] or {}).get("costUsd")]
    said += [entry.get("costUsd") for entry in course.store.history]
    for usd in [*runs, *said]:
        if not math.isclose(usd or 0.0, sum(pairs.values()), rel_tol=1e-6, abs_tol=CENT_FRACTION):
            broken.append(f"the run must cost what its pairs do, {sum(pairs.values()):.6f} USD, costs {usd}")
    for pair_id, usd in pairs.items():
        parts = [row.get("cost_usd") or 0 for row in rows.get("measurements", []) if row["pair_id"] == pair_id]
        if parts and not math.isclose(usd, sum(parts), rel_tol=1e-6, abs_tol=CENT_FRACTION):
            broken.append(f"{pair_id} must cost what its measurements do, {sum(parts):.6f} USD, costs {usd:.6f}")
    return broken
