"""A plan that is compared with its previous run, in which one type has changed since and one has not.

Once it is started by hand, and once by the schedule of the stack.
"""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections import Counter
from typing import Any

import pytest

from lab.runner.progress import Event
from lab.runner.run_plan import RunResult

from .running_lab import Object, RunningLab, control, iperf3, is_disturbed, pair, plan

# The lab's cards of these steady types carry 75 Mbit/s, headers included, and here a fifth of that, because a busy
# machine does not carry three pairs of them at once.
UNCHANGED, CHANGED = "m4.xlarge", "c4.xlarge"
SHARE = 0.2
# A second in which a busy machine stands still moves the mean, and not the median.
FIGURE = "throughputBitsPerSecond.p50"
LIMITS = {"min": 11e6, "maxPercentBelow": 15}


# A scheduled run is due every ten seconds.
WAIT_DIVISOR = 60
SCHEDULE = "rate(10 minutes)"


def nightly(name: str, **settings: Any) -> Object:
    return plan(name, [pair(CHANGED)], [iperf3(8)], repetitions=3, concurrency=3, **settings)


@pytest.fixture(scope="module")
def lab_settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    canary = tmp_path_factory.mktemp("plan") / "nightly.json"
    canary.write_text(json.dumps(nightly("nightly", compareTo="previous")))
    announced = {"notify": "somebody@example.com", "presignedReports": "1"}
    context = {**announced, "canarySchedule": SCHEDULE, "canaryPlan": str(canary)}

    def report(event: Event) -> None:
        if event["event"] == "deploying":
            hold_schedule()

    return {"report": report, "wait_divisor": WAIT_DIVISOR, "context": context}


@pytest.fixture(scope="module", autouse=True)
def slow_cards(lab: RunningLab) -> None:
    for name in (UNCHANGED, CHANGED):
        lab.slow_cards(name, SHARE)


def hold_schedule() -> None:
    """Refuses every start of a run by the schedule from now on; the executions of pairs have longer names."""
    where = {"caller": "states", "name": "scheduled-" + "?" * 16}
    fault = {"action": "states:StartExecution", "code": "AccessDeniedException", "times": None, "where": where}
    control("faults", json.dumps(fault).encode())


def scheduled_runs(lab: RunningLab) -> dict[str, str]:
    """Returns the status of each scheduled run, the newest first."""
    machine = lab.deployment.run_state_machine_arn
    executions = lab.aws.stepfunctions.list_executions(stateMachineArn=machine)["executions"]
    newest_first = sorted(executions, key=lambda one: one["startDate"], reverse=True)
    return {one["executionArn"]: one["status"] for one in newest_first if one["name"].startswith("scheduled-")}


def start_by_schedule(lab: RunningLab) -> str:
    """Lets the schedule start a run, and no further one."""
    before = scheduled_runs(lab)
    lab.clear_faults()
    started: list[str] = lab.wait_for(
        "a scheduled run", lambda: [one for one in scheduled_runs(lab) if one not in before]
    )
    hold_schedule()
    return started[-1]


def mail_about(lab: RunningLab, run_id: str) -> str:
    """Waits for the mail about the run, and returns it."""

    def found() -> str | None:
        texts = (file.read_text() for file in lab.aws.paths.mails.glob("*.txt"))
        return next((text for text in texts if f" ({run_id}) " in text), None)

    mail: str = lab.wait_for(f"the mail about {run_id}", found)
    return mail


def weekly(**settings: Any) -> Object:
    """Returns a plan whose repetitions give an interval that a busy machine does not widen beyond the limits."""
    expected = {"compareTo": "previous", "expect": [{"type": name, FIGURE: LIMITS} for name in (UNCHANGED, CHANGED)]}
    pairs = [pair(UNCHANGED), pair(CHANGED)]
    return plan("weekly check", pairs, [iperf3(8)], repetitions=3, concurrency=3, **expected, **settings)


def judged(result: RunResult, instance_type: str) -> dict[str, Object]:
    of_run = result.summary["expectations"]["judged"]
    return {one["limit"]: one for one in of_run if one["subject"].startswith(f"{instance_type} ")}


def statuses(result: RunResult, instance_type: str) -> dict[str, str]:
    return {limit: one["status"] for limit, one in judged(result, instance_type).items()}


def unanswered(*results: RunResult) -> list[str]:
    """Repetitions that other work disturbed may scatter too much for an answer, which is then said."""
    return ["undecided"] * any(is_disturbed(one) for result in results for one in result.summary["measurements"])


def counts_of(result: RunResult) -> list[str]:
    """How many expectations the run has met, and has not."""
    counted = Counter(status for name in (UNCHANGED, CHANGED) for status in statuses(result, name).values())
    return [str(counted["met"]), str(counted["not_met"])]


def previous_run(lab: RunningLab, result: RunResult) -> str | None:
    run_id: str | None = lab.document(result.run_id, "plan.json")["previousRun"]["runId"]
    return run_id


def opens_without_account(link: str) -> str:
    """Returns the report behind a presigned link, which opens nothing else, and not for longer."""
    for other in (
        link.replace("X-Amz-Expires=3600", "X-Amz-Expires=3601"),
        link.replace("report.html", "summary.json"),
    ):
        assert other != link
        with pytest.raises(urllib.error.HTTPError, match="40[03]"):
            urllib.request.urlopen(other, timeout=60)
    with urllib.request.urlopen(link, timeout=60) as opened:
        assert opened.headers["Content-Type"].startswith("text/html")
        report: str = opened.read().decode()
        return report


