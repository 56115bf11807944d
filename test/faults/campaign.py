"""A whole campaign: faults side by side in one lab, which are judged once, after the reaper's last look at all of them.

A later look of the reaper may add seconds and documents, and something may come back, so that an earlier judgement
would have to be taken back.
"""

import contextlib
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from faults import courses, unharmed
from faults.conduct import Conductor, Course
from faults.fault import Fault
from faults.foreign import Foreign
from faults.judge import Verdict, judge
from faults.kinds import plain
from faults.own_lab import break_own_lab
from faults.stored import Object
from faults.subject import Lab
from faults.table import Ended, Record
from faults.witness import Witness
from lab.runner.paths import LabPaths
from lab.runner.session import deployed_lab

# One second in the campaign stands for fifteen of the waits of state machines, queues and schedules.
WAIT_DIVISOR = 15
# docs/architecture.md: what teardown and reaper left goes with the next sweep, which comes every quarter of an hour.
SWEEP_SECONDS = 900 / WAIT_DIVISOR
# What is not scaled: the sweep itself, and the end of a host.
REMOVAL_SECONDS = 30
# The reaper's last look, five minutes after an end, and its analyses.
LAST_LOOK_SECONDS = 300 / WAIT_DIVISOR + 20
ALLOWED_SECONDS = SWEEP_SECONDS + REMOVAL_SECONDS

# A machine with other work disturbs some of the runs whose figures are judged or recorded.
RECORD_ATTEMPTS, QUIET_AT_ONCE = 2, 3
# How many runs another stack has hosts for, too.
FOREIGN_RUNS = 3
# A campaign of which this share is not known has shown nothing.
MOST_UNSETTLED_SHARE, LEAST_JUDGED_SHARE = 0.1, 0.5

# A bare-metal host has 96 vCPUs, so that two of them would leave the other runs too few of the lab's 768.
STANDARD_VCPUS, VCPUS = "L-1216C47A", 4_096


@dataclass(frozen=True)
class Outcome:
    """What came of a campaign."""

    records: list[Record]
    foreign: list[str]
    """What somebody else has in the account, and is not as it was."""

    @property
    def is_success(self) -> bool:
        is_broken = self.foreign or any(record.verdict.broken for record in self.records)
        return not is_broken and not self.too_few_judged

    @property
    def too_few_judged(self) -> str | None:
        """Says of how many runs nothing is known because the machine was busy, where it is too many."""
        unsettled = [one for one in self.records if (one.verdict.not_judged or "").startswith("not settled")]
        if len(unsettled) > len(self.records) * MOST_UNSETTLED_SHARE:
            return f"{len(unsettled)} of {len(self.records)} have not settled"
        quiet = [one for one in self.records if one.fault.kind in plain.KINDS]
        judged = [one for one in quiet if one.verdict.not_judged is None]
        if len(judged) < len(quiet) * LEAST_JUDGED_SHARE:
            return f"the figures of only {len(judged)} of the {len(quiet)} runs that nothing befell could be judged"
        return None


def run_campaign(faults: list[Fault], at_once: int, folder: Path) -> Outcome:
    """Makes the faults, `at_once` at the same time, and returns their records in the order of their numbers.

    What nothing befalls is run with few others at the end, because its figures are judged. `folder` is emptied; it gets
    one line per fault in `faults.jsonl`, and the lab's state.
    """
    print("starting a lab and deploying the stack to it, which takes a minute or two", flush=True)
    quiet = [fault for fault in faults if fault.kind in plain.KINDS]
    others = [fault for fault in faults if fault not in quiet]
    with campaign_in(folder) as campaign:
        campaign.add_foreign([run_id_of(one) for one in faults if not one.needs_own_lab][:FOREIGN_RUNS])
        waiting = f"{min(at_once, len(faults))} at the same time; each takes one to five minutes, and is judged at last"
        print(f"deployed; making {len(faults)} faults, {waiting}", flush=True)
        ended = [*campaign.run(others, at_once), *campaign.run(quiet, QUIET_AT_ONCE)]
        print(f"all have ended; judging them after the reaper's last look, in {LAST_LOOK_SECONDS:.0f} s", flush=True)
        records = sorted(campaign.judge_at_last(ended), key=lambda record: record.fault.number)
        foreign = campaign.foreign_changes()
    (folder / "faults.jsonl").write_text("".join(record.as_json() + "\n" for record in records))
    return Outcome(records, foreign)


