"""Nothing is lost when AWS refuses calls, runs few functions at once, or a function crashes or is out of time.

The lane has a short form of the first two; `npm run bench:limits` measures 40 pairs at once under a quota of ten. How
long pairs wait for one another depends on the machine, so a test of its own counts how often a pair asks again.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from .at_once import at_once_with_others
from .running_lab import Object, RunningLab, iperf3, pair, plan

CONCURRENT_EXECUTIONS = "L-B99A9384"
STEADY = "m5.large"
PING = {"tool": "ping", "count": 10}
THROTTLED = "Lambda.TooManyRequestsException"
# With so many, a pair was lost under the quota of a young account.
TOO_FEW_RETRIES = 5


@pytest.fixture(autouse=True)
def no_limits_afterwards(lab: RunningLab) -> Iterator[None]:
    """Tests that are played at once have all ended before the first of them does so."""
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


@contextmanager
def too_few_retries(lab: RunningLab) -> Iterator[None]:
    """Plants a defect in the version of the pair's state machine that runs start meanwhile."""
    machines = lab.aws.stepfunctions
    arn, run_arn = lab.deployment.pair_state_machine_arn, lab.deployment.run_state_machine_arn
    sound, sound_run = (machines.describe_state_machine(stateMachineArn=each)["definition"] for each in (arn, run_arn))
    planted = json.loads(sound)
    retries = [retry for state in planted["States"].values() for retry in state.get("Retry", [])]
    for retry in (one for one in retries if THROTTLED in one["ErrorEquals"]):
        retry["MaxAttempts"] = TOO_FEW_RETRIES
    machines.update_state_machine(stateMachineArn=arn, definition=json.dumps(planted))
    version = machines.publish_state_machine_version(stateMachineArn=arn)["stateMachineVersionArn"]
    planted_run = re.sub(f"{re.escape(arn)}:[0-9]+", version, sound_run)
    machines.update_state_machine(stateMachineArn=run_arn, definition=planted_run)
    yield
    machines.update_state_machine(stateMachineArn=run_arn, definition=sound_run)
    machines.update_state_machine(stateMachineArn=arn, definition=sound)


@contextmanager
def no_execution_of(lab: RunningLab, function: str) -> Iterator[None]:
    """Reserves no execution for a function, so that Lambda refuses every invocation as it does beyond a quota."""
    name = lab.function_name(function)
    lab.functions.put_function_concurrency(FunctionName=name, ReservedConcurrentExecutions=0)
    yield
    lab.functions.delete_function_concurrency(FunctionName=name)


def test_a_pair_asks_more_often_than_a_young_account_refuses_it(lab: RunningLab) -> None:
    def refusals(execution: str) -> int:
        return lab.task_errors(lab.run_id(execution))[THROTTLED]

    with no_execution_of(lab, "connect-pair"):
        with too_few_retries(lab):
            planted = lab.start(plan("too few retries", [pair(STEADY)], [PING]))
            lab.wait_for("a refusal of the planted pair", lambda: refusals(planted) > 0)
        sound = lab.start(plan("refused functions", [pair(STEADY)], [PING]))
        lab.wait_for("more refusals than were enough", lambda: refusals(sound) > TOO_FEW_RETRIES)
        lost = lab.follow(planted)
    complete = lab.follow(sound)
    assert (complete.status, complete.cause) == ("SUCCEEDED", None)
    assert lost.status == "FAILED" and refusals(planted) == TOO_FEW_RETRIES + 1
    assert lost.summary is not None and THROTTLED in lost.summary["pairs"][0]["reason"]


def test_pairs_at_once_survive_a_run_command_that_refuses_one_call_in_five(lab: RunningLab, pair_count: int) -> None:
    lab.fault("ssm:SendCommand", "ThrottlingException", times=None, probability=0.2, seed=5)
    at_once = plan("refused commands", [pair(STEADY)] * pair_count, [PING], concurrency=pair_count)
    assert complete_pairs(lab, at_once) == pair_count


@at_once_with_others
def test_a_measurement_waits_while_run_command_refuses_it(lab: RunningLab) -> None:
    arn = lab.start(plan("refused measure", [pair(STEADY)], [iperf3(5)]))
    refused = {"DocumentName": "*measure-iperf3*", "about": f"*{lab.run_id(arn)}*", "caller": "states"}
    lab.fault("ssm:SendCommand", "ThrottlingException", times=5, where=refused)
    result = lab.follow(arn)
    assert (result.status, result.cause) == ("SUCCEEDED", None)
    assert lab.times_met(refused) == 5


@pytest.mark.parametrize(
    ("code", "after"),
    [("Runtime.ExitError", False), ("Sandbox.Timedout", True)],
)
@at_once_with_others
def test_functions_that_crash_or_time_out_once_lose_nothing(lab: RunningLab, code: str, after: bool) -> None:
    functions = ("connect-pair", "analyse-measurement", "summarise-run")
    arn = lab.start(plan("crashing functions", [pair(STEADY)], [PING]))
    for function in functions:
        lab.break_function(function, code, after=after, where={"runId": lab.run_id(arn)})
    result = lab.follow(arn)
    assert (result.status, result.cause) == ("SUCCEEDED", None)
    errors = lab.task_errors(lab.run_id(arn))
    # An analysis that comes before the server's last chunk is called again, which is no failure.
    errors.pop("IncompleteSeriesError", None)
    assert errors == {code: len(functions)}


@at_once_with_others
def test_an_analysis_that_the_store_refuses_seven_times_is_complete(lab: RunningLab) -> None:
    # The SDK sends six requests; the seventh refusal meets the analysis that is invoked again.
    arn = lab.start(plan("refused objects", [pair(STEADY)], [PING]))
    lab.fault("s3:GetObject", "SlowDown", times=7, where={"Key": f"*/{lab.run_id(arn)}/*_COMPLETE.json"})
    result = lab.follow(arn)
    assert [m["status"] for m in result.summary["measurements"]] == ["complete"]
    assert (result.status, result.cause) == ("SUCCEEDED", None)
    assert lab.task_errors(lab.run_id(arn)) == {"PassingError": 1}
