"""The embedded AWS keeps its state over restarts, and refuses to start where it can't work, with a reason."""

import http.client
import json
import os
import subprocess
import sys
import urllib.request
from datetime import UTC, datetime, timedelta
from functools import partial

import boto3
import pytest
from conftest import REPOSITORY, SERVER, free_port, start, until
from deployed import template

from lab import namespace
from lab.aws import settings
from lab.aws.fleet import make_machines
from lab.aws.saved_state import KEPT_EXECUTIONS
from lab.aws.settings import BEING_WRITTEN
from lab.hosts.profiles import Profiles


def without_hosts(state):
    """Returns the port and the command of an embedded AWS with this folder of state, and what makes its clients."""
    port = free_port()
    command = [sys.executable, "-m", "lab.aws", "--no-hosts", "--port", str(port), "--state-dir", str(state)]
    credentials = {"aws_access_key_id": "lab", "aws_secret_access_key": "lab", "region_name": "us-east-1"}
    return port, command, partial(boto3.client, endpoint_url=f"http://127.0.0.1:{port}", **credentials)


def test_a_restart_without_hosts_answers_queries_about_the_last_run(tmp_path):
    port, command, client = without_hosts(tmp_path / "state")
    process = start(command, port, tmp_path / "first.log")
    try:
        client("s3").create_bucket(Bucket="code")
        resources = template("code")["Resources"]
        kept = {name: resources[name] for name in ("Bucket", "Database", "Samples", "Workgroup", "Query", "Document")}
        body = json.dumps({"Resources": kept, "Outputs": {"Bucket": {"Value": {"Ref": "Bucket"}}}})
        client("cloudformation").create_stack(StackName="Kept", TemplateBody=body)
        stack = until(lambda: complete(client("cloudformation").describe_stacks(StackName="Kept")["Stacks"][0]))
        bucket = stack["Outputs"][0]["OutputValue"]
        row = json.dumps({"run_id": "r1", "stream": 7}).encode()
        client("s3").put_object(Bucket=bucket, Key="samples/day=2026-11-20/x.ndjson", Body=row)
    finally:
        process.terminate()
        assert process.wait(timeout=60) == 0

    process = start(command, port, tmp_path / "second.log")
    try:
        athena = client("athena")
        query = athena.start_query_execution(QueryString="SELECT run_id, stream FROM bench.samples", WorkGroup="bench")
        query_id = query["QueryExecutionId"]
        assert until(
            lambda: (
                athena.get_query_execution(QueryExecutionId=query_id)["QueryExecution"]["Status"]["State"]
                == "SUCCEEDED"
            )
        )
        rows = athena.get_query_results(QueryExecutionId=query_id)["ResultSet"]["Rows"]
        assert [cell["VarCharValue"] for cell in rows[1]["Data"]] == ["r1", "7"]
        assert len(athena.list_named_queries(WorkGroup="bench")["NamedQueryIds"]) == 1
        names = [
            item["PhysicalResourceId"]
            for item in client("cloudformation").list_stack_resources(StackName="Kept")["StackResourceSummaries"]
            if item["ResourceType"] == "AWS::SSM::Document"
        ]
        assert client("ssm").describe_document(Name=names[0])["Document"]["Status"] == "Active"

        del kept["Document"]
        changed = json.dumps({"Resources": kept, "Outputs": {"Bucket": {"Value": {"Ref": "Bucket"}}}})
        client("cloudformation").update_stack(StackName="Kept", TemplateBody=changed)
        updated = until(lambda: complete(client("cloudformation").describe_stacks(StackName="Kept")["Stacks"][0]))
        assert updated["Outputs"][0]["OutputValue"] == bucket
        with pytest.raises(client("ssm").exceptions.InvalidDocument):
            client("ssm").describe_document(Name=names[0])
    finally:
        process.terminate()
        process.wait(timeout=60)


