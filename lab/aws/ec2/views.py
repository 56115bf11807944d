"""Instances as RunInstances and DescribeInstances show them."""

from __future__ import annotations

from typing import Any

from lab.aws.ec2.interfaces import instance_interface
from lab.aws.ec2.records import STATE_CODES, Filters, Instance, Records, tag_views, tags_match
from lab.aws.ec2.requests import check_filters, facts_match, filters_of, page
from lab.aws.settings import ACCOUNT_ID
from lab.aws.wire import AwsError, Request, timestamp


def describe_instances(records: Records, request: Request) -> dict[str, Any]:
    wanted = request.get("InstanceId", [])
    for instance_id in wanted:
        if instance_id not in records.instances:
            raise AwsError("InvalidInstanceID.NotFound", f"The instance ID '{instance_id}' does not exist")
    filters = filters_of(request)
    found = [
        instance
        for instance in list(records.instances.values())
        if (not wanted or instance.instance_id in wanted) and _matches(instance, filters)
    ]
    shown, next_token = page(request, found)
    reservations = [
        {
            "reservationId": f"r-{instance.instance_id[2:]}",
            "ownerId": ACCOUNT_ID,
            "groupSet": [],
            "instancesSet": [instance_view(records, instance)],
        }
        for instance in shown
    ]
    return {"reservationSet": reservations, "nextToken": next_token}


def instance_view(records: Records, instance: Instance) -> dict[str, Any]:
    profile, reason = instance.instance_profile, instance.reason
    return {
        "instanceId": instance.instance_id,
        "imageId": instance.image_id,
        "instanceState": {"code": STATE_CODES[instance.state], "name": instance.state},
        "stateReason": None if reason is None else {"code": reason[0], "message": f"{reason[0]}: {reason[1]}"},
        "instanceType": instance.instance_type,
        "launchTime": timestamp(instance.launched),
        "placement": {
            "availabilityZone": instance.zone,
            "groupName": instance.placement_group,
            "tenancy": "default",
        },
        "privateDnsName": f"ip-{instance.private_address.replace('.', '-')}.ec2.internal",
        "privateIpAddress": instance.private_address,
        "dnsName": "",
        "ipAddress": instance.public_address or None,
        "sourceDestCheck": True,
        "subnetId": instance.subnet_id,
        "vpcId": instance.vpc_id,
        "architecture": instance.profile.architecture,
        "rootDeviceType": "ebs",
        "rootDeviceName": "/dev/sda1",
        "blockDeviceMapping": [],
        "iamInstanceProfile": None if profile is None else {"arn": profile.arn, "id": profile.profile_id},
        "virtualizationType": "hvm",
        "hypervisor": instance.profile.hypervisor,
        "monitoring": {"state": "disabled"},
        "groupSet": records.group_views(instance.security_group_ids),
        "tagSet": tag_views(instance.instance_id),
        "amiLaunchIndex": 0,
        "clientToken": instance.client_token,
        "networkInterfaceSet": [] if instance.state == "terminated" else [instance_interface(records, instance)],
    }


def _matches(instance: Instance, filters: Filters) -> bool:
    facts = {
        "availability-zone": [instance.zone],
        "client-token": [instance.client_token],
        "image-id": [instance.image_id],
        "instance-id": [instance.instance_id],
        "instance-state-name": [instance.state],
        "instance-type": [instance.instance_type],
        "instance.group-id": instance.security_group_ids,
        "placement-group-name": [instance.placement_group or ""],
        "private-ip-address": [instance.private_address],
        "subnet-id": [instance.subnet_id],
        "vpc-id": [instance.vpc_id],
    }
    check_filters(filters, set(facts))
    return tags_match(instance.instance_id, filters) and facts_match(facts, filters)
