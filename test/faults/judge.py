"""The campaign's invariants: what must hold of a run, whatever was done to it.

They follow from the fault, from what the witness saw and from the store, and never from how the product is built.
"""

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from faults.agreement import agreement
from faults.bills import bills
from faults.conduct import Course
from faults.fault import Fault
from faults.figures import figures, is_contended, rates, throttle
from faults.readable import complaint, one_line, report_text
from faults.stored import Object
from faults.unharmed import as_unharmed
from faults.witness import Resource, Tool

# Seconds of samples that may be lost before a host ends (README, stream.py's promise).
MOST_LOST_SECONDS = 10


# What a product says rightly of a tool that printed late.
OF_A_BUSY_MACHINE = re.compile(r"short intervals have no sample|went on for .* after the test|silent intervals")
# The witness looks twice a second, and takes longer on a busy machine.
CLOCK_SECONDS = 3


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


@dataclass
class Verdict:
    """What came of a fault."""

    outcome: str
    lost_seconds: int | None
    """Seconds of the first pair's measurement that its tool had measured and the store lacks; None: nothing ran."""
    removed: list[Removed]
    reasons: list[str]
    broken: list[str] = field(default_factory=list)
    """Each invariant that does not hold, in words."""
    not_judged: str | None = None
    """Why its figures are held against nothing, or why it can't be judged at all."""


def judge(
    fault: Fault, course: Course, resources: list[Resource], tools: list[Tool], removals: list[Object], allowed: float
) -> Verdict:
    """Holds every invariant against a fault's course; `allowed` is the documented time until nothing is left."""
    outcome = "green" if course.status == "SUCCEEDED" else "red"
    reasons = _reasons(course)
    verdict = Verdict(
        outcome,
        _lost_seconds(fault, course, resources, tools),
        [_removed(one, fault, course, removals) for one in resources],
        reasons,
    )
    checks = [
        _ended(course),
        _outcome(fault, course, outcome),
        _nothing_left(course, resources, allowed),
        *_green_is_whole(fault, course, outcome),
        _green_has_left_nothing(verdict),
        _green_launched_once(fault, resources, outcome),
        *_live_rows_are_there_once(fault, course),
        *_tables_are_whole(course),
        *_others_are_whole(fault, course),
        *_documents(course, outcome),
        *_reasons_are_readable(course, outcome, reasons),
        _little_is_lost(fault, verdict.lost_seconds),
        _nothing_is_lost(fault, course),
        _says_why(fault, course, reasons),
        *_taken_by_the_line_left(fault, course, verdict.removed),
        _ended_together(fault, course, verdict.removed),
        _warns(fault, course),
        _expects(fault, course),
        _names_the_cause(fault, course),
        *_was_slow(fault, course),
    ]
    verdict.broken = [problem for problem in checks if problem is not None]
    verdict.broken += _measured(fault, course, resources, tools, verdict)
    waited = [problem for problem in (_ended(course), _nothing_left(course, resources, allowed)) if problem]
    if waited and course.was_busy:
        verdict.not_judged, verdict.broken = f"not settled yet, on a busy machine: {'; '.join(waited)}", []
    return verdict


def _measured(
    fault: Fault, course: Course, resources: list[Resource], tools: list[Tool], verdict: Verdict
) -> list[str]:
    """Holds figures, prices and documents; where the machine was busy, too low rates and verdicts count for nothing."""
    is_green = verdict.outcome == "green"
    broken = figures(fault, course, verdict.outcome)
    broken += bills(fault, course, resources, verdict.outcome)
    broken += agreement(fault, course, resources, tools, verdict.outcome)
    if not is_green:
        return broken
    rows = course.store.rows.get("measurements", [])
    is_busy = any(is_contended(row) for row in rows)
    broken += rates(fault, course, is_busy)
    said = [*(warning for row in rows for warning in row.get("warnings") or []), *course.summary_warnings]
    broken += [
        f"a green run must have no warning, has {warning!r}"
        for warning in said
        if not (is_busy and OF_A_BUSY_MACHINE.search(warning))
    ]
    if "path" not in fault.details:
        broken += as_unharmed(fault, course.store, is_busy)
    if is_busy:
        verdict.not_judged = "other work kept the processors"
        return broken
    return [*broken, *throttle(fault, course)]


def _ended(course: Course) -> str | None:
    return None if course.ended is not None else "the run must end, and still runs"


