"""Instances as RunInstances and DescribeInstances show them."""

from collections.abc import Callable
from typing import Any

from lab.aws.ec2.interfaces import instance_interface
from lab.aws.ec2.records import STATE_CODES, Instance, Records, tag_views
from lab.aws.ec2.requests import matching
from lab.aws.settings import ACCOUNT_ID
from lab.aws.wire import Request

FACTS: dict[str, Callable[[Instance], list[str]]] = {
    "availability-zone": lambda instance: [instance.launch.subnet.zone],
    "client-token": lambda instance: [instance.client_token],
    "image-id": lambda instance: [instance.launch.image_id],
    "instance-id": lambda instance: [instance.instance_id],
    "instance-state-name": lambda instance: [instance.state],
    "instance-type": lambda instance: [instance.launch.profile.instance_type],
    "instance.group-id": lambda instance: instance.launch.security_group_ids,
    "placement-group-name": lambda instance: [instance.launch.placement_group or ""],
    "private-ip-address": lambda instance: [instance.private_address],
    "subnet-id": lambda instance: [instance.launch.subnet.subnet_id],
    "vpc-id": lambda instance: [instance.launch.subnet.vpc_id],
}


def describe_instances(records: Records, request: Request) -> dict[str, Any]:
    wanted = [records.instance(instance_id) for instance_id in request.get("InstanceIds", list(records.instances))]
    found = matching(request, wanted, lambda instance: instance.instance_id, FACTS)
    return {"Reservations": [reservation(records, [instance]) for instance in found]}


def reservation(records: Records, instances: list[Instance]) -> dict[str, Any]:
    return {
        "ReservationId": f"r-{instances[0].instance_id[2:]}",
        "OwnerId": ACCOUNT_ID,
        "Groups": [],
        "Instances": [_view(records, instance) for instance in instances],
    }


def state_view(state: str) -> dict[str, Any]:
    return {"Code": STATE_CODES[state], "Name": state}


def _view(records: Records, instance: Instance) -> dict[str, Any]:
    launch, reason = instance.launch, instance.reason
    role = launch.instance_profile
    return {
        "InstanceId": instance.instance_id,
        "ImageId": launch.image_id,
        "State": state_view(instance.state),
        "StateReason": reason and {"Code": reason[0], "Message": f"{reason[0]}: {reason[1]}"},
        "InstanceType": launch.profile.instance_type,
        "LaunchTime": instance.launched,
        "Placement": {
            "AvailabilityZone": launch.subnet.zone,
            "GroupName": launch.placement_group,
            "Tenancy": "default",
        },
        "PrivateDnsName": f"ip-{instance.private_address.replace('.', '-')}.ec2.internal",
        "PrivateIpAddress": instance.private_address,
        "PublicDnsName": "",
        "PublicIpAddress": instance.public_address or None,
        "SourceDestCheck": True,
        "SubnetId": launch.subnet.subnet_id,
        "VpcId": launch.subnet.vpc_id,
        "Architecture": launch.profile.architecture,
        "RootDeviceType": "ebs",
        "RootDeviceName": "/dev/sda1",
        "BlockDeviceMappings": [],
        "IamInstanceProfile": role and {"Arn": role.arn, "Id": role.profile_id},
        "VirtualizationType": "hvm",
        "Hypervisor": launch.profile.hypervisor,
        "Monitoring": {"State": "disabled"},
        "SecurityGroups": records.group_views(launch.security_group_ids),
        "Tags": tag_views(instance.instance_id),
        "AmiLaunchIndex": 0,
        "ClientToken": instance.client_token,
        "NetworkInterfaces": [] if instance.state == "terminated" else [instance_interface(records, instance)],
    }
