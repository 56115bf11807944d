"""The campaign's invariants: what must hold of a run, whatever was done to it.

They follow from the fault, from what the witness saw and from the store, and never from how the product is built.
"""

import re
from dataclasses import dataclass, field

from faults.agreement import agreement
from faults.bills import bills
from faults.conduct import Course
from faults.fault import Fault
from faults.figures import figures, is_contended, rates, throttle
from faults.readable import complaint, one_line, report_text
from faults.removals import CLOCK_SECONDS, Removed, nothing_left, removal, removed
from faults.stored import Object
from faults.unharmed import as_unharmed
from faults.whole import lost_seconds, whole
from faults.witness import Resource, Tool

# What a product says rightly of a tool that printed late.
OF_A_BUSY_MACHINE = re.compile(r"short intervals have no sample|went on for .* after the test|silent intervals")


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
    verdict = Verdict(
        outcome,
        lost_seconds(fault, course, resources, tools),
        [removed(one, fault, course, removals) for one in resources],
        _reasons(course),
    )
    waited = [problem for problem in (_ended(course), nothing_left(course, resources, allowed)) if problem]
    if waited and course.was_busy:
        verdict.not_judged = f"not settled yet, on a busy machine: {'; '.join(waited)}"
        return verdict
    verdict.broken = [
        *waited,
        *_outcome(fault, course, outcome),
        *removal(fault, course, outcome, resources, verdict.removed),
        *whole(fault, course, outcome, verdict.lost_seconds),
        *_documents(course, outcome),
        *_reasons_are_readable(course, outcome, verdict.reasons),
        *_of_its_kind(fault, course, verdict.reasons),
        *_measured(fault, course, resources, tools, verdict),
    ]
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


def _outcome(fault: Fault, course: Course, outcome: str) -> list[str]:
    # Where the fault's moment never came, the run was a plain one.
    expected = fault.outcome if course.struck is not None else "green"
    if expected in ("either", outcome):
        return []
    return [f"must be {expected}, is {outcome} ({course.error}: {(course.cause or '')[:200]})"]


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


def _of_its_kind(fault: Fault, course: Course, reasons: list[str]) -> list[str]:
    """Holds what the fault's details promise of a run that it befell."""
    promised = [
        _says_why(fault, course, reasons),
        _warns(fault, course),
        _expects(fault, course),
        _names_the_cause(fault, course),
        _was_slow(fault, course),
    ]
    return [problem for problem in promised if problem is not None]


def _says_why(fault: Fault, course: Course, reasons: list[str]) -> str | None:
    """EC2's own words about a host that it could not start are all that anybody can know."""
    words = fault.details.get("says")
    if words is None or course.struck is None or any(words in reason for reason in reasons):
        return None
    return f"a reason must quote {words!r}, none does"


def _warns(fault: Fault, course: Course) -> str | None:
    words = fault.details.get("warns")
    warnings = [str(one) for row in course.store.rows.get("measurements", []) for one in row.get("warnings") or []]
    if words is None or course.struck is None or any(words in warning for warning in warnings):
        return None
    return f"must warn of what was {words}, has {warnings}"


def _names_the_cause(fault: Fault, course: Course) -> str | None:
    """A verdict on a path that loses packets says so; where the rate happens to hold, it may be a limiter's, too."""
    wanted = fault.details.get("cause")
    rows = course.store.rows.get("measurements", [])
    if wanted is None or any(_is_of(row, wanted) for row in rows):
        return None
    return f"its verdict must be of {wanted}, is of {[row.get('verdict_cause') for row in rows]}"


def _is_of(row: Object, wanted: str) -> bool:
    cause, examined = row.get("verdict_cause"), row.get("examined_causes") or []
    return cause == wanted or (
        cause == "not_known" and any(one["cause"] == wanted and one["standing"] == "possible" for one in examined)
    )


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


def _was_slow(fault: Fault, course: Course) -> str | None:
    """Green only counts where the hosts really took as long as they were made to."""
    if "slow" not in fault.details:
        return None
    least = sum(fault.details["slow"].values()) + fault.measurement_seconds
    seconds = course.facts.get("metalSeconds", [])
    if seconds and min(seconds) >= least - CLOCK_SECONDS:
        return None
    return f"the bare-metal hosts must have taken {least} s from start to end, took {seconds}"
