"""Lambda runs Node handlers as on AWS: functions that crash, time out or run twice, lost events, the quota."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from botocore.exceptions import ClientError
from conftest import invoke

QUOTA = "L-B99A9384"


def calls(aws, outputs):
    """How often the function's process has been called, this call included."""
    return invoke(aws, outputs)[1]["calls"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("Runtime.ExitError", "Error: Runtime exited with error: exit status 1"),
        ("Sandbox.Timedout", "Error: Task timed out after 60.00 seconds"),
    ],
)
@pytest.mark.parametrize("after", [False, True])
def test_a_function_fails_before_or_after_its_work(aws, outputs, fault, code, message, after):
    before = calls(aws, outputs)
    fault(f"function:{outputs['FunctionName']}", code, after=after, where={"job": "1"})
    error, result = invoke(aws, outputs, job=1)
    assert (error, result["errorType"]) == ("Unhandled", code)
    assert message in result["errorMessage"]
    assert calls(aws, outputs) == before + 1 + after
    assert invoke(aws, outputs, job=1)[0] is None


def test_a_process_that_ends_by_itself_is_an_exit_error(aws, outputs):
    assert invoke(aws, outputs, exit=True)[1]["errorType"] == "Runtime.ExitError"
    assert invoke(aws, outputs)[0] is None


def test_a_function_is_invoked_twice(aws, outputs, fault, wait_until, bucket_of_events):
    fault(f"function:{outputs['FunctionName']}", "Doubled")
    invoke(aws, outputs, write=bucket_of_events)
    assert wait_until(lambda: len(keys(aws, bucket_of_events)) == 2)


def test_the_quota_refuses_the_invocation_that_is_one_too_many(aws, outputs, fault, wait_until, tmp_path):
    aws.control("POST", "quotas", {"code": QUOTA, "value": 3})

    def attempt():
        try:
            return invoke(aws, outputs, hold=str(tmp_path))[0]
        except ClientError as error:
            return error.response["Error"]["Code"], error.response["ResponseMetadata"]["HTTPStatusCode"]

    with ThreadPoolExecutor(5) as pool:
        attempts = [pool.submit(attempt) for _ in range(5)]
        refused = wait_until(lambda: sum(one.done() for one in attempts) == 2)
        (tmp_path / "go-on").touch()
        answers = [one.result() for one in attempts]
    assert refused
    assert sorted(answers, key=str) == [("TooManyRequestsException", 429)] * 2 + [None] * 3
    limit = aws.client("lambda").get_account_settings()["AccountLimit"]
    assert limit["ConcurrentExecutions"] == 3


@pytest.fixture
def used_up(aws, outputs, fault, wait_until, tmp_path):
    """Takes the only execution that the quota admits, and returns a function that gives it back."""
    aws.control("POST", "quotas", {"code": QUOTA, "value": 1})
    event = json.dumps({"hold": str(tmp_path)})
    aws.client("lambda").invoke(FunctionName=outputs["FunctionName"], InvocationType="Event", Payload=event)
    assert wait_until(lambda: list(tmp_path.iterdir()))
    yield (tmp_path / "go-on").touch
    (tmp_path / "go-on").touch()


@pytest.fixture
def error_of_invocation(outputs, error_in_a_state):
    arguments = {"FunctionName": outputs["FunctionName"], "Payload": {"runId": "mine"}}
    return lambda: error_in_a_state("lambda:invoke", arguments)


@pytest.mark.parametrize(
    ("code", "after", "error"),
    [
        ("ServiceException", False, "Lambda.ServiceException"),
        ("Unheard", False, "Lambda.AWSLambdaException"),
        ("ConnectionLost", True, "Lambda.SdkClientException"),
    ],
)
def test_a_state_sees_what_refuses_its_invocation_under_awss_name(fault, error_of_invocation, code, after, error):
    fault("lambda:Invoke", "TooManyRequestsException", where={"runId": "another"})
    fault("lambda:Invoke", code, after=after, where={"runId": "mine"})
    assert error_of_invocation() == error


@pytest.mark.usefixtures("used_up")
def test_a_state_sees_a_throttle_under_awss_name(error_of_invocation):
    assert error_of_invocation() == "Lambda.TooManyRequestsException"


@pytest.fixture(scope="module")
def bucket_of_events(aws):
    aws.client("s3").create_bucket(Bucket="written-by-functions")
    return "written-by-functions"


