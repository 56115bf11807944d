"""The embedded AWS keeps its state over restarts, and refuses to start where it can't work, with a reason."""

import http.client
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from conftest import REPOSITORY, SERVER, Aws, free_port, start, until
from deployed import resources

from lab import namespace
from lab.aws import settings
from lab.aws.saved_state import KEPT_EXECUTIONS
from lab.aws.settings import BEING_WRITTEN
from lab.aws.start import make_machines
from lab.hosts.profiles import Profiles

WAITS = {"Type": "Wait", "Seconds": 3600, "End": True}


@pytest.fixture
def life(tmp_path):
    """Runs an embedded AWS without hosts, on the state of this test, which must end with status 0 or is killed."""
    port = free_port()
    command = [sys.executable, "-m", "lab.aws", "--no-hosts", "--port", str(port), "--state-dir", str(tmp_path)]

    @contextmanager
    def run(*more, kill=False):
        process = start([*command, *more], port, tmp_path / "aws.log")
        try:
            yield Aws(port, tmp_path)
        finally:
            if kill:
                process.kill()
            process.terminate()
            status = process.wait(timeout=300)
        assert kill or status == 0

    return run


def test_a_restart_without_hosts_answers_queries_about_the_last_run(life):
    parts = resources("code")
    kept = {name: parts[name] for name in ("Bucket", "Database", "Samples", "Workgroup", "Query", "Document")}
    outputs = {name: {"Value": {"Ref": name}} for name in ("Bucket", "Document")}
    with life() as aws:
        names = aws.deploy("Kept", kept, outputs)["Values"]
        row = json.dumps({"run_id": "r1", "stream": 7}).encode()
        aws.client("s3").put_object(Bucket=names["Bucket"], Key="samples/day=2026-11-20/x.ndjson", Body=row)

    with life() as aws:
        athena, ssm = aws.client("athena"), aws.client("ssm")
        query = athena.start_query_execution(QueryString="SELECT run_id, stream FROM bench.samples", WorkGroup="bench")
        execution = {"QueryExecutionId": query["QueryExecutionId"]}
        status = lambda: athena.get_query_execution(**execution)["QueryExecution"]["Status"]["State"]  # noqa: E731
        assert until(lambda: status() == "SUCCEEDED")
        rows = athena.get_query_results(**execution)["ResultSet"]["Rows"]
        assert [cell["VarCharValue"] for cell in rows[1]["Data"]] == ["r1", "7"]
        assert len(athena.list_named_queries(WorkGroup="bench")["NamedQueryIds"]) == 1
        assert ssm.describe_document(Name=names["Document"])["Document"]["Status"] == "Active"

        del kept["Document"], outputs["Document"]
        updated = aws.deploy("Kept", kept, outputs)
        assert (updated["StackStatus"], updated["Values"]) == ("UPDATE_COMPLETE", {"Bucket": names["Bucket"]})
        with pytest.raises(ssm.exceptions.InvalidDocument):
            ssm.describe_document(Name=names["Document"])


def test_subscriptions_alarms_metrics_and_dashboards_are_kept(life):
    metric = {"Namespace": "NetworkBenchmark", "MetricName": "FiguresChanged"}
    with life() as aws:
        sns, cloudwatch = aws.client("sns"), aws.client("cloudwatch")
        topic = sns.create_topic(Name="runs")["TopicArn"]
        sns.subscribe(TopicArn=topic, Protocol="email", Endpoint="me@example.com")
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

    with life() as aws:
        sns, cloudwatch = aws.client("sns"), aws.client("cloudwatch")
        subscriptions = sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]
        assert [one["Endpoint"] for one in subscriptions] == ["me@example.com"]
        (alarm,) = cloudwatch.describe_alarms()["MetricAlarms"]
        assert (alarm["AlarmName"], alarm["AlarmActions"]) == ("changed", [topic])
        now, hour = datetime.now(UTC), timedelta(hours=1)
        found = cloudwatch.get_metric_statistics(
            **metric, StartTime=now - hour, EndTime=now + hour, Period=60, Statistics=["Sum"]
        )
        assert [point["Sum"] for point in found["Datapoints"]] == [3]
        assert [one["DashboardName"] for one in cloudwatch.list_dashboards()["DashboardEntries"]] == ["bench"]


def test_an_execution_that_ran_when_the_lab_ended_can_be_stopped_in_the_next_one(life, tmp_path):
    with life(kill=True) as aws:
        execution = aws.start({"First": WAITS})
        aws.control("POST", "save")
        after_the_save = aws.start({"First": WAITS})
    assert not (tmp_path / BEING_WRITTEN).exists()

    written = (tmp_path / "stepfunctions.json").read_bytes()
    with life("--leave-state") as aws:
        states = aws.client("stepfunctions")
        assert states.describe_execution(executionArn=execution)["status"] == "RUNNING"
        with pytest.raises(states.exceptions.ExecutionDoesNotExist):
            states.describe_execution(executionArn=after_the_save)
        states.stop_execution(executionArn=execution, error="Lab.Interrupted")
        stopped = states.describe_execution(executionArn=execution)
        assert (stopped["status"], stopped["error"]) == ("ABORTED", "Lab.Interrupted")
    assert (tmp_path / "stepfunctions.json").read_bytes() == written


def test_a_request_that_hangs_does_not_keep_the_state_from_being_written(life):
    """From Python 3.12 on, the embedded AWS would wait for the answer: this fails only there."""
    where = {"Key": "object"}
    with life() as aws:
        aws.client("s3").create_bucket(Bucket="kept")
        fault = {"action": "s3:PutObject", "code": "InternalError", "where": where, "delay_seconds": 3600}
        aws.control("POST", "faults", fault)
        hanging = http.client.HTTPConnection(aws.endpoint_url.removeprefix("http://"))
        hanging.request("PUT", "/kept/object", b"text")
        assert until(lambda: json.loads(aws.control("GET", "faults", where))["taken"] == 1)

    with life() as aws:
        assert "kept" in [bucket["Name"] for bucket in aws.client("s3").list_buckets()["Buckets"]]


def test_the_hosts_network_follows_the_networks_that_are_kept(tmp_path):
    connections = []
    for name in ("first.log", "second.log"):
        (tmp_path / "journal.ndjson").unlink(missing_ok=True)
        port = free_port()
        process = start([sys.executable, str(SERVER), str(port), str(tmp_path)], port, tmp_path / name)
        process.terminate()
        assert process.wait(timeout=300) == 0
        journal = [json.loads(line) for line in (tmp_path / "journal.ndjson").read_text().splitlines()]
        connections.append(sorted(line["networks"] for line in journal if line["what"] == "connect"))
    assert connections[0] == connections[1] != []


def test_the_newest_executions_are_kept(life):
    with life() as aws:
        states = aws.client("stepfunctions")
        done = aws.machine({"First": {"Type": "Pass", "End": True}})
        running = aws.start({"First": WAITS})
        for number in range(KEPT_EXECUTIONS + 2):
            states.start_execution(stateMachineArn=done, name=f"e{number:03}")
        listed = {"stateMachineArn": done, "statusFilter": "SUCCEEDED", "maxResults": 1000}
        assert until(lambda: len(states.list_executions(**listed)["executions"]) == KEPT_EXECUTIONS + 2)
        aws.control("POST", "save")
        kept = {one["name"] for one in states.list_executions(**listed)["executions"]}
        assert kept == {f"e{number:03}" for number in range(2, KEPT_EXECUTIONS + 2)}
        assert states.describe_execution(executionArn=running)["status"] == "RUNNING"


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
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=600)
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
