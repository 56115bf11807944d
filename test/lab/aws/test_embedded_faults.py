"""Faults of an API: refusals by number, share and caller, lost answers, cut connections."""

import json

import pytest
from botocore.exceptions import ConnectionClosedError, ResponseStreamingError


@pytest.fixture(scope="module")
def bucket(aws):
    aws.client("s3").create_bucket(Bucket="faulty")
    return "faulty"


def codes(call, count):
    """The codes of the errors of `count` calls, None for each that succeeds."""
    found = []
    for _ in range(count):
        try:
            call()
            found.append(None)
        except Exception as error:
            found.append(error.response["Error"]["Code"])
    return found


@pytest.mark.parametrize(
    ("service", "action", "code", "status", "call"),
    [
        ("ec2", "DescribeVpcs", "RequestLimitExceeded", 503, lambda c: c.describe_vpcs()),
        ("ssm", "ssm:ListCommands", "ThrottlingException", 400, lambda c: c.list_commands()),
        ("s3", "s3:ListBuckets", "SlowDown", 503, lambda c: c.list_buckets()),
        (
            "s3",
            "s3:PutObject",
            "ConditionalRequestConflict",
            409,
            lambda c: c.put_object(Bucket="faulty", Key="x", IfNoneMatch="*"),
        ),
        ("s3", "s3:GetObject", "InternalError", 503, lambda c: c.get_object(Bucket="faulty", Key="x")),
        (
            "stepfunctions",
            "states:ListStateMachines",
            "ThrottlingException",
            400,
            lambda c: c.list_state_machines(),
        ),
        (
            "lambda",
            "lambda:Invoke",
            "TooManyRequestsException",
            429,
            lambda c: c.invoke(FunctionName="none", Payload=b"{}"),
        ),
        ("sqs", "sqs:ListQueues", "RequestThrottled", 400, lambda c: c.list_queues()),
        ("elbv2", "elasticloadbalancing:*", "Throttling", 400, lambda c: c.describe_load_balancers()),
    ],
)
def test_every_api_refuses_as_it_is_asked(aws, fault, service, action, code, status, call):
    fault(action, code)
    with pytest.raises(Exception) as caught:
        call(aws.client(service))
    assert caught.value.response["Error"]["Code"] == code
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == status


def test_a_fault_may_hold_until_it_is_cleared(aws, fault, bucket):
    s3 = aws.client("s3")
    fault("s3:*", "SlowDown", times=None)
    assert codes(s3.list_buckets, 20) == ["SlowDown"] * 20
    aws.control("DELETE", "faults")
    assert codes(s3.list_buckets, 1) == [None]


def test_a_fault_may_hit_one_request_in_five_or_a_share_that_its_seed_decides(aws, fault):
    ssm = aws.client("ssm")
    fault("ssm:ListCommands", "ThrottlingException", times=None, one_in=5)
    assert codes(ssm.list_commands, 10) == ([None] * 4 + ["ThrottlingException"]) * 2

    def share():
        aws.control("DELETE", "faults")
        fault("ssm:ListCommands", "ThrottlingException", times=None, probability=0.3, seed=7)
        return codes(ssm.list_commands, 40)

    first = share()
    assert first == share()
    assert 4 <= sum(code is not None for code in first) <= 20


def test_a_fault_may_concern_some_requests_of_some_callers(aws, fault, bucket):
    fault("s3:PutObject", "SlowDown", times=None, where={"Key": ["raw/*", "samples/*"], "caller": "host"})
    host = aws.client("s3", aws_access_key_id="ASIAHOST", aws_secret_access_key="x")
    put = lambda client, key: codes(lambda: client.put_object(Bucket=bucket, Key=key, Body=b"x"), 1)  # noqa: E731
    assert put(host, "raw/1") == ["SlowDown"]
    assert put(host, "reports/1") == [None]
    assert put(aws.client("s3"), "raw/1") == [None]


