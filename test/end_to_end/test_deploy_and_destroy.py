"""The whole life of a stack: into the zones that there are, into more of them, and away without a trace."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.aws.settings import REGION
from lab.runner import LabError
from lab.runner.deployment import STACK_NAME, deploy, describe_deployment, destroy
from lab.runner.embedded_aws import EmbeddedAws, embedded_aws
from lab.runner.paths import REPOSITORY, LabPaths

from .running_lab import USER_ACCOUNT, RunningLab, iperf3, pair, plan
from .shared_lab import SharedLab

DEFAULT_SUBNETS = [{"Name": "default-for-az", "Values": ["true"]}]
# What each service lists: client, operation, key of the list, key of an item's name or id.
KINDS = [
    ("athena", "list_work_groups", "WorkGroups", "Name"),
    ("cloudwatch", "describe_alarms", "MetricAlarms", "AlarmName"),
    ("ec2", "describe_internet_gateways", "InternetGateways", "InternetGatewayId"),
    ("ec2", "describe_launch_templates", "LaunchTemplates", "LaunchTemplateId"),
    ("ec2", "describe_placement_groups", "PlacementGroups", "GroupName"),
    ("ec2", "describe_route_tables", "RouteTables", "RouteTableId"),
    ("ec2", "describe_security_groups", "SecurityGroups", "GroupId"),
    ("ec2", "describe_subnets", "Subnets", "SubnetId"),
    ("ec2", "describe_vpc_endpoints", "VpcEndpoints", "VpcEndpointId"),
    ("ec2", "describe_vpcs", "Vpcs", "VpcId"),
    ("events", "list_rules", "Rules", "Name"),
    ("glue", "get_databases", "DatabaseList", "Name"),
    ("iam", "list_instance_profiles", "InstanceProfiles", "InstanceProfileName"),
    ("iam", "list_roles", "Roles", "RoleName"),
    ("lambda", "list_functions", "Functions", "FunctionName"),
    ("logs", "describe_log_groups", "logGroups", "logGroupName"),
    ("s3", "list_buckets", "Buckets", "Name"),
    ("sns", "list_subscriptions", "Subscriptions", "Endpoint"),
    ("sns", "list_topics", "Topics", "TopicArn"),
    ("sqs", "list_queues", "QueueUrls", None),
    ("stepfunctions", "list_state_machines", "stateMachines", "name"),
]


@pytest.fixture(scope="module")
def aws(shared_lab: SharedLab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedAws]:
    """An embedded AWS in which CloudFormation lists two zones, as in us-west-1."""
    shared_lab.end()
    paths = LabPaths(tmp_path_factory.mktemp("lab"))
    paths.renew()
    with embedded_aws(paths, with_hosts=True) as running:
        ec2 = client(running, "ec2")
        (third,) = [
            one
            for one in ec2.describe_subnets(Filters=DEFAULT_SUBNETS)["Subnets"]
            if one["AvailabilityZone"] == "us-east-1c"
        ]
        ec2.delete_subnet(SubnetId=third["SubnetId"])
        yield running


def client(aws: EmbeddedAws, service: str) -> Any:
    return aws.session.client(service, endpoint_url=aws.endpoint_url)


def subnets(aws: EmbeddedAws) -> dict[str, tuple[str, str]]:
    """The zone and addresses of each subnet of the stack's first network, by its id."""
    found = client(aws, "ec2").describe_subnets()["Subnets"]
    return {
        one["SubnetId"]: (one["AvailabilityZone"], one["CidrBlock"])
        for one in found
        if one["CidrBlock"].startswith("10.0.")
    }


def inventory(aws: EmbeddedAws) -> dict[str, list[str]]:
    found = {}
    for service, operation, items, name in KINDS:
        listed = getattr(client(aws, service), operation)().get(items, [])
        found[f"{service} {items}"] = sorted(item if name is None else item[name] for item in listed)
    return found


def test_without_options_the_stack_fits_where_two_zones_are_listed(aws: EmbeddedAws) -> None:
    before = inventory(aws)
    deploy(aws, {})

    assert sorted(subnets(aws).values()) == [
        ("us-east-1a", "10.0.0.0/19"),
        ("us-east-1a", "10.0.64.0/19"),
        ("us-east-1b", "10.0.32.0/19"),
    ]
    destroy(aws)
    kept = [name for name in inventory(aws)["s3 Buckets"] if name not in before["s3 Buckets"]]
    assert len(kept) == 1, "the bucket of the results, and not that of the payload"
    client(aws, "s3").delete_bucket(Bucket=kept[0])


