"""The lab's own record of what exists, so that a test can say that nothing is left."""

from __future__ import annotations

from typing import Any

from ministack.services import ec2

from lab.aws.elb_records import Records

Resources = dict[str, list[dict[str, Any]]]


def resources(load_balancing: Records, tag_key: str | None = None) -> Resources:
    """By kind, what was made and is not gone, each with its tags; with a key, only what has a tag of that key.

    The interfaces of load balancers carry no tags, so they are always there.
    """
    found = {
        "instances": [
            {"id": instance["InstanceId"], "state": instance["State"]["Name"], "tags": _tags(instance["InstanceId"])}
            for instance in list(ec2._instances.values())
            if instance["State"]["Name"] != "terminated"
        ],
        "placementGroups": [
            {"name": group["GroupName"], "tags": _tags(group["GroupId"])}
            for group in list(ec2._placement_groups.values())
        ],
        "securityGroups": [
            {"id": group["GroupId"], "name": group["GroupName"], "tags": _tags(group["GroupId"])}
            for group in list(ec2._security_groups.values())
        ],
        "loadBalancers": [
            {"name": one.name, "state": one.state, "tags": one.tags}
            for one in list(load_balancing.load_balancers.values())
        ],
        "targetGroups": [
            {"name": group.name, "tags": group.tags} for group in list(load_balancing.target_groups.values())
        ],
    }
    if tag_key is not None:
        found = {kind: [item for item in items if tag_key in item["tags"]] for kind, items in found.items()}
    found["loadBalancerInterfaces"] = [
        {"id": interface["NetworkInterfaceId"], "description": interface["Description"]}
        for interface in list(ec2._network_interfaces.values())
    ]
    return found


def _tags(resource_id: str) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in ec2._tags.get(resource_id, [])}
