"""A whole campaign: faults side by side in one lab, which are judged once, after the reaper's last look at all of them.

A later look of the reaper may add seconds and documents, and something may come back, so that an earlier judgement
would have to be taken back.
"""

import contextlib
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from faults.conduct import Conductor, Course
from faults.fault import Fault
from faults.judge import Verdict, judge
from faults.own_lab import break_own_lab
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

# A bare-metal host has 96 vCPUs, so that two of them would leave the other runs too few of the lab's 256.
STANDARD_VCPUS, VCPUS = "L-1216C47A", 4_096


def run_campaign(faults: list[Fault], at_once: int, folder: Path) -> list[Record]:
    """Makes the faults, `at_once` at the same time, and returns their records in the order of their numbers.

    `folder` is emptied; it gets one line per fault in `faults.jsonl`, and the lab's state.
    """
    print("starting a lab and deploying the stack to it, which takes a minute or two", flush=True)
    with campaign_in(folder) as campaign:
        waiting = f"{min(at_once, len(faults))} at the same time; each takes one to five minutes, and is judged at last"
        print(f"deployed; making {len(faults)} faults, {waiting}", flush=True)
        ended = campaign.run(faults, at_once)
        print(f"all have ended; judging them after the reaper's last look, in {LAST_LOOK_SECONDS:.0f} s", flush=True)
        records = campaign.judge_at_last(ended)
    (folder / "faults.jsonl").write_text("".join(record.as_json() + "\n" for record in records))
    return records


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
        self._conductor = Conductor(lab, witness, ALLOWED_SECONDS + REMOVAL_SECONDS)

    def run(self, faults: list[Fault], at_once: int) -> list[Ended]:
        """Makes the faults, `at_once` at the same time, and tells of each that it has ended."""
        with ThreadPoolExecutor(at_once) as pool:
            made = [pool.submit(self._make, fault) for fault in faults]
            for number, done in enumerate(as_completed(made), 1):
                print(f"{number} of {len(faults)}: {done.result().line()}", flush=True)
        return [done.result() for done in made]

    def judge_at_last(self, ended: list[Ended]) -> list[Record]:
        """Judges once no look of the reaper is to come."""
        time.sleep(LAST_LOOK_SECONDS)
        return [self._judged(one) for one in ended]

    def _make(self, fault: Fault) -> Ended:
        started = time.monotonic()
        run_id = f"f{fault.number:04d}"
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

    def _judged(self, ended: Ended) -> Record:
        fault, course, verdict = ended.fault, ended.course, ended.verdict
        if verdict is None:
            try:
                self._conductor.read_store(fault, course)
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
