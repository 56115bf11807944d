"""What the lab prints at the end of a run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lab.runner.output import Output
from lab.runner.run_plan import RunResult

REFUSED = RunResult(
    run_id="lab-1",
    status="FAILED",
    error="InvalidPlanError",
    cause="plan.name: must be given",
    output=None,
    forecast_folder=None,
    summary_path=None,
    report_path=Path("/lab/reports/lab-1/report.html"),
    index_path=None,
)


def printed(result: RunResult, capsys: pytest.CaptureFixture[str], as_json: bool = False) -> str:
    Output(as_json).result(result)
    return capsys.readouterr().out


def test_the_mails_about_a_run_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    mailed = replace(REFUSED, mail_paths=(Path("/lab/mail/one.txt"), Path("/lab/mail/two.txt")))
    assert "\nmail:    /lab/mail/one.txt\nmail:    /lab/mail/two.txt\n" in printed(mailed, capsys)
    assert json.loads(printed(mailed, capsys, as_json=True))["mails"] == ["/lab/mail/one.txt", "/lab/mail/two.txt"]


def test_a_mail_that_was_not_written_is_told_from_none_that_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    lost = replace(REFUSED, mail_paths=())
    assert "mail:    none was written; .lab/logs/aws.log says why" in printed(lost, capsys)
    assert json.loads(printed(lost, capsys, as_json=True))["mails"] == []
    assert "mail:" not in printed(REFUSED, capsys)
    assert json.loads(printed(REFUSED, capsys, as_json=True))["mails"] is None
