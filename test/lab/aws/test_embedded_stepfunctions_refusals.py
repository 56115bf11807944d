"""The lab refuses what AWS refuses. LocalStack's interpreter, which was held against AWS, is asked where it knows."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from botocore.exceptions import ClientError
from conftest import task
from deployed import resource

from lab.aws.upstream_fixes import stepfunctions_limits

sys.path.insert(0, str(Path(__file__).parents[2] / "workflow/localstack"))

from second_engine import MACHINE_ARN, Execution, SecondEngine  # noqa: E402

END = {"Type": "Succeed"}
A_LOT = "x" * (256 * 1024 + 1)


def definition(states: dict) -> dict:
    return {"QueryLanguage": "JSONata", "StartAt": "First", "States": states}


@pytest.fixture(scope="module")
def second_engine() -> Iterator[SecondEngine]:
    engine = SecondEngine()
    yield engine
    engine.close()


@pytest.mark.parametrize(
    ("states", "said"),
    [
        ({"First": END, "Lost": END}, "cannot be reached"),
        ({"First": {"Type": "Pass"}}, 'Missing property "Next"'),
        ({"First": {"Type": "Pass", "Next": "Nowhere"}}, "name of an existing state"),
        ({"First": {"Type": "Pass", "Catch": [], "End": True}}, "Field is not supported"),
        ({"First": {"Type": "Pass", "Next": "n" * 90}, "n" * 90: END}, "at most 80 characters"),
        ({"First": {"Type": "Pass", "Output": "{% $eval('1') %}", "End": True}}, "$eval is not supported"),
        (
            {"First": {"Type": "Pass", "Output": "{% $states.input ?? 1 %}", "End": True}},
            "INVALID_JSONATA_EXPRESSION",
        ),
    ],
)
def test_a_definition_is_refused(aws, states, said) -> None:
    with pytest.raises(ClientError) as refused:
        aws.machine(states)
    assert refused.value.response["Error"]["Code"] == "InvalidDefinition"
    assert said in refused.value.response["Error"]["Message"]


def test_an_update_is_refused(aws) -> None:
    arn = aws.machine({"First": END})
    with pytest.raises(ClientError, match="cannot be reached"):
        aws.client("stepfunctions").update_state_machine(
            stateMachineArn=arn, definition=json.dumps(definition({"First": END, "Lost": END}))
        )


CHOICE = {"Type": "Choice", "Choices": [{"Condition": "{% $states.input.n %}", "Next": "End"}], "Default": "End"}
ASSIGNED_AT_ONCE = {"Type": "Pass", "Assign": {"a": 1, "b": "{% $a + 1 %}"}, "Next": "Last"}
ASSIGNED_BEFORE = ASSIGNED_AT_ONCE | {"Assign": {"a": 5, "b": "{% $a %}"}}
LAST = {"Type": "Succeed", "Output": "{% $b %}"}


def on_the_other_engine(second_engine: SecondEngine, states: dict, given: dict) -> Execution:
    machine = MACHINE_ARN + "machine"
    return second_engine.run({machine: definition(states)}, machine, "one", given, lambda call: {})["one"]


@pytest.mark.parametrize(("n", "status"), [(1, "FAILED"), ("yes", "FAILED"), (None, "FAILED"), (False, "SUCCEEDED")])
def test_a_condition_is_a_boolean(aws, second_engine: SecondEngine, n: object, status: str) -> None:
    states = {"First": CHOICE, "End": END}
    execution = aws.run(states, {"n": n})
    assert execution["status"] == status == on_the_other_engine(second_engine, states, {"n": n}).status
    # The other engine's name of the error was not held against AWS, as a note in its source says.
    assert execution.get("error") == ("States.QueryEvaluationError" if status == "FAILED" else None)


def test_variables_of_one_assign_do_not_see_each_other(aws, second_engine: SecondEngine) -> None:
    states = {"First": ASSIGNED_AT_ONCE, "Last": LAST}
    here, there = aws.run(states), on_the_other_engine(second_engine, states, {})
    assert (here["status"], here["error"]) == (there.status, there.error) == ("FAILED", "States.QueryEvaluationError")

    before = {"First": {"Type": "Pass", "Assign": {"a": 1}, "Next": "Then"}, "Then": ASSIGNED_BEFORE, "Last": LAST}
    here, there = aws.run(before), on_the_other_engine(second_engine, before, {})
    assert json.loads(here["output"]) == there.output == 1


# What AWS was measured to evaluate at last, for https://github.com/floci-io/floci/pull/2783: one more is refused.
@pytest.mark.parametrize(
    ("nested", "deepest"),
    [
        pytest.param(lambda count: "+".join(["1"] * count), 100, id="terms of a sum"),
        pytest.param(lambda count: "(" * count + "1" + ")" * count, 99, id="parentheses"),
        pytest.param(lambda count: "[" * count + "1" + "]" * count, 99, id="brackets"),
        pytest.param(lambda count: "1" + "~>$abs" * count, 99, id="a chain of functions"),
        pytest.param(
            lambda count: f"($f := function($n) {{ $n = 0 ? 0 : 1 + $f($n - 1) }}; $f({count}))", 31, id="a recursion"
        ),
        # The next two were not measured on AWS; both engines agree.
        pytest.param(lambda count: "$abs(" * count + "1" + ")" * count, 99, id="calls of functions"),
        pytest.param(lambda count: " or ".join(["false"] * count), 100, id="conditions"),
    ],
)
def test_an_evaluation_is_at_most_100_calls_deep(
    aws, second_engine: SecondEngine, nested: Callable[[int], str], deepest: int
) -> None:
    for count, status in ((deepest, "SUCCEEDED"), (deepest + 1, "FAILED")):
        states = {"First": {"Type": "Pass", "Output": f"{{% {nested(count)} %}}", "End": True}}
        here, there = aws.run(states), on_the_other_engine(second_engine, states, {})
        assert here["status"] == status == there.status, count
    # The other engine reports an exception of its library as States.Runtime.
    assert here["error"] == "States.QueryEvaluationError"
    assert "Stack overflow" in here["cause"] and "Stack overflow" in str(there.cause)


def test_a_tail_recursion_is_not_deep(aws, second_engine: SecondEngine) -> None:
    expression = "{% ($f := function($n) { $n = 0 ? 'done' : $f($n - 1) }; $f(200)) %}"
    states = {"First": {"Type": "Pass", "Output": expression, "End": True}}
    here, there = aws.run(states), on_the_other_engine(second_engine, states, {})
    assert json.loads(here["output"]) == there.output == "done"


@pytest.mark.parametrize("field", ["Output", "Assign"])
def test_outputs_and_variables_have_at_most_256_kib(aws, field: str) -> None:
    value = "{% $pad('x', 300000, 'x') %}"
    first = {"Type": "Pass", field: {"a": value}, "Next": "Last"}
    failed = aws.run({"First": first, "Last": {"Type": "Pass", "Output": 1, "End": True}})
    assert (failed["status"], failed["error"]) == ("FAILED", "States.DataLimitExceeded")


def test_an_input_has_at_most_256_kib(aws) -> None:
    with pytest.raises(ClientError, match="at most 262144 bytes"):
        aws.start({"First": END}, A_LOT)


def test_a_cause_is_cut_to_32768_characters(aws) -> None:
    failed = aws.run({"First": {"Type": "Fail", "Error": "E", "Cause": "{% $pad('x', 40000, 'x') %}"}})
    assert failed["cause"] == "x" * 32_768


def test_a_history_has_at_most_25000_events() -> None:
    execution: dict = {"events": [{}] * 24_997}
    add = partial(stepfunctions_limits._add_event, lambda execution, kind, _: execution["events"].append(kind))
    add(execution, "TaskScheduled")
    with pytest.raises(RuntimeError, match="maximum number of history events"):
        add(execution, "TaskSucceeded")
    add(execution, "ExecutionFailed")
    assert execution["events"][-3:] == ["TaskScheduled", "TaskStarted", "ExecutionFailed"]
    assert len(execution["events"]) == 25_000


def test_states_all_does_not_match_what_nothing_can_catch() -> None:
    matches = partial(stepfunctions_limits._matches, lambda names, error: True)
    assert not matches(["States.ALL"], "States.DataLimitExceeded")
    assert not matches(["States.TaskFailed", "States.ALL"], "States.Runtime")
    assert matches(["States.DataLimitExceeded"], "States.DataLimitExceeded")
    assert matches(["States.ALL"], "States.Timeout")


def test_no_catch_of_all_errors_takes_a_result_that_is_too_large(aws, outputs) -> None:
    arguments = {"FunctionName": outputs["FunctionName"], "Payload": {"length": 300_000}}
    caught = {"ErrorEquals": ["States.ALL"], "Next": "Last"}
    failed = aws.run({"First": task("lambda:invoke", arguments, Output=1, Catch=[caught]), "Last": END})
    assert (failed["status"], failed["error"]) == ("FAILED", "States.DataLimitExceeded")


def test_a_retry_waits_no_longer_than_its_longest_delay(aws, outputs) -> None:
    arguments = {"FunctionName": outputs["FunctionName"], "Payload": {"fail": "Busy"}}
    # MiniStack never waits longer than this.
    longest_seconds, interval_seconds = 1, 60
    retry = {"ErrorEquals": ["Busy"], "IntervalSeconds": interval_seconds, "MaxDelaySeconds": longest_seconds}
    retries = [retry | {"MaxAttempts": 1, "JitterStrategy": "FULL"}]
    failed = aws.run({"First": task("lambda:invoke", arguments, Retry=retries)})
    assert failed["error"] == "Busy"
    assert (failed["stopDate"] - failed["startDate"]).total_seconds() < interval_seconds


def test_a_stack_with_a_definition_that_is_refused_is_not_created(aws, outputs) -> None:
    text = json.dumps(definition({"First": END, "Lost": END}))
    machine = resource("StepFunctions::StateMachine", RoleArn=outputs["RoleArn"], DefinitionString=text)
    aws.deploy("refused", {"Machine": machine})
    assert "cannot be reached" in aws.reasons("refused")


def test_a_retry_waits_for_a_random_part_of_its_delay() -> None:
    retrier = {"IntervalSeconds": 2, "BackoffRate": 3, "MaxDelaySeconds": 10}
    find = partial(stepfunctions_limits._retrier, lambda retriers, error, counts: (retriers[0], 0))

    def delay(count: int, **more: str) -> float:
        found, _ = find([retrier | more], "E", {0: count})
        assert found is not None and found["BackoffRate"] == 1
        return found["IntervalSeconds"]

    assert [delay(count) for count in range(3)] == [2, 6, 10]
    jittered = [delay(1, JitterStrategy="FULL") for _ in range(200)]
    assert all(0 <= seconds <= 6 for seconds in jittered)
    assert min(jittered) < 2 and max(jittered) > 4
