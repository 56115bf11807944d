"""Nothing is lost when AWS refuses calls, runs few functions at once, or a function crashes or is out of time.

The lane has a short form of the first two; `npm run bench:limits` measures 40 pairs at once under a quota of ten.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from .running_lab import Object, RunningLab, iperf3, pair, plan

CONCURRENT_EXECUTIONS = "L-B99A9384"
STEADY = "m5.large"
PING = {"tool": "ping", "count": 10}


@pytest.fixture(autouse=True)
def no_limits_afterwards(lab: RunningLab) -> Iterator[None]:
    yield
    lab.clear_faults()
    lab.clear_quotas()


@pytest.fixture
def pair_count(pytestconfig: pytest.Config) -> int:
    return pytestconfig.getoption("--pairs")


def complete_pairs(lab: RunningLab, benchmark_plan: Object) -> int:
    """Runs a plan, prints how long it took and what was refused on the way, and returns how many pairs are complete."""
    started = time.monotonic()
    arn = lab.start(benchmark_plan)
    result = lab.follow(arn)
    refused = lab.task_errors(lab.run_id(arn))
    assert result.summary is not None, result.cause
    complete = {m["pairId"] for m in result.summary["measurements"] if m["status"] == "complete"}
    figures = {
        "pairs": len(benchmark_plan["pairs"]),
        "complete": len(complete),
        "status": result.status,
        "seconds": round(time.monotonic() - started),
        "refused": dict(refused),
    }
    print(json.dumps(figures))
    for failed in (one for one in result.summary["pairs"] if one["status"] != "complete"):
        print(failed["pairId"], failed["reason"])
    return len(complete)


def test_pairs_at_once_share_the_few_functions_that_an_account_may_run(
    lab: RunningLab, pair_count: int, pytestconfig: pytest.Config
) -> None:
    lab.set_quota(CONCURRENT_EXECUTIONS, pytestconfig.getoption("--lambda-quota"))
    at_once = plan("few functions", [pair(STEADY)] * pair_count, [PING], concurrency=pair_count)
    assert complete_pairs(lab, at_once) == pair_count


def test_pairs_at_once_survive_a_run_command_that_refuses_one_call_in_five(lab: RunningLab, pair_count: int) -> None:
    lab.fault("ssm:SendCommand", "ThrottlingException", times=None, probability=0.2, seed=5)
    at_once = plan("refused commands", [pair(STEADY)] * pair_count, [PING], concurrency=pair_count)
    assert complete_pairs(lab, at_once) == pair_count


def test_a_measurement_waits_while_run_command_refuses_it(lab: RunningLab) -> None:
    document = {"DocumentName": "*measure-iperf3*"}
    lab.fault("ssm:SendCommand", "ThrottlingException", times=5, where=document)
    result = lab.follow(lab.start(plan("refused measure", [pair(STEADY)], [iperf3(5)])))
    assert (result.status, result.cause) == ("SUCCEEDED", None)


@pytest.mark.parametrize(
    ("code", "after"),
    [("Runtime.ExitError", False), ("Sandbox.Timedout", True)],
)
def test_functions_that_crash_or_time_out_once_lose_nothing(lab: RunningLab, code: str, after: bool) -> None:
    functions = ("connect-pair", "analyse-measurement", "summarise-run")
    for function in functions:
        lab.break_function(function, code, after=after)
    arn = lab.start(plan("crashing functions", [pair(STEADY)], [PING]))
    result = lab.follow(arn)
    assert (result.status, result.cause) == ("SUCCEEDED", None)
    assert lab.task_errors(lab.run_id(arn)) == {code: len(functions)}


def test_an_analysis_that_the_store_refuses_seven_times_is_complete(lab: RunningLab) -> None:
    # The SDK sends six requests; the seventh refusal meets the analysis that is invoked again.
    lab.fault("s3:GetObject", "SlowDown", times=7, where={"Key": "*_COMPLETE.json"})
    arn = lab.start(plan("refused objects", [pair(STEADY)], [PING]))
    result = lab.follow(arn)
    assert result.summary is not None
    assert [m["status"] for m in result.summary["measurements"]] == ["complete"]
    assert (result.status, result.cause) == ("SUCCEEDED", None)
    assert lab.task_errors(lab.run_id(arn)) == {"PassingError": 1}
