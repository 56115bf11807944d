"""The lab's JSONata state machines end, fail, stop and time out as on AWS."""

import json
import time
import uuid

import pytest
from conftest import task


def invocation(outputs, payload, **more):
    return task("lambda:invoke", {"FunctionName": outputs["FunctionName"], "Payload": payload}, **more)


def test_a_handler_s_error_is_retried_and_caught_by_its_name(aws, outputs):
    first = invocation(
        outputs,
        {"fail": "{% $states.input.name %}"},
        Retry=[{"ErrorEquals": ["IncompleteSeriesError"], "IntervalSeconds": 1, "MaxAttempts": 1}],
        Catch=[
            {"ErrorEquals": ["InvalidPlanError"], "Next": "Caught", "Assign": {"problem": "{% $states.errorOutput %}"}}
        ],
    )
    states = {"First": first, "Caught": {"Type": "Succeed", "Output": {"error": "{% $problem.Error %}"}}}
    caught = aws.run(states, {"name": "InvalidPlanError"})
    assert json.loads(caught["output"]) == {"error": "InvalidPlanError"}
    started = time.monotonic()
    failed = aws.run(states, {"name": "IncompleteSeriesError"})
    assert time.monotonic() - started > 1
    assert (failed["status"], failed["error"]) == ("FAILED", "IncompleteSeriesError")
    assert json.loads(failed["cause"])["errorMessage"] == "as asked"


def test_error_and_cause_of_a_fail_state_may_be_expressions(aws):
    states = {
        "First": {
            "Type": "Choice",
            "Choices": [{"Condition": "{% $states.input.bad %}", "Next": "Bad"}],
            "Default": "Good",
        },
        "Bad": {"Type": "Fail", "Error": "{% 'Pair' & 'Failed' %}", "Cause": "{% $string({'pairId': 'p0001'}) %}"},
        "Good": {"Type": "Succeed"},
    }
    failed = aws.run(states, {"bad": True})
    assert (failed["error"], json.loads(failed["cause"])) == ("PairFailed", {"pairId": "p0001"})
    assert aws.run(states, {"bad": False})["status"] == "SUCCEEDED"


def test_a_map_over_nested_executions_catches_the_one_that_fails(aws, outputs):
    sfn = aws.client("stepfunctions")
    child = aws.machine(
        {
            "First": {
                "Type": "Choice",
                "Choices": [{"Condition": "{% $states.input.item = 2 %}", "Next": "Bad"}],
                "Default": "Good",
            },
            "Bad": {"Type": "Fail", "Error": "PairFailed", "Cause": "because"},
            "Good": {"Type": "Succeed", "Output": {"item": "{% $states.input.item %}"}},
        }
    )
    run = task(
        "states:startExecution.sync:2",
        {
            "StateMachineArn": child,
            "Name": "{% $states.input.run & '-' & $string($states.input.item) %}",
            "Input": {"item": "{% $states.input.item %}"},
        },
        Output="{% $states.result.Output %}",
        Catch=[{"ErrorEquals": ["States.ALL"], "Next": "Lost", "Output": "{% $states.errorOutput %}"}],
    )
    lost = {
        "Type": "Pass",
        "End": True,
        "Output": "{% {'error': $states.input.Error, 'child': $parse($states.input.Cause).Error} %}",
    }
    states = {
        "First": {
            "Type": "Map",
            "Items": "{% [1..3] %}",
            "MaxConcurrency": "{% 1 + 1 %}",
            "ItemSelector": {
                "item": "{% $states.context.Map.Item.Value %}",
                "run": "{% $states.context.Execution.Name %}",
            },
            "ItemProcessor": {"StartAt": "Run", "States": {"Run": run, "Lost": lost}},
            "End": True,
        }
    }
    outcome = aws.run(states)
    failed = {"error": "States.TaskFailed", "child": "PairFailed"}
    assert json.loads(outcome["output"]) == [{"item": 1}, failed, {"item": 3}]
    names = {item["name"]: item["status"] for item in sfn.list_executions(stateMachineArn=child)["executions"]}
    assert names == {f"{outcome['name']}-{item}": ("FAILED" if item == 2 else "SUCCEEDED") for item in (1, 2, 3)}


def test_a_task_ends_at_its_time_limit(aws, outputs):
    failed = aws.run({"First": invocation(outputs, {"wait": 5000}, TimeoutSeconds=1)})
    assert failed["error"] == "States.Timeout"


def test_a_machine_ends_at_its_time_limit_and_its_event_says_so(aws, outputs):
    sfn = aws.client("stepfunctions")
    before = time.monotonic()
    started = sfn.start_execution(stateMachineArn=outputs["LimitedMachine"], name="limited-1", input='{"plan":1}')
    assert aws.over(started["executionArn"])["status"] == "TIMED_OUT"
    detail = event_about(aws, outputs, "limited-1")
    assert detail["status"] == "TIMED_OUT"
    assert json.loads(detail["input"]) == {"plan": 1}
    # The limit is a second, and the queue delivers two seconds later.
    assert time.monotonic() - before >= 3