def record(plans: list[Fault], named: dict[str, Fault], folder: Path) -> None:
    """Makes a run of each plan, which nothing befalls, and these faults; writes what a sound product leaves of them.

    What a busy machine disturbed is made again, a few times.
    """
    shapes: Object = {}
    kept: dict[str, courses.Recorded] = {}
    with campaign_in(folder) as campaign:
        for attempt in range(RECORD_ATTEMPTS):
            plans = [one for one in plans if unharmed.shape_of(one) not in shapes or attempt == 0]
            missing = {name: one for name, one in named.items() if name not in kept}
            made = [replace(one, number=1_000 * attempt + at) for at, one in enumerate([*plans, *missing.values()])]
            ended = campaign.run(made, QUIET_AT_ONCE)
            records = campaign.judge_at_last(ended)
            for record in records[: len(plans)]:
                if record.verdict.outcome == "green":
                    unharmed.add(shapes, record.fault, record.course.store)
            for name, record in zip(missing, records[len(plans) :], strict=True):
                if record.verdict.not_judged is None or attempt == RECORD_ATTEMPTS - 1:
                    kept[name] = campaign.recorded(record)
    unharmed.write(shapes)
    courses.write(kept)


def run_id_of(fault: Fault) -> str:
    return f"f{fault.number:04d}"


@contextlib.contextmanager
def campaign_in(folder: Path) -> Iterator["Campaign"]:
    """Deploys a lab for a campaign into `folder`, which is emptied."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with deployed_lab(LabPaths(folder / "lab"), lambda event: None, wait_divisor=WAIT_DIVISOR) as (aws, deployment):
        lab = Lab(aws, deployment)
        lab.control("POST", "quotas", {"code": STANDARD_VCPUS, "value": VCPUS})
        with Witness(lab) as witness:
            yield Campaign(lab, witness, folder)


class Campaign:
    """Faults in one lab. Each has a number of its own, which names its run."""

    def __init__(self, lab: Lab, witness: Witness, folder: Path) -> None:
        self.lab = lab
        self._witness = witness
        self._folder = folder
        self._foreign: Foreign | None = None
        self._conductor = Conductor(lab, witness, ALLOWED_SECONDS + REMOVAL_SECONDS)

    def run(self, faults: list[Fault], at_once: int, is_told: bool = True) -> list[Ended]:
        """Makes the faults, `at_once` at the same time, and tells of each that it has ended."""
        with ThreadPoolExecutor(at_once) as pool:
            made = [pool.submit(self._make, fault) for fault in faults]
            for number, done in enumerate(as_completed(made), 1):
                if is_told:
                    print(f"{number} of {len(faults)}: {done.result().line()}", flush=True)
        return [done.result() for done in made]

    def judge_at_last(self, ended: list[Ended], look_seconds: float = LAST_LOOK_SECONDS) -> list[Record]:
        """Judges once no look of the reaper is to come."""
        time.sleep(look_seconds)
        keys = self.lab.keys("")
        return [self._judged(one, keys) for one in ended]

    def recorded(self, record: Record) -> courses.Recorded:
        """Returns a record with everything that its judgement rests on."""
        run_id = record.course.run_id
        resources, tools = self._witness.of_run(run_id), self._witness.tools_of(run_id)
        removals = self.lab.control("GET", "removals")["removals"]
        naming = [one for one in removals if any(each.name in one["request"] for each in resources)]
        return courses.Recorded(record.fault, record.course, resources, tools, naming)

    def add_foreign(self, run_ids: list[str]) -> None:
        """Gives the account what somebody else has in it, also for these runs."""
        self._foreign = Foreign(self.lab, run_ids)

    def foreign_changes(self) -> list[str]:
        return [] if self._foreign is None else self._foreign.changes()

    def _make(self, fault: Fault) -> Ended:
        started = time.monotonic()
        run_id = run_id_of(fault)
        verdict = None
        try:
            if fault.needs_own_lab:
                course, verdict = break_own_lab(fault, self._folder / run_id)
            else:
                course = self._conductor.conduct(fault, run_id)
        except Exception as error:
            # One fault that can't be judged fails the campaign, and must not end the others.
            course, verdict = Course(run_id, time.time()), _unjudged(error)
        return Ended(fault, course, time.monotonic() - started, verdict)

    def _judged(self, ended: Ended, keys: list[str]) -> Record:
        fault, course, verdict = ended.fault, ended.course, ended.verdict
        if verdict is None:
            try:
                self._conductor.read_store(fault, course, keys)
                verdict = self._judge(fault, course)
            except Exception as error:
                verdict = _unjudged(error)
        return Record(fault, course, verdict, ended.seconds)

    def _judge(self, fault: Fault, course: Course) -> Verdict:
        resources, tools = self._witness.of_run(course.run_id), self._witness.tools_of(course.run_id)
        removals = self.lab.control("GET", "removals")["removals"]
        return judge(fault, course, resources, tools, removals, ALLOWED_SECONDS)


def _unjudged(error: Exception) -> Verdict:
    return Verdict("unknown", None, [], [], [f"could not be judged: {type(error).__name__}: {error}"])
