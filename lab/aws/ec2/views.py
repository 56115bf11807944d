"""Instances as RunInstances and DescribeInstances show them, and images as DescribeImages shows them."""

from typing import Any

from lab.aws.ec2.images import IMAGES, Image, image_of, image_view
from lab.aws.ec2.interfaces import instance_interface
from lab.aws.ec2.records import STATE_CODES, Instance, Records, tag_views
from lab.aws.ec2.requests import Facts, matching
from lab.aws.settings import ACCOUNT_ID
from lab.aws.wire import Request

IMAGE_FACTS: Facts[Image] = {
    "architecture": lambda image: [image.architecture],
    "image-id": lambda image: [image.image_id],
    "name": lambda image: [image.name],
    "owner-id": lambda image: [image.owner_id],
    "root-device-name": lambda image: [image.root_device_name],
    "state": lambda _: ["available"],
}


def describe_instances(records: Records, request: Request) -> dict[str, Any]:
    wanted = [records.instance(instance_id) for instance_id in request.get("InstanceIds", list(records.instances))]
    facts: Facts[Instance] = {"instance-state-name": lambda instance: [instance.state]}
    found = matching(request, wanted, facts, lambda instance: instance.launch.tags)
    return {"Reservations": [reservation([instance]) for instance in found]}


def describe_images(request: Request) -> dict[str, Any]:
    owners = {ACCOUNT_ID if owner == "self" else owner for owner in request.get("Owners", [])}
    wanted = [image_of(image_id) for image_id in request.get("ImageIds", list(IMAGES))]
    found = [image for image in wanted if not owners or image.owner_id in owners]
    return {"Images": [image_view(image) for image in matching(request, found, IMAGE_FACTS)]}


def reservation(instances: list[Instance]) -> dict[str, Any]:
    return {
        "ReservationId": f"r-{instances[0].instance_id[2:]}",
        "OwnerId": ACCOUNT_ID,
        "Groups": [],
        "Instances": [_view(instance) for instance in instances],
    }


def state_view(state: str) -> dict[str, Any]:
    return {"Code": STATE_CODES[state], "Name": state}


def _view(instance: Instance) -> dict[str, Any]:
    launch, reason = instance.launch, instance.reason
    threads_per_core = 2 if launch.profile.architecture == "x86_64" else 1
    role = launch.instance_profile
    return {
        "InstanceId": instance.instance_id,
        "ImageId": launch.image.image_id,
        "State": state_view(instance.state),
        "StateReason": reason and {"Code": reason[0], "Message": f"{reason[0]}: {reason[1]}"},
        "InstanceType": launch.profile.instance_type,
        "CpuOptions": {
            "CoreCount": launch.profile.vcpu_count // threads_per_core,
            "ThreadsPerCore": threads_per_core,
        },
        "LaunchTime": instance.launched,
        "Placement": {"AvailabilityZone": launch.subnet.zone, "GroupName": launch.placement_group},
        "PrivateIpAddress": instance.private_address,
        "PublicIpAddress": instance.public_address or None,
        "SubnetId": launch.subnet.subnet_id,
        "VpcId": launch.subnet.vpc_id,
        "Architecture": launch.profile.architecture,
        "RootDeviceName": launch.image.root_device_name,
        "BlockDeviceMappings": [{"DeviceName": name} for name in launch.device_names],
        "IamInstanceProfile": role and {"Arn": role.arn, "Id": role.profile_id},
        "Hypervisor": launch.profile.hypervisor,
        "SecurityGroups": launch.security_groups,
        "Tags": tag_views(launch.tags),
        "ClientToken": instance.client_token,
        "NetworkInterfaces": [] if instance.state == "terminated" else [instance_interface(instance)],
    }
