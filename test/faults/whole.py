"""What must hold of the seconds and rows of a run: none is lost but what the fault may cost, and each is there once."""

import math
from collections import Counter
from typing import Any

from faults.conduct import Course
from faults.fault import Fault
from faults.stored import Object
from faults.witness import Resource, Tool

# Seconds of samples that may be lost before a host ends (README, stream.py's promise).
MOST_LOST_SECONDS = 10


def whole(fault: Fault, course: Course, outcome: str, lost: int | None) -> list[str]:
    """Returns which seconds or rows are missing, or there more than once."""
    return [
        *_green_is_whole(fault, course, outcome),
        *_live_rows_are_there_once(fault, course),
        *_tables_are_whole(course),
        *_others_are_whole(fault, course),
        *_little_is_lost(fault, lost),
        *_nothing_is_lost(fault, course),
    ]


def _green_is_whole(fault: Fault, course: Course, outcome: str) -> list[str]:
    if outcome != "green":
        return []
    planned = set(range(fault.measurement_seconds))
    return [
        f"is green, but {one} lacks seconds {sorted(planned - seconds)}"
        for one, seconds in course.stored.items()
        if seconds != planned
    ]


def _live_rows_are_there_once(fault: Fault, course: Course) -> list[str]:
    """The events of chunks come twice, late or not at all; the rows stay right, and only a lost chunk's are missing.

    iperf3 prints its last second again when it is interrupted, so that only a run that ended by itself is held to this.
    """
    if course.status != "SUCCEEDED":
        return []
    live = {one: course.store.of("live_samples", one) for one in fault.measurement_ids}
    broken = [
        f"{one} must have each live row once, has those of {sorted(twice)} s more often"
        for one, rows in live.items()
        if (twice := {place[-1] for place, count in Counter(map(_live_place, rows)).items() if count > 1})
    ]
    may_lack = fault.details.get("live_may_lack_seconds")
    if may_lack is None:
        return broken
    planned = set(range(fault.measurement_seconds))
    found = {
        one: {round(row["start_seconds"]) for row in rows if row["metric"] == "throughput"}
        for one, rows in live.items()
    }
    lacks = [(one, sorted(planned - seconds)) for one, seconds in found.items()]
    return broken + [
        f"{one} may lack the live rows of {may_lack} s, lacks those of {seconds}"
        for one, seconds in lacks
        if len(seconds) > may_lack
    ]


def _live_place(row: Object) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in ("host_role", "metric", "stream", "start_seconds"))


def _tables_are_whole(course: Course) -> list[str]:
    """Whatever was cut off or done twice on the way, the tables have each row of a summarised run once."""
    broken: list[str] = []
    if course.summary is None:
        return broken
    counts = Counter(row["measurement_id"] for row in course.store.rows.get("measurements", []))
    planned = [one["measurementId"] for one in course.summary.get("measurements", [])]
    broken += [
        f"measurements must have {one} once, has it {counts[one]} times"
        for one in sorted({*planned, *counts})
        if counts[one] != (one in planned)
    ]
    left = course.store.rows.get("live_measurements")
    if left and course.store.documents.get("plan"):
        live = ", ".join(row["measurement_id"] for row in left)
        broken.append(f"live_measurements must have no row of an ended run, has {live}")
    return broken


def _others_are_whole(fault: Fault, course: Course) -> list[str]:
    """What befalls the hosts of the first pair must not touch the others."""
    if "roles" not in fault.details:
        return []
    planned = set(range(fault.measurement_seconds))
    others = {one: seconds for one, seconds in course.stored.items() if not one.startswith("p0001-")}
    return [f"{one} had no fault and lacks seconds" for one, seconds in others.items() if seconds != planned]


def lost_seconds(fault: Fault, course: Course, resources: list[Resource], tools: list[Tool]) -> int | None:
    clients = {one.name: one for one in resources if one.pair_id == "p0001" and one.role == "client"}
    mine = [tool for tool in tools if tool.instance_id in clients]
    if not mine:
        return None
    tool = max(mine, key=lambda one: one.started)
    cut = float(course.facts.get("killedAt", tool.last_seen))
    # The last interval of a tool that was cut off is not over, and gives no sample.
    measured = math.floor(min(float(fault.measurement_seconds), min(cut, tool.last_seen) - tool.started))
    return max(0, measured - len(course.stored["p0001-m01"]))


def _little_is_lost(fault: Fault, lost: int | None) -> list[str]:
    if not fault.loses_seconds or lost is None or lost <= MOST_LOST_SECONDS:
        return []
    return [f"at most {MOST_LOST_SECONDS} s may be lost before a kill, lost {lost} s"]


def _nothing_is_lost(fault: Fault, course: Course) -> list[str]:
    """Hosts that go on measuring while nobody hears of them lose nothing."""
    lacking = fault.measurement_seconds - len(course.stored["p0001-m01"])
    if not fault.details.get("keeps_seconds") or course.struck is None or lacking <= 0:
        return []
    return [f"nothing of what the hosts measured may be lost, lost {lacking} s"]