def _outcome(fault: Fault, course: Course, outcome: str) -> str | None:
    # Where the fault's moment never came, the run was a plain one.
    expected = fault.outcome if course.struck is not None else "green"
    if expected in ("either", outcome):
        return None
    return f"must be {expected}, is {outcome} ({course.error}: {(course.cause or '')[:200]})"


def _nothing_left(course: Course, resources: list[Resource], allowed: float) -> str | None:
    left = [one.name for one in resources if not one.is_gone]
    if left:
        return f"nothing must be left, still there: {', '.join(left)}"
    due = max(course.ended or math.inf, course.lifted or 0) + allowed
    late = [f"{one.name} for {one.last_seen - due:.0f} s" for one in resources if one.last_seen > due]
    return f"must be gone within {allowed:.0f} s, stayed longer: {', '.join(late)}" if late else None


def _green_is_whole(fault: Fault, course: Course, outcome: str) -> list[str]:
    if outcome != "green":
        return []
    planned = set(range(fault.measurement_seconds))
    return [
        f"is green, but {one} lacks seconds {sorted(planned - seconds)}"
        for one, seconds in course.stored.items()
        if seconds != planned
    ]


def _green_has_left_nothing(verdict: Verdict) -> str | None:
    """A run that reports success has removed its own hosts; the lines behind it are for what went wrong."""
    left = [one.name for one in verdict.removed if one.seconds_after_end > CLOCK_SECONDS]
    if verdict.outcome != "green" or not left:
        return None
    return f"is green, but at its end there still were {', '.join(left)}"


def _green_launched_once(fault: Fault, resources: list[Resource], outcome: str) -> str | None:
    """A launch that is repeated, because its answer was lost or its function crashed, gives the same host again."""
    hosts, wanted = [one.name for one in resources if one.kind == "instances"], 2 * fault.pair_count
    if outcome != "green" or len(hosts) == wanted:
        return None
    return f"is green, and must have launched {wanted} hosts, launched {', '.join(hosts)}"


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
    if left := course.store.rows.get("live_measurements"):
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


def _documents(course: Course, outcome: str) -> list[str]:
    broken = [
        f"must have a {name}, has none"
        for name, document in (("summary", course.summary), ("report", course.report))
        if document is None
    ]
    if course.summary is not None and (course.summary["outcome"] == "complete") != (outcome == "green"):
        broken.append(f"is {outcome}, but its summary says {course.summary['outcome']}")
    return broken


def _reasons(course: Course) -> list[str]:
    """Returns every reason that the summary gives."""
    summary = course.summary
    if summary is None:
        return []
    given = [summary.get("interruptedReason")]
    given += [one.get("reason") for one in [*summary.get("pairs", []), *summary.get("measurements", [])]]
    return list(dict.fromkeys(reason for reason in given if reason))


def _reasons_are_readable(course: Course, outcome: str, reasons: list[str]) -> list[str]:
    if outcome == "green" or course.summary is None:
        return []
    if not reasons:
        return ["is red, and its summary gives no reason"]
    broken = [f"a reason {problem}: {reason[:200]}" for reason in reasons if (problem := complaint(reason))]
    text = one_line(report_text(course.report or ""))
    if course.report is not None and not any(one_line(reason) in text for reason in reasons):
        broken.append("is red, and its report gives none of the reasons")
    return broken


def _lost_seconds(fault: Fault, course: Course, resources: list[Resource], tools: list[Tool]) -> int | None:
    clients = {one.name: one for one in resources if one.pair_id == "p0001" and one.role == "client"}
    mine = [tool for tool in tools if tool.instance_id in clients]
    if not mine:
        return None
    tool = max(mine, key=lambda one: one.started)
    cut = float(course.facts.get("killedAt", tool.last_seen))
    # The last interval of a tool that was cut off is not over, and gives no sample.
    measured = math.floor(min(float(fault.measurement_seconds), min(cut, tool.last_seen) - tool.started))
    return max(0, measured - len(course.stored["p0001-m01"]))


def _little_is_lost(fault: Fault, lost_seconds: int | None) -> str | None:
    if not fault.loses_seconds or lost_seconds is None or lost_seconds <= MOST_LOST_SECONDS:
        return None
    return f"at most {MOST_LOST_SECONDS} s may be lost before a kill, lost {lost_seconds} s"