def test_more_zones_than_are_listed_fail_with_the_reason(aws: EmbeddedAws) -> None:
    with pytest.raises(LabError, match="Fn::GetAZs lists too few"):
        deploy(aws, {"zones": "3"})
    destroy(aws)


def test_from_two_zones_to_three_and_away_after_a_run_without_a_trace(aws: EmbeddedAws) -> None:
    of_others = USER_ACCOUNT["vpcs"][0]
    monitor_by_guardduty(aws, of_others["vpcId"], [of_others["subnets"][0]["subnetId"]])
    before = inventory(aws)
    context = {"removalPolicy": "destroy", "peering": "true"}
    deploy(aws, context | {"zones": "2"})
    two = subnets(aws)
    deploy(aws, context | {"zones": "us-east-1a,us-east-1b,us-east-1c"})
    three = subnets(aws)
    assert (len(two), len(three)) == (2, 3)
    assert two.items() <= three.items()

    lab = RunningLab(aws, describe_deployment(aws))
    upload = {"tool": "s3", "operation": "upload", "scheme": "https", "parallelStreams": 1, "durationSeconds": 6}
    upload |= {"objectBytes": 5_242_880}
    result = lab.run(plan("short", [pair("m4.xlarge")], [iperf3(5), upload]))
    assert result.status == "SUCCEEDED", result.cause
    resources = aws.cloudformation.get_paginator("list_stack_resources").paginate(StackName=STACK_NAME)
    summaries = [one for page in resources for one in page["StackResourceSummaries"]]
    buckets = [one["PhysicalResourceId"] for one in summaries if one["ResourceType"] == "AWS::S3::Bucket"]
    documents = [one["PhysicalResourceId"] for one in summaries if one["ResourceType"] == "AWS::SSM::Document"]
    objects = [client(aws, "s3").list_objects_v2(Bucket=bucket)["KeyCount"] for bucket in buckets]
    assert len(objects) == 2
    assert min(objects) > 0
    own_vpcs = [one["PhysicalResourceId"] for one in summaries if one["ResourceType"] == "AWS::EC2::VPC"]
    assert len(own_vpcs) == 2
    for vpc_id in own_vpcs:
        of_vpc = client(aws, "ec2").describe_subnets(Filters=[{"Name": "vpc-id", "Values": [vpc_id]}])["Subnets"]
        monitor_by_guardduty(aws, vpc_id, [one["SubnetId"] for one in of_vpc])

    destroy(aws)

    assert inventory(aws) == before
    assert [one for one in documents if document_exists(aws, one)] == []
    assert lab.instances_left(result.run_id) == []


def monitor_by_guardduty(aws: EmbeddedAws, vpc_id: str, subnet_ids: list[str]) -> None:
    """Puts into a VPC what GuardDuty puts there for the agents on its hosts, which no stack owns."""
    ec2 = client(aws, "ec2")

    def managed(kind: str) -> dict[str, Any]:
        return {
            "TagSpecifications": [{"ResourceType": kind, "Tags": [{"Key": "GuardDutyManaged", "Value": "true"}]}],
            "VpcId": vpc_id,
        }

    name, description = f"GuardDutyManagedSecurityGroup-{vpc_id}", "for the endpoint of GuardDuty"
    group = ec2.create_security_group(GroupName=name, Description=description, **managed("security-group"))
    ec2.create_vpc_endpoint(
        VpcEndpointType="Interface",
        ServiceName=f"com.amazonaws.{REGION}.guardduty-data",
        SubnetIds=subnet_ids,
        SecurityGroupIds=[group["GroupId"]],
        **managed("vpc-endpoint"),
    )


