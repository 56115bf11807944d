"""Both definitions on an engine that nobody here wrote: LocalStack's interpreter with its own JSONata, in Java.

Every scenario checks the same things: the execution ends as it must, what was launched is gone (or the failure says
what is not), and the cause is readable.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest
from second_engine import (
    MAX_DEPTH,
    PAIR,
    RUN,
    Definition,
    Execution,
    Interruption,
    RefusedDefinitionError,
    SecondEngine,
    definitions,
)
from simulated_cloud import Cloud, Fault, failing, pair_input, returned, thrown

THROTTLED = failing("ThrottlingException", "Rate exceeded", 400)
EC2_THROTTLED = failing("RequestLimitExceeded", "Request limit exceeded.", 503)
INCOMPLETE_SERIES = thrown("IncompleteSeriesError", "p0001-m01: the manifest of the server is not stored yet")
PAIR_INPUT = {"runId": "run-1"} | pair_input(0)
FOREVER = 10**9
# The simulated clock begins later; Unix seconds in place of milliseconds would be less.
A_RECENT_MOMENT_MILLIS = 1_700_000_000_000
# The largest plan, and a fifth of the depth at which AWS refuses an expression: every scenario stays below it.
MAX_PAIRS = 1_000
OWN_DEPTH = MAX_DEPTH // 5


@pytest.fixture(scope="module")
def engine() -> Iterator[SecondEngine]:
    engine = SecondEngine()
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def machines(template: dict[str, Any]) -> dict[str, Definition]:
    return definitions(template)


class Runner:
    """Runs a scenario and checks what holds in all of them."""

    def __init__(self, engine: SecondEngine, machines: dict[str, Definition]) -> None:
        self._engine = engine
        self._machines = machines

    def pair(self, cloud: Cloud) -> Execution:
        executions = self._engine.run(self._machines, PAIR, "run-1-p0001", PAIR_INPUT, cloud, maximum_depth=OWN_DEPTH)
        self._check_pair(executions["run-1-p0001"], cloud, pair_index=0)
        return executions["run-1-p0001"]

    def failed_pair(self, cloud: Cloud) -> str:
        """The reason of a pair that must fail."""
        execution = self.pair(cloud)
        assert (execution.status, execution.error) == ("FAILED", "PairFailed")
        return json.loads(execution.cause or "")["reason"]

    def run(self, cloud: Cloud, interruptions: list[Interruption] | None = None) -> dict[str, Execution]:
        executions = self._engine.run(
            self._machines, RUN, "run-1", {"name": "plan"}, cloud, interruptions, maximum_depth=OWN_DEPTH
        )
        for name, execution in executions.items():
            if name == "run-1":
                assert execution.status in ("SUCCEEDED", "FAILED")
                assert execution.status == "SUCCEEDED" or execution.cause
            elif execution.status not in ("ABORTED", "TIMED_OUT"):
                self._check_pair(execution, cloud, pair_index=int(name[-4:]) - 1)
        return executions

    def _check_pair(self, execution: Execution, cloud: Cloud, pair_index: int) -> None:
        assert execution.status in ("SUCCEEDED", "FAILED"), execution
        assert "Tear down pair" in execution.states
        reason = ""
        if execution.status == "FAILED":
            assert execution.error == "PairFailed", execution.cause
            assert execution.cause is not None and len(execution.cause) < 32_768
            failure = json.loads(execution.cause)
            assert (failure["pairId"], failure["status"]) == (f"p{pair_index + 1:04d}", "failed")
            assert failure["tearDownStartedAtMillis"] > A_RECENT_MOMENT_MILLIS
            reason = failure["reason"]
            assert reason and "States.QueryEvaluationError" not in reason and "States.Runtime" not in reason, reason
        if "teardown: " in reason:
            return
        hosts = [host for host in cloud.hosts.values() if host.pair_index == pair_index]
        left = {host.instance_id: host.state(cloud.seconds) for host in hosts}
        assert set(left.values()) <= {"terminated"}, left
        assert cloud.groups.get(pair_index, 0) is not None
        assert "Disconnect pair" in execution.states


@pytest.fixture(scope="module")
def runner(engine: SecondEngine, machines: dict[str, Definition]) -> Runner:
    return Runner(engine, machines)


def invocations(cloud: Cloud, handler: str) -> list[Any]:
    return [payload for name, payload in cloud.invocations if name == handler]


# The pair


def test_everything_goes_well(runner: Runner) -> None:
    cloud = Cloud()
    execution = runner.pair(cloud)
    assert execution.status == "SUCCEEDED"
    torn_down_at = execution.output["tearDownStartedAtMillis"]
    assert execution.output == {"pairId": "p0001", "status": "complete", "tearDownStartedAtMillis": torn_down_at}
    # The price of the hosts counts until then.
    assert torn_down_at > A_RECENT_MOMENT_MILLIS
    assert [command.document.removeprefix("NetworkBenchmark-") for command in cloud.commands.values()] == [
        "prepare-host",
        "serve-iperf3",
        "measure-iperf3",
        "measure-ping",
    ]
    assert [payload["failureReason"] for payload in invocations(cloud, "AnalyseMeasurement")] == [None, None]


def test_a_measurement_that_is_not_applicable_is_no_failure(runner: Runner) -> None:
    result = {"measurementId": "p0001-m01", "status": "not_applicable", "reason": "no route", "verdictKind": None}
    assert runner.pair(Cloud(analyses={"p0001-m01": returned(result)})).status == "SUCCEEDED"


def test_a_launch_that_fails_half_way(runner: Runner) -> None:
    cloud = Cloud()
    cloud._LaunchPair({"pairIndex": 0})
    message = 'no capacity for "m5.2xlarge" in us-east-1a\nand a \\ in us-east-1b'
    cloud.faults.append(Fault("LaunchPair", thrown("LaunchFailedError", message)))
    assert runner.failed_pair(cloud) == f"launching the hosts: {message}"
    assert cloud.calls["ec2.TerminateInstances"] == 1


def test_hosts_that_never_come_online(runner: Runner) -> None:
    cloud = Cloud()
    nobody = {"answer": {"InstanceInformationList": []}}
    cloud.faults.append(Fault("ssm.DescribeInstanceInformation", nobody, times=FOREVER))
    assert runner.failed_pair(cloud) == "0 of 2 agents have registered within 600 s"


def test_a_host_that_is_lost_before_it_is_online(runner: Runner) -> None:
    reason = runner.failed_pair(Cloud(hosts_die_at={"i-0000s": 5}))
    died = 'terminated: Server.SpotInstanceTermination: "spot" was taken back'
    assert reason == f"host server i-0000s is no longer running ({died})"


def test_a_host_that_is_lost_while_it_measures(runner: Runner) -> None:
    cloud = Cloud(commands_end={"measure-iperf3": {"ends_at": FOREVER}}, hosts_die_at={"i-0000c": 40})
    reason = runner.failed_pair(cloud)
    assert reason.startswith("p0001-m01: host client i-0000c is no longer running (terminated: Server.Spot")
    # The other measurement is not begun, and what was measured is analysed.
    (payload,) = invocations(cloud, "AnalyseMeasurement")
    assert payload["acceptTruncated"] is True and "i-0000c" in payload["failureReason"]
    assert [command.status for command in cloud.commands.values()] == ["Success", "Cancelled", "Cancelled"]


def test_a_command_that_is_stuck(runner: Runner) -> None:
    cloud = Cloud(commands_end={"measure-iperf3": {"ends_at": FOREVER}})
    assert runner.failed_pair(cloud) == "p0001-m01: measure-iperf3 has not ended after 180 s on client i-0000c"
    assert len(invocations(cloud, "AnalyseMeasurement")) == 2


def test_a_command_that_fails_names_what_the_tool_said(runner: Runner) -> None:
    said = 'connect: "refused" by C:\\host'
    output = "x" * 2_000 + "\n" + json.dumps({"ok": False, "reason": said})
    cloud = Cloud(commands_end={"serve-iperf3": {"status": "Failed", "output": output}})
    assert runner.failed_pair(cloud) == f"p0001-m01: serve-iperf3 on server i-0000s: {said}"


@pytest.mark.parametrize(
    ("status_details", "said"),
    [
        ("DeliveryTimedOut", "the SSM agent did not fetch the command within 60 s (DeliveryTimedOut)"),
        ("Evaporated", "Systems Manager ended the command with the status Evaporated, and no reason was given"),
    ],
)
def test_a_command_that_fails_without_a_word_has_a_sentence(runner: Runner, status_details: str, said: str) -> None:
    ending = {"status": "TimedOut", "status_details": status_details, "output": ""}
    cloud = Cloud(commands_end={"serve-iperf3": ending})
    assert runner.failed_pair(cloud) == f"p0001-m01: serve-iperf3 on server i-0000s: {said}"


# Systems Manager shows 2,500 characters of an output. Java's regular expressions recurse, which may exhaust the stack.
@pytest.mark.parametrize("said", ['"' * 1_200, "x" * 2_400])
def test_a_long_reason_does_not_exhaust_the_engine(runner: Runner, said: str) -> None:
    output = json.dumps({"reason": said})
    cloud = Cloud(commands_end={"prepare-host": {"status": "Failed", "output": output}})
    assert runner.failed_pair(cloud).startswith(f"prepare-host on client i-0000c: {said[:1_000]}")


@pytest.mark.parametrize(
    ("action", "reply", "times"),
    [
        ("ssm.DescribeInstanceInformation", THROTTLED, 4),
        ("ssm.SendCommand", THROTTLED, 4),
        ("ssm.ListCommandInvocations", THROTTLED, 9),
        ("ec2.DescribeInstances", EC2_THROTTLED, 5),
        ("ec2.TerminateInstances", EC2_THROTTLED, 5),
        ("ec2.DescribePlacementGroups", EC2_THROTTLED, 5),
        ("ec2.DeletePlacementGroup", EC2_THROTTLED, 5),
        ("LaunchPair", failing("TooManyRequestsException", "Rate Exceeded.", 429), 5),
        ("DisconnectPair", failing("ServiceException", "Service error.", 500), 5),
    ],
)
def test_calls_that_are_throttled_for_a_while_change_nothing(
    runner: Runner, action: str, reply: Any, times: int
) -> None:
    cloud = Cloud(faults=[Fault(action, reply, times)])
    assert runner.pair(cloud).status == "SUCCEEDED"
    assert cloud.faults[0].times == 0


def test_a_command_that_is_always_throttled_costs_its_measurement_only(runner: Runner) -> None:
    cloud = Cloud()
    throttled = Fault(
        "ssm.SendCommand", THROTTLED, FOREVER, lambda call: "iperf3" in call["parameters"]["DocumentName"]
    )
    cloud.faults.append(throttled)
    reason = runner.failed_pair(cloud)
    assert reason.startswith("p0001-m01: serve-iperf3: Ssm.ThrottlingException: Rate exceeded")
    assert len(invocations(cloud, "AnalyseMeasurement")) == 2


def test_a_series_that_is_complete_later(runner: Runner) -> None:
    cloud = Cloud(faults=[Fault("AnalyseMeasurement", INCOMPLETE_SERIES, times=6)])
    assert runner.pair(cloud).status == "SUCCEEDED"


def test_a_series_that_stays_incomplete_is_analysed_as_it_is(runner: Runner) -> None:
    cloud = Cloud(analyses={"p0001-m01": INCOMPLETE_SERIES})
    reason = runner.failed_pair(cloud)
    assert reason == "p0001-m01: nothing came from the server"
    analyses = invocations(cloud, "AnalyseMeasurement")
    assert [one["acceptTruncated"] for one in analyses] == [False] * 7 + [True, False]
    assert {one["failureReason"] for one in analyses} == {None}


def test_an_incomplete_series_that_can_not_be_analysed(runner: Runner) -> None:
    crashed = Fault(
        "AnalyseMeasurement",
        thrown("Runtime.ExitError", "Runtime exited"),
        FOREVER,
        lambda call: call["parameters"]["Payload"]["acceptTruncated"],
    )
    cloud = Cloud(analyses={"p0001-m01": INCOMPLETE_SERIES}, faults=[crashed])
    assert runner.failed_pair(cloud) == "p0001-m01: the analysis failed: Runtime.ExitError: Runtime exited"


@pytest.mark.parametrize("name", ["Runtime.ExitError", "Sandbox.Timedout", "PassingError"])
def test_an_analysis_that_did_not_finish_is_repeated(runner: Runner, name: str) -> None:
    cloud = Cloud(faults=[Fault("AnalyseMeasurement", thrown(name, "no end"), times=2)])
    assert runner.pair(cloud).status == "SUCCEEDED"


def test_an_analysis_that_never_finishes_costs_its_measurement_only(runner: Runner) -> None:
    cloud = Cloud(analyses={"p0001-m01": thrown("Runtime.ExitError", "Runtime exited")})
    assert runner.failed_pair(cloud) == "p0001-m01: the analysis failed: Runtime.ExitError: Runtime exited"


def test_a_handler_that_does_not_answer(runner: Runner) -> None:
    cloud = Cloud(faults=[Fault("ConnectPair", {"hang": 960})])
    assert runner.failed_pair(cloud).startswith("connecting the hosts: States.Timeout")


def test_a_path_that_needs_its_time(runner: Runner) -> None:
    cloud = Cloud(connected_after_seconds=200, disconnected_after_seconds=300, group_stays_seconds=20)
    assert runner.pair(cloud).status == "SUCCEEDED"
    assert cloud.calls["ConnectPair"] > 10 and cloud.calls["DisconnectPair"] > 20


def test_a_path_that_never_carries_traffic(runner: Runner) -> None:
    assert runner.failed_pair(Cloud(connected_after_seconds=FOREVER)) == (
        'the hosts are not connected after 900 s, still waiting for the load balancer "nlb-1" to be active'
    )


def test_a_path_that_is_never_removed(runner: Runner) -> None:
    reason = runner.failed_pair(Cloud(disconnected_after_seconds=FOREVER))
    assert reason == "teardown: sg-1, nlb-1 not removed after 900 s"


def test_hosts_that_do_not_end(runner: Runner) -> None:
    cloud = Cloud(hosts_refuse_to_end=True)
    assert runner.failed_pair(cloud) == "teardown: i-0000c, i-0000s not terminated after 900 s"
    # The reaper starts once the execution has failed, so it must not wait for the path that the hosts hold.
    assert cloud.calls["DisconnectPair"] == 0


@pytest.mark.parametrize("foreign_instances", [0, 1, 2])
def test_hosts_on_later_pages_of_the_account(runner: Runner, foreign_instances: int) -> None:
    # Hosts are looked up by their ids while they measure, which EC2 does not page.
    cloud = Cloud(instances_per_page=1, foreign_instances=foreign_instances)
    assert runner.pair(cloud).status == "SUCCEEDED"


def test_a_teardown_that_is_refused(runner: Runner) -> None:
    refused = failing("UnauthorizedOperation", 'You are not authorized to "ec2:TerminateInstances"', 403)
    reason = runner.failed_pair(Cloud(faults=[Fault("ec2.TerminateInstances", refused, FOREVER)]))
    assert reason.startswith("teardown: Ec2.Ec2Exception: You are not authorized to")


# The run


def statuses(executions: dict[str, Execution]) -> dict[str, str]:
    return {name: execution.status for name, execution in executions.items()}


def test_a_run_of_several_pairs(runner: Runner) -> None:
    executions = runner.run(Cloud(pair_count=3))
    assert set(statuses(executions).values()) == {"SUCCEEDED"} and len(executions) == 4
    assert executions["run-1"].output["outcome"] == "complete"


@pytest.mark.parametrize(
    ("expectations", "error"),
    [
        ({"outcome": "met", "failsRun": False, "lines": []}, None),
        ({"outcome": "not_met", "failsRun": False, "lines": []}, None),
        ({"outcome": "not_met", "failsRun": True, "lines": ["not met: a figure"]}, "ExpectationsNotMet"),
    ],
)
def test_a_complete_run_fails_on_expectations_only_where_its_plan_says_so(
    runner: Runner, expectations: dict[str, Any], error: str | None
) -> None:
    execution = runner.run(Cloud(expectations=expectations))["run-1"]
    assert (execution.status, execution.error) == ("FAILED" if error else "SUCCEEDED", error)
    outcome = json.loads(execution.cause or "") if error else execution.output
    assert (outcome["outcome"], outcome["expectations"]) == ("complete", expectations)


def test_a_run_that_is_not_complete_fails_for_that_whatever_is_expected(runner: Runner) -> None:
    failed = Fault("LaunchPair", thrown("LaunchFailedError", "no capacity"), FOREVER)
    expectations = {"outcome": "not_met", "failsRun": True, "lines": []}
    execution = runner.run(Cloud(faults=[failed], expectations=expectations))["run-1"]
    assert (execution.status, execution.error) == ("FAILED", "RunFailed")


def test_a_run_of_which_one_pair_fails(runner: Runner) -> None:
    cloud = Cloud(pair_count=2)
    cloud.faults.append(
        Fault(
            "LaunchPair",
            thrown("LaunchFailedError", "no capacity"),
            when=lambda call: call["parameters"]["Payload"]["pairIndex"] == 1,
        )
    )
    executions = runner.run(cloud)
    assert statuses(executions) == {"run-1": "FAILED", "run-1-p0001": "SUCCEEDED", "run-1-p0002": "FAILED"}
    assert executions["run-1"].error == "RunIncomplete"
    assert json.loads(executions["run-1"].cause or "")["failedPairs"] == ["p0002"]
    (payload,) = invocations(cloud, "SummariseRun")
    complete, failed = payload["pairs"]
    assert complete.pop("tearDownStartedAtMillis") > A_RECENT_MOMENT_MILLIS
    assert [complete, failed] == [{"pairIndex": 0, "status": "complete"}, {"pairIndex": 1, "status": "failed"}]
    assert len(json.dumps(payload["pairs"][0] | {"tearDownStartedAtMillis": 1_800_000_000_000})) <= 100


def test_a_pair_of_an_earlier_definition_is_complete_without_the_time_of_its_teardown(
    engine: SecondEngine, machines: dict[str, Definition]
) -> None:
    earlier = json.loads(json.dumps(machines[PAIR]))
    del earlier["States"]["Pair complete"]["Output"]["tearDownStartedAtMillis"]
    cloud = Cloud()
    executions = Runner(engine, machines | {PAIR: earlier}).run(cloud)
    assert set(statuses(executions).values()) == {"SUCCEEDED"}
    (payload,) = invocations(cloud, "SummariseRun")
    assert payload["pairs"] == [{"pairIndex": 0, "status": "complete"}]


def test_starts_of_pairs_that_are_throttled(runner: Runner) -> None:
    limit = failing("ExecutionLimitExceeded", "The maximum number of running executions has been reached.", 400)
    cloud = Cloud(pair_count=2, faults=[Fault("stepfunctions.StartExecution", limit, times=4)])
    assert set(statuses(runner.run(cloud)).values()) == {"SUCCEEDED"}


def test_a_name_that_the_store_has_of_an_earlier_run(runner: Runner) -> None:
    said = 'execution.name: must be a name that the store has no run of, got "run-1"'
    cloud = Cloud(faults=[Fault("PlanRun", thrown("RunIdTakenError", said))])
    execution = runner.run(cloud)["run-1"]
    assert (execution.error, execution.cause) == ("RunIdTakenError", said)
    assert execution.states == ["Plan run", "Run refused"]
    [payload] = invocations(cloud, "PlanRun")
    assert datetime.fromisoformat(payload["startedAt"]).tzinfo is not None


def test_a_refused_plan_is_readable(runner: Runner) -> None:
    problems = "\n".join(f'plan.pairs[{index}].clientType: must be a type, got "x\\y"' for index in range(400))
    cloud = Cloud(faults=[Fault("PlanRun", thrown("InvalidPlanError", problems))])
    execution = runner.run(cloud)["run-1"]
    assert (execution.status, execution.error) == ("FAILED", "InvalidPlanError")
    assert execution.cause == problems
    assert execution.states == ["Plan run", "Summarise refusal", "Run refused"]
    (payload,) = invocations(cloud, "SummariseRun")
    assert (payload["interruptedReason"], payload["planName"]) == (problems, "plan")


def test_a_cause_that_was_cut_is_shown_as_it_is(runner: Runner) -> None:
    cut = json.dumps({"errorType": "InvalidPlanError", "errorMessage": "x" * 40_000})[:32_000]
    cloud = Cloud(faults=[Fault("PlanRun", failing("ServiceException", cut, 500), FOREVER)])
    execution = runner.run(cloud)["run-1"]
    assert (execution.error, execution.states[-1]) == ("Lambda.ServiceException", "Run refused")
    assert "errorMessage" in (execution.cause or "")


def test_a_dry_run(runner: Runner) -> None:
    cloud = Cloud(dry_run=True)
    executions = runner.run(cloud)
    assert executions["run-1"].output["outcome"] == "dry_run"
    assert "dryRun" not in executions["run-1"].output and cloud.hosts == {}


def test_the_largest_plan_needs_no_greater_depth(engine: SecondEngine, machines: dict[str, Definition]) -> None:
    # What the pairs come to is put in place of the Map, which takes this engine minutes: each of its expressions sees
    # one pair, and the scenarios above evaluate them.
    run = json.loads(json.dumps(machines[RUN]))
    run["States"]["Measure pairs"] = {
        "Type": "Pass",
        "Output": "{% $pairs.{'pairIndex': pairIndex, 'status': 'failed'} %}",
        "Next": run["States"]["Measure pairs"]["Next"],
    }
    cloud = Cloud(pair_count=MAX_PAIRS)
    execution = Runner(engine, machines | {RUN: run}).run(cloud)["run-1"]
    assert (execution.status, execution.error) == ("FAILED", "RunFailed")
    (payload,) = invocations(cloud, "SummariseRun")
    assert len(payload["pairs"]) == MAX_PAIRS


@pytest.mark.parametrize(("how", "status"), [("stop", "ABORTED"), ("timeOut", "TIMED_OUT")])
def test_a_pair_that_is_interrupted_does_not_stop_the_others(
    runner: Runner, template: dict[str, Any], how: str, status: str
) -> None:
    cloud = Cloud(pair_count=2)
    executions = runner.run(cloud, [Interruption(12, "run-1-p0001", how)])
    assert statuses(executions) == {"run-1": "FAILED", "run-1-p0001": status, "run-1-p0002": "SUCCEEDED"}
    assert executions["run-1"].error == "RunIncomplete"
    # No state runs after an interruption: what the pair launched is left to the reaper, which this event starts.
    assert cloud.running_hosts() == ["i-0000c", "i-0000s"]
    (rule,) = [
        resource["Properties"]
        for name, resource in template["Resources"].items()
        if name.startswith("OperationsExecutionEndedBadly") and resource["Type"] == "AWS::Events::Rule"
    ]
    assert status in rule["EventPattern"]["detail"]["status"]


# Defects that are planted in a copy. Each must be refused, or change what the scenario comes to.


def series_is_late() -> Cloud:
    return Cloud(faults=[Fault("AnalyseMeasurement", INCOMPLETE_SERIES)])


def command_is_stuck() -> Cloud:
    return Cloud(commands_end={"measure-iperf3": {"ends_at": FOREVER}})


def connecting_fails() -> Cloud:
    return Cloud(faults=[Fault("ConnectPair", thrown("Error", "no"))])


@pytest.mark.parametrize(
    ("state", "sound", "planted", "cloud"),
    [
        pytest.param(
            "Measure: read status", "$count($states.result", "$count)($states.result", Cloud, id="a slip in JSONata"
        ),
        pytest.param(
            "Tear down pair: hosts left?", "$count($remainingIds)", "$count($remainingId)", Cloud, id="a wrong variable"
        ),
        pytest.param(
            "Analyse measurement", "IncompleteSeriesError", "IncompleteSeries", series_is_late, id="a wrong error name"
        ),
        pytest.param(
            "Tear down pair: hosts left?",
            "$count($remainingIds)",
            f"$count({'(' * OWN_DEPTH}$remainingIds{')' * OWN_DEPTH})",
            Cloud,
            id="an expression that is too deep",
        ),
        pytest.param("Await last chunk", '"Next"', '"Comment"', command_is_stuck, id="a missing Next"),
        pytest.param(
            "Pair failed", '"Tear down pair"', '"Measured everything?"', connecting_fails, id="a skipped teardown"
        ),
    ],
)
def test_the_witness_notices_a_planted_defect(
    engine: SecondEngine,
    machines: dict[str, Definition],
    state: str,
    sound: str,
    planted: str,
    cloud: Callable[[], Cloud],
) -> None:
    pair = json.loads(json.dumps(machines[PAIR]))
    text = json.dumps(pair["States"][state])
    assert sound in text
    pair["States"][state] = json.loads(text.replace(sound, planted))

    without = Runner(engine, machines).pair(cloud())
    try:
        with_it = Runner(engine, machines | {PAIR: pair}).pair(cloud())
    except (AssertionError, RefusedDefinitionError):
        return
    assert (with_it.status, with_it.cause) != (without.status, without.cause)
