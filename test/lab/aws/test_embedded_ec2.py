"""The lab's EC2 has EC2's states, error codes, idempotent launches and descriptions."""

import time

import pytest
from botocore.exceptions import ClientError


def test_an_instance_passes_through_pending_running_shutting_down_and_terminated(aws, launch, state_of, wait_until):
    instance = launch()
    instance_id = instance["InstanceId"]
    assert instance["State"]["Name"] == "pending"
    assert wait_until(lambda: state_of(instance_id) == "running")
    ended = aws.client("ec2").terminate_instances(InstanceIds=[instance_id])["TerminatingInstances"][0]
    assert (ended["PreviousState"]["Name"], ended["CurrentState"]["Name"]) == ("running", "shutting-down")
    assert wait_until(lambda: state_of(instance_id) == "terminated")
    assert aws.journal("destroy", id=instance_id)


def test_a_host_gets_its_type_zone_address_and_the_credentials_of_its_role(aws, network, launch, wait_until):
    instance = launch("m5.large", zone="us-east-1b")
    created = wait_until(lambda: aws.journal("create", id=instance["InstanceId"]))[0]
    assert (created["type"], created["zone"]) == ("m5.large", "us-east-1b")
    assert created["ip"] == instance["PrivateIpAddress"]
    assert created["ip"].startswith("10.9.1.")
    keys = created["environment"]
    assert keys["AWS_ENDPOINT_URL"] == "http://198.18.0.1:4566"
    assert keys["AWS_ENDPOINT_URL_S3"] == aws.endpoint_url  # the store, which the fake hosts take the embedded AWS for
    assert len({keys[name] for name in ("CURL_CA_BUNDLE", "SSL_CERT_FILE", "AWS_CA_BUNDLE")}) == 1
    certificate = aws.folder / instance["InstanceId"]
    assert wait_until(certificate.exists) and wait_until(certificate.read_text) == "certificate of the store"
    names = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
    credentials = {name: keys[name.upper()] for name in names}
    identity = aws.client("sts", **credentials).get_caller_identity()
    assert identity["UserId"] == f"{network['role_id']}:{instance['InstanceId']}"


def test_a_host_admits_the_members_of_its_security_group(aws, launch, wait_until):
    client, server = launch(), launch()
    wanted = {client["PrivateIpAddress"], server["PrivateIpAddress"]}
    assert wait_until(
        lambda: any(wanted <= set(line["sources"]) for line in aws.journal("sources", id=client["InstanceId"]))
    )


def test_an_instance_whose_host_crashes_is_terminated(aws, launch, describe, state_of, wait_until):
    instance_id = launch()["InstanceId"]
    assert wait_until(lambda: state_of(instance_id) == "running")
    aws.control("POST", f"kill-host?instance={instance_id}")
    assert wait_until(lambda: state_of(instance_id) == "terminated")
    assert describe(instance_id)["StateReason"]["Code"] == "Client.InstanceInitiatedShutdown"


def test_an_instance_whose_host_does_not_start_is_terminated(launch, describe, state_of, wait_until):
    instance_id = launch("c5n.large")["InstanceId"]
    assert wait_until(lambda: state_of(instance_id) == "terminated")
    assert describe(instance_id)["StateReason"]["Code"] == "Server.InternalError"


def test_an_instance_can_die_after_its_launch_was_accepted(aws, launch, fault, describe, state_of, wait_until):
    fault("Boot", "Client.InternalError", where={"zone": "us-east-1a"})
    instance_id = launch()["InstanceId"]
    assert wait_until(lambda: state_of(instance_id) == "terminated")
    reason = {"Code": "Client.InternalError", "Message": "Client.InternalError: Client error on launch"}
    assert describe(instance_id)["StateReason"] == reason
    assert aws.journal("create", id=instance_id) == []
    healthy = launch()["InstanceId"]
    assert wait_until(lambda: state_of(healthy) == "running")


def test_the_same_token_returns_the_same_instance_and_refuses_other_arguments(launch, code_of):
    first = launch(ClientToken="run1-p0001-client-a")
    assert launch(ClientToken="run1-p0001-client-a")["InstanceId"] == first["InstanceId"]
    assert code_of(launch, "c5.large", ClientToken="run1-p0001-client-a") == "IdempotentParameterMismatch"
    assert launch(ClientToken="run1-p0001-client-b")["InstanceId"] != first["InstanceId"]