def test_private_subnets_of_a_network_that_exists_are_enough(aws: EmbeddedAws) -> None:
    before, (applications, *_) = inventory(aws), USER_ACCOUNT["vpcs"]
    # By the NAT of the first, user data gets the tools; in the second, only an image can have them.
    with_nat, cut_off = (applications["subnets"][number] for number in (3, 1))
    existing = {
        "vpcId": applications["vpcId"],
        "subnetIds": ",".join(one["subnetId"] for one in (with_nat, cut_off)),
        "availabilityZones": ",".join(one["zone"] for one in (with_nat, cut_off)),
    }
    deploy(aws, existing | {"publicAddresses": "false", "removalPolicy": "destroy"})
    lab = RunningLab(aws, describe_deployment(aws))

    plain, from_image = {"zoneId": "use1-az4"}, {"zoneId": "use1-az6", "imageId": USER_ACCOUNT["images"][0]["imageId"]}
    pairs = [pair("m4.xlarge", client=end, server=end) for end in (plain, from_image)]
    result = lab.run(plan("private", pairs, [iperf3(5)], concurrency=2))

    assert result.status == "SUCCEEDED", result.cause
    hosts = [lab.hosts(result.run_id, pair_id)[role] for pair_id in ("p0001", "p0002") for role in ("client", "server")]
    assert {host["subnetId"] for host in hosts} == {with_nat["subnetId"], cut_off["subnetId"]}
    assert {host.get("publicIp") for host in hosts} == {None}
    destroy(aws)
    assert inventory(aws) == before


def test_the_folder_of_a_release_and_the_aws_cli_are_enough(aws: EmbeddedAws, tmp_path: Path) -> None:
    before = inventory(aws)
    release = new_release(aws, tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/aws").symlink_to(REPOSITORY / ".cache/aws-cli/bin/aws")
    (tmp_path / "bin/sha256sum").symlink_to(str(shutil.which("sha256sum")))

    def by_hand(commands: str) -> None:
        """Runs commands in the folder, on a machine with the AWS CLI and sha256sum: no Node, no checkout."""
        environment = aws.environment | {"PATH": str(tmp_path / "bin"), "bucket": "releases", "region": REGION}
        subprocess.run(["/bin/bash", "-euc", commands], cwd=release, env=environment, check=True, timeout=1200)

    (commands,) = re.findall(
        r"^```\nbucket=[^\n]*\n(.*?)^```$", (release / "README.md").read_text(), re.DOTALL | re.MULTILINE
    )
    by_hand('aws s3 mb "s3://$bucket"')
    licence = (release / "LICENSE").read_text()
    (release / "LICENSE").write_text(licence[1:])
    with pytest.raises(subprocess.CalledProcessError):
        by_hand(commands)
    by_hand('[ -z "$(aws s3 ls "s3://$bucket")" ]')

    (release / "LICENSE").write_text(licence)
    by_hand(commands)
    assert inventory(aws)["sns Subscriptions"] == []
    lab = RunningLab(aws, describe_deployment(aws))
    result = lab.run(plan("released", [pair("m4.xlarge")], [iperf3(5)]))
    assert result.status == "SUCCEEDED", result.cause

    parameters = (
        "ParameterKey=AssetsBucket,UsePreviousValue=true ParameterKey=NotifyAddress,ParameterValue=me@example.com"
    )
    by_hand(
        "aws cloudformation update-stack --stack-name NetworkBenchmark --use-previous-template "
        f"--capabilities CAPABILITY_IAM --parameters {parameters}\n"
        "aws cloudformation wait stack-update-complete --stack-name NetworkBenchmark"
    )
    assert inventory(aws)["sns Subscriptions"] == ["me@example.com"]

    by_hand(
        "aws cloudformation delete-stack --stack-name NetworkBenchmark\n"
        "aws cloudformation wait stack-delete-complete --stack-name NetworkBenchmark\n"
        f"aws s3 rb --force s3://{lab.deployment.bucket}\n"
        'aws s3 rb --force "s3://$bucket"'
    )
    assert inventory(aws) == before
    assert lab.instances_left(result.run_id) == []


def new_release(aws: EmbeddedAws, folder: Path) -> Path:
    """Makes a release, as `npm run release` does, and returns its folder."""
    command = ["bash", "scripts/with-node.sh", "tsx", "scripts/write-release.ts", "--out", str(folder)]
    subprocess.run(command, cwd=REPOSITORY, env=aws.environment, check=True)
    (release,) = folder.iterdir()
    return release


def document_exists(aws: EmbeddedAws, name: str) -> bool:
    ssm = client(aws, "ssm")
    try:
        ssm.describe_document(Name=name)
    except ssm.exceptions.InvalidDocument:
        return False
    return True
