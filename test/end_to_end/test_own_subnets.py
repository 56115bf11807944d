"""Hosts in the user's own networks: over a route, without one, and from images; nothing stays there."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.runner.check_plan import problems_of
from lab.runner.paths import REPOSITORY
from lab.runner.run_plan import RunResult
from lab.runner.store import Store

from .running_lab import USER_ACCOUNT, Object, RunningLab

APPLICATIONS, DATABASES, OFFICE = USER_ACCOUNT["vpcs"]
WITH_TOOLS, WITHOUT_TOOLS, _ = USER_ACCOUNT["images"]
OF_RUNS = "network-benchmark:run-id"
# The measurements of the examples would take longer than what they are about.
SECONDS = 5
SEED = 13
LONGEST_MOMENT_SECONDS = 40


def example(name: str, seconds: int = SECONDS, **settings: Any) -> Object:
    """Returns an example plan with measurements of so many seconds."""
    plan: Object = json.loads((REPOSITORY / "examples" / "plans" / f"{name}.json").read_text())
    for measurement in plan["measurements"]:
        if "durationSeconds" in measurement:
            measurement["durationSeconds"] = seconds
    return plan | settings


def from_plain_image(plan: Object) -> Object:
    """Returns the plan with the image that lacks the tools at both ends of its pairs."""
    image = {"imageId": WITHOUT_TOOLS["imageId"]}
    pairs = [pair | {role: pair[role] | image for role in ("client", "server")} for pair in plan["pairs"]]
    return plan | {"name": "plain image", "pairs": pairs}


def left(lab: RunningLab) -> Object:
    """Returns all hosts, groups and other resources of runs, in every VPC."""
    hosts = lab.instances(tag_key=[OF_RUNS])
    groups = lab.ec2.describe_security_groups(Filters=[{"Name": "tag-key", "Values": [OF_RUNS]}])["SecurityGroups"]
    return {
        "hosts": [one["InstanceId"] for one in hosts if one["State"]["Name"] != "terminated"],
        "groups": [one["GroupId"] for one in groups],
    }


@pytest.fixture(scope="module")
def networks_before(lab: RunningLab) -> Object:
    return lab.user_networks()


@pytest.fixture(scope="module")
def runs(lab: RunningLab, networks_before: Object) -> dict[str, RunResult]:
    """Four runs at once, by name, all of them over."""
    private = example("private-hosts")
    plans = {
        "route": example("own-subnets"),
        "no route": example("own-subnets-without-route"),
        "image": private,
        "plain image": from_plain_image(private),
    }
    arns = {name: lab.start(plan) for name, plan in plans.items()}
    return {name: lab.follow(arn) for name, arn in arns.items()}


@pytest.fixture(scope="module")
def hosts_of(lab: RunningLab, runs: dict[str, RunResult]) -> Callable[[str], Object]:
    return lambda name: lab.hosts(runs[name].run_id, "p0001")


def failed_pair(result: RunResult) -> Object:
    return result.summary["pairs"][0]


def test_two_vpcs_are_measured_over_the_user_s_own_route(
    lab: RunningLab, runs: dict[str, RunResult], hosts_of: Callable[[str], Object]
) -> None:
    result = runs["route"]
    assert (result.status, result.error) == ("SUCCEEDED", None), result.cause
    client, server = (hosts_of("route")[role] for role in ("client", "server"))
    assert (client["vpcId"], server["vpcId"]) == (APPLICATIONS["vpcId"], DATABASES["vpcId"])
    assert client["privateIp"].startswith("10.80.1.")
    assert server["privateIp"].startswith("10.81.1.")
    of_ends = ("vpc_id", "subnet_id", "zone_id", "image_id")
    columns = ", ".join(f"{role}_{column}" for role in ("client", "server") for column in of_ends)
    rows = lab.query(
        f"SELECT DISTINCT path, zone_relation, {columns} FROM measurements WHERE run_id = '{result.run_id}'"
    )
    ends = [[host["vpcId"], host["subnetId"], "use1-az4", WITH_TOOLS["imageId"]] for host in (client, server)]
    assert rows == [["own", "same_zone", *ends[0], *ends[1]]]
    report = result.report_path.read_text()
    for host in (client, server):
        assert host["subnetId"] in report
    probed = lab.document(result.run_id, "pairs/p0001-path.json")
    assert (probed["answer"] is not None, probed["pathMtuBytes"]) == (True, 9001)
    assert probed["route"]


def seconds_to_failure(lab: RunningLab, run_id: str) -> float:
    """From the last look at the agents, which found both online, to the first state of the teardown."""
    (history,) = lab.pair_histories(run_id).values()
    entered = [
        (event["stateEnteredEventDetails"]["name"], event["timestamp"])
        for event in history
        if "stateEnteredEventDetails" in event
    ]
    online = max(at for name, at in entered if name.startswith("Hosts online"))
    failed = min(at for name, at in entered if name.startswith("Tear down pair"))
    seconds: float = (failed - online).total_seconds()
    return seconds


def test_without_a_route_the_pair_fails_soon_and_says_where_to_look(
    lab: RunningLab, runs: dict[str, RunResult], hosts_of: Callable[[str], Object]
) -> None:
    result = runs["no route"]
    assert result.status == "FAILED"
    client, server = (hosts_of("no route")[role] for role in ("client", "server"))
    reason = failed_pair(result)["reason"]
    for words in (
        "nothing arrives",
        f"from {client['privateIp']} in {client['subnetId']}",
        f"at {server['privateIp']} port ",
        f"in {server['subnetId']}",
        "the last hop that answered",
        "Check the routes and the network ACLs of both subnets",
        f" lets the client in only with its own address, {client['privateIp']}",
    ):
        assert words in reason
    seconds = seconds_to_failure(lab, result.run_id)
    print(f"{seconds:.1f} s from both hosts online to the failure")
    assert seconds <= 60


def test_private_hosts_from_an_image_with_the_tools_are_measured(
    lab: RunningLab, runs: dict[str, RunResult], hosts_of: Callable[[str], Object]
) -> None:
    result = runs["image"]
    assert (result.status, result.error) == ("SUCCEEDED", None), result.cause
    ids = [hosts_of("image")[role]["instanceId"] for role in ("client", "server")]
    for instance in lab.instances(*ids):
        assert instance["ImageId"] == WITH_TOOLS["imageId"]
        assert [one["DeviceName"] for one in instance["BlockDeviceMappings"]] == [WITH_TOOLS["rootDeviceName"]]
    # A host that has ended has lost its public address in any case.
    assert [hosts_of("image")[role].get("publicIp") for role in ("client", "server")] == [None, None]


def test_private_hosts_from_an_image_without_the_tools_fail_and_name_what_is_missing(
    runs: dict[str, RunResult],
) -> None:
    result = runs["plain image"]
    assert result.status == "FAILED"
    reason = failed_pair(result)["reason"]
    assert "prepare-host on client" in reason
    for words in ("missing", "iperf3", "sockperf", "nginx", "boto3", "user data reported: E: Unable to locate package"):
        assert words in reason


def test_ends_that_can_t_be_are_refused_by_path_before_anything_is_launched(lab: RunningLab) -> None:
    (pair,) = example("own-subnets")["pairs"]
    full = next(one["subnetId"] for one in APPLICATIONS["subnets"] if one.get("addressesInUse"))
    arm64 = next(one["imageId"] for one in USER_ACCOUNT["images"] if one["architecture"] == "arm64")
    wrong = {
        "subnetId": ("subnet-0a1b2c3d4e5f79999", full),
        "imageId": (arm64, "ami-0a1b2c3d4e5f89999", "/network-benchmark/images/none"),
    }
    ends = [{field: value} for field, values in wrong.items() for value in values]
    pairs = [pair | {"client": pair["client"] | end} for end in ends]
    launched = len(lab.instances())

    result = lab.run(example("own-subnets", pairs=pairs))

    assert result.status == "FAILED"
    cause = result.cause or ""
    for number, end in enumerate(ends):
        for field, value in end.items():
            assert re.search(rf"plan\.pairs\[{number}\]\.client\.{field}: [^;]*{value}", cause), cause
    assert len(lab.instances()) == launched


def test_a_forecast_warns_of_private_hosts_without_the_tools_by_the_routes_of_their_subnets(lab: RunningLab) -> None:
    ways_out = {subnet.get("wayOut"): subnet["subnetId"] for subnet in APPLICATIONS["subnets"]}
    types = {"clientType": "c5.xlarge", "serverType": "c5.xlarge"}
    client, server = ({"subnetId": ways_out[way], "publicAddress": False} for way in ("nat", "internet"))
    pairs = [types | {"client": client, "server": server}, types | {"client": client, "server": client}]

    result = lab.run(example("own-subnets", pairs=pairs, dryRun=True))

    assert result.output is not None, result.cause
    (warning,) = [line for line in result.output["forecast"] if "would install the tools" in line]
    assert warning.startswith("plan.pairs[0]: the server would install")
    assert "the pair will fail after launch" in warning


def test_after_the_runs_nothing_is_left_in_any_vpc_and_the_user_s_own_is_as_it_was(
    lab: RunningLab, runs: dict[str, RunResult], networks_before: Object
) -> None:
    assert len(runs) == 4
    assert left(lab) == {"hosts": [], "groups": []}
    assert lab.user_networks() == networks_before

    # The comparison sees a group and a rule that stay.
    vpc_id = OFFICE["vpcId"]
    group_id = lab.ec2.create_security_group(GroupName="left", Description="planted", VpcId=vpc_id)["GroupId"]
    assert lab.user_networks() != networks_before
    lab.ec2.delete_security_group(GroupId=group_id)
    (default,) = [one["GroupId"] for one in networks_before["securityGroups"] if one["VpcId"] == vpc_id]
    rule = [{"IpProtocol": "-1", "IpRanges": [{"CidrIp": "10.80.1.4/32"}]}]
    lab.ec2.authorize_security_group_ingress(GroupId=default, IpPermissions=rule)
    assert lab.user_networks() != networks_before
    lab.ec2.revoke_security_group_ingress(GroupId=default, IpPermissions=rule)
    assert lab.user_networks() == networks_before


def test_after_kills_and_stops_at_random_moments_nothing_is_left_in_the_user_s_vpcs(
    lab: RunningLab, networks_before: Object, request: pytest.FixtureRequest
) -> None:
    count: int = request.config.getoption("--moments")
    moments = random.Random(SEED)
    # Each measurement lasts longer than the moments go, so that no run is over before its moment.
    plan = example("own-subnets", LONGEST_MOMENT_SECONDS)
    arns = [lab.start(plan | {"name": f"broken {number}"}) for number in range(count)]
    started = time.monotonic()
    strikes = sorted((moments.uniform(0, LONGEST_MOMENT_SECONDS), number) for number in range(count))
    for after_seconds, number in strikes:
        time.sleep(max(0.0, started + after_seconds - time.monotonic()))
        # A host that is pending may not be there yet.
        hosts = sorted(lab.instances_left(lab.run_id(arns[number]), ["running"]))
        if hosts and number % 2:
            lab.kill_host(moments.choice(hosts))
        else:
            lab.aws.stepfunctions.stop_execution(executionArn=arns[number])
    for arn in arns:
        lab.follow(arn)

    # The reaper looks again after a minute.
    lab.wait_for("nothing to be left", lambda: left(lab) == {"hosts": [], "groups": []})
    assert lab.user_networks() == networks_before


FULL_SUBNET = "subnet-0a1b2c3d4e5f71003"
WRONG_ENDS = [
    [{"client": {"subnetId": "subnet-0123456789abcdef0"}}, {"client": {"imageId": "/other/images/one"}}],
    [{"client": {"zoneId": "use1-az3"}}, {"client": {"zoneId": "use1-az1"}, "server": {"subnetId": FULL_SUBNET}}],
    [{"client": {"imageId": "ami-0123456789abcdef0"}}, {"zoneRelation": "other_zone", "client": {"zoneId": "az1"}}],
]


def test_a_plan_is_refused_before_the_lab_starts_for_what_its_run_would_be_refused_for(
    lab: RunningLab, tmp_path: Path
) -> None:
    for number, ends in enumerate(WRONG_ENDS):
        pairs = [{"clientType": "c5.xlarge", "serverType": "m5.large", **one} for one in ends]
        plan = {"name": "w", "pairs": pairs, "measurements": [{"tool": "iperf3", "durationSeconds": 3}]}
        plan |= {"tags": {"Team": "other"}, "concurrency": 40 + number, "compareTo": "no-such-run", "repetitions": 30}
        file = tmp_path / "plan.json"
        file.write_text(json.dumps(plan))
        event = {"runId": "check", "plan": plan}
        answer = lab.functions.invoke(FunctionName=lab.function_name("plan-run"), Payload=json.dumps(event).encode())
        refusal = json.loads(answer["Payload"].read())
        assert refusal["errorType"] == "InvalidPlanError"
        found = problems_of(file, Store(lab.aws.paths))
        assert found == refusal["errorMessage"].splitlines()
        assert len(found) > 3
