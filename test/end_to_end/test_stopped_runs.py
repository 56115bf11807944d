"""Runs that are stopped, and of which no event comes: the reaper and the sweeper remove and report them."""

from __future__ import annotations

import threading

from lab.runner.deployment import STACK_NAME

from .at_once import at_once_with_others
from .running_lab import STEADY, RunningLab, iperf3, pair, plan

STOPPED = "the run was stopped: Stopped: by the test"
# A sweep removes and reports whatever has been left, so that each test does so in its turn.
SWEEPS = threading.Lock()


@at_once_with_others
def test_a_stopped_run_stops_its_pairs_and_keeps_what_they_measured(lab: RunningLab) -> None:
    arn = lab.start(plan("stopped run", [pair(STEADY), pair(STEADY)], [iperf3(600)], concurrency=2))
    run_id = lab.run_id(arn)
    for measurement_id in ("p0001-m01", "p0002-m01"):
        lab.wait_for_chunks(run_id, "server", measurement_id)
    assert len(lab.instances_left(run_id)) == 4

    lab.stop(arn)

    stopped = {"p0001": "ABORTED", "p0002": "ABORTED"}
    lab.wait_for("the pairs' executions to be stopped", lambda: lab.pair_executions(run_id) == stopped)
    lab.wait_for("the instances to be gone", lambda: lab.instances_left(run_id) == [])
    summary = lab.summary_with_report(run_id)
    assert (summary["outcome"], summary["interruptedReason"]) == ("incomplete", STOPPED)
    assert [one["measurementId"] for one in summary["measurements"]] == ["p0001-m01", "p0002-m01"]
    for measurement in summary["measurements"]:
        assert measurement["status"] == "truncated"
        assert measurement["reason"].startswith("the pair's execution was stopped")
        assert measurement["verdict"]["kind"]
        assert len(lab.measured_seconds(run_id, measurement["measurementId"])) > 0


@at_once_with_others
def test_the_sweeper_removes_what_no_running_execution_owns(lab: RunningLab) -> None:
    with SWEEPS:
        arn = lab.start(plan("kept by the sweeper", [pair(STEADY)], [iperf3(60)]))
        _sweep_beside(lab, lab.run_id(arn))
    assert lab.follow(arn).status == "SUCCEEDED"


def _sweep_beside(lab: RunningLab, run_id: str) -> None:
    owned = lab.hosts(run_id, "p0001")
    template = lab.ec2.describe_launch_templates()["LaunchTemplates"][0]
    (client,) = lab.instances(owned["client"]["instanceId"])
    groups = [group["GroupId"] for group in client["SecurityGroups"]]
    of_orphan = {"stack": STACK_NAME, "run-id": "gone", "pair-id": "p0001", "expires-at": "2099-01-01T00:00:00.000Z"}
    tags = [{"Key": f"network-benchmark:{name}", "Value": value} for name, value in of_orphan.items()]
    launched = lab.ec2.run_instances(
        LaunchTemplate={"LaunchTemplateId": template["LaunchTemplateId"]},
        ImageId=owned["client"]["imageId"],
        InstanceType="m5.large",
        MinCount=1,
        MaxCount=1,
        NetworkInterfaces=[{"DeviceIndex": 0, "SubnetId": owned["client"]["subnetId"], "Groups": groups}],
        TagSpecifications=[{"ResourceType": "instance", "Tags": tags}],
    )
    assert lab.instances_left("gone") == [launched["Instances"][0]["InstanceId"]]

    lab.invoke("sweep-orphans", {})

    lab.wait_for("the orphan to be gone", lambda: lab.instances_left("gone") == [])
    assert len(lab.instances_left(run_id)) == 2


@at_once_with_others
def test_the_sweeper_has_a_run_reported_of_which_no_event_came_and_nothing_is_left(lab: RunningLab) -> None:
    arn = lab.start(plan("no event", [pair(STEADY)], [iperf3(600)]))
    run_id = lab.run_id(arn)
    lab.wait_for_chunks(run_id, "server")
    with SWEEPS:
        lab.lose_events_about(run_id)
        lab.stop(arn)
        for instance_id in lab.instances_left(run_id):
            lab.kill_host(instance_id)
        lab.wait_for("the instances to be gone", lambda: lab.instances_left(run_id) == [])
        assert lab.keys(f"reports/{run_id}/report.html") == []

        report = lab.invoke("sweep-orphans", {})

        assert [name for name in report["orphans"] if run_id in name] == []
        assert lab.summary_with_report(run_id)["interruptedReason"] == STOPPED
    assert len(lab.measured_seconds(run_id, "p0001-m01")) > 0


@at_once_with_others
def test_one_sweep_removes_and_reports_a_run_of_which_no_event_came_and_none_brings_it_back(lab: RunningLab) -> None:
    arn = lab.start(plan("only sweeps", [pair(STEADY, placement="cluster")], [iperf3(600)]))
    run_id = lab.run_id(arn)
    lab.wait_for_chunks(run_id, "server")
    with SWEEPS:
        lab.lose_events_about(run_id)
        lab.stop(arn)
        # As long as the pair's execution runs, the sweeper leaves what belongs to it.
        lab.wait_for("the pair's execution to end", lambda: "RUNNING" not in lab.pair_executions(run_id).values())
        assert _groups_left(lab, run_id)
        # A group can't be deleted before its hosts have ended, which on a busy machine may take less than the sweep.
        lab.refuse("DeletePlacementGroup", "InvalidPlacementGroup.InUse", times=1)

        report = lab.invoke("sweep-orphans", {})

        assert len([name for name in report["remaining"] if name.startswith("placement group ")]) == 1
        lab.summary_with_report(run_id)
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
    lab.lose_events_about(run_id)
    lab.stop(arn)
    lab.clear_faults()
    assert lab.keys(f"reports/{run_id}/") == []

    lab.invoke("sweep-orphans", {})

    assert lab.summary_with_report(run_id)["interruptedReason"] == STOPPED


def _groups_left(lab: RunningLab, run_id: str) -> list[str]:
    filters = [{"Name": "tag:network-benchmark:run-id", "Values": [run_id]}]
    return [group["GroupName"] for group in lab.ec2.describe_placement_groups(Filters=filters)["PlacementGroups"]]
