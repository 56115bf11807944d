"""No resource of a pair is left after its run, whether completed, failed or stopped; the lab lists what exists."""

from __future__ import annotations

import json
import urllib.parse

import pytest
from permissions.calls import calls_of

from .at_once import AtOnce, at_once_with_others
from .running_lab import RunningLab, control, iperf3, pair, plan

STEADY = "m4.xlarge"
# All hosts of a type do not boot, so that this is the type of one run alone.
NOT_BOOTING = "c4.xlarge"
OF_RUNS = "network-benchmark:run-id"


def resources(lab: RunningLab, tag: str = OF_RUNS) -> dict[str, list[dict[str, object]]]:
    """Returns what exists with a tag of this key, by kind."""
    found = json.loads(control(f"resources?{urllib.parse.urlencode({'tag': tag})}", method="GET"))
    return {kind: items for kind, items in found.items() if items}


def made_for_pairs(lab: RunningLab, tag: str = OF_RUNS) -> dict[str, int]:
    return {kind: len(items) for kind, items in resources(lab, tag).items()}


def left_of(lab: RunningLab, run_id: str) -> list[dict[str, object]]:
    """Returns what exists with a tag of this run."""
    items = (item for of_kind in resources(lab).values() for item in of_kind)
    return [item for item in items if item.get("tags", {}).get(OF_RUNS) == run_id]


def tags_asked_for(lab: RunningLab, run_id: str) -> dict[str, list[dict[str, str]]]:
    """Returns the tags with which everything of a run was asked for, by kind; the lab keeps no volumes."""
    asked: dict[str, list[dict[str, str]]] = {}
    for call in calls_of(json.loads(control("calls", method="GET"))["calls"]):
        given = [(one["ResourceType"], one["Tags"]) for one in call.parameters.get("TagSpecifications", [])]
        if call.service == "elbv2" and "Tags" in call.parameters:
            given.append((call.operation, call.parameters["Tags"]))
        for kind, listed in given:
            tags = {tag["Key"]: tag["Value"] for tag in listed}
            if tags.get(OF_RUNS) == run_id:
                asked.setdefault(kind, []).append(tags)
    return asked


@at_once_with_others
def test_after_a_host_died_behind_its_load_balancer_nothing_is_left(lab: RunningLab) -> None:
    arn = lab.start(plan("killed server", [pair(STEADY, path="nlb")], [iperf3(600)]))
    run_id = lab.run_id(arn)
    server = lab.hosts(run_id, "p0001")["server"]["instanceId"]
    lab.wait_for("a chunk", lambda: lab.raw_chunk_keys(run_id, "p0001-m01"))
    lab.kill_host(server)

    assert lab.follow(arn).status == "FAILED"
    assert left_of(lab, run_id) == []


@at_once_with_others
def test_the_reason_of_a_host_that_died_after_its_launch_is_reported(lab: RunningLab) -> None:
    lab.fault("Boot", "Client.InternalError", where={"instanceType": NOT_BOOTING})

    result = lab.run(plan("no key", [pair(NOT_BOOTING)], [iperf3(5)]))

    assert result.status == "FAILED"
    (failed,) = result.summary["pairs"]
    assert "is no longer running (terminated: Client.InternalError: Client error on launch)" in failed["reason"]
    assert left_of(lab, result.run_id) == []


@pytest.mark.parametrize(
    ("action", "code", "words"),
    [
        ("CreateLoadBalancer", "AvailabilityZoneNotSupported", "no load balancer can be created in us-east-1"),
        ("CreateListener", "OperationNotPermitted", "OperationNotPermitted"),
        ("ModifyListenerAttributes", "OperationNotPermitted", "OperationNotPermitted"),
    ],
)
@at_once_with_others
def test_after_connecting_failed_half_way_nothing_is_left_and_the_reason_is_reported(
    lab: RunningLab, action: str, code: str, words: str
) -> None:
    arn = lab.start(plan("not connected", [pair(STEADY, path="nlb")], [iperf3(5)]))
    met = {"where": {"about": f"*{lab.run_id(arn)}*"}, "message": "not on a Saturday"}
    lab.fault(f"elasticloadbalancing:{action}", code, times=1, **met)

    result = lab.follow(arn)

    assert result.status == "FAILED"
    (failed,) = result.summary["pairs"]
    assert "connecting the hosts" in failed["reason"]
    assert words in failed["reason"] and "not on a Saturday" in failed["reason"]
    assert left_of(lab, result.run_id) == []


def test_after_all_of_these_nothing_of_any_pair_is_left(lab: RunningLab, at_once: AtOnce) -> None:
    """The interfaces of load balancers have no tag that would name their run."""
    assert made_for_pairs(lab) == {}


def test_after_a_run_over_every_path_nothing_is_left(lab: RunningLab) -> None:
    pairs = [
        pair(STEADY, path="nlb", placement="cluster"),
        pair(STEADY, path="public", placement="spread"),
        pair(STEADY, path="peering"),
    ]
    arn = lab.start(plan("every path", pairs, [iperf3(15)], concurrency=3, tags={"CostCenter": "42"}))
    run_id = lab.run_id(arn)
    for pair_id in ("p0001", "p0002", "p0003"):
        lab.hosts(run_id, pair_id)
    # Two of the security groups are for the hosts, one for the load balancer. The pairs make theirs one by one.
    made = {"loadBalancers": 1, "securityGroups": 3, "placementGroups": 2}
    lab.wait_for("all that the pairs need", lambda: made.items() <= made_for_pairs(lab).items())
    lab.wait_for("the plan's tag on all of it", lambda: made.items() <= made_for_pairs(lab, "CostCenter").items())
    networks = lab.ec2.describe_vpcs(Filters=[{"Name": "tag:ScaledModel", "Values": ["lab"]}])["Vpcs"]
    assert len(networks) == 2, "both networks of the stack have the deployment's tag"

    result = lab.follow(arn)

    assert result.status == "SUCCEEDED", result.cause
    assert made_for_pairs(lab) == {}
    asked = tags_asked_for(lab, run_id)
    assert set(asked) == {
        *("instance", "volume", "network-interface", "placement-group", "security-group"),
        *("CreateLoadBalancer", "CreateTargetGroup", "CreateListener"),
    }
    for tags in (each for of_kind in asked.values() for each in of_kind):
        assert (tags["CostCenter"], tags["ScaledModel"], tags["RateDivisor"]) == ("42", "lab", "10")


def test_after_runs_were_stopped_while_they_measure_and_while_they_connect_nothing_is_left(lab: RunningLab) -> None:
    pairs = [pair(STEADY, path="nlb", placement="cluster"), pair(STEADY, path="public")]
    measuring = lab.start(plan("stopped", pairs, [iperf3(120)], concurrency=2))
    lab.wait_for("a chunk", lambda: lab.raw_chunk_keys(lab.run_id(measuring), "p0001-m01"))
    connecting = lab.start(plan("stopped early", [pair(STEADY, path="nlb")], [iperf3(120)]))
    lab.wait_for("the second load balancer", lambda: made_for_pairs(lab).get("loadBalancers") == 2)

    for arn in (connecting, measuring):
        lab.aws.stepfunctions.stop_execution(executionArn=arn)

    # The reaper looks again after a minute, and the lab's load balancers keep their interface for a moment.
    lab.wait_for("nothing to be left", lambda: made_for_pairs(lab) == {})
