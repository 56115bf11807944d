"""Failures while a pair is measured: a host or the agent's worker dies, a disk is full, events come twice.

What a run waits for may take long where several of them share the machine, so a measurement that a test ends by itself
is planned far longer than it will last.
"""

from __future__ import annotations

import json
import re
import uuid

import pytest

from faults.readable import complaint
from lab.runner.deployment import STACK_NAME

from .at_once import at_once_with_others
from .running_lab import STEADY, Object, RunningLab, iperf3, is_disturbed, pair, plan

# Of no other test here, because a fault of the path is one of an instance type.
CUT_TYPE = "m4.4xlarge"
# One second of one of iperf3's streams.
INTERVAL = re.compile(r"\[ *\d+\] +(?P<start>\d+)\.\d+-\d+\.\d+ +sec .* Kbits/sec +\d+ +\S+ \w?Bytes")


@at_once_with_others
def test_a_killed_host_leaves_what_it_measured_and_does_not_stop_the_other_pair(lab: RunningLab) -> None:
    seconds = 60
    arn = lab.start(plan("killed host", [pair(STEADY), pair(STEADY)], [iperf3(seconds)], concurrency=2))
    run_id = lab.run_id(arn)
    client = lab.hosts(run_id, "p0001")["client"]["instanceId"]
    uploaded = [row for key in lab.wait_for_chunks(run_id, "client") for row in lab.rows(key)]
    lab.kill_host(client)

    result = lab.follow(arn)

    assert (result.status, result.error) == ("FAILED", "RunIncomplete")
    summary = result.summary
    assert summary["outcome"] == "incomplete"
    assert {p["pairId"]: p["status"] for p in summary["pairs"]} == {"p0001": "failed", "p0002": "complete"}
    assert client in next(p["reason"] for p in summary["pairs"] if p["pairId"] == "p0001")
    killed, whole = sorted(summary["measurements"], key=lambda m: m["measurementId"])
    assert killed["status"] == "truncated"
    # Other work may make any shape of so few seconds.
    assert killed["verdict"]["kind"] in ("steady", "insufficient") or is_disturbed(killed)
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
    lab.wait_for_chunks(run_id, "client")
    # The worker of this script itself is younger.
    _run_on(lab, client, ["pkill -KILL --oldest -f '[s]sm-document-worker'"])

    result = lab.follow(arn)

    assert (result.status, result.error) == ("FAILED", "RunIncomplete")
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
        lab.wait_for("a chunk of ping", lambda of=pair_id: lab.chunks(run_id, "client", f"{of}-m01"))
        client = lab.hosts(run_id, pair_id)["client"]["instanceId"]
        command_id = _run_on(lab, client, commands)
        lab.wait_for("the client to be broken", lambda of=(command_id, client): _has_succeeded(lab, *of))

    result = lab.follow(arn)

    assert (result.status, result.error) == ("FAILED", "RunIncomplete")
    measured = {one["measurementId"]: one for one in result.summary["measurements"]}
    assert {one: of["status"] for one, of in measured.items()} == {
        "p0001-m01": "complete",
        "p0001-m02": "complete",
        "p0002-m01": "complete",
        "p0002-m02": "failed",
    }
    assert lab.measured_seconds(run_id, "p0001-m02") == list(range(seconds))
    full_disk = "client: the disk was full, so chunks were uploaded from memory"
    assert full_disk in lab.document(run_id, "measurements/p0001-m02.json")["warnings"]
    garbage = measured["p0002-m02"]
    assert garbage["verdict"] is None or garbage["verdict"]["kind"] == "insufficient", garbage
    assert garbage["statistics"] == {}, garbage