def test_subscriptions_alarms_metrics_and_dashboards_are_kept(tmp_path):
    port, command, client = without_hosts(tmp_path)
    process = start(command, port, tmp_path / "first.log")
    try:
        topic = client("sns").create_topic(Name="runs")["TopicArn"]
        client("sns").subscribe(TopicArn=topic, Protocol="email", Endpoint="me@example.com")
        cloudwatch = client("cloudwatch")
        metric = {"Namespace": "NetworkBenchmark", "MetricName": "FiguresChanged"}
        cloudwatch.put_metric_alarm(
            AlarmName="changed",
            **metric,
            Statistic="Sum",
            Period=900,
            EvaluationPeriods=1,
            Threshold=1,
            ComparisonOperator="GreaterThanOrEqualToThreshold",
            AlarmActions=[topic],
        )
        data = [{"MetricName": metric["MetricName"], "Value": 3}]
        cloudwatch.put_metric_data(Namespace=metric["Namespace"], MetricData=data)
        cloudwatch.put_dashboard(DashboardName="bench", DashboardBody='{"widgets": []}')
    finally:
        process.terminate()
        assert process.wait(timeout=60) == 0

    process = start(command, port, tmp_path / "second.log")
    try:
        subscriptions = client("sns").list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]
        assert [one["Endpoint"] for one in subscriptions] == ["me@example.com"]
        cloudwatch = client("cloudwatch")
        (alarm,) = cloudwatch.describe_alarms()["MetricAlarms"]
        assert (alarm["AlarmName"], alarm["AlarmActions"]) == ("changed", [topic])
        now, hour = datetime.now(UTC), timedelta(hours=1)
        found = cloudwatch.get_metric_statistics(
            **metric, StartTime=now - hour, EndTime=now + hour, Period=60, Statistics=["Sum"]
        )
        assert [point["Sum"] for point in found["Datapoints"]] == [3]
        assert [one["DashboardName"] for one in cloudwatch.list_dashboards()["DashboardEntries"]] == ["bench"]
    finally:
        process.terminate()
        process.wait(timeout=60)


def test_an_execution_that_ran_when_the_lab_ended_can_be_stopped_in_the_next_one(tmp_path):
    port, command, client = without_hosts(tmp_path)
    states = client("stepfunctions")
    process = start(command, port, tmp_path / "first.log")
    try:
        wait = {"Type": "Wait", "Seconds": 3600, "End": True}
        definition = json.dumps({"QueryLanguage": "JSONata", "StartAt": "Wait", "States": {"Wait": wait}})
        role = "arn:aws:iam::000000000000:role/r"
        machine = states.create_state_machine(name="m", definition=definition, roleArn=role)["stateMachineArn"]
        execution = states.start_execution(stateMachineArn=machine, name="run")["executionArn"]
        save = urllib.request.Request(f"http://127.0.0.1:{port}/_lab/save", method="POST")
        urllib.request.urlopen(save, timeout=60).close()
        states.start_execution(stateMachineArn=machine, name="after-the-save")
    finally:
        process.kill()
        process.wait(timeout=60)
    assert not (tmp_path / BEING_WRITTEN).exists()

    written = (tmp_path / "stepfunctions.json").read_bytes()
    process = start([*command, "--leave-state"], port, tmp_path / "second.log")
    try:
        running = states.list_executions(stateMachineArn=machine, statusFilter="RUNNING")["executions"]
        assert [one["name"] for one in running] == ["run"]
        states.stop_execution(executionArn=execution, error="Lab.Interrupted")
        stopped = states.describe_execution(executionArn=execution)
        assert (stopped["status"], stopped["error"]) == ("ABORTED", "Lab.Interrupted")
    finally:
        process.terminate()
        assert process.wait(timeout=60) == 0
    assert (tmp_path / "stepfunctions.json").read_bytes() == written


def test_a_request_that_hangs_does_not_keep_the_state_from_being_written(tmp_path):
    """From Python 3.12 on, the embedded AWS would wait for the answer: this fails only there."""
    port, command, client = without_hosts(tmp_path)
    process = start(command, port, tmp_path / "first.log")
    try:
        client("s3").create_bucket(Bucket="kept")
        where = {"Key": "object"}
        fault = {"action": "s3:PutObject", "code": "InternalError", "where": where, "delay_seconds": 3600}
        body = json.dumps(fault).encode()
        urllib.request.urlopen(f"http://127.0.0.1:{port}/_lab/faults", body, timeout=60).close()
        hanging = http.client.HTTPConnection("127.0.0.1", port)
        hanging.request("PUT", "/kept/object", b"text")
        taken = urllib.request.Request(f"http://127.0.0.1:{port}/_lab/faults", json.dumps(where).encode(), method="GET")
        until(lambda: json.load(urllib.request.urlopen(taken, timeout=60))["taken"] == 1)
    finally:
        process.terminate()
        assert process.wait(timeout=60) == 0

    process = start(command, port, tmp_path / "second.log")
    try:
        assert "kept" in [bucket["Name"] for bucket in client("s3").list_buckets()["Buckets"]]
    finally:
        process.terminate()
        process.wait(timeout=60)