@pytest.mark.parametrize(("caller", "function_gets"), [("function", 503), ("host", 200)])
def test_a_fault_of_functions_meets_a_deployed_function_and_one_of_hosts_does_not(
    aws, fault, bucket, outputs, caller, function_gets
):
    fault("s3:PutObject", "SlowDown", times=None, where={"caller": caller})
    payload = json.dumps({"write": bucket}).encode()
    invoked = aws.client("lambda").invoke(FunctionName=outputs["FunctionName"], Payload=payload)
    assert json.load(invoked["Payload"])["written"] == function_gets
    s3 = aws.client("s3")
    assert codes(lambda: s3.put_object(Bucket=bucket, Key="operator", Body=b"x"), 1) == [None]


@pytest.mark.parametrize(("caller", "refused"), [("operator", "InsufficientInstanceCapacity"), ("function", None)])
def test_a_launch_knows_its_caller_too(launch, fault, caller, refused):
    fault("RunInstances", "InsufficientInstanceCapacity", times=None, where={"caller": caller})
    assert codes(launch, 1) == [refused]


def test_an_answer_may_be_lost_after_the_work_is_done(aws, fault, bucket):
    s3 = aws.client("s3")
    fault("s3:PutObject", "InternalError", after=True)
    assert codes(lambda: s3.put_object(Bucket=bucket, Key="kept", Body=b"x"), 1) == ["InternalError"]
    fault("s3:PutObject", "ConnectionLost", after=True)
    with pytest.raises((ConnectionClosedError, ResponseStreamingError)):
        s3.put_object(Bucket=bucket, Key="kept-too", Body=b"x")
    assert [item["Key"] for item in s3.list_objects_v2(Bucket=bucket, Prefix="kept")["Contents"]] == [
        "kept",
        "kept-too",
    ]


def test_a_connection_that_is_cut_before_the_work_leaves_nothing(aws, fault, bucket):
    s3 = aws.client("s3")
    fault("s3:PutObject", "ConnectionLost")
    with pytest.raises((ConnectionClosedError, ResponseStreamingError)):
        s3.put_object(Bucket=bucket, Key="lost", Body=b"x")
    assert s3.list_objects_v2(Bucket=bucket, Prefix="lost")["KeyCount"] == 0


def test_a_state_sees_a_cut_connection_as_an_error_of_the_sdk_s_client(aws, fault, error_in_a_state):
    fault("ssm:ListCommands", "ConnectionLost", where={"caller": "states"})
    assert error_in_a_state("aws-sdk:ssm:listCommands", {}) == "Ssm.SdkClientException"
    assert "Commands" in error_in_a_state("aws-sdk:ssm:listCommands", {})


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("ExecutionLimitExceeded", "StepFunctions.ExecutionLimitExceededException"),
        # What the API does not model has the name of the base exception.
        ("InternalFailure", "StepFunctions.AWSStepFunctionsException"),
        ("ThrottlingException", "StepFunctions.AWSStepFunctionsException"),
        ("ConnectionLost", "StepFunctions.SdkClientException"),
    ],
)
def test_a_state_sees_the_refused_start_of_an_execution_by_its_name_on_aws(fault, error_in_a_state, code, name):
    fault("states:StartExecution", code, where={"name": "refused"})
    nobody = "arn:aws:states:us-east-1:000000000000:stateMachine:none"
    arguments = {"StateMachineArn": nobody, "Name": "refused"}
    assert error_in_a_state("states:startExecution.sync:2", arguments) == name


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"times": 0}, "times: must be at least 1, or null for always, got 0"),
        ({"one_in": 0}, "one_in: must be at least 1, got 0"),
        ({"probability": 2}, "probability: must be above 0 and at most 1, got 2"),
        ({"probability": 0.5, "one_in": 2}, "must not be given both"),
    ],
)
def test_a_fault_that_can_not_be_is_refused(aws, fault, fields, problem):
    with pytest.raises(Exception) as caught:
        fault("s3:*", "SlowDown", **fields)
    assert problem in caught.value.read().decode()
