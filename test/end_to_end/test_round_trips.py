"""Round trips with and without network credits, from the card's counters to the queries on latency."""

from __future__ import annotations

import json
from typing import Any

import pytest

from faults.readable import report_text
from lab.runner.run_plan import RunResult

from .running_lab import RunningLab, pair, plan
from .shared_lab import Settings

# 16 messages of 64 KB in each direction are what the lab's t3.micro carries in a second without credits. Even a machine
# so busy that a round trip takes 5 ms spends its bucket of 5 Gbit in three quarters of this time.
SPENDING_SECONDS = 75
LARGE = {"tool": "sockperf", "messageBytes": 65_000, "durationSeconds": SPENDING_SECONDS}
LIGHT = [{"tool": "sockperf", "durationSeconds": 5}, {"tool": "ping", "count": 20, "intervalMillis": 100}]


@pytest.fixture(scope="module")
def lab_settings() -> Settings:
    """A lab of its own, because a query is asked that finds the round trips of all runs."""
    return {"context": {}}


@pytest.fixture(scope="module")
def run(lab: RunningLab) -> RunResult:
    return lab.run(plan("round trips", [pair("t3.micro")], [LARGE, *LIGHT]))


def verdict_of(run: RunResult, tool: str, message_bytes: int) -> dict[str, Any]:
    (found,) = [
        each for each in run.summary["measurements"] if (each["tool"], each["messageBytes"]) == (tool, message_bytes)
    ]
    assert found["status"] == "complete", found["reason"]
    return found["latencyVerdict"]


def ran_out(run: RunResult) -> bool:
    verdict = verdict_of(run, "sockperf", 65_000)
    assert verdict["cause"] in ("network_credits", "cpu"), verdict
    return bool(verdict["cause"] == "network_credits")


def test_those_that_ran_out_of_credits_are_named(run: RunResult) -> None:
    verdict = verdict_of(run, "sockperf", 65_000)

    if not ran_out(run):
        # A machine that is too slow to spend them has to be the cause then.
        assert "other work kept the processors" in verdict["explanation"], verdict
        return
    assert verdict["limitedBy"] in ("client", "server")
    assert "because its network credits were spent" in verdict["explanation"]
    assert verdict["explanation"] in report_text(run.report_path.read_text())
    assert "held back by network_credits: round trip" in json.dumps(run.output)


@pytest.mark.parametrize(("tool", "message_bytes"), [("sockperf", 64), ("ping", 56)])
def test_light_ones_on_the_same_pair_came_before_and_were_not(run: RunResult, tool: str, message_bytes: int) -> None:
    verdict = verdict_of(run, tool, message_bytes)

    # The counters of both hosts were read, or this would not be known.
    standings = {each["cause"]: each["standing"] for each in verdict["causes"] if each["cause"] != "cpu"}
    assert standings == {
        "network_credits": "ruled_out",
        "packet_rate": "ruled_out",
        "connection_tracking": "ruled_out",
    }


def test_queries_on_latency_have_the_path_alone(lab: RunningLab, run: RunResult) -> None:
    settings = sorted(str(row[2]) for row in lab.query("latency-percentiles"))

    light = [setting for setting in settings if "messages of 65000 bytes" not in setting]
    assert [setting.split(":")[0] for setting in light] == ["ping", "sockperf"], settings
    assert "messages of 64 bytes" in light[1]
    assert (light == settings) == ran_out(run)