@pytest.mark.parametrize(
    ("measurement", "receiver"),
    [
        (iperf3(20), "server"),
        (iperf3(20, direction="reverse"), "client"),
        ({"tool": "http", "durationSeconds": 20}, "client"),
    ],
    ids=["sent by the client", "sent by the server", "http"],
)
@at_once_with_others
def test_a_cut_path_is_named_and_not_the_time_limit_that_it_leads_to(
    lab: RunningLab, measurement: Object, receiver: str
) -> None:
    lab.path_faults(f"{CUT_TYPE}:cut@8")

    result = lab.run(plan("cut path", [pair(CUT_TYPE)], [measurement]))

    assert (result.status, result.error) == ("FAILED", "RunIncomplete")
    (measured,) = result.summary["measurements"]
    (of_pair,) = result.summary["pairs"]
    reason = re.compile(
        rf"the path between the hosts was cut: nothing arrived at the {receiver} after second (\d+), although "
        r"both hosts went on and TCP sent \d+ times again what was not acknowledged"
    )
    assert measured["status"] == "truncated"
    told = reason.fullmatch(measured["reason"])
    assert told, measured["reason"]
    # A machine that was busy may have cut it later, and hosts may have looked later.
    assert 8 <= int(told[1]) <= (20 if is_disturbed(measured) else 10)
    assert reason.fullmatch(of_pair["reason"].removeprefix("p0001-m01: ")), of_pair["reason"]


def _run_on(lab: RunningLab, instance_id: str, commands: list[str]) -> str:
    """Starts shell commands on a host by a document of their own, and returns the id of the command."""
    step = {"action": "aws:runShellScript", "name": "commands", "inputs": {"runCommand": commands}}
    content = json.dumps({"schemaVersion": "2.2", "mainSteps": [step]})
    name = f"test-{uuid.uuid4()}"
    lab.ssm.create_document(Name=name, DocumentType="Command", Content=content)
    command_id: str = lab.ssm.send_command(DocumentName=name, InstanceIds=[instance_id])["Command"]["CommandId"]
    return command_id


def _has_succeeded(lab: RunningLab, command_id: str, instance_id: str) -> bool:
    invocation = lab.ssm.get_command_invocation(CommandId=command_id, InstanceId=instance_id)
    return bool(invocation["Status"] == "Success")


@at_once_with_others
def test_a_measurement_outlives_a_service_that_does_not_answer_while_it_is_looked_at(lab: RunningLab) -> None:
    seconds = 15
    written_once = {"Key": "*/execution.json", "caller": "function"}
    lab.fault("s3:PutObject", "ConditionalRequestConflict", times=2, where=written_once)
    arn = lab.start(plan("no answer", [pair(STEADY)], [iperf3(seconds)]))
    run_id = lab.run_id(arn)
    lab.wait_for("a chunk of the client", lambda: lab.chunks(run_id, "client"))
    # One look is six requests: the first look fails, and the second one after its retries does not.
    of_run = {"about": f"*{run_id}*", "caller": "states"}
    lab.fault("ssm:ListCommandInvocations", "ThrottlingException", times=8, where=of_run)

    result = lab.follow(arn)

    assert (result.status, result.error) == ("SUCCEEDED", None)
    assert lab.times_met(of_run) == 8
    assert lab.times_met(written_once) == 2
    assert lab.measured_seconds(run_id, "p0001-m01") == list(range(seconds))


@at_once_with_others
def test_hosts_run_the_version_of_a_document_that_was_deployed_with_their_run_and_no_later_one(lab: RunningLab) -> None:
    name = f"{STACK_NAME}-prepare-host"
    content = json.loads(lab.ssm.get_document(Name=name)["Content"])
    content["mainSteps"][0]["inputs"]["runCommand"].append("echo 'of the second version' >&2")
    lab.ssm.update_document(Name=name, DocumentVersion="$LATEST", Content=json.dumps(content))
    assert lab.ssm.describe_document(Name=name)["Document"]["LatestVersion"] == "2"

    arn = lab.start(plan("updated", [pair(STEADY)], [iperf3(5)]))
    client = lab.hosts(lab.run_id(arn), "p0001")["client"]["instanceId"]
    result = lab.follow(arn)

    assert result.status == "SUCCEEDED", result.cause
    invocations = lab.ssm.list_command_invocations(InstanceId=client, Details=True)["CommandInvocations"]
    (prepared,) = [one for one in invocations if one["DocumentName"] == name]
    assert prepared["DocumentVersion"] == "1"
    assert "of the second version" not in prepared["CommandPlugins"][0]["Output"]


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
    complete = lab.query(live.replace("live_samples", "samples"))
    ((count, distinct),) = complete
    assert count == distinct != "0"
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
