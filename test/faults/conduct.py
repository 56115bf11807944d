"""Conducts one fault: starts a run, breaks it at its moment, and waits until everything has settled."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from faults.fault import Fault
from faults.kinds.kind import Trigger
from faults.stored import Stored, stored_of
from faults.strikes import Strike, strike_of
from faults.subject import Lab, Object, Run, plan_of
from faults.witness import Witness

POLL_SECONDS = 0.5
# Long enough for the slowest run on a machine with other work.
TRIGGER_LIMIT_SECONDS = 180.0
RUN_LIMIT_SECONDS = 420.0


@dataclass
class Course:
    """What happened to a run, in Unix seconds."""

    run_id: str
    started: float
    struck: float | None = None
    """None: the run was over before the fault's moment."""
    lifted: float | None = None
    ended: float | None = None
    settled: float | None = None
    """When nothing was left and every document was there; None if that did not come within the documented time."""
    status: str = "RUNNING"
    error: str | None = None
    cause: str | None = None
    report: str | None = None
    store: Stored = field(default_factory=Stored)
    """What the store had of the run when it was last read."""
    was_busy: bool = False
    """Whether the machine was so busy that the campaign may have run out of patience before the run did anything."""
    facts: Object = field(default_factory=dict)
    """What the strike wants to have noted."""

    @property
    def summary(self) -> Object | None:
        return self.store.documents.get("summary")

    @property
    def summary_warnings(self) -> list[str]:
        summary = self.summary or {}
        return [*summary.get("warnings", []), *summary.get("costWarnings", [])]

    @property
    def stored(self) -> dict[str, set[int]]:
        """Seconds with a sample, by planned measurement."""
        series = {one: self.store.series_of(one, "throughput") for one in self.store.printed}
        return {one: {round(row["start_seconds"]) for row in rows} for one, rows in series.items()}


class Conductor:
    """Conducts faults in one lab; several threads may do so at once."""

    def __init__(self, lab: Lab, witness: Witness, settle_seconds: float) -> None:
        self._lab = lab
        self._witness = witness
        self._settle_seconds = settle_seconds

    def conduct(self, fault: Fault, run_id: str) -> Course:
        run = Run(self._lab, run_id)
        strike = strike_of(fault, run, self._witness)
        course = Course(run_id, time.time())
        strike.prepare()
        conditions = {"path": fault.path, "placement": fault.placement, **fault.types}
        expect = fault.details.get("expect")
        run.start(plan_of(run_id, fault.measurement_seconds, fault.pair_count, expect, **conditions))
        if fault.trigger != "ended":
            self._strike(fault, run, strike, course)
        self._wait(lambda: self._is_over(run, course), RUN_LIMIT_SECONDS)
        if fault.trigger == "ended":
            self._strike(fault, run, strike, course)
        if strike.lift():
            course.lifted = time.time()
        if course.ended is not None:
            self._wait(lambda: self._is_settled(run, course), self._settle_seconds)
        if course.struck is not None and not strike.has_struck():
            course.struck = None
        course.facts = strike.facts
        self.read_store(fault, course)
        return course

    def read_store(self, fault: Fault, course: Course, keys: Sequence[str] | None = None) -> None:
        """Notes what the store has of a run now; the reaper's later looks may add to it."""
        run = Run(self._lab, course.run_id, keys)
        self._is_over(run, course)
        course.was_busy = self._witness.was_busy(course.started)
        course.store = stored_of(run, fault.measurement_ids)
        course.report = run.report()

    def _strike(self, fault: Fault, run: Run, strike: Strike, course: Course) -> None:
        condition = self._condition(fault.trigger, run, course)
        self._wait(lambda: self._is_over(run, course) or condition(), TRIGGER_LIMIT_SECONDS)
        if fault.trigger != "ended" and course.ended is not None:
            return
        time.sleep(fault.delay_seconds)
        if strike.strike():
            course.struck = time.time()

    def _condition(self, trigger: Trigger, run: Run, course: Course) -> Callable[[], bool]:
        hosts, tools = self._witness.hosts, self._witness.tools_of
        conditions: dict[Trigger, Callable[[], bool]] = {
            "before": lambda: True,
            "launched": lambda: len(hosts(run.run_id)) >= 2,
            "running": lambda: sum(host.state == "running" for host in hosts(run.run_id)) >= 2,
            "measuring": lambda: bool(tools(run.run_id)),
            "measured": lambda: bool(tools(run.run_id)) and all(tool.is_over for tool in tools(run.run_id)),
            "ended": lambda: course.ended is not None,
        }
        return conditions[trigger]

    def _wait(self, condition: Callable[[], bool], seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not condition() and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)

    def _is_over(self, run: Run, course: Course) -> bool:
        if course.ended is None:
            description = run.describe()
            course.status = description["status"]
            if course.status != "RUNNING":
                course.ended = description["stopDate"].timestamp()
                course.error, course.cause = description.get("error"), description.get("cause")
        return course.ended is not None

    def _is_settled(self, run: Run, course: Course) -> bool:
        is_clean = all(one.is_gone for one in self._witness.of_run(run.run_id))
        if is_clean and run.document("summary") is not None and run.report() is not None:
            course.settled = course.settled or time.time()
        return course.settled is not None
