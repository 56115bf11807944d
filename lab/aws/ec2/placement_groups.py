"""Placement groups: what each strategy allows, and which instances keep a group in use."""

from typing import Any

from lab.aws.ec2.networks import ministack
from lab.aws.ec2.records import Records, placement_groups, tags_of
from lab.aws.ec2.requests import matching
from lab.aws.wire import AwsError, Request
from lab.hosts.profiles import Profile

STRATEGIES = ("cluster", "spread", "partition")
SPREAD_PER_ZONE = 7
MAX_PARTITIONS = 7
DEFAULT_PARTITIONS = 2


def create_placement_group(request: Request) -> dict[str, Any]:
    strategy = request.get("Strategy", "cluster")
    if strategy not in STRATEGIES:
        raise AwsError("InvalidParameterValue", f"Value ({strategy}) for parameter strategy is invalid.")
    if strategy == "partition":
        request.setdefault("PartitionCount", DEFAULT_PARTITIONS)
    count = request.get("PartitionCount")
    if count is not None and (strategy != "partition" or not 1 <= count <= MAX_PARTITIONS):
        raise AwsError("InvalidParameterValue", f"Value ({count}) for parameter partitionCount is invalid.")
    return ministack("CreatePlacementGroup", **request)


def delete_placement_group(records: Records, request: Request) -> dict[str, Any]:
    name = request["GroupName"]
    if records.members(name):
        raise AwsError("InvalidPlacementGroup.InUse", f"The placement group '{name}' is in use and may not be deleted.")
    return ministack("DeletePlacementGroup", GroupName=name)


def describe_placement_groups(request: Request) -> dict[str, Any]:
    asked = {name: value for name, value in request.items() if name != "Filters"}
    groups = ministack("DescribePlacementGroups", **asked)["PlacementGroups"]
    return {"PlacementGroups": matching(request, groups, {}, tags_of)}


def check_placement(records: Records, name: str, profile: Profile, zone: str, count: int) -> None:
    """Raises RunInstances' error if the group can't take `count` more instances of this type in this zone."""
    (group,) = placement_groups(name)
    zones = [instance.launch.subnet.zone for instance in records.members(name)]
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


def cluster_of(placement_group: str | None) -> str | None:
    """Returns the name of the group if it is a cluster, whose members are close to each other."""
    if placement_group is None or placement_groups(placement_group)[0]["Strategy"] != "cluster":
        return None
    return placement_group
