"""The campaign judges a fault once, when nothing can change any more what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from faults.campaign import Campaign
from faults.conduct import Course
from faults.fault import Fault
from faults.subject import Lab
from faults.witness import Witness

STOPPED = Fault(3, "execution stopped", "red", "measuring", 8, "the run is stopped", {}, 24, 1)
REASON = "the run was stopped: as asked"


class QuietLab:
    def control(self, method: str, path: str) -> dict[str, Any]:
        return {"removals": []}

    def keys(self, prefix: str) -> list[str]:
        return []


class QuietWitness:
    def of_run(self, run_id: str) -> list[Any]:
        return []

    def tools_of(self, run_id: str) -> list[Any]:
        return []


class StoreThatTheReaperCompletes:
    """Right after a run there is no summary and no report; the reaper's last look has them written, or never does."""

    def __init__(self, is_completed: bool) -> None:
        self._is_completed = is_completed

    def conduct(self, fault: Fault, run_id: str) -> Course:
        course = Course(run_id, started=1_000.0, struck=1_020.0, ended=1_030.0, status="ABORTED")
        course.store.printed = {"p0001-m01": {}}
        return course

    def read_store(self, fault: Fault, course: Course, keys: list[str]) -> None:
        if self._is_completed:
            measurement = {"measurementId": "p0001-m01", "reason": REASON}
            summary = {"outcome": "failed", "interruptedReason": REASON, "measurements": [measurement]}
            course.store.documents["summary"] = summary
            course.report = f"<p>{REASON}</p>"
            course.store.rows["measurements"] = [{"measurement_id": "p0001-m01"}]


@pytest.mark.parametrize("is_completed", [True, False])
def test_says_broken_of_no_fault_before_the_reapers_last_look(
    is_completed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("faults.judge._measured", lambda *_: [])
    campaign = Campaign(cast(Lab, QuietLab()), cast(Witness, QuietWitness()), tmp_path)
    monkeypatch.setattr(campaign, "_conductor", StoreThatTheReaperCompletes(is_completed))

    ended = campaign.run([STOPPED], at_once=1)
    told = capsys.readouterr().out
    (record,) = campaign.judge_at_last(ended, 0)

    assert told == "1 of 1: fault 3, the run is stopped: ABORTED, 0 s, not judged yet\n"
    broken = [] if is_completed else ["must have a summary, has none", "must have a report, has none"]
    assert record.verdict.broken == broken
    assert ("BROKEN" in record.line()) is not is_completed


def test_a_fault_that_could_not_be_made_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("faults.judge._measured", lambda *_: [])
    campaign = Campaign(cast(Lab, QuietLab()), cast(Witness, QuietWitness()), tmp_path)
    monkeypatch.setattr(campaign, "_conductor", None)

    (record,) = campaign.judge_at_last(campaign.run([STOPPED], at_once=1), 0)

    assert "unknown, 0 s  BROKEN: could not be judged: AttributeError" in capsys.readouterr().out
    assert record.verdict.outcome == "unknown"
