"""Placement groups: what each strategy allows, and a group that lives as long as an instance is in it."""

from collections.abc import Callable
from typing import Any

from lab.aws.ec2.records import Records
from lab.aws.ec2.requests import check_parameters, matching
from lab.aws.wire import AwsError, Request
from lab.hosts.profiles import Profile

STRATEGIES = ("cluster", "spread", "partition")
SPREAD_PER_ZONE = 7
MAX_PARTITIONS = 7
DEFAULT_PARTITIONS = 2


class PlacementGroups:
    """The actions on placement groups: MiniStack carries out those that the lab does not refuse."""

    def __init__(self, records: Records, ministack: Callable[..., dict[str, Any]]) -> None:
        self._records = records
        self._ministack = ministack

    def create(self, request: Request) -> dict[str, Any]:
        check_parameters(request, {"GroupName", "Strategy", "PartitionCount", "TagSpecifications"})
        strategy = request.get("Strategy", "cluster")
        if strategy not in STRATEGIES:
            raise AwsError("InvalidParameterValue", f"Value ({strategy}) for parameter strategy is invalid.")
        if strategy == "partition":
            request.setdefault("PartitionCount", DEFAULT_PARTITIONS)
        count = request.get("PartitionCount")
        if count is not None and (strategy != "partition" or not 1 <= count <= MAX_PARTITIONS):
            raise AwsError("InvalidParameterValue", f"Value ({count}) for parameter partitionCount is invalid.")
        return self._ministack("CreatePlacementGroup", **request)

    def delete(self, request: Request) -> dict[str, Any]:
        name = request["GroupName"]
        if self._records.members(name):
            raise AwsError(
                "InvalidPlacementGroup.InUse", f"The placement group '{name}' is in use and may not be deleted."
            )
        return self._ministack("DeletePlacementGroup", GroupName=name)

    def describe(self, request: Request) -> dict[str, Any]:
        check_parameters(request, {"GroupNames", "GroupIds", "Filters"})
        asked = {name: value for name, value in request.items() if name != "Filters"}
        groups = self._ministack("DescribePlacementGroups", **asked)["PlacementGroups"]
        return {"PlacementGroups": matching(request, groups, lambda group: str(group["GroupId"]), {})}


def check_placement(records: Records, name: str, profile: Profile, zone: str, count: int) -> None:
    """Raises what RunInstances answers when the group can't take `count` more of this type in this zone."""
    group = records.placement_group(name)
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


def cluster_of(records: Records, placement_group: str | None) -> str | None:
    """The name of the group if its members are near each other, as only a cluster's are."""
    if placement_group is None or records.placement_group(placement_group)["Strategy"] != "cluster":
        return None
    return placement_group
