"""`npm run delete-run` in the lab: nothing of the run is left, and everything of the other run is as it was."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime, timedelta

import pytest

from lab.runner.deployment import STACK_NAME
from lab.runner.paths import REPOSITORY

from .running_lab import STEADY, Object, RunningLab, iperf3, pair, plan

TABLES = ["runs", "pairs", "measurements", "samples", "live_samples", "live_measurements"]
SECONDS = 10


def delete_run(lab: RunningLab, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", str(REPOSITORY / "scripts/run-bundle.sh"), "delete-run", f"--stack={STACK_NAME}", *arguments]
    return subprocess.run(
        command,
        env=lab.aws.environment,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def kept(lab: RunningLab, run_id: str) -> dict[str, bytes]:
    """Every object with the name of the run in its key or its content, except the page and the history of all runs."""
    found = {}
    for key in lab.keys(""):
        body = lab.read(key)
        if run_id in key or run_id.encode() in body:
            found[key] = body
    return {key: body for key, body in found.items() if not key.startswith(("index.html", "history/"))}


def page(lab: RunningLab) -> str:
    return lab.read("index.html").decode() + lab.read("history/runs.json.gz").decode()


def rows(lab: RunningLab, run_id: str) -> dict[str, list[list[str | None]]]:
    return {table: lab.query(f"SELECT count(*) FROM {table} WHERE run_id = '{run_id}'") for table in TABLES}


@pytest.fixture(scope="module")
def two_runs(lab: RunningLab) -> tuple[str, str]:
    expected = [{"throughputBitsPerSecond.mean": {"min": 1}}]
    measured = plan("deleted", [pair(STEADY)], [iperf3(SECONDS)], expect=expected)
    first = lab.start(measured)
    second = lab.start(measured)
    for arn in (first, second):
        result = lab.follow(arn)
        assert result.status == "SUCCEEDED", result.cause
    runs = lab.run_id(first), lab.run_id(second)
    # The last object of a run: the page has the run by then.
    lab.wait_for("both published", lambda: all(lab.keys(f"reports/{run}/published.json") for run in runs))
    assert all(run in page(lab) for run in runs)
    return runs


def test_a_run_that_goes_on_is_refused(lab: RunningLab) -> None:
    arn = lab.start(plan("running", [pair(STEADY)], [iperf3(SECONDS)]))
    run = lab.run_id(arn)
    lab.wait_for("its plan", lambda: lab.keys(f"reports/{run}/plan.json"))
    before = set(lab.keys(f"reports/{run}/"))

    refused = delete_run(lab, "--yes", run)

    assert refused.returncode == 1
    assert refused.stderr == (
        f"delete-run: RUN_ID: must be a run that has ended, got {run}, which is running: stop its execution first\n"
    )
    assert before <= set(lab.keys(f"reports/{run}/"))
    assert lab.follow(arn).status == "SUCCEEDED"


def test_the_rows_say_who_started_the_runs(lab: RunningLab, two_runs: tuple[str, str]) -> None:
    named = ", ".join(f"'{run}'" for run in two_runs)
    found = lab.query(f"SELECT DISTINCT started_by FROM runs WHERE run_id IN ({named})")
    assert found == [["arn:aws:iam::000000000000:user/lab"]]


def test_nothing_names_a_deleted_run_and_the_other_is_as_it_was(lab: RunningLab, two_runs: tuple[str, str]) -> None:
    deleted, other = two_runs
    others_objects, others_rows = kept(lab, other), rows(lab, other)
    assert others_rows["samples"] != [["0"]]

    asked = delete_run(lab, deleted)
    assert asked.returncode == 1
    assert asked.stderr == "delete-run: --yes: must be given if standard input is not a terminal\n"
    assert kept(lab, deleted) != {}

    done = delete_run(lab, "--yes", deleted)

    assert done.returncode == 0, done.stderr
    assert f"objects of run {deleted}:" in done.stdout
    assert kept(lab, deleted) == {}
    assert rows(lab, deleted) == {table: [["0"]] for table in TABLES}
    assert deleted not in page(lab)
    assert kept(lab, other) == others_objects
    assert rows(lab, other) == others_rows
    assert other in page(lab)

    again = delete_run(lab, "--yes", deleted)
    assert (again.returncode, again.stderr) == (0, "")
    assert f"has 0 objects of run {deleted}" in again.stdout


MONTHS = "closed_months/months.ndjson"


def closed_generations(lab: RunningLab) -> list[Object]:
    return lab.rows(MONTHS) if lab.keys(MONTHS) else []


def let_generations_count(lab: RunningLab) -> None:
    """Makes the announced generations valid, which they would be ten minutes after they were listed."""
    now = datetime.now(UTC).isoformat()
    generations = closed_generations(lab)
    for generation in generations:
        for bound in {"valid_from", "valid_to"} & generation.keys():
            generation[bound] = min(generation[bound], now)
    body = "".join(json.dumps(generation) + "\n" for generation in generations)
    lab.aws.s3.put_object(Bucket=lab.deployment.bucket, Key=MONTHS, Body=body.encode())


def close_months(lab: RunningLab, hours_ahead: int = 0) -> Object:
    time = (datetime.now(UTC) + timedelta(hours=hours_ahead)).isoformat()
    report = lab.invoke("close-months", {"time": time})
    let_generations_count(lab)
    return report


def test_a_run_is_deleted_from_a_closed_month(lab: RunningLab, two_runs: tuple[str, str]) -> None:
    _, run = two_runs
    columns = {"runs": "*", "pairs": "*", "measurements": "measurement_id, status, sent_packets"}

    def shown() -> dict[str, list[list[str | None]]]:
        return {
            table: lab.query(f"SELECT {names} FROM {table} WHERE run_id = '{run}'") for table, names in columns.items()
        }

    # A run of the day before yesterday, because only days that are over are closed.
    past = (datetime.now(UTC) - timedelta(days=2)).date().isoformat()
    for table in columns:
        (key,) = [key for key in lab.keys(f"{table}/") if run in key]
        _, day, _ = key.split("/")
        source = {"Bucket": lab.deployment.bucket, "Key": key}
        lab.aws.s3.copy_object(Bucket=lab.deployment.bucket, Key=key.replace(day, f"day={past}"), CopySource=source)
        lab.aws.s3.delete_object(**source)
    open_rows = shown()
    assert all(len(rows) == 1 for rows in open_rows.values())

    report = close_months(lab)

    assert [month["month"] for month in report["closed"]] == [past[:7]]
    assert shown() == open_rows
    # Hours after a run's rows are in the closed month, its own objects go.
    assert close_months(lab, hours_ahead=13)["deletedCount"] == len(columns)
    assert [key for table in columns for key in lab.keys(f"{table}/day={past}") if run in key] == []
    assert shown() == open_rows

    before = closed_generations(lab)
    with_its_row = set(lab.keys("closed/runs/"))
    done = delete_run(lab, "--yes", run)

    assert done.returncode == 0, done.stderr
    assert f"Closed months have rows of run {run} in 3 tables." in done.stdout
    lab.wait_for("the closing that it starts", lambda: closed_generations(lab) != before)
    let_generations_count(lab)
    assert shown() == {table: [] for table in columns}
    # Objects without rows stay until the closing of a later day.
    assert sorted(key.split("/")[0] for key in left_of(lab, run)) == sorted(columns)
    assert set(left_of(lab, run).values()) == {b""}
    close_months(lab, hours_ahead=26)
    assert left_of(lab, run) == {}
    assert with_its_row
    assert with_its_row & set(lab.keys("closed/runs/")) == set()


def left_of(lab: RunningLab, run_id: str) -> dict[str, bytes]:
    """What is kept, except in results of queries and in generations of its month, of which some have its rows."""
    named = ("athena-results/", "closed/")
    return {key: body for key, body in kept(lab, run_id).items() if not key.startswith(named)}


def test_a_stack_that_is_not_there_is_named(lab: RunningLab) -> None:
    refused = subprocess.run(
        ["bash", str(REPOSITORY / "scripts/run-bundle.sh"), "delete-run", "--stack=Nowhere", "--yes", "run-1"],
        env=lab.aws.environment,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert refused.returncode == 1
    assert "Nowhere" in refused.stderr
