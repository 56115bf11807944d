"""The campaign's table and totals, and its record in JSON lines."""

import json
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from faults.conduct import Course
from faults.fault import Fault
from faults.judge import Verdict

if TYPE_CHECKING:
    from faults.campaign import Outcome

COLUMNS = ("no", "fault", "at s", "must be", "is", "lost s", "left s", "taken by", "summary, report", "reason")
REASON_CHARACTERS = 70


@dataclass(frozen=True)
class Ended:
    """A fault whose run has ended."""

    fault: Fault
    course: Course
    seconds: float
    verdict: Verdict | None
    """None: not judged yet, because a later look of the reaper may still add to what the store has."""

    def line(self) -> str:
        """Returns what the campaign reports as soon as the run has ended."""
        if self.verdict is not None:
            return Record(self.fault, self.course, self.verdict, self.seconds).line()
        words = f"fault {self.fault.number}, {self.fault.words}"
        return f"{words}: {self.course.status}, {self.seconds:.0f} s, not judged yet"


@dataclass(frozen=True)
class Record:
    """One fault with all that came of it."""

    fault: Fault
    course: Course
    verdict: Verdict
    seconds: float

    def as_json(self) -> str:
        course: dict[str, Any] = asdict(self.course)
        course["summary"], course["report"] = self.course.summary is not None, self.course.report is not None
        course["stored"] = {one: len(seconds) for one, seconds in self.course.stored.items()}
        course["store"] = {table: len(rows) for table, rows in self.course.store.rows.items()}
        parts = {"fault": asdict(self.fault), "course": course, "verdict": asdict(self.verdict)}
        return json.dumps({**parts, "seconds": round(self.seconds, 1)}, default=str)

    def line(self) -> str:
        """Returns how the fault was judged."""
        broken = f"  BROKEN: {'; '.join(self.verdict.broken)}" if self.verdict.broken else ""
        if self.verdict.not_judged is not None:
            broken += f"  ({self.verdict.not_judged})"
        return f"fault {self.fault.number}, {self.fault.words}: {self.verdict.outcome}, {self.seconds:.0f} s{broken}"

    def cells(self) -> list[str]:
        fault, course, verdict = self.fault, self.course, self.verdict
        struck = "never" if course.struck is None else f"{course.struck - course.started:.0f}"
        left = max((one.seconds_after_end for one in verdict.removed), default=0.0)
        lines = Counter(one.line for one in verdict.removed)
        documents = ", ".join("yes" if one is not None else "no" for one in (course.summary, course.report))
        if fault.needs_own_lab:
            documents = "-"
        return [
            str(fault.number),
            fault.words,
            struck,
            fault.outcome,
            verdict.outcome,
            "" if verdict.lost_seconds is None else str(verdict.lost_seconds),
            f"{max(left, 0):.0f}",
            ", ".join(f"{line} {count}" for line, count in lines.most_common()),
            documents,
            _shortened(verdict.reasons[0] if verdict.reasons else ""),
        ]


def _shortened(reason: str) -> str:
    return reason if len(reason) <= REASON_CHARACTERS else f"{reason[: REASON_CHARACTERS - 1]}…"


def table(records: list[Record]) -> str:
    rows = [list(COLUMNS), *(record.cells() for record in records)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def totals(outcome: "Outcome", seconds: float, allowed_seconds: float) -> str:
    """Returns what a judge of the campaign asks for."""
    records = outcome.records
    verdicts = [record.verdict for record in records]
    removed = [one for verdict in verdicts for one in verdict.removed]
    lines = Counter(one.line for one in removed)
    lost = [v.lost_seconds for r, v in zip(records, verdicts, strict=True) if r.fault.loses_seconds and v.lost_seconds]
    red = [record for record in records if record.verdict.outcome == "red"]
    green = [record for record in records if record.verdict.outcome == "green"]
    runs = [record for record in red if not record.fault.needs_own_lab]
    documented = [r for r in runs if r.course.summary is not None and r.course.report is not None]
    wrong_green = [r for r in records if r.verdict.outcome == "green" and any("green" in b for b in r.verdict.broken)]
    left = [r for r in records if any(b.startswith(("nothing must be left", "must be gone")) for b in r.verdict.broken)]
    never = [record for record in records if record.course.struck is None]
    return "\n".join(
        [
            f"{len(records)} faults in {seconds / 60:.1f} minutes: one every {seconds / len(records):.1f} s",
            f"  outcome: {len(red)} red, {len(records) - len(red)} green; green that must be red: {len(wrong_green)}",
            f"  resources: {len(removed)}, taken by {', '.join(f'{line} {n}' for line, n in lines.most_common())}",
            f"  runs with something left past the documented {allowed_seconds:.0f} s: {len(left)}",
            f"  seconds lost before a kill or stop, at most: {max(lost, default=0)}",
            f"  red runs with summary and report: {len(documented)} of {len(runs)}",
            f"  faults whose moment never came: {len(never)}",
            f"  green runs whose rates and verdicts were not judged: {_not_judged(green)}",
            f"  not settled yet: {_not_judged(records, 'not settled')}",
            f"  changed of what is somebody else's: {len(outcome.foreign)}",
            *(f"    {change}" for change in outcome.foreign),
            *([f"  no success: {outcome.too_few_judged}"] if outcome.too_few_judged else []),
            f"  broken invariants: {sum(len(verdict.broken) for verdict in verdicts)}",
            *(f"    {r.fault.number}: {r.fault.kind}: {b}" for r in records for b in r.verdict.broken),
        ]
    )


def _not_judged(records: list[Record], words: str = "") -> str:
    why = Counter(one.verdict.not_judged for one in records if (one.verdict.not_judged or "-").startswith(words or ""))
    del why[None]
    reasons = ", ".join(f"{count} because {reason}" for reason, count in why.most_common())
    return f"{why.total()} of {len(records)}{f' ({reasons})' if reasons else ''}"
