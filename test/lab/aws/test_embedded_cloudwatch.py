"""The embedded AWS makes metrics of a function's log, decides on the states of alarms, and publishes them."""

import datetime
import json
import time

import pytest

from lab.aws.cloudwatch import state_of

NOW = datetime.datetime.now(datetime.UTC)


def metric_line(name, value, dimensions, **more):
    directive = {"Namespace": "Bench", "Dimensions": [list(dimensions)], "Metrics": [{"Name": name, "Unit": "Count"}]}
    aws = {"Timestamp": int(time.time() * 1000), "CloudWatchMetrics": [directive]}
    return json.dumps({"_aws": aws, **dimensions, name: value, **more})


@pytest.fixture
def write_log(aws, outputs):
    """Has the deployed function write lines to its log."""

    def write(*lines):
        aws.client("lambda").invoke(FunctionName=outputs["FunctionName"], Payload=json.dumps({"log": lines}))

    return write


def sums(aws, name, **dimensions):
    stat = {
        "Metric": {
            "Namespace": "Bench",
            "MetricName": name,
            "Dimensions": [{"Name": key, "Value": value} for key, value in dimensions.items()],
        },
        "Period": 900,
        "Stat": "Sum",
    }
    day = datetime.timedelta(days=1)
    found = aws.client("cloudwatch").get_metric_data(
        MetricDataQueries=[{"Id": "sum", "MetricStat": stat}], StartTime=NOW - day, EndTime=NOW + day
    )
    return found["MetricDataResults"][0]["Values"]


def test_a_line_of_a_log_becomes_data_points_by_its_dimensions(aws, write_log, wait_until):
    write_log(
        metric_line("Baseline", 1.25, {"Type": "c5.xlarge"}),
        metric_line("Baseline", 5, {"Type": "m5.large"}),
        "no metric",
        '{"_aws": "neither"}',
    )
    assert wait_until(lambda: sums(aws, "Baseline", Type="c5.xlarge")) == [1.25]
    assert wait_until(lambda: sums(aws, "Baseline", Type="m5.large")) == [5]


def test_a_line_without_the_value_that_it_names_makes_no_data_point(aws, write_log, wait_until):
    line = json.loads(metric_line("Lost", 1, {"Type": "c5.xlarge"}))
    del line["Lost"]
    write_log(json.dumps(line), metric_line("Kept", 1, {}))
    assert wait_until(lambda: sums(aws, "Kept")) == [1]
    assert sums(aws, "Lost", Type="c5.xlarge") == []


def test_an_alarm_sees_its_own_dimensions_and_is_published_when_it_comes(aws, write_log, wait_until):
    sns, sqs, cloudwatch = aws.client("sns"), aws.client("sqs"), aws.client("cloudwatch")
    topic = sns.create_topic(Name="alarms")["TopicArn"]
    queue = sqs.create_queue(QueueName="alarms")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    allow = {"Effect": "Allow", "Principal": "*", "Action": "sqs:SendMessage", "Resource": arn}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [allow]})
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"Policy": policy})
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn)
    for stack in ("mine", "another"):
        cloudwatch.put_metric_alarm(
            AlarmName=f"failed-{stack}",
            Namespace="Bench",
            MetricName="Failed",
            Dimensions=[{"Name": "Stack", "Value": stack}],
            Statistic="Sum",
            Period=900,
            EvaluationPeriods=1,
            Threshold=1,
            ComparisonOperator="GreaterThanOrEqualToThreshold",
            TreatMissingData="notBreaching",
            AlarmActions=[topic],
        )

    def states():
        alarms = cloudwatch.describe_alarms(AlarmNamePrefix="failed-")["MetricAlarms"]
        return {alarm["AlarmName"]: alarm["StateValue"] for alarm in alarms}

    quiet = {"failed-mine": "OK", "failed-another": "OK"}
    assert wait_until(lambda: states() == quiet), states()
    write_log(metric_line("Failed", 0, {"Stack": "mine"}), metric_line("Failed", 1, {"Stack": "mine"}))
    assert wait_until(lambda: states() == quiet | {"failed-mine": "ALARM"}), states()
    (message,) = wait_until(lambda: sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=1).get("Messages"))
    published = json.loads(message["Body"])
    assert published["Subject"] == 'ALARM: "failed-mine" in us-east-1'
    assert json.loads(published["Message"])["NewStateValue"] == "ALARM"
    cloudwatch.delete_alarms(AlarmNames=list(quiet))


# The value of each period, the newest first, for an alarm on values above 2 in two of three periods.
@pytest.mark.parametrize(
    ("treatment", "values", "state"),
    [
        ("notBreaching", [3, 1, 3], "ALARM"),
        ("notBreaching", [3, None, 1], "OK"),
        ("notBreaching", [None, None, None], "OK"),
        ("breaching", [3, None, 1], "ALARM"),
        ("missing", [None, None, None], "INSUFFICIENT_DATA"),
        ("missing", [3, None, 3], "ALARM"),
        ("ignore", [None, None, None], "as it was"),
    ],
)
def test_missing_data_count_as_the_alarm_says(treatment, values, state):
    alarm = {
        "ComparisonOperator": "GreaterThanThreshold",
        "Threshold": 2,
        "EvaluationPeriods": 3,
        "DatapointsToAlarm": 2,
        "TreatMissingData": treatment,
        "StateValue": "as it was",
    }
    assert state_of(alarm, values)[0] == state
