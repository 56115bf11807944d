"""`npm run prove` against the lab: what it proves, what it notices, and that it leaves nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from lab.runner.deployment import STACK_NAME
from lab.runner.prove import CANNOT_PROVE, prove

from .running_lab import RunningLab
from .shared_lab import Settings

# These make eight runs, which take seven minutes on a busy machine. The others that the lab can answer take four:
# `npm run prove -- --lab` makes all of them.
PROVEN_HERE = (
    "documents,run-completes,queries-run,answers-are-queried,plan-is-checked,report-shows-the-run,index-lists-the-run,"
    "price-is-in-the-forecast,bad-plan-is-refused,round-trips-and-routes-complete,hosts-are-placed-as-planned,"
    "own-route-is-probed,loads-are-measured,runs-are-compared,expectations-fail-a-run,stop-leaves-nothing,"
    "s3-urls-stay-secret,every-document-runs,lost-host-fails-the-run,starter-is-known"
)


def proof(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "proof.json").read_text())


def verdicts(folder: Path) -> dict[str, str]:
    return {row["id"]: row["verdict"] for row in proof(folder)["checks"]}


def assert_nothing_left(lab: RunningLab, folder: Path) -> None:
    assert proof(folder)["left"] == []
    started = f"proof-{proof(folder)['startedAt'][:19].replace('-', '').replace(':', '')}"
    assert [key for key in lab.keys("") if started in key] == []
    assert [key for key in lab.keys("index.html") if started in lab.read(key).decode()] == []
    machine = lab.deployment.run_state_machine_arn
    names = [e["name"] for e in lab.aws.stepfunctions.list_executions(stateMachineArn=machine)["executions"]]
    for run_id in (name for name in names if name.startswith(started)):
        assert lab.instances_left(run_id) == []


@pytest.fixture(scope="module")
def lab_settings() -> Settings:
    """A lab of its own, because a test deletes a document."""
    return {"context": {}}


def test_what_the_lab_can_answer_is_proven_and_nothing_is_left(lab: RunningLab, tmp_path: Path) -> None:
    status = prove(lab.aws, ["--checks", PROVEN_HERE], tmp_path)
    # What was found instead says why, and the exit status alone does not.
    assert [row for row in proof(tmp_path)["checks"] if row["verdict"] != "proven"] == []
    assert status == 0
    assert set(verdicts(tmp_path)) == set(PROVEN_HERE.split(","))
    assert all(row["call"] and row["evidence"] for row in proof(tmp_path)["checks"])
    table = (tmp_path / "proof.md").read_text()
    assert all(f"| `{check}` |" in table for check in PROVEN_HERE.split(","))
    assert proof(tmp_path)["lacks"] == []
    assert "rows-are-queried-while-measuring: not chosen" in proof(tmp_path)["notAsked"]
    assert any(claim.startswith("An idle stack costs") for claim in proof(tmp_path)["claimsNotShown"])
    assert_nothing_left(lab, tmp_path)


def test_an_interrupted_proof_removes_what_it_started(lab: RunningLab, tmp_path: Path) -> None:
    program = f"""
import sys
import threading
from pathlib import Path
from lab.runner.embedded_aws import EmbeddedAws
from lab.runner.paths import LabPaths
from lab.runner.prove import prove
paths = LabPaths(Path({str(lab.aws.paths.root)!r}))
sys.exit(prove(EmbeddedAws(paths), ["--checks", "stop-leaves-nothing"], Path({str(tmp_path)!r})))
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("started the run"):
            run_id = line.split()[-1]
            break
    lab.wait_for("its hosts", lambda: lab.instances_left(run_id))
    process.send_signal(signal.SIGINT)
    rest = process.stdout.read()
    assert process.wait(timeout=600) == 130, rest
    assert verdicts(tmp_path) == {"stop-leaves-nothing": "unanswered"}
    assert_nothing_left(lab, tmp_path)


def test_a_sweep_proves_that_it_removes_what_has_expired(lab: RunningLab, tmp_path: Path) -> None:
    def sweep() -> None:
        lab.wait_for("a group", lambda: lab.ec2.describe_placement_groups()["PlacementGroups"])
        lab.invoke("sweep-orphans", {})

    # The schedule would start it after a quarter of an hour.
    sweeping = threading.Thread(target=sweep)
    sweeping.start()
    assert prove(lab.aws, ["--checks", "sweeper-removes-what-has-expired"], tmp_path) == 0
    sweeping.join()
    assert_nothing_left(lab, tmp_path)


def test_a_missing_document_is_not_proven(lab: RunningLab, tmp_path: Path) -> None:
    ssm = lab.ssm
    ssm.delete_document(Name=f"{STACK_NAME}-serve-iperf3")
    assert prove(lab.aws, ["--checks", "documents"], tmp_path) == 1
    (row,) = proof(tmp_path)["checks"]
    assert row["verdict"] == "not_proven"
    assert row["evidence"] == f"document {STACK_NAME}-serve-iperf3: does not exist"


def test_the_checks_that_the_lab_cannot_answer_are_named_with_the_reason(lab: RunningLab, tmp_path: Path) -> None:
    named = json.loads(CANNOT_PROVE.read_text())["checks"]
    assert named
    assert prove(lab.aws, ["--checks", ",".join(named)], tmp_path) == 0
    assert {row["id"]: row["evidence"] for row in proof(tmp_path)["checks"]} == named
