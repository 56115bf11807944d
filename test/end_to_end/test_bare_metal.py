"""A pair of bare-metal hosts: its times are those that users report, in twice the lab's scale of time."""

from __future__ import annotations

import json

from lab.hosts.profiles import Profiles

from .running_lab import RunningLab, iperf3, pair, plan

REPORTED_START_SECONDS = 20 * 60
REPORTED_STOP_SECONDS = 19 * 60


def test_a_metal_pair_that_starts_and_stops_slowly_ends_green(lab: RunningLab) -> None:
    divisor = 2 * Profiles.load().time_divisor
    start_seconds, stop_seconds = REPORTED_START_SECONDS / divisor, REPORTED_STOP_SECONDS / divisor
    lab.slow_bare_metal(start_seconds, stop_seconds)

    arn = lab.start(plan("metal", [pair("c5.metal"), pair("c5.xlarge")], [iperf3(10)], concurrency=2))
    run_id = lab.run_id(arn)
    result = lab.follow(arn)

    assert (result.status, result.error) == ("SUCCEEDED", None)
    assert lab.instances_left(run_id) == []
    executions = lab.pair_histories(run_id)
    inputs = {
        pair_id: json.loads(history[0]["executionStartedEventDetails"]["input"])
        for pair_id, history in executions.items()
    }
    # A plan's pairs are measured in a random order, and numbered in it.
    of_type = {given["label"].split()[-1]: pair_id for pair_id, given in inputs.items()}
    metal, virtual = of_type["c5.metal"], of_type["c5.xlarge"]
    assert inputs[metal]["label"] == f"{metal} c5.metal to c5.metal"
    seconds = {
        pair_id: (history[-1]["timestamp"] - history[0]["timestamp"]).total_seconds()
        for pair_id, history in executions.items()
    }
    assert seconds[metal] > start_seconds + stop_seconds
    # What EC2 takes fits into the deadlines of metal, and does not into those of virtual hosts.
    for field, reported_seconds in (
        ("onlineDeadlineSeconds", REPORTED_START_SECONDS),
        ("tearDownDeadlineSeconds", REPORTED_STOP_SECONDS),
    ):
        assert inputs[virtual][field] < reported_seconds < inputs[metal][field]
