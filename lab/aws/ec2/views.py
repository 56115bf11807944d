"""Instances as RunInstances and DescribeInstances show them."""

from typing import Any

from lab.aws.ec2.interfaces import instance_interface
from lab.aws.ec2.records import STATE_CODES, Instance, Records, tag_views
from lab.aws.ec2.requests import Facts, matching
from lab.aws.settings import ACCOUNT_ID
from lab.aws.wire import Request


def describe_instances(records: Records, request: Request) -> dict[str, Any]:
    wanted = [records.instance(instance_id) for instance_id in request.get("InstanceIds", list(records.instances))]
    facts: Facts[Instance] = {"instance-state-name": lambda instance: [instance.state]}
    found = matching(request, wanted, lambda instance: instance.instance_id, facts)
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