def test_the_hosts_network_follows_the_networks_that_are_kept(tmp_path):
    connections = []
    for name in ("first.log", "second.log"):
        (tmp_path / "journal.ndjson").unlink(missing_ok=True)
        port = free_port()
        process = start([sys.executable, str(SERVER), str(port), str(tmp_path)], port, tmp_path / name)
        process.terminate()
        assert process.wait(timeout=60) == 0
        journal = [json.loads(line) for line in (tmp_path / "journal.ndjson").read_text().splitlines()]
        connections.append(sorted(line["networks"] for line in journal if line["what"] == "connect"))
    assert connections[0] == connections[1] != []


def test_the_newest_executions_are_kept(tmp_path):
    port = free_port()
    command = [sys.executable, "-m", "lab.aws", "--no-hosts", "--port", str(port), "--state-dir", str(tmp_path)]
    credentials = {"aws_access_key_id": "lab", "aws_secret_access_key": "lab", "region_name": "us-east-1"}
    states = boto3.client("stepfunctions", endpoint_url=f"http://127.0.0.1:{port}", **credentials)
    process = start(command, port, tmp_path / "first.log")
    try:
        role = "arn:aws:iam::000000000000:role/r"
        machines = [
            states.create_state_machine(name=state["Type"], definition=definition_of(state), roleArn=role)
            for state in ({"Type": "Pass", "End": True}, {"Type": "Wait", "Seconds": 3600, "End": True})
        ]
        done, running = (machine["stateMachineArn"] for machine in machines)
        states.start_execution(stateMachineArn=running, name="runs")
        for number in range(KEPT_EXECUTIONS + 2):
            states.start_execution(stateMachineArn=done, name=f"e{number:03}")
        listed = {"stateMachineArn": done, "statusFilter": "SUCCEEDED", "maxResults": 1000}
        until(lambda: len(states.list_executions(**listed)["executions"]) == KEPT_EXECUTIONS + 2)
        save = urllib.request.Request(f"http://127.0.0.1:{port}/_lab/save", method="POST")
        urllib.request.urlopen(save, timeout=60).close()
        kept = {one["name"] for one in states.list_executions(**listed)["executions"]}
        assert kept == {f"e{number:03}" for number in range(2, KEPT_EXECUTIONS + 2)}
        assert len(states.list_executions(stateMachineArn=running)["executions"]) == 1
    finally:
        process.terminate()
        process.wait(timeout=60)


def definition_of(state):
    return json.dumps({"QueryLanguage": "JSONata", "StartAt": "Only", "States": {"Only": state}})


def complete(stack):
    return stack if stack["StackStatus"] in ("CREATE_COMPLETE", "UPDATE_COMPLETE") else None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "--work-dir: must be given unless --no-hosts is"),
        (["--work-dir", "hosts"], "hosts: must be inside the lab's namespaces"),
    ],
)
def test_hosts_need_a_folder_and_the_lab_s_namespaces(tmp_path, arguments, sentence):
    command = [sys.executable, "-m", "lab.aws", "--state-dir", str(tmp_path), *arguments]
    environment = {key: value for key, value in os.environ.items() if key != namespace.INSIDE_VARIABLE}
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    assert sentence in done.stderr


def test_without_hosts_whatever_needs_a_host_is_refused():
    fleet, agent = make_machines(None, 4566, Profiles.load(), 1)
    fleet.connect_networks("vpc-1", "vpc-2")
    fleet.destroy_host("i-1")
    for act in (lambda: fleet.kill_host("i-1"), lambda: agent.cancel("command", "i-1")):
        with pytest.raises(RuntimeError, match="must be in a lab with hosts, got --no-hosts"):
            act()
    fleet.close()


def test_another_version_of_ministack_is_refused(monkeypatch):
    monkeypatch.setattr(settings.importlib.metadata, "version", lambda _: "9.9.9")
    with pytest.raises(settings.IncompatibleMinistackError, match="must be version 1.5.33.* got 9.9.9"):
        settings.check_version()
