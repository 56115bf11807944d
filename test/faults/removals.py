"""What must hold of hosts and groups: each is made once, is gone in time, and goes by the line that is due."""

import math
from dataclasses import dataclass

from faults.conduct import Course
from faults.fault import Fault
from faults.stored import Object
from faults.witness import Resource

# The witness looks twice a second, and takes longer on a busy machine.
CLOCK_SECONDS = 3
# Authors of removals, by what their name contains.
LINES = {
    "state machine": "teardown",
    "DisconnectPair": "teardown",
    "LaunchPair": "launch",
    "ReapRun": "reaper",
    "SweepOrphans": "sweeper",
}


@dataclass
class Removed:
    """A resource of the run that was still there when its execution ended."""

    name: str
    kind: str
    seconds_after_end: float
    """Negative: it was gone before the end."""
    line: str
    """Which line of defence took it."""
    asked: float | None = None
    """When its removal was first granted (Unix seconds); None where nobody asked."""


def removed(resource: Resource, fault: Fault, course: Course, removals: list[Object]) -> Removed:
    naming = [one for one in removals if resource.name in one["request"]]
    if naming:
        author = str(naming[0]["author"])
        line = next((line for part, line in LINES.items() if part in author), author)
    else:
        has_died = resource.name in course.facts.get("killed", []) or "says" in fault.details
        line = "died" if has_died else "-"
    asked = float(naming[0]["at"]) if naming else None
    return Removed(resource.name, resource.kind, round(resource.last_seen - (course.ended or 0), 1), line, asked)


def nothing_left(course: Course, resources: list[Resource], allowed: float) -> str | None:
    left = [one.name for one in resources if not one.is_gone]
    if left:
        return f"nothing must be left, still there: {', '.join(left)}"
    due = max(course.ended or math.inf, course.lifted or 0) + allowed
    late = [f"{one.name} for {one.last_seen - due:.0f} s" for one in resources if one.last_seen > due]
    return f"must be gone within {allowed:.0f} s, stayed longer: {', '.join(late)}" if late else None


def removal(fault: Fault, course: Course, outcome: str, resources: list[Resource], gone: list[Removed]) -> list[str]:
    """Returns what is wrong with how the resources of an ended run were made and removed."""
    problems = [
        _green_has_left_nothing(outcome, gone),
        _green_launched_once(fault, resources, outcome),
        *_taken_by_the_line_left(fault, course, gone),
        _ended_together(fault, course, gone),
    ]
    return [problem for problem in problems if problem is not None]


def _green_has_left_nothing(outcome: str, removed: list[Removed]) -> str | None:
    """A run that reports success has removed its own hosts; the lines behind it are for what went wrong."""
    left = [one.name for one in removed if one.seconds_after_end > CLOCK_SECONDS]
    if outcome != "green" or not left:
        return None
    return f"is green, but at its end there still were {', '.join(left)}"


def _green_launched_once(fault: Fault, resources: list[Resource], outcome: str) -> str | None:
    """A launch that is repeated, because its answer was lost or its function crashed, gives the same host again."""
    hosts, wanted = [one.name for one in resources if one.kind == "instances"], 2 * fault.pair_count
    if outcome != "green" or len(hosts) == wanted:
        return None
    return f"is green, and must have launched {wanted} hosts, launched {', '.join(hosts)}"


def _taken_by_the_line_left(fault: Fault, course: Course, removed: list[Removed]) -> list[str]:
    """What another line takes than the one that is due shows that a line did not do its work, or the fault met nothing.

    A sweep that comes right at the end of a run may be faster than any other line, and on a busy machine the reaper's
    looks come late.
    """
    lines = fault.details.get("taken_by", []) if course.struck is not None else ["teardown"]
    swept = (course.ended or 0) + CLOCK_SECONDS
    return [
        f"{one.name} must be taken by {' or '.join(lines)}, not {one.line}"
        for one in removed
        if lines
        and one.line not in lines
        and not (one.line == "sweeper" and (course.was_busy or (one.asked or 0) < swept))
    ]


def _ended_together(fault: Fault, course: Course, removed: list[Removed]) -> str | None:
    """Whoever ends a pair ends both of its hosts at once, and leaves none to a later look."""
    asked = [one.asked for one in removed if one.kind == "instances" and one.asked is not None]
    if "faults" in fault.details or fault.trigger != "measuring" or course.struck is None or fault.pair_count > 1:
        return None
    if not asked or max(asked) - min(asked) <= CLOCK_SECONDS:
        return None
    return f"the hosts must be ended together, were {max(asked) - min(asked):.0f} s apart"
