"""Bare metal, which is slow to come and to go, and T types, which can be out of CPU credits.

Metal's times are those that users report, in twice the lab's scale of time. Both runs go on at once.
"""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from faults.readable import report_text
from lab.hosts.profiles import Profiles
from lab.runner.run_plan import RunResult

from .running_lab import RunningLab, iperf3, is_disturbed, pair, plan

REPORTED_START_SECONDS = 20 * 60
REPORTED_STOP_SECONDS = 19 * 60
TIME_DIVISOR = 2 * Profiles.load().time_divisor
START_SECONDS, STOP_SECONDS = REPORTED_START_SECONDS / TIME_DIVISOR, REPORTED_STOP_SECONDS / TIME_DIVISOR

BURSTABLE = "t3.micro"
# The lab's t3.micro carries 500 Mbit/s until its network credits are spent after 10 s, and 50 with a tenth of its CPU.
# At rest before its measurement it earns CPU credits for a few seconds.
HELD_BITS_PER_SECOND = 50e6
BURSTABLE_SECONDS = 60


class Runs(NamedTuple):
    metal: RunResult
    burstable: RunResult


@pytest.fixture(scope="module")
def runs(lab: RunningLab) -> Runs:
    lab.slow_bare_metal(START_SECONDS, STOP_SECONDS)
    metal = lab.start(plan("metal", [pair("c5.metal"), pair("c5.xlarge")], [iperf3(10)], concurrency=2))
    held = pair(BURSTABLE, clientCpuCredits="standard", serverCpuCredits="standard")
    measurement = iperf3(BURSTABLE_SECONDS, parallelStreams=4)
    burstable = lab.start(plan("both kinds", [held, pair(BURSTABLE)], [measurement], concurrency=2))
    return Runs(lab.follow(metal), lab.follow(burstable))


def test_a_metal_pair_that_starts_and_stops_slowly_ends_green(lab: RunningLab, runs: Runs) -> None:
    assert (runs.metal.status, runs.metal.error) == ("SUCCEEDED", None)
    assert lab.instances_left(runs.metal.run_id) == []
    executions = lab.pair_histories(runs.metal.run_id)
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
    assert seconds[metal] > START_SECONDS + STOP_SECONDS
    # What EC2 takes fits into the deadlines of metal, and does not into those of virtual hosts.
    for field, reported_seconds in (
        ("onlineDeadlineSeconds", REPORTED_START_SECONDS),
        ("tearDownDeadlineSeconds", REPORTED_STOP_SECONDS),
    ):
        assert inputs[virtual][field] < reported_seconds < inputs[metal][field]


def test_a_verdict_says_first_that_a_host_was_out_of_cpu_credits(lab: RunningLab, runs: Runs) -> None:
    assert runs.burstable.summary is not None, runs.burstable.cause
    assert runs.burstable.status == "SUCCEEDED", runs.burstable.cause
    assert lab.instances_left(runs.burstable.run_id) == []
    of = {one["clientCpuCredits"]: one for one in runs.burstable.summary["measurements"]}
    standard, unlimited = of["standard"]["verdict"], of["unlimited"]["verdict"]

    # The series may scatter too much to be one level; none of it is blamed on network credits.
    assert standard["throttledBy"] is None or is_disturbed(of["standard"])
    assert "burst credits" not in standard["explanation"]
    assert f" ({BURSTABLE}) was out of CPU credits from " in standard["explanation"].split(";")[0]
    assert [one["name"] for one in standard["witnesses"]].count("cpu_credits") == 1
    assert of["standard"]["statistics"]["throughputBitsPerSecond"]["p50"] < 1.1 * HELD_BITS_PER_SECOND
    # The burst is a sixth of the time, unless other work leaves no processor for it.
    is_fast = of["unlimited"]["statistics"]["throughputBitsPerSecond"]["p95"] > 3 * HELD_BITS_PER_SECOND
    assert is_fast or is_disturbed(of["unlimited"])
    assert "CPU credits" not in unlimited["explanation"]

    assert standard["explanation"] in report_text(runs.burstable.report_path.read_text())


def test_both_kinds_of_cpu_credits_are_rows_and_unlimited_ones_are_priced(lab: RunningLab, runs: Runs) -> None:
    rows = lab.query(
        "SELECT m.client_cpu_credits, m.server_cpu_credits, p.cost_cpu_credits_usd > 0, "
        "array_join(p.cost_warnings, '') LIKE '%CPU credits%', max(s.steal_cpu_percent) > 100 "
        "FROM measurements m JOIN pairs p ON p.run_id = m.run_id AND p.pair_id = m.pair_id "
        "JOIN samples s ON s.run_id = m.run_id AND s.measurement_id = m.measurement_id AND s.metric = 'tool_cpu' "
        f"WHERE m.run_id = '{runs.burstable.run_id}' GROUP BY 1, 2, 3, 4 ORDER BY 1"
    )
    assert rows == [
        ["standard", "standard", "false", "false", "true"],
        ["unlimited", "unlimited", "true", "true", "false"],
    ]
    ((cells,),) = lab.query(f"SELECT count(DISTINCT cell) FROM measurements WHERE run_id = '{runs.burstable.run_id}'")
    assert cells == "2"