def test_a_stopped_execution_starts_no_further_task_and_stops_its_child(aws, outputs, wait_until):
    sfn = aws.client("stepfunctions")
    nested = task(
        "states:startExecution.sync:2", {"StateMachineArn": outputs["SlowMachine"], "Name": "child-of-stopped"}
    )
    processor = {
        "StartAt": "Run",
        "States": {"Run": nested | {"Catch": [{"ErrorEquals": ["States.ALL"], "Next": "Next"}]}},
    }
    processor["States"]["Next"] = {"Type": "Pass", "End": True}
    first = {"Type": "Map", "Items": [1], "ItemProcessor": processor, "Next": "After"}
    arn = aws.start({"First": first, "After": {"Type": "Succeed"}})
    child = outputs["SlowMachine"].replace(":stateMachine:", ":execution:") + ":child-of-stopped"
    slow = {"stateMachineArn": outputs["SlowMachine"]}
    assert wait_until(lambda: child in [e["executionArn"] for e in sfn.list_executions(**slow)["executions"]])
    sfn.stop_execution(executionArn=arn)
    assert event_about(aws, outputs, arn.rsplit(":", 1)[1])["status"] == "ABORTED"
    assert sfn.describe_execution(executionArn=arn)["status"] == "ABORTED"
    assert aws.over(child)["status"] == "ABORTED"
    assert event_about(aws, outputs, "child-of-stopped")["status"] == "ABORTED"
    entered = [event["type"] for event in sfn.get_execution_history(executionArn=arn)["events"]]
    assert "SucceedStateEntered" not in entered


def test_a_start_may_be_repeated_while_its_execution_runs(aws, outputs):
    sfn = aws.client("stepfunctions")
    request = {"stateMachineArn": outputs["SlowMachine"], "name": "repeated", "input": '{"n":1}'}
    first = sfn.start_execution(**request)
    again = sfn.start_execution(**request)
    assert [again[key] for key in ("executionArn", "startDate")] == [first["executionArn"], first["startDate"]]
    with pytest.raises(sfn.exceptions.ExecutionAlreadyExists):
        sfn.start_execution(**request | {"input": '{"n":2}'})
    sfn.stop_execution(executionArn=first["executionArn"])
    with pytest.raises(sfn.exceptions.ExecutionAlreadyExists):
        sfn.start_execution(**request)


def test_errors_of_services_have_the_names_of_the_java_sdk(aws):
    ec2 = aws.run({"First": task("aws-sdk:ec2:describeInstances", {"InstanceIds": ["i-0123456789abcdef0"]})})
    assert ec2["error"] == "Ec2.Ec2Exception"
    assert "Service: Ec2, Status Code: 400" in ec2["cause"]
    missing = {"CommandId": str(uuid.uuid4()), "InstanceId": "i-0123456789abcdef0"}
    ssm = aws.run({"First": task("aws-sdk:ssm:getCommandInvocation", missing)})
    assert ssm["error"] == "Ssm.InvocationDoesNotExistException"
    unknown = {"DocumentName": "nobody", "InstanceIds": ["i-0123456789abcdef0"]}
    assert aws.run({"First": task("aws-sdk:ssm:sendCommand", unknown)})["error"] == "Ssm.InvalidDocumentException"


def test_a_result_of_ec2_has_the_form_of_the_api(aws, launch):
    instance = launch()
    states = {"First": task("aws-sdk:ec2:describeInstances", {"InstanceIds": [instance["InstanceId"]]})}
    found = json.loads(aws.run(states)["output"])["Reservations"][0]["Instances"][0]
    assert found["PrivateIpAddress"] == instance["PrivateIpAddress"]
    assert found["State"]["Name"] in ("pending", "running")


# By the name of the execution. What is read is deleted, because a queue shows ten messages at a time, and other tests
# of the session end executions as well.
details_read = {}


def event_about(aws, outputs, name):
    """The detail of the first status change of an execution that reaches the delayed queue."""
    sqs = aws.client("sqs")
    queue = {"QueueUrl": outputs["LateQueue"]}
    deadline = time.monotonic() + 300
    while name not in details_read and time.monotonic() < deadline:
        for message in sqs.receive_message(**queue, MaxNumberOfMessages=10).get("Messages", []):
            detail = json.loads(message["Body"])["detail"]
            details_read.setdefault(detail["name"], detail)
            sqs.delete_message(**queue, ReceiptHandle=message["ReceiptHandle"])
        time.sleep(0.1)
    assert name in details_read, f"no event about {name}"
    return details_read[name]


def test_a_version_that_is_started_runs_its_own_definition(aws):
    sfn = aws.client("stepfunctions")

    def saying(text):
        return {"First": {"Type": "Succeed", "Output": text}}

    def definition(text, **more):
        return json.dumps({"QueryLanguage": "JSONata", "StartAt": "First", "States": saying(text), **more})

    machine = aws.machine(saying("old"))
    version = sfn.publish_state_machine_version(stateMachineArn=machine)["stateMachineVersionArn"]
    sfn.update_state_machine(stateMachineArn=machine, definition=definition("new"))
    nested = {"StateMachineArn": version, "Input": {}}
    parent = {"First": task("states:startExecution.sync:2", nested, Output="{% $states.result.Output %}")}

    def output(arn, **named):
        return json.loads(aws.over(sfn.start_execution(stateMachineArn=arn, **named)["executionArn"])["output"])

    assert (output(version), output(machine), json.loads(aws.run(parent)["output"])) == ("old", "new", "old")
    assert [one["status"] for one in sfn.list_executions(stateMachineArn=machine)["executions"]] == ["SUCCEEDED"] * 3


def test_a_start_of_a_version_may_be_repeated(aws, outputs):
    sfn = aws.client("stepfunctions")
    version = sfn.publish_state_machine_version(stateMachineArn=outputs["SlowMachine"])["stateMachineVersionArn"]
    first, again = (sfn.start_execution(stateMachineArn=version, name="repeated-version") for _ in range(2))
    assert again["executionArn"] == first["executionArn"]
    sfn.stop_execution(executionArn=first["executionArn"])
