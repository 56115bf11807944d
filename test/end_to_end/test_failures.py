"""Failures that the tests cause: a host dies, a run is stopped, events come twice, a plan is invalid.

What a run waits for may take long where several of them share the machine, so a measurement that a test ends by itself
is planned far longer than it will last.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
import uuid
from datetime import UTC, datetime, timedelta

from faults.readable import complaint
from lab.runner.deployment import STACK_NAME
from lab.runner.paths import REPOSITORY
from lab.runner.run_plan import RunResult

from .at_once import at_once_with_others
from .running_lab import RunningLab, iperf3, pair, plan

# Its hosts are small, so that several runs at once neither need all of the machine nor of the account's vCPUs.
STEADY = "m4.xlarge"
# A sweep removes and reports whatever has been left, so that each test does so in its turn.
SWEEPS = threading.Lock()
# One second of one of iperf3's streams.
INTERVAL = re.compile(r"\[ *\d+\] +(?P<start>\d+)\.\d+-\d+\.\d+ +sec .* Kbits/sec +\d+ +\S+ \w?Bytes")


@at_once_with_others
def test_a_killed_host_leaves_what_it_measured_and_does_not_stop_the_other_pair(lab: RunningLab) -> None:
    seconds = 60
    arn = lab.start(plan("killed host", [pair(STEADY), pair(STEADY)], [iperf3(seconds)], concurrency=2))
    run_id = lab.run_id(arn)
    client = lab.hosts(run_id, "p0001")["client"]["instanceId"]
    lab.wait_for("two chunks of the client", lambda: len(_chunks(lab, run_id, "client")) >= 2)
    uploaded = [row for key in _chunks(lab, run_id, "client") for row in lab.rows(key)]
    lab.kill_host(client)

    result = lab.follow(arn)

    assert (result.status, result.error) == ("FAILED", "RunIncomplete")
    summary = result.summary
    assert summary is not None
    assert summary["outcome"] == "incomplete"
    assert {p["pairId"]: p["status"] for p in summary["pairs"]} == {"p0001": "failed", "p0002": "complete"}
    assert client in next(p["reason"] for p in summary["pairs"] if p["pairId"] == "p0001")
    killed, whole = sorted(summary["measurements"], key=lambda m: m["measurementId"])
    assert killed["status"] == "truncated"
    assert killed["verdict"]["kind"] in ("steady", "insufficient")
    assert whole["status"] == "complete"
    assert lab.measured_seconds(run_id, "p0002-m01") == list(range(seconds))

    # Every interval that was uploaded before the kill is measured, without a gap. (That lines are uploaded within ten
    # seconds is tested with the streamer, by a clock that the test moves.)
    measured = lab.measured_seconds(run_id, "p0001-m01")
    assert measured == list(range(len(measured)))
    intervals = [INTERVAL.match(row.get("line", "")) for row in uploaded]
    seconds_uploaded = {match["start"] for match in intervals if match}
    assert len(measured) >= len(seconds_uploaded) > 0

    assert lab.instances_left(run_id) == []


@at_once_with_others
def test_a_killed_document_worker_ends_its_tool_and_leaves_what_it_measured(lab: RunningLab) -> None:
    seconds = 120
    arn = lab.start(plan("dead worker", [pair(STEADY)], [iperf3(seconds)]))
    run_id = lab.run_id(arn)
    client = lab.hosts(run_id, "p0001")["client"]["instanceId"]
    lab.wait_for("two chunks of the client", lambda: len(_chunks(lab, run_id, "client")) >= 2)
    # The worker of this script itself is younger.
    _run_on(lab, client, ["pkill -KILL --oldest -f '[s]sm-document-worker'"])

    result = lab.follow(arn)

    assert (result.status, result.error) == ("FAILED", "RunIncomplete")
    assert result.summary is not None
    (killed,) = result.summary["measurements"]
    assert killed["status"] == "truncated"
    assert f"measure-iperf3 on client {client}: document process failed unexpectedly: " in killed["reason"]
    assert complaint(killed["reason"]) is None
    # The tool did not go on to its end, and what it printed before is whole.
    measured = lab.measured_seconds(run_id, "p0001-m01")
    assert measured == list(range(len(measured)))
    assert 0 < len(measured) < seconds
    manifests = [key for key in lab.keys("raw/") if f"/{run_id}/p0001-m01/client/" in key and "_COMPLETE" in key]
    assert len(manifests) == 1
    assert lab.instances_left(run_id) == []


@at_once_with_others
def test_a_full_disk_costs_no_sample_and_garbage_becomes_none(lab: RunningLab) -> None:
    seconds = 15
    # While a pair's ping goes on, its client is broken for iperf3.
    measurements = [{"tool": "ping", "count": 100}, iperf3(seconds)]
    arn = lab.start(plan("broken clients", [pair(STEADY), pair(STEADY)], measurements, concurrency=2))
    run_id = lab.run_id(arn)
    spool, tool = (f"/var/lib/network-benchmark/spool/{run_id}/p0001-m02", "/usr/local/sbin/iperf3")
    fill_disk = [
        f"mkdir -p {spool} && mount -t tmpfs -o size=4k tmpfs {spool}",
        f"head -c 4096 /dev/zero >{spool}/fill",
    ]
    print_garbage = [
        f"cat >{tool} <<'END'",
        "#!/bin/sh",
        '[ "$1" = --version ] && exec /usr/bin/iperf3 --version',
        "head -c 50000 /dev/urandom",
        "for i in $(seq 0 9); do",
        '  echo "[  5]   $i.00-$((i + 1)).00   sec  1.00 MBytes  -1e99 Kbits/sec    0   1 KBytes"',
        "  sleep 1",
        "done",
        "END",
        f"chmod 755 {tool}",
    ]
    for pair_id, commands in (("p0001", fill_disk), ("p0002", print_garbage)):
        lab.wait_for("a chunk of ping", lambda of=pair_id: _chunks(lab, run_id, "client", f"{of}-m01"))
        client = lab.hosts(run_id, pair_id)["client"]["instanceId"]
        command_id = _run_on(lab, client, commands)
        lab.wait_for("the client to be broken", lambda of=(command_id, client): _has_succeeded(lab, *of))

    result = lab.follow(arn)

    assert (result.status, result.error) == ("FAILED", "RunIncomplete")
    assert result.summary is not None
    measured = {one["measurementId"]: one for one in result.summary["measurements"]}
    assert {one: of["status"] for one, of in measured.items()} == {
        "p0001-m01": "complete",
        "p0001-m02": "complete",
        "p0002-m01": "complete",
        "p0002-m02": "failed",
    }
    assert lab.measured_seconds(run_id, "p0001-m02") == list(range(seconds))
    garbage = measured["p0002-m02"]
    assert garbage["verdict"] is None or garbage["verdict"]["kind"] == "insufficient", garbage
    assert garbage["statistics"] == {}, garbage


def _run_on(lab: RunningLab, instance_id: str, commands: list[str]) -> str:
    """Starts shell commands on a host by a document of their own, and returns the id of the command."""
    step = {"action": "aws:runShellScript", "name": "commands", "inputs": {"runCommand": commands}}
    ssm = lab.aws.session.client("ssm", endpoint_url=lab.aws.endpoint_url)
    content = json.dumps({"schemaVersion": "2.2", "mainSteps": [step]})
    name = f"test-{uuid.uuid4()}"
    ssm.create_document(Name=name, DocumentType="Command", Content=content)
    command_id: str = ssm.send_command(DocumentName=name, InstanceIds=[instance_id])["Command"]["CommandId"]
    return command_id


def _has_succeeded(lab: RunningLab, command_id: str, instance_id: str) -> bool:
    ssm = lab.aws.session.client("ssm", endpoint_url=lab.aws.endpoint_url)
    invocation = ssm.get_command_invocation(CommandId=command_id, InstanceId=instance_id)
    return bool(invocation["Status"] == "Success")


@at_once_with_others
def test_a_measurement_outlives_a_service_that_does_not_answer_while_it_is_looked_at(lab: RunningLab) -> None:
    seconds = 15
    arn = lab.start(plan("no answer", [pair(STEADY)], [iperf3(seconds)]))
    run_id = lab.run_id(arn)
    lab.wait_for("a chunk of the client", lambda: _chunks(lab, run_id, "client"))
    # One look is six requests: the first look fails, and the second one after its retries does not.
    of_run = {"about": f"*{run_id}*", "caller": "states"}
    lab.fault("ssm:ListCommandInvocations", "ThrottlingException", times=8, where=of_run)

    result = lab.follow(arn)

    assert (result.status, result.error) == ("SUCCEEDED", None)
    assert lab.times_met(of_run) == 8
    assert lab.measured_seconds(run_id, "p0001-m01") == list(range(seconds))


@at_once_with_others
def test_hosts_run_the_latest_version_of_a_document_that_an_update_has_not_made_the_default(lab: RunningLab) -> None:
    ssm = lab.aws.session.client("ssm", endpoint_url=lab.aws.endpoint_url)
    name = f"{STACK_NAME}-prepare-host"
    content = json.loads(ssm.get_document(Name=name)["Content"])
    # The hosts of other tests may run this version, too, which does no more than the first.
    content["mainSteps"][0]["inputs"]["runCommand"].append("echo 'of the second version' >&2")
    ssm.update_document(Name=name, DocumentVersion="$LATEST", Content=json.dumps(content))
    assert ssm.describe_document(Name=name)["Document"]["DefaultVersion"] == "1"

    arn = lab.start(plan("updated", [pair(STEADY)], [iperf3(5)]))
    client = lab.hosts(lab.run_id(arn), "p0001")["client"]["instanceId"]
    result = lab.follow(arn)

    assert result.status == "SUCCEEDED", result.cause
    invocations = ssm.list_command_invocations(InstanceId=client, Details=True)["CommandInvocations"]
    (prepared,) = [one for one in invocations if one["DocumentName"] == name]
    assert "of the second version" in prepared["CommandPlugins"][0]["Output"]


@at_once_with_others
def test_a_stopped_run_stops_its_pairs_and_keeps_what_they_measured(lab: RunningLab) -> None:
    arn = lab.start(plan("stopped run", [pair(STEADY), pair(STEADY)], [iperf3(600)], concurrency=2))
    run_id = lab.run_id(arn)
    for measurement_id in ("p0001-m01", "p0002-m01"):
        lab.wait_for("two chunks of the server", lambda of=measurement_id: len(_chunks(lab, run_id, "server", of)) >= 2)
    assert len(lab.instances_left(run_id)) == 4

    lab.aws.stepfunctions.stop_execution(executionArn=arn, error="Stopped", cause="by the test")

    stopped = {"p0001": "ABORTED", "p0002": "ABORTED"}
    lab.wait_for("the pairs' executions to be stopped", lambda: lab.pair_executions(run_id) == stopped)
    lab.wait_for("the instances to be gone", lambda: lab.instances_left(run_id) == [])
    summary_key = f"reports/{run_id}/summary.json"
    # The report is the last that is written of a run; before it, the run is folded.
    lab.wait_for("a report", lambda: f"reports/{run_id}/report.html" in lab.keys(f"reports/{run_id}/"))
    summary = json.loads(lab.read(summary_key))
    assert (summary["outcome"], summary["interruptedReason"]) == (
        "incomplete",
        "the run was stopped: Stopped: by the test",
    )
    assert [one["measurementId"] for one in summary["measurements"]] == ["p0001-m01", "p0002-m01"]
    for measurement in summary["measurements"]:
        assert measurement["status"] == "truncated"
        assert measurement["reason"].startswith("the pair's execution was stopped")
        assert measurement["verdict"]["kind"]
        assert len(lab.measured_seconds(run_id, measurement["measurementId"])) > 0


@at_once_with_others
def test_chunk_events_may_arrive_twice_and_in_reverse_order(lab: RunningLab) -> None:
    seconds = 15
    arn = lab.start(plan("redelivered", [pair(STEADY)], [iperf3(seconds)]))
    run_id = lab.run_id(arn)
    assert lab.follow(arn).status == "SUCCEEDED"
    live = (
        "SELECT count(*), count(DISTINCT start_seconds) FROM live_samples "
        f"WHERE run_id = '{run_id}' AND metric = 'throughput'"
    )
    complete = [[str(seconds), str(seconds)]]
    lab.wait_for("all live samples", lambda: lab.query(live) == complete)

    chunks = lab.raw_chunk_keys(run_id, "p0001-m01")
    assert len(chunks) >= 4
    for key in sorted(chunks, reverse=True) * 2:
        event = {
            "source": "aws.s3",
            "detail-type": "Object Created",
            "detail": {"bucket": {"name": lab.deployment.bucket}, "object": {"key": key}},
        }
        lab.invoke("ingest-chunk", event)

    assert lab.query(live) == complete
    assert lab.measured_seconds(run_id, "p0001-m01") == list(range(seconds))


@at_once_with_others
def test_the_sweeper_removes_what_no_running_execution_owns(lab: RunningLab) -> None:
    with SWEEPS:
        arn = lab.start(plan("kept by the sweeper", [pair(STEADY)], [iperf3(60)]))
        _sweep_beside(lab, lab.run_id(arn))
    assert lab.follow(arn).status == "SUCCEEDED"


def _sweep_beside(lab: RunningLab, run_id: str) -> None:
    owned = lab.hosts(run_id, "p0001")
    template = lab.ec2.describe_launch_templates()["LaunchTemplates"][0]
    reservation = lab.ec2.describe_instances(InstanceIds=[owned["client"]["instanceId"]])["Reservations"][0]
    groups = [group["GroupId"] for group in reservation["Instances"][0]["SecurityGroups"]]
    launched = lab.ec2.run_instances(
        LaunchTemplate={"LaunchTemplateId": template["LaunchTemplateId"]},
        ImageId=owned["client"]["imageId"],
        InstanceType="m5.large",
        MinCount=1,
        MaxCount=1,
        NetworkInterfaces=[{"DeviceIndex": 0, "SubnetId": owned["client"]["subnetId"], "Groups": groups}],
        TagSpecifications=[
            {
                "ResourceType": "instance",
                "Tags": [
                    {"Key": "network-benchmark:stack", "Value": STACK_NAME},
                    {"Key": "network-benchmark:run-id", "Value": "gone"},
                    {"Key": "network-benchmark:pair-id", "Value": "p0001"},
                    {"Key": "network-benchmark:expires-at", "Value": "2099-01-01T00:00:00.000Z"},
                ],
            }
        ],
    )
    assert lab.instances_left("gone") == [launched["Instances"][0]["InstanceId"]]

    lab.invoke("sweep-orphans", {})

    lab.wait_for("the orphan to be gone", lambda: lab.instances_left("gone") == [])
    assert len(lab.instances_left(run_id)) == 2


@at_once_with_others
def test_the_sweeper_has_a_run_reported_of_which_no_event_came_and_nothing_is_left(lab: RunningLab) -> None:
    arn = lab.start(plan("no event", [pair(STEADY)], [iperf3(600)]))
    run_id = lab.run_id(arn)
    lab.wait_for("two chunks of the server", lambda: len(_chunks(lab, run_id, "server")) >= 2)
    with SWEEPS:
        lab.break_event("Step Functions Execution Status Change", "Lost", times=None, where={"name": f"{run_id}*"})
        lab.aws.stepfunctions.stop_execution(executionArn=arn, error="Stopped", cause="by the test")
        for instance_id in lab.instances_left(run_id):
            lab.kill_host(instance_id)
        lab.wait_for("the instances to be gone", lambda: lab.instances_left(run_id) == [])
        report_key = f"reports/{run_id}/report.html"
        assert lab.keys(report_key) == []

        report = lab.invoke("sweep-orphans", {})

        assert [name for name in report["orphans"] if run_id in name] == []
        lab.wait_for("a report", lambda: lab.keys(report_key) == [report_key])
    summary = json.loads(lab.read(f"reports/{run_id}/summary.json"))
    assert summary["interruptedReason"] == "the run was stopped: Stopped: by the test"
    assert len(lab.measured_seconds(run_id, "p0001-m01")) > 0


@at_once_with_others
def test_one_sweep_removes_and_reports_a_run_of_which_no_event_came_and_none_brings_it_back(lab: RunningLab) -> None:
    arn = lab.start(plan("only sweeps", [pair(STEADY, placement="cluster")], [iperf3(600)]))
    run_id = lab.run_id(arn)
    lab.wait_for("two chunks of the server", lambda: len(_chunks(lab, run_id, "server")) >= 2)
    with SWEEPS:
        lab.break_event("Step Functions Execution Status Change", "Lost", times=None, where={"name": f"{run_id}*"})
        lab.aws.stepfunctions.stop_execution(executionArn=arn, error="Stopped", cause="by the test")
        # As long as the pair's execution runs, the sweeper leaves what belongs to it.
        lab.wait_for("the pair's execution to end", lambda: "RUNNING" not in lab.pair_executions(run_id).values())
        assert _groups_left(lab, run_id)
        # A group can't be deleted before its hosts have ended, which on a busy machine may take less than the sweep.
        lab.refuse("DeletePlacementGroup", "InvalidPlacementGroup.InUse", times=1)

        report = lab.invoke("sweep-orphans", {})

        assert len([name for name in report["remaining"] if name.startswith("placement group ")]) == 1
        report_key = f"reports/{run_id}/report.html"
        lab.wait_for("a report", lambda: lab.keys(report_key) == [report_key])
        lab.wait_for("its hosts and their group to be gone", lambda: not _groups_left(lab, run_id))
        assert lab.instances_left(run_id) == []

        for key in lab.keys(f"reports/{run_id}/"):
            lab.aws.s3.delete_object(Bucket=lab.deployment.bucket, Key=key)
        machine = lab.deployment.run_state_machine_arn
        lab.invoke("reap-run", {"detail": {"stateMachineArn": machine, "name": run_id}})
        assert lab.keys(f"reports/{run_id}/") == []


def test_the_sweeper_alone_reports_a_run_that_was_stopped_before_its_plan_was_stored(lab: RunningLab) -> None:
    lab.refuse("ssm:GetParameter", "ThrottlingException", times=1_000)
    arn = lab.start(plan("no plan", [pair(STEADY)], [iperf3(15)]))
    run_id = lab.run_id(arn)
    lab.break_event("Step Functions Execution Status Change", "Lost", times=None, where={"name": run_id})
    lab.aws.stepfunctions.stop_execution(executionArn=arn, error="Stopped", cause="by the test")
    lab.clear_faults()
    assert lab.keys(f"reports/{run_id}/") == []

    lab.invoke("sweep-orphans", {})

    report_key = f"reports/{run_id}/report.html"
    lab.wait_for("a report", lambda: lab.keys(report_key) == [report_key])
    summary = json.loads(lab.read(f"reports/{run_id}/summary.json"))
    assert summary["interruptedReason"] == "the run was stopped: Stopped: by the test"


def _groups_left(lab: RunningLab, run_id: str) -> list[str]:
    filters = [{"Name": "tag:network-benchmark:run-id", "Values": [run_id]}]
    return [group["GroupName"] for group in lab.ec2.describe_placement_groups(Filters=filters)["PlacementGroups"]]


def test_an_invalid_plan_is_rejected_as_a_whole_before_any_launch(lab: RunningLab) -> None:
    bad = plan(
        "bad; rm -rf /",
        [
            pair("c5.nosuch"),
            pair("c5.xlarge", zoneRelation="other_zone", placement="cluster"),
            pair("m8g.large", zoneRelation="other_zone"),
        ],
        [iperf3(1), iperf3(30, bogus=True)],
    )
    arn = lab.start(bad)

    result = lab.follow(arn)

    assert (result.status, result.error) == ("FAILED", "InvalidPlanError")
    assert result.cause is not None
    for path in ("plan.name", "plan.measurements[0].durationSeconds", "plan.measurements[1]"):
        assert path in result.cause, result.cause
    assert lab.instances_left(lab.run_id(arn)) == []
    assert result.summary is not None
    assert result.summary["planName"] == "bad; rm -rf /"
    assert (result.summary["outcome"], result.summary["interruptedReason"]) == ("failed", result.cause)


def test_a_run_that_cannot_be_planned_is_red_with_summary_report_and_a_readable_cause(lab: RunningLab) -> None:
    lab.refuse("ssm:GetParameter", "AccessDeniedException", times=1)

    result = lab.follow(lab.start(plan("not planned", [pair(STEADY)], [iperf3(15)])))

    assert (result.status, result.error) == ("FAILED", "AccessDeniedException")
    assert result.cause == "the plan could not be prepared: AccessDeniedException: AccessDeniedException"
    assert result.summary is not None
    assert (result.summary["planName"], result.summary["outcome"]) == ("not planned", "failed")
    assert result.summary["interruptedReason"] == result.cause
    assert result.report_path is not None
    assert result.cause in result.report_path.read_text()


def test_a_name_that_the_store_has_of_91_days_ago_is_refused_and_nothing_of_it_changes(lab: RunningLab) -> None:
    dry_id = lab.run_id(lab.start(plan("name used again", [pair(STEADY)], [iperf3(15)], dryRun=True)))
    lab.wait_for("the plan", lambda: lab.keys(f"reports/{dry_id}/plan.json"))
    # The embedded AWS gives no name again, so that documents of an earlier run are put under a name that is free.
    name = f"again-{dry_id}"
    days_ago = (datetime.now(UTC) - timedelta(days=91)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    claim, planned = (json.loads(lab.read(f"reports/{dry_id}/{one}.json")) for one in ("execution", "plan"))
    before = {
        "execution.json": claim | {"runId": name, "startedAt": days_ago},
        "plan.json": planned | {"runId": name, "createdAt": days_ago},
        "pairs/p0001.json": {"launchedAt": days_ago},
        "pairs/p0001-launch.json": {"launchedAt": days_ago},
        "summary.json": {"schema": "network-benchmark.summary.v1", "outcome": "complete"},
    }
    for document, content in before.items():
        body = json.dumps(content).encode()
        lab.aws.s3.put_object(Bucket=lab.deployment.bucket, Key=f"reports/{name}/{document}", Body=body)

    states, machine = lab.aws.stepfunctions, lab.deployment.run_state_machine_arn
    again = json.dumps(plan("name used again", [pair(STEADY)], [iperf3(15)]))
    arn = states.start_execution(stateMachineArn=machine, name=name, input=again)["executionArn"]
    lab.wait_for("its end", lambda: states.describe_execution(executionArn=arn)["status"] != "RUNNING")
    ended = states.describe_execution(executionArn=arn)
    # What the end of the execution starts by itself may not have come yet.
    lab.invoke("reap-run", {"detail": {"stateMachineArn": machine, "name": name}})
    lab.invoke("sweep-orphans", {})

    assert (ended["status"], ended["error"]) == ("FAILED", "RunIdTakenError")
    assert f'got "{name}", the name of an earlier run, which began at {days_ago}; nothing was' in ended["cause"]
    assert (lab.pair_executions(name), lab.instances_left(name)) == ({}, [])
    keys = lab.keys(f"reports/{name}/")
    after = {key.removeprefix(f"reports/{name}/"): json.loads(lab.read(key)) for key in keys}
    assert after == before


def test_rejected_instance_types_are_named_with_the_reason(lab: RunningLab) -> None:
    arn = lab.start(
        plan(
            "unknown types",
            [
                pair("c5.nosuch"),
                pair("m8g.large", zoneRelation="other_zone"),
            ],
            [iperf3(30)],
        )
    )

    result = lab.follow(arn)

    assert (result.status, result.error) == ("FAILED", "InvalidPlanError")
    assert result.cause is not None
    assert "c5.nosuch" in result.cause
    assert "plan.pairs[1].zoneRelation" in result.cause
    assert "m8g.large" in result.cause
    assert lab.instances_left(lab.run_id(arn)) == []


def printed_forecast(result: RunResult, **variables: str) -> list[str]:
    """Returns what the lab prints of a dry run, on a terminal if `COLUMNS` is given."""
    command = ["node_modules/.bin/tsx", "bin/forecast-table.ts", str(result.forecast_folder)]
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | variables
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def test_a_dry_run_and_a_run_over_its_limit_launch_nothing(lab: RunningLab) -> None:
    far = [pair("c5.xlarge", zoneRelation="other_zone")]
    dry = lab.start(plan("dry", far, [iperf3(1800)], dryRun=True))
    planned = lab.follow(dry)
    expensive = lab.start(plan("expensive", far, [iperf3(1800)], maxCostUsd=1))
    refused = lab.follow(expensive)

    assert planned.status == "SUCCEEDED"
    assert planned.output is not None
    assert planned.output["outcome"] == "dry_run"
    # The lab's c5.xlarge carries at most 1 Gbit/s: 225 GB in half an hour, at 0.02 USD per GB.
    (traffic,) = [line.split() for line in planned.output["forecast"] if line.startswith("cross zone traffic")]
    assert traffic[-1] == "4.50"
    assert printed_forecast(planned) == planned.output["forecast"]
    assert max(len(line) for line in printed_forecast(planned, COLUMNS="80")) <= 80
    assert refused.status == "FAILED"
    assert refused.cause is not None
    assert "plan.maxCostUsd: must be at least 5." in refused.cause
    executions = lab.aws.stepfunctions.list_executions(stateMachineArn=lab.deployment.pair_state_machine_arn)[
        "executions"
    ]
    run_ids = tuple(lab.run_id(arn) for arn in (dry, expensive))
    assert [e["name"] for e in executions if e["name"].startswith(run_ids)] == []


def _chunks(lab: RunningLab, run_id: str, host_role: str, measurement_id: str = "p0001-m01") -> list[str]:
    return [key for key in lab.raw_chunk_keys(run_id, measurement_id) if f"/{host_role}/" in key]
