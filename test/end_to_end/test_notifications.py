"""Runs that report themselves: messages, metrics and alarms of scheduled runs, through SNS and CloudWatch of the lab.

No host is needed: the schedule's plan is refused when it runs, and the runs of a changed history are put into the
store.
"""

from __future__ import annotations

import datetime
import json
import re
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from lab.runner.deployment import STACK_NAME, deploy, describe_deployment
from lab.runner.embedded_aws import embedded_aws
from lab.runner.paths import REPOSITORY, LabPaths

from .running_lab import Object, RunningLab, control, iperf3, pair, plan
from .shared_lab import SharedLab

# A run is due every ten seconds, and a quarter of an hour later is 15 seconds later.
WAIT_DIVISOR = 60
SCHEDULE = "rate(10 minutes)"
# Accepted when the stack is deployed, and refused when it runs.
REFUSED_PLAN = plan("nightly", [pair("c5.xlarge")], [iperf3(10)], compareTo="no-such-run")


class Reports:
    """The lab with everything that is published to the stack's topic."""

    def __init__(self, lab: RunningLab) -> None:
        self.lab = lab
        self.sqs, self.sns, self.cloudwatch, self.logs = (
            lab.client(name) for name in ("sqs", "sns", "cloudwatch", "logs")
        )
        self.published: list[Object] = []
        self.queue = self.sqs.create_queue(QueueName="mails")["QueueUrl"]
        arn = self.sqs.get_queue_attributes(QueueUrl=self.queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        allow = {"Effect": "Allow", "Principal": "*", "Action": "sqs:SendMessage", "Resource": arn}
        policy = json.dumps({"Version": "2012-10-17", "Statement": [allow]})
        self.sqs.set_queue_attributes(QueueUrl=self.queue, Attributes={"Policy": policy})
        outputs = lab.aws.cloudformation.describe_stacks(StackName=STACK_NAME)["Stacks"][0]["Outputs"]
        self.topic = next(one["OutputValue"] for one in outputs if one["OutputKey"] == "NotificationTopicArn")
        self.sns.subscribe(TopicArn=self.topic, Protocol="sqs", Endpoint=arn)

    def receive(self) -> None:
        while messages := self.sqs.receive_message(QueueUrl=self.queue, MaxNumberOfMessages=10).get("Messages", []):
            for one in messages:
                self.published.append(json.loads(one["Body"]))
                self.sqs.delete_message(QueueUrl=self.queue, ReceiptHandle=one["ReceiptHandle"])

    def message(self, subject: str, seconds: float = 600) -> str:
        """Waits for a message whose subject has this pattern, and returns its text."""

        def found() -> str | None:
            self.receive()
            return next((one["Message"] for one in self.published if re.search(subject, one["Subject"])), None)

        text: str = self.lab.wait_for(f"a message {subject}", found, seconds)
        return text

    def mail(self, body: str) -> str:
        """Waits for the mail that has this text, and returns its only file."""

        def found() -> list[str]:
            files = self.lab.aws.paths.mails.glob("*.txt")
            return [text for text in (file.read_text() for file in files) if body in text]

        (mail,) = self.lab.wait_for("a mail", found)
        text: str = mail
        return text

    def alarm(self, name: str) -> str:
        """Waits for the alarm's message and returns its description."""
        published = json.loads(self.message(rf'^ALARM: "[^"]*{name}'))
        assert published["NewStateValue"] == "ALARM"
        description: str = published["AlarmDescription"]
        return description

    def log_group(self, function: str) -> str:
        (name,) = [
            one["logGroupName"]
            for one in self.logs.describe_log_groups()["logGroups"]
            if f"Functions{function}Log" in one["logGroupName"]
        ]
        return name

    def log_lines(self, log_group: str, text: str) -> list[str]:
        events = self.logs.filter_log_events(logGroupName=log_group)["events"]
        return [one["message"] for one in events if text in one["message"]]

    def values(self, metric: str, **dimensions: str) -> list[float]:
        named = [{"Name": name, "Value": value} for name, value in {"service": STACK_NAME, **dimensions}.items()]
        stat = {
            "Metric": {"Namespace": "NetworkBenchmark", "MetricName": metric, "Dimensions": named},
            "Period": 60,
            "Stat": "Maximum",
        }
        now, hour = datetime.datetime.now(datetime.UTC), datetime.timedelta(hours=1)
        found = self.cloudwatch.get_metric_data(
            MetricDataQueries=[{"Id": "one", "MetricStat": stat}], StartTime=now - hour, EndTime=now + hour
        )
        values: list[float] = found["MetricDataResults"][0]["Values"]
        return values


@pytest.fixture(scope="module")
def reports(shared_lab: SharedLab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reports]:
    shared_lab.end()
    folder = tmp_path_factory.mktemp("lab")
    canary = folder / "canary.json"
    canary.write_text(json.dumps(REFUSED_PLAN))
    context = {"notify": "somebody@example.com", "canarySchedule": SCHEDULE, "canaryPlan": str(canary)}
    paths = LabPaths(folder)
    paths.renew()
    with embedded_aws(paths, with_hosts=False, wait_divisor=WAIT_DIVISOR) as aws:
        # No scheduled run starts until the fault is taken away.
        fault = {"action": "states:StartExecution", "code": "AccessDeniedException", "times": None}
        control("faults", json.dumps(fault).encode())
        deploy(aws, context)
        yield Reports(RunningLab(aws, describe_deployment(aws)))


def test_a_run_that_does_not_start_and_one_that_fails_are_alarms(reports: Reports) -> None:
    assert reports.alarm("ScheduledRunNotStarted").endswith("See docs/runbook.md#scheduled-run-not-started")
    machine = reports.lab.deployment.run_state_machine_arn
    executions = reports.lab.aws.stepfunctions.list_executions
    assert executions(stateMachineArn=machine)["executions"] == []

    reports.lab.clear_faults()
    body = reports.message("^Network Bench: nightly: refused$")
    run_id = re.match(r'The scheduled run of the plan "nightly" \((scheduled-[0-9a-f]+)\) was refused', body)
    assert run_id, body
    assert run_id[1] in [one["name"] for one in executions(stateMachineArn=machine)["executions"]]
    assert "no-such-run" in body
    mail = reports.mail(body)
    assert "\nTo: somebody@example.com\n" in mail
    assert "\nSubject: Network Bench: nightly: refused\n\nThe scheduled run of the plan" in mail
    assert reports.alarm("ScheduledRunFailed").endswith("See docs/runbook.md#scheduled-run-failed")
    assert 1 in reports.values("ScheduledRunsFailed")


def test_a_change_in_the_history_is_named_measured_and_an_alarm(reports: Reports) -> None:
    command = ["node_modules/.bin/tsx", "test/support/write-planted-runs.ts"]
    printed = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
    documents: dict[str, Any] = json.loads(printed)
    for key, content in documents.items():
        reports.lab.aws.s3.put_object(Bucket=reports.lab.deployment.bucket, Key=key, Body=json.dumps(content))

    subject = r"Network Bench: planted: complete, baseline of c5\.xlarge to c5\.9xlarge fell by 1[89] %"
    body = reports.message(f"^{subject}$")
    assert re.search(r"Baseline of c5\.xlarge to c5\.9xlarge fell by 1[89] %, from 1\.2\d to 1\.0\d Gbit/s", body), body
    assert re.search(f"\nSubject: {subject}\n", reports.mail(body))
    assert reports.alarm("FiguresChanged").endswith("See docs/runbook.md#figures-changed")
    assert 1 in reports.values("FiguresChanged")
    metrics = reports.cloudwatch.list_metrics(Namespace="NetworkBenchmark", MetricName="Baseline")["Metrics"]
    (dimensions,) = [{one["Name"]: one["Value"] for one in metric["Dimensions"]} for metric in metrics]
    assert (dimensions["Client"], dimensions["Server"]) == ("c5.xlarge", "c5.9xlarge")
    del dimensions["service"]
    assert reports.values("Baseline", **dimensions) == [pytest.approx(1.02e9, rel=0.01)]

    # Another event about the same report counts and sends nothing again.
    last = next(key for key in documents if key.endswith("report.html"))
    log_group = reports.log_group("PublishRun")
    published = len(reports.log_lines(log_group, "announced by another event"))
    reports.lab.aws.s3.put_object(Bucket=reports.lab.deployment.bucket, Key=last, Body=b"again")
    reports.lab.wait_for(
        "a second event about the report",
        lambda: len(reports.log_lines(log_group, "announced by another event")) > published,
    )
    reports.receive()
    assert len([one for one in reports.published if re.search(subject, one["Subject"])]) == 1


def test_a_closing_that_fails_each_time_is_in_the_queue_of_undelivered_events(reports: Reports) -> None:
    lab, sqs = reports.lab, reports.sqs
    (queue,) = sqs.list_queues(QueueNamePrefix=f"{STACK_NAME}-OperationsUndelivered")["QueueUrls"]
    sqs.purge_queue(QueueUrl=queue)  # of the scheduled run that was not started
    lab.break_function("close-months", "Runtime.ExitError", times=3)
    event = {"source": "aws.events", "detail-type": "Scheduled Event"}
    function = lab.function_name("close-months")
    # EventBridge invokes its target in the same way, and Lambda tries it twice more.
    lab.functions.invoke(FunctionName=function, InvocationType="Event", Payload=json.dumps(event))

    asked = {"QueueUrl": queue, "MessageAttributeNames": ["All"]}
    (message,) = lab.wait_for("a message about it", lambda: sqs.receive_message(**asked).get("Messages"))
    assert json.loads(message["Body"]) == event
    assert "exit status 1" in message["MessageAttributes"]["ErrorMessage"]["StringValue"]
    # What a user does once the reason is gone.
    lab.invoke("close-months", event)


def test_the_dashboard_searches_for_metrics_that_are_written(reports: Reports) -> None:
    body = json.loads(reports.cloudwatch.get_dashboard(DashboardName=STACK_NAME)["DashboardBody"])
    expressions = [
        item["expression"]
        for widget in body["widgets"]
        for row in widget["properties"].get("metrics", [])
        for item in row
        if isinstance(item, dict) and "expression" in item
    ]
    searched = {}
    for expression in expressions:
        schema, name = re.match(r"SEARCH\('\{([^}]*)\} MetricName=\"(\w+)\"", expression).groups()
        searched[name] = set(schema.split(",")[1:])
    written = {
        metric["MetricName"]: {one["Name"] for one in metric["Dimensions"]}
        for metric in reports.cloudwatch.list_metrics(Namespace="NetworkBenchmark")["Metrics"]
    }
    for name in ("Baseline", "Burst", "ThrottleOnset", "Bucket"):
        assert searched[name] == written[name]
