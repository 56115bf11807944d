"""Placement groups: what each strategy allows, and a group that lives as long as an instance is in it."""

from __future__ import annotations

from typing import Any

from ministack.services import ec2

from lab.aws.query import AwsError
from lab.hosts.profiles import Profile

STRATEGIES = ("cluster", "spread", "partition")
SPREAD_PER_ZONE = 7
MAX_PARTITIONS = 7


def check_strategy(request: dict[str, Any]) -> None:
    """What CreatePlacementGroup refuses; MiniStack's takes any strategy."""
    strategy, count = request.get("Strategy", "cluster"), request.get("PartitionCount")
    if strategy not in STRATEGIES:
        raise AwsError("InvalidParameterValue", f"Value ({strategy}) for parameter strategy is invalid.")
    if count is not None and (strategy != "partition" or not 1 <= int(count) <= MAX_PARTITIONS):
        raise AwsError("InvalidParameterValue", f"Value ({count}) for parameter partitionCount is invalid.")


def delete_placement_group(request: dict[str, Any]) -> dict[str, Any]:
    name = request.get("GroupName", "")
    if name not in ec2._placement_groups:
        raise AwsError("InvalidPlacementGroup.Unknown", f"The placement group '{name}' is unknown.")
    if members(name):
        raise AwsError("InvalidPlacementGroup.InUse", f"The placement group '{name}' is in use and may not be deleted.")
    ec2._tags.pop(ec2._placement_groups.pop(name)["GroupId"], None)
    return {"return": True}


def members(placement_group: str) -> list[dict[str, Any]]:
    """Instances that keep a placement group in use."""
    return [
        instance
        for instance in ec2._instances.values()
        if instance["Placement"].get("GroupName") == placement_group and instance["State"]["Name"] != "terminated"
    ]


def check_placement(name: str, profile: Profile, zone: str, count: int) -> None:
    """Raises what RunInstances answers when the group can't take `count` more of this type in this zone."""
    group = ec2._placement_groups.get(name)
    if group is None:
        raise AwsError("InvalidPlacementGroup.Unknown", f"The placement group '{name}' is unknown.")
    zones = [instance["Placement"]["AvailabilityZone"] for instance in members(name)]
    if group["Strategy"] == "spread" and zones.count(zone) + count > SPREAD_PER_ZONE:
        raise AwsError(
            "InstanceLimitExceeded",
            f"A spread placement group supports a maximum of {SPREAD_PER_ZONE} running instances per zone.",
        )
    if group["Strategy"] != "cluster":
        return
    if not profile.cluster_placement:
        raise AwsError(
            "InvalidParameterCombination",
            f"Placement groups may not be used with instances of type '{profile.instance_type}'.",
        )
    for other in zones:
        if other != zone:
            raise AwsError(
                "InvalidPlacementGroup.InUse",
                f"The placement group '{name}' is in use in another availability zone: {other}",
            )


def cluster_of(placement_group: str) -> str | None:
    """The group whose members are near each other; spread and partition groups are not near, only apart."""
    if not placement_group or ec2._placement_groups[placement_group]["Strategy"] != "cluster":
        return None
    return placement_group