def credits(instance_type, wanted):
    return {"instance_type": instance_type, "CreditSpecification": {"CpuCredits": wanted}}


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"instance_type": "c9.large"}, "InvalidParameterValue"),
        ({"instance_type": "c7g.large"}, "InvalidParameterValue"),  # arm64 type, amd64 image
        ({"instance_type": "m8g.large", "zone": "us-east-1c", "architecture": "arm64"}, "Unsupported"),
        ({"ImageId": "ami-00000000000000000"}, "InvalidAMIID.NotFound"),
        ({"Placement": {"GroupName": "nobody-made-it"}}, "InvalidPlacementGroup.Unknown"),
        ({"SubnetId": "subnet-00000001"}, "InvalidParameterCombination"),
        ({"interface": {"Groups": []}}, "MissingInput"),
        ({"LaunchTemplate": {"LaunchTemplateId": "lt-0"}}, "InvalidLaunchTemplateId.NotFound"),
        (
            {"instance_type": "c5.large", "CreditSpecification": {"CpuCredits": "standard"}},
            "InvalidParameterCombination",
        ),
        ({"instance_type": "t3.micro", "CreditSpecification": {"CpuCredits": "endless"}}, "InvalidParameterValue"),
    ],
)
def test_a_launch_is_refused_by_its_code(launch, code_of, more, code):
    assert code_of(launch, **more) == code


def test_instances_that_do_not_exist_are_neither_described_nor_terminated(aws, code_of):
    for call in (aws.client("ec2").describe_instances, aws.client("ec2").terminate_instances):
        assert code_of(call, InstanceIds=["i-0123456789abcdef0"]) == "InvalidInstanceID.NotFound"


def test_cpu_credits_are_for_types_with_burstable_cpu(aws, launch):
    for wanted in ("standard", "unlimited"):
        assert aws.settings(launch(**credits("t3.micro", wanted)))["cpu_credits"] == wanted


def test_a_cluster_placement_group_stays_in_one_zone_and_can_t_be_deleted_while_used(aws, launch, wait_until, code_of):
    ec2 = aws.client("ec2")
    tags = [{"ResourceType": "placement-group", "Tags": [{"Key": "network-benchmark:run-id", "Value": "r1"}]}]
    ec2.create_placement_group(GroupName="p0001", Strategy="cluster", TagSpecifications=tags)
    found = ec2.describe_placement_groups(Filters=[{"Name": "tag:network-benchmark:run-id", "Values": ["r1"]}])
    assert [group["GroupName"] for group in found["PlacementGroups"]] == ["p0001"]
    instance = launch(Placement={"GroupName": "p0001"})
    assert instance["Placement"]["GroupName"] == "p0001"
    assert code_of(launch, zone="us-east-1b", Placement={"GroupName": "p0001"}) == "InvalidPlacementGroup.InUse"
    assert code_of(launch, "t3.micro", Placement={"GroupName": "p0001"}) == "InvalidParameterCombination"
    assert code_of(ec2.delete_placement_group, GroupName="p0001") == "InvalidPlacementGroup.InUse"
    ec2.terminate_instances(InstanceIds=[instance["InstanceId"]])

    def is_deleted():
        try:
            ec2.delete_placement_group(GroupName="p0001")
        except ClientError:
            return False
        return True

    assert wait_until(is_deleted)
    assert code_of(ec2.delete_placement_group, GroupName="p0001") == "InvalidPlacementGroup.Unknown"


def test_the_launch_template_and_the_request_are_merged(aws, network, launch, describe):
    ec2 = aws.client("ec2")
    template = ec2.create_launch_template(
        LaunchTemplateName="hosts",
        LaunchTemplateData={
            "InstanceType": "c5.large",
            "IamInstanceProfile": {"Name": "host-profile"},
            "TagSpecifications": [{"ResourceType": "instance", "Tags": [{"Key": "stack", "Value": "S"}]}],
        },
    )["LaunchTemplate"]["LaunchTemplateId"]
    more = {"TagSpecifications": [{"ResourceType": "instance", "Tags": [{"Key": "run", "Value": "r9"}]}]}
    instance_id = launch(LaunchTemplate={"LaunchTemplateId": template, "Version": "$Latest"}, **more)["InstanceId"]
    instance = describe(instance_id)
    assert instance["InstanceType"] == "c5.xlarge"  # the request's own
    assert {tag["Key"]: tag["Value"] for tag in instance["Tags"]} == {"stack": "S", "run": "r9"}
    assert instance["IamInstanceProfile"]["Arn"].endswith("/host-profile")