def _nothing_is_lost(fault: Fault, course: Course) -> str | None:
    """Hosts that go on measuring while nobody hears of them lose nothing."""
    lacking = fault.measurement_seconds - len(course.stored["p0001-m01"])
    if not fault.details.get("keeps_seconds") or course.struck is None or lacking <= 0:
        return None
    return f"nothing of what the hosts measured may be lost, lost {lacking} s"


def _says_why(fault: Fault, course: Course, reasons: list[str]) -> str | None:
    """EC2's own words about a host that it could not start are all that anybody can know."""
    words = fault.details.get("says")
    if words is None or course.struck is None or any(words in reason for reason in reasons):
        return None
    return f"a reason must quote {words!r}, none does"


def _taken_by_the_line_left(fault: Fault, course: Course, removed: list[Removed]) -> list[str]:
    """What another line takes than the one that is due shows that a line did not do its work, or the fault met nothing.

    A sweep that comes right at the end of a run may be faster than any other line.
    """
    lines = fault.details.get("taken_by", []) if course.struck is not None else ["teardown"]
    swept = (course.ended or 0) + CLOCK_SECONDS
    return [
        f"{one.name} must be taken by {' or '.join(lines)}, not {one.line}"
        for one in removed
        if lines and one.line not in lines and not (one.line == "sweeper" and (one.asked or 0) < swept)
    ]


def _ended_together(fault: Fault, course: Course, removed: list[Removed]) -> str | None:
    """Whoever ends a pair ends both of its hosts at once, and leaves none to a later look."""
    asked = [one.asked for one in removed if one.kind == "instances" and one.asked is not None]
    if "faults" in fault.details or fault.trigger != "measuring" or course.struck is None or fault.pair_count > 1:
        return None
    if not asked or max(asked) - min(asked) <= CLOCK_SECONDS:
        return None
    return f"the hosts must be ended together, were {max(asked) - min(asked):.0f} s apart"


def _warns(fault: Fault, course: Course) -> str | None:
    words = fault.details.get("warns")
    warnings = [str(one) for row in course.store.rows.get("measurements", []) for one in row.get("warnings") or []]
    if words is None or course.struck is None or any(words in warning for warning in warnings):
        return None
    return f"must warn of what was {words}, has {warnings}"


def _names_the_cause(fault: Fault, course: Course) -> str | None:
    """A verdict on a path that loses packets says so."""
    causes = [row.get("verdict_cause") for row in course.store.rows.get("measurements", [])]
    wanted = fault.details.get("cause")
    return None if wanted is None or wanted in causes else f"its verdict must be of {wanted}, is of {causes}"


def _expects(fault: Fault, course: Course) -> str | None:
    if "expect" not in fault.details or course.summary is None:
        return None
    said = (course.summary.get("expectations") or {}).get("outcome")
    rows = [row.get("expectations_outcome") for row in course.store.rows.get("runs", [])]
    return (
        None
        if [said, *rows] == ["not_met"] * 2
        else f"its expectations must be not_met, are {said}, and {rows} in runs"
    )


def _was_slow(fault: Fault, course: Course) -> list[str]:
    """Green only counts where the hosts really took as long as they were made to."""
    if "slow" not in fault.details:
        return []
    least = sum(fault.details["slow"].values()) + fault.measurement_seconds
    seconds = course.facts.get("metalSeconds", [])
    if seconds and min(seconds) >= least - CLOCK_SECONDS:
        return []
    return [f"the bare-metal hosts must have taken {least} s from start to end, took {seconds}"]


# Authors of removals, by what their name contains.
LINES = {
    "state machine": "teardown",
    "DisconnectPair": "teardown",
    "LaunchPair": "launch",
    "ReapRun": "reaper",
    "SweepOrphans": "sweeper",
}


def _removed(resource: Resource, fault: Fault, course: Course, removals: list[Object]) -> Removed:
    naming = [one for one in removals if resource.name in one["request"]]
    if naming:
        author = str(naming[0]["author"])
        line = next((line for part, line in LINES.items() if part in author), author)
    else:
        has_died = resource.name in course.facts.get("killed", []) or "says" in fault.details
        line = "died" if has_died else "-"
    asked = float(naming[0]["at"]) if naming else None
    return Removed(resource.name, resource.kind, round(resource.last_seen - (course.ended or 0), 1), line, asked)