@pytest.fixture
def rule(aws, outputs):
    """A rule that starts the function with what an event's detail says."""
    events = aws.client("events")
    arn = aws.client("lambda").get_function(FunctionName=outputs["FunctionName"])["Configuration"]["FunctionArn"]
    events.put_rule(Name="to-the-function", EventPattern=json.dumps({"source": ["test"]}))
    events.put_targets(Rule="to-the-function", Targets=[{"Id": "one", "Arn": arn, "InputPath": "$.detail"}])
    yield lambda **detail: events.put_events(
        Entries=[{"Source": "test", "DetailType": "Work to do", "Detail": json.dumps(detail)}]
    )
    events.remove_targets(Rule="to-the-function", Ids=["one"])
    events.delete_rule(Name="to-the-function")


def keys(aws, bucket):
    return [item["Key"] for item in aws.client("s3").list_objects_v2(Bucket=bucket).get("Contents", [])]


@pytest.fixture
def arrived(aws, bucket_of_events):
    before = set(keys(aws, bucket_of_events))
    return lambda: len(set(keys(aws, bucket_of_events)) - before)


def test_an_event_is_lost_doubled_or_late(aws, outputs, fault, rule, arrived, wait_until, bucket_of_events):
    fault("event:Work to do", "Lost", where={"lose": "True"})
    rule(write=bucket_of_events, lose=True)
    rule(write=bucket_of_events)
    assert wait_until(lambda: arrived() == 1)
    fault("event:Work to do", "Doubled", where={"target": outputs["FunctionName"]})
    rule(write=bucket_of_events)
    assert wait_until(lambda: arrived() == 3)
    fault("event:Work to do", "Late", delay_seconds=5)
    sent = time.monotonic()
    rule(write=bucket_of_events)
    assert wait_until(lambda: arrived() == 4)
    assert time.monotonic() - sent >= 5


def test_an_event_waits_while_the_quota_is_used_up(used_up, rule, arrived, wait_until, bucket_of_events):
    for _ in range(4):
        rule(write=bucket_of_events)
    assert arrived() == 0
    used_up()
    assert wait_until(lambda: arrived() == 4, 120)


def test_a_queue_s_message_waits_while_the_quota_is_used_up(
    aws, outputs, used_up, arrived, wait_until, bucket_of_events
):
    sqs, functions = aws.client("sqs"), aws.client("lambda")
    url = sqs.create_queue(QueueName="waiting", Attributes={"VisibilityTimeout": "600"})["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    mapping = functions.create_event_source_mapping(
        FunctionName=outputs["FunctionName"], EventSourceArn=arn, BatchSize=1
    )
    sqs.send_message(QueueUrl=url, MessageBody=json.dumps({"write": bucket_of_events}))
    # Once it was taken, it is not visible to others.
    shown = {"QueueUrl": url, "AttributeNames": ["ApproximateNumberOfMessagesNotVisible"]}
    assert wait_until(lambda: sqs.get_queue_attributes(**shown)["Attributes"][shown["AttributeNames"][0]] == "1")
    assert arrived() == 0
    used_up()
    assert wait_until(lambda: arrived() == 1, 120)
    functions.delete_event_source_mapping(UUID=mapping["UUID"])


def test_a_handler_s_environment_has_endpoint_region_and_its_variables(aws, outputs):
    error, result = invoke(aws, outputs)
    assert error is None
    assert result["endpointUrl"] == aws.endpoint_url
    assert result["region"] == "us-east-1"
    assert result["hostRoleId"] == outputs["RoleId"]


def test_a_thrown_error_keeps_its_name_and_the_process_stays_warm(aws, outputs):
    _, before = invoke(aws, outputs)
    error, thrown = invoke(aws, outputs, fail="IncompleteSeriesError")
    assert error == "Unhandled"
    assert (thrown["errorType"], thrown["errorMessage"]) == ("IncompleteSeriesError", "as asked")
    _, after = invoke(aws, outputs)
    assert after["pid"] == before["pid"]
    assert after["calls"] == before["calls"] + 1


def test_a_large_result_is_returned_whole(aws, outputs):
    _, result = invoke(aws, outputs, length=1_000_000)
    assert len(result["text"]) == 1_000_000


def test_forty_invocations_at_once(aws, outputs):
    with ThreadPoolExecutor(40) as pool:
        results = list(pool.map(lambda _: invoke(aws, outputs, wait=300), range(40)))
    assert all(error is None for error, _ in results)