def test_instances_are_found_by_tag_and_state_page_by_page(aws, launch):
    tags = {"TagSpecifications": [{"ResourceType": "instance", "Tags": [{"Key": "pair", "Value": "pages"}]}]}
    wanted = {launch(**tags)["InstanceId"] for _ in range(3)}
    filters = [
        {"Name": "tag:pair", "Values": ["pages"]},
        {"Name": "instance-state-name", "Values": ["pending", "running"]},
    ]
    pages = (
        aws.client("ec2")
        .get_paginator("describe_instances")
        .paginate(Filters=filters, PaginationConfig={"PageSize": 2})
    )
    counts, found = [], set()
    for page in pages:
        ids = [instance["InstanceId"] for item in page["Reservations"] for instance in item["Instances"]]
        counts.append(len(ids))
        found.update(ids)
    assert (counts, found) == ([2, 1], wanted)


def test_instance_types_publish_the_figures_of_the_lab(aws, code_of):
    ec2 = aws.client("ec2")
    steady, bursting = ec2.describe_instance_types(InstanceTypes=["c5.9xlarge", "c5.xlarge"])["InstanceTypes"]
    card = steady["NetworkInfo"]["NetworkCards"][0]
    assert card["BaselineBandwidthInGbps"] == card["PeakBandwidthInGbps"] == 1.2
    card = bursting["NetworkInfo"]["NetworkCards"][0]
    assert (card["BaselineBandwidthInGbps"], card["PeakBandwidthInGbps"]) == (0.125, 1.0)
    assert bursting["ProcessorInfo"]["SupportedArchitectures"] == ["x86_64"]
    assert code_of(ec2.describe_instance_types, InstanceTypes=["c9.large"]) == "InvalidInstanceType"
    named = [{"Name": "instance-type", "Values": ["c5.xlarge", "c9.large"]}]
    found = ec2.describe_instance_types(Filters=named)["InstanceTypes"]
    assert [instance_type["InstanceType"] for instance_type in found] == ["c5.xlarge"]
    by_size = [{"Name": "memory-info.size-in-mib", "Values": ["1"]}]
    assert code_of(ec2.describe_instance_types, Filters=by_size) == "InvalidParameterValue"
    offerings = ec2.describe_instance_type_offerings(
        LocationType="availability-zone", Filters=[{"Name": "instance-type", "Values": ["m8g.large"]}]
    )["InstanceTypeOfferings"]
    assert [offering["Location"] for offering in offerings] == ["us-east-1a"]


def test_a_fault_is_answered_as_often_and_where_it_was_requested(launch, fault, code_of):
    fault("RunInstances", "InsufficientInstanceCapacity", where={"zone": "us-east-1b"})
    assert launch()["InstanceId"]
    assert code_of(launch, zone="us-east-1b") == "InsufficientInstanceCapacity"
    assert launch(zone="us-east-1b")["InstanceId"]


def test_bare_metal_is_running_long_before_it_has_booted_and_is_gone_late(aws, launch, state_of, wait_until):
    ec2 = aws.client("ec2")
    types = ec2.describe_instance_types(InstanceTypes=["c5.metal", "c5.large"])["InstanceTypes"]
    described = {one["InstanceType"]: (one["BareMetal"], one.get("Hypervisor")) for one in types}
    assert described == {"c5.metal": (True, None), "c5.large": (False, "nitro")}
    aws.control("POST", "bare-metal", {"start_seconds": 4, "stop_seconds": 4})

    launched = time.monotonic()
    instance_id = launch("c5.metal")["InstanceId"]

    assert wait_until(lambda: state_of(instance_id) == "running")
    # On a machine that stands still for so long, it may have booted already.
    assert aws.journal("create", id=instance_id) == [] or time.monotonic() - launched >= 4
    assert wait_until(lambda: aws.journal("create", id=instance_id))
    assert time.monotonic() - launched >= 4
    ended = time.monotonic()
    ec2.terminate_instances(InstanceIds=[instance_id])
    assert wait_until(lambda: aws.journal("destroy", id=instance_id))
    assert state_of(instance_id) == "shutting-down" or time.monotonic() - ended >= 4
    assert wait_until(lambda: state_of(instance_id) == "terminated")
    assert time.monotonic() - ended >= 4
    aws.control("POST", "bare-metal", {})
