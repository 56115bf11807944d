"""Who removed what is known, a fault can be about one run, and an execution times out when a test says so."""

import json
import urllib.parse
import uuid

import pytest
from test_embedded_stepfunctions import over, task


@pytest.fixture
def machine_arn(aws, outputs):
    """Creates a machine and returns its ARN."""
    sfn = aws.client("stepfunctions")

    def create(states):
        definition = {"QueryLanguage": "JSONata", "StartAt": "First", "States": states}
        body = json.dumps(definition)
        made = sfn.create_state_machine(name=f"a-{uuid.uuid4()}", definition=body, roleArn=outputs["RoleArn"])
        return made["stateMachineArn"]

    return create


def tagged(run_id):
    tags = [{"Key": "network-benchmark:run-id", "Value": run_id}]
    return {"TagSpecifications": [{"ResourceType": "instance", "Tags": tags}]}


def authors_of(aws, name):
    removals = json.loads(aws.control("GET", "removals"))["removals"]
    return [one["author"] for one in removals if name in one["request"]]


def test_a_removal_has_its_author(aws, launch, machine_arn):
    by_hand, by_machine = launch()["InstanceId"], launch()["InstanceId"]
    aws.client("ec2").terminate_instances(InstanceIds=[by_hand])
    arn = machine_arn({"First": task("aws-sdk:ec2:terminateInstances", {"InstanceIds": [by_machine]})})
    sfn = aws.client("stepfunctions")
    over(sfn, sfn.start_execution(stateMachineArn=arn, name="the-machine")["executionArn"])

    assert authors_of(aws, by_hand) == ["outside"]
    assert authors_of(aws, by_machine) == ["state machine"]


def test_a_fault_about_a_run_meets_its_instances_and_executions_and_no_others(aws, launch, machine_arn, code_of):
    struck, spared = launch(**tagged("run-a"))["InstanceId"], launch(**tagged("run-b"))["InstanceId"]
    where = {"about": "*run-a*"}
    aws.control(
        "POST", "faults", {"action": "DescribeInstances", "code": "RequestLimitExceeded", "times": 2, "where": where}
    )
    describe = aws.client("ec2").describe_instances

    assert describe(InstanceIds=[spared])["Reservations"]
    assert code_of(describe, InstanceIds=[struck]) == "RequestLimitExceeded"
    sfn = aws.client("stepfunctions")
    arn = machine_arn({"First": task("aws-sdk:ec2:describeInstances", {"InstanceIds": [spared]})})
    failed = over(sfn, sfn.start_execution(stateMachineArn=arn, name="run-a-p0001")["executionArn"])
    assert failed["error"] == "Ec2.Ec2Exception"
    assert json.loads(aws.control("GET", "faults", where)) == {"taken": 2}
    aws.control("DELETE", "faults", where)
    assert json.loads(aws.control("GET", "faults", where)) == {"taken": 0}


def test_an_execution_times_out_on_request_and_one_that_is_over_stays_as_it_is(aws, machine_arn):
    sfn = aws.client("stepfunctions")
    arn = machine_arn({"First": {"Type": "Wait", "Seconds": 600, "End": True}})
    waiting = sfn.start_execution(stateMachineArn=arn, name="waiting")["executionArn"]
    for _ in range(2):
        aws.control("POST", f"time-out?{urllib.parse.urlencode({'execution': waiting})}")
        ended = over(sfn, waiting)
        assert (ended["status"], ended["error"]) == ("TIMED_OUT", "States.Timeout")