def test_a_run_is_compared_with_the_last_complete_one_of_its_plan(lab: RunningLab) -> None:
    first = lab.run(weekly())
    # What is not measured isn't met, but the execution fails only where the plan asks for it.
    assert (first.status, first.error) == ("SUCCEEDED", None)
    assert previous_run(lab, first) is None
    assert first.run_id in opens_without_account(first.output["links"]["reportPresigned"])
    for name in (UNCHANGED, CHANGED):
        assert statuses(first, name)["min"] in ["met", *unanswered(first)]
        assert statuses(first, name)["maxPercentBelow"] == "not_measured"
        assert judged(first, name)["maxPercentBelow"]["note"].startswith("no earlier complete run of plan weekly check")

    lab.slow_cards(CHANGED, 0.6)
    second = lab.run(weekly(failOn="expectations"))
    assert (second.status, second.error) == ("FAILED", "ExpectationsNotMet")
    assert previous_run(lab, second) == first.run_id
    assert second.summary is not None and second.summary["outcome"] == "complete"
    is_noisy = unanswered(first, second) != []
    assert statuses(second, UNCHANGED)["min"] in ["met", *unanswered(second)]
    assert statuses(second, UNCHANGED)["maxPercentBelow"] in ["met", *unanswered(first, second)]
    assert statuses(second, CHANGED)["min"] in ["not_met", *unanswered(second)]
    assert statuses(second, CHANGED)["maxPercentBelow"] in ["not_met", *unanswered(first, second)]
    change = judged(second, CHANGED)["maxPercentBelow"]["changePercent"]
    assert is_noisy or -55 < change["interval"]["low"] < change["value"] < change["interval"]["high"] < -25
    cause = json.loads(second.cause or "")
    assert second.run_id in opens_without_account(cause["links"]["reportPresigned"])
    assert is_noisy or cause["expectations"]["lines"][0].startswith(
        f"not met: median throughput of {CHANGED} to {CHANGED} (pairs[1]), iperf3 (measurements[0]): "
    )

    # Summarised again, each is compared with the same run or with none, whatever has been measured since.
    for result in (first, second):
        before = lab.document(result.run_id, "summary.json")
        pairs = [{"pairIndex": index, "status": "complete"} for index in range(6)]
        lab.invoke("summarise-run", {"runId": result.run_id, "pairs": pairs, "interruptedReason": None})
        again = lab.document(result.run_id, "summary.json")
        assert again["expectations"] == before["expectations"]

    rows = lab.query(
        "SELECT run_id, outcome, expectations_outcome, expectations_met_count, expectations_not_met_count, "
        "expectations_not_measured_count FROM runs WHERE plan_name = 'weekly check' ORDER BY created_at"
    )
    assert rows == [
        [first.run_id, "complete", "not_met", *counts_of(first), "2"],
        [second.run_id, "complete", "not_met", *counts_of(second), "0"],
    ]


def test_a_scheduled_run_is_compared_with_the_scheduled_run_before_it(lab: RunningLab) -> None:
    first_arn = start_by_schedule(lab)
    first_plan = f"reports/{lab.run_id(first_arn)}/plan.json"
    lab.wait_for("the plan of the first run", lambda: lab.keys(first_plan))
    # The same measurements by another plan, which are newer.
    between = lab.start(nightly("in between"))
    first = lab.follow(first_arn)
    assert (first.status, previous_run(lab, first)) == ("SUCCEEDED", None)
    reason = "no comparison with the previous run: no earlier complete run of plan nightly in 178 days"
    assert reason in mail_about(lab, first.run_id)
    assert lab.follow(between).status == "SUCCEEDED"
    # On a busy machine the schedule may have started another one before it was held.
    for arn, status in scheduled_runs(lab).items():
        if status == "RUNNING":
            lab.follow(arn)
    before = lab.run_id(next(iter(scheduled_runs(lab))))

    lab.slow_cards(CHANGED, 0.6)
    second = lab.follow(start_by_schedule(lab))
    assert second.status == "SUCCEEDED"
    assert second.run_id.startswith("scheduled-") and second.run_id != before
    assert previous_run(lab, second) == before
    assert second.summary is not None and second.report_path is not None
    compared = second.summary["comparedRun"]
    assert compared["earlierRunId"] == before
    (cell,) = compared["cells"]
    assert len(cell["measurementIds"]) == len(cell["earlierMeasurementIds"]) == 3
    changed = {one["figure"]: one for one in cell["figures"]}["meanBitsPerSecond"]
    assert changed["difference"] < 0
    assert f"Compared with run {before}" in second.report_path.read_text()
    if any(is_disturbed(one) for one in second.summary["measurements"]):
        # The noise may be larger than the change.
        return
    assert changed["isBeyondNoise"]
    mail = mail_about(lab, second.run_id)
    assert re.search(rf"\nCompared with {before}: [1-9]\d* of \d+ figures? changed beyond the noise", mail), mail
    assert re.search(
        rf"\n  Throughput, mean, of {CHANGED} to {CHANGED} fell by \d\d %, from 0\.0\d+ to 0\.0\d+ Gbit/s", mail
    ), mail
