"""The rows of `answers` on real Trino are the answers in the summaries: of a lab run and of recorded types."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from answer_rows import differing_cells
from engines import Answer, Engines
from test_conformance import ask_both

from lab.runner.paths import REPOSITORY

MADE_UP = {"recorded": 6, "two-settings": 2, "recorded-at-a-scale": 6, "empty-answer": 0, "no-answer": 0}
# The lab shows arrays as text, as Athena does.
ARRAYS = ("holds", "round_trips")


@pytest.fixture(scope="module")
def lab_run(engines: Engines) -> str:
    ((run_id,),) = engines.ask_trino("SELECT run_id FROM runs WHERE run_id LIKE 'lab-%'")[0].rows
    return str(run_id)


def summary_of(engines: Engines, run_id: str) -> Any:
    key = f"reports/{run_id}/summary.json"
    return json.loads(engines.aws.s3.get_object(Bucket=engines.deployment.bucket, Key=key)["Body"].read())


def answer_of(engines: Engines, run_id: str) -> Answer:
    return engines.ask_trino(f"SELECT * FROM answers WHERE run_id = '{run_id}' ORDER BY position")[0]


def test_the_answer_of_a_lab_run_is_that_of_its_summary(engines: Engines, lab_run: str) -> None:
    summary = summary_of(engines, lab_run)
    found = answer_of(engines, lab_run).as_dicts()
    assert len(found) == 1
    assert differing_cells(found, summary) == []
    summary["answer"]["rows"][0]["sustained"]["value"] *= 1.001
    assert len(differing_cells(found, summary)) == 1


@pytest.mark.parametrize("run_id", MADE_UP)
def test_the_answer_of_a_made_up_run_is_that_of_its_summary(engines: Engines, run_id: str) -> None:
    found = answer_of(engines, run_id).as_dicts()
    assert len(found) == MADE_UP[run_id]
    assert differing_cells(found, summary_of(engines, run_id)) == []


def test_the_lab_gives_the_same_rows(engines: Engines) -> None:
    columns = answer_of(engines, "recorded").columns
    shown = [f"cardinality({name}) AS {name}" if name in ARRAYS else name for name in columns]
    answer, differing = ask_both(engines, f"SELECT {', '.join(shown)} FROM answers ORDER BY run_id, position")
    assert differing == []
    assert len(answer.rows) == sum(MADE_UP.values()) + 1


def test_the_question_of_the_reference_is_answered(engines: Engines) -> None:
    section = (
        (REPOSITORY / "docs/reference/columns.md").read_text().partition("\n## Answers\n")[2].partition("\n## ")[0]
    )
    (sql,) = re.findall(r"```sql\n(.+?)```", section, re.DOTALL)
    answer, differing = ask_both(engines, sql)
    assert differing == []
    holding = [row["label"] for row in answer.as_dicts() if row["run_id"] == "recorded"]
    holds = {
        row["label"]: hold["kind"]
        for row in summary_of(engines, "recorded")["answer"]["rows"]
        for hold in row["holds"]
        if hold["bitsPerSecond"] == 5e9
    }
    assert sorted(holding) == sorted(label for label, kind in holds.items() if kind != "never")
    assert holds[holding[0]] == "always"
