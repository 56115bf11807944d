"""Who removed what is known, a fault can be about one run, and an execution times out when a test says so."""

import json
import urllib.parse

from conftest import task


def tagged(run_id):
    tags = [{"Key": "network-benchmark:run-id", "Value": run_id}]
    return {"TagSpecifications": [{"ResourceType": "instance", "Tags": tags}]}


def authors_of(aws, name):
    removals = json.loads(aws.control("GET", "removals"))["removals"]
    return [one["author"] for one in removals if name in one["request"]]


def test_a_removal_has_its_author(aws, launch):
    by_hand, by_machine = launch()["InstanceId"], launch()["InstanceId"]
    aws.client("ec2").terminate_instances(InstanceIds=[by_hand])
    aws.run({"First": task("aws-sdk:ec2:terminateInstances", {"InstanceIds": [by_machine]})})

    assert authors_of(aws, by_hand) == ["outside"]
    assert authors_of(aws, by_machine) == ["state machine"]


def test_a_fault_about_a_run_meets_its_instances_and_executions_and_no_others(aws, launch, fault, code_of):
    struck, spared = launch(**tagged("run-a"))["InstanceId"], launch(**tagged("run-b"))["InstanceId"]
    where = {"about": "*run-a*"}
    fault("DescribeInstances", "RequestLimitExceeded", times=2, where=where)
    describe = aws.client("ec2").describe_instances

    assert describe(InstanceIds=[spared])["Reservations"]
    assert code_of(describe, InstanceIds=[struck]) == "RequestLimitExceeded"
    failed = aws.run({"First": task("aws-sdk:ec2:describeInstances", {"InstanceIds": [spared]})}, name="run-a-p0001")
    assert failed["error"] == "Ec2.Ec2Exception"
    assert json.loads(aws.control("GET", "faults", where)) == {"taken": 2}
    aws.control("DELETE", "faults", where)
    assert json.loads(aws.control("GET", "faults", where)) == {"taken": 0}


def test_an_execution_times_out_on_request_and_one_that_is_over_stays_as_it_is(aws):
    waiting = aws.start({"First": {"Type": "Wait", "Seconds": 600, "End": True}})
    for _ in range(2):
        aws.control("POST", f"time-out?{urllib.parse.urlencode({'execution': waiting})}")
        ended = aws.over(waiting)
        assert (ended["status"], ended["error"]) == ("TIMED_OUT", "States.Timeout")
