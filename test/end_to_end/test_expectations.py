"""A plan that is compared with its previous run: with a change that is not there, and with one that is."""

from __future__ import annotations

import json
from typing import Any

from lab.runner.run_plan import RunResult

from .running_lab import Object, RunningLab, iperf3, pair, plan

STEADY = "m4.xlarge"
FIGURE = "throughputBitsPerSecond.mean"
# The lab's card of a steady type carries 75 Mbit/s, headers included.
EXPECTED = [{"type": STEADY, FIGURE: {"min": 60e6, "maxPercentBelow": 10}}]


def weekly(**settings: Any) -> Object:
    """Returns a plan whose two repetitions give an interval; every run of it has the same name."""
    compared = {"compareTo": "previous", "expect": EXPECTED, "repetitions": 2, "concurrency": 2}
    return plan("weekly check", [pair(STEADY)], [iperf3(5)], **compared, **settings)


def judged(result: RunResult) -> dict[str, Object]:
    assert result.summary is not None
    return {one["limit"]: one for one in result.summary["expectations"]["judged"]}


def statuses(result: RunResult) -> dict[str, str]:
    return {limit: one["status"] for limit, one in judged(result).items()}


def previous_run(lab: RunningLab, result: RunResult) -> str | None:
    run_id: str | None = json.loads(lab.read(f"reports/{result.run_id}/plan.json"))["previousRun"]["runId"]
    return run_id


def test_a_run_is_compared_with_the_last_complete_one_of_its_plan(lab: RunningLab) -> None:
    first = lab.follow(lab.start(weekly()))
    # What is not measured isn't met, but the execution fails only where the plan asks for it.
    assert (first.status, first.error) == ("SUCCEEDED", None)
    assert previous_run(lab, first) is None
    assert statuses(first) == {"min": "met", "maxPercentBelow": "not_measured"}
    assert judged(first)["maxPercentBelow"]["note"].startswith("no earlier complete run of plan weekly check")

    unchanged = lab.follow(lab.start(weekly(failOn="expectations")))
    assert (unchanged.status, unchanged.error) == ("SUCCEEDED", None)
    assert previous_run(lab, unchanged) == first.run_id
    assert statuses(unchanged) == {"min": "met", "maxPercentBelow": "met"}
    assert unchanged.output is not None and unchanged.output["expectations"]["outcome"] == "met"

    lab.slow_cards(STEADY, 0.7)
    slower = lab.follow(lab.start(weekly(failOn="expectations")))
    assert (slower.status, slower.error) == ("FAILED", "ExpectationsNotMet")
    assert previous_run(lab, slower) == unchanged.run_id
    assert slower.summary is not None and slower.summary["outcome"] == "complete"
    assert statuses(slower) == {"min": "not_met", "maxPercentBelow": "not_met"}
    change = judged(slower)["maxPercentBelow"]["changePercent"]
    assert -35 < change["interval"]["low"] < change["value"] < change["interval"]["high"] < -25
    cause = json.loads(slower.cause or "")
    assert cause["expectations"]["lines"][0].startswith(
        f"not met: mean throughput of {STEADY} to {STEADY} (pairs[0]), iperf3 (measurements[0]): 5"
    )

    # Summarised again, it is compared with the same run, whatever has been measured since.
    before = lab.read(f"reports/{unchanged.run_id}/summary.json")
    pairs = [{"pairIndex": index, "status": "complete"} for index in (0, 1)]
    lab.invoke("summarise-run", {"runId": unchanged.run_id, "pairs": pairs, "interruptedReason": None})
    again = json.loads(lab.read(f"reports/{unchanged.run_id}/summary.json"))
    assert again["expectations"] == json.loads(before)["expectations"]

    rows = lab.query(
        "SELECT run_id, outcome, expectations_outcome, expectations_met_count, expectations_not_met_count, "
        "expectations_not_measured_count FROM runs ORDER BY created_at"
    )
    assert rows == [
        [first.run_id, "complete", "not_met", "1", "0", "1"],
        [unchanged.run_id, "complete", "met", "2", "0", "0"],
        [slower.run_id, "complete", "not_met", "0", "2", "0"],
    ]
