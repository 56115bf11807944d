"""Placement groups: what each strategy allows, and a group that lives as long as an instance is in it."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from lab.aws.ec2.records import PlacementGroup, Records, remove_tags, set_tags, tag_views
from lab.aws.ec2.requests import check_parameters, matching, requested_tags
from lab.aws.settings import ACCOUNT_ID, REGION
from lab.aws.wire import AwsError, Request
from lab.hosts.profiles import Profile

STRATEGIES = ("cluster", "spread", "partition")
SPREAD_PER_ZONE = 7
MAX_PARTITIONS = 7
DEFAULT_PARTITIONS = 2
FACTS: dict[str, Callable[[PlacementGroup], list[str]]] = {
    "group-name": lambda group: [group.name],
    "strategy": lambda group: [group.strategy],
    "state": lambda _: ["available"],
}


class PlacementGroups:
    """The actions on placement groups."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def create(self, request: Request) -> dict[str, Any]:
        check_parameters(request, {"GroupName", "Strategy", "PartitionCount", "TagSpecifications"})
        name, strategy = request.get("GroupName"), request.get("Strategy", "cluster")
        count = request.get("PartitionCount")
        if not name:
            raise AwsError("MissingParameter", "The request must contain the parameter GroupName")
        if strategy not in STRATEGIES:
            raise AwsError("InvalidParameterValue", f"Value ({strategy}) for parameter strategy is invalid.")
        if count is not None and (strategy != "partition" or not 1 <= count <= MAX_PARTITIONS):
            raise AwsError("InvalidParameterValue", f"Value ({count}) for parameter partitionCount is invalid.")
        if name in self._records.placement_groups:
            raise AwsError("InvalidPlacementGroup.Duplicate", f"The placement group '{name}' already exists.")
        partitions = count or DEFAULT_PARTITIONS if strategy == "partition" else None
        group = PlacementGroup(name, f"pg-{secrets.token_hex(9)[:17]}", strategy, partitions)
        self._records.placement_groups[name] = group
        set_tags(group.group_id, requested_tags(request, "placement-group"))
        return {"PlacementGroup": _view(group)}

    def delete(self, request: Request) -> dict[str, Any]:
        group = self._records.placement_group(request["GroupName"])
        if self._records.members(group.name):
            raise AwsError(
                "InvalidPlacementGroup.InUse", f"The placement group '{group.name}' is in use and may not be deleted."
            )
        del self._records.placement_groups[group.name]
        remove_tags(group.group_id)
        return {}

    def describe(self, request: Request) -> dict[str, Any]:
        check_parameters(request, {"GroupNames", "GroupIds", "Filters"})
        names = request.get("GroupNames", list(self._records.placement_groups))
        groups = [self._records.placement_group(name) for name in names]
        found = [group for group in groups if group.group_id in request.get("GroupIds", [group.group_id])]
        shown = matching(request, found, lambda group: group.group_id, FACTS)
        return {"PlacementGroups": [_view(group) for group in shown]}


def check_placement(records: Records, name: str, profile: Profile, zone: str, count: int) -> None:
    """Raises what RunInstances answers when the group can't take `count` more of this type in this zone."""
    group = records.placement_group(name)
    zones = [instance.launch.subnet.zone for instance in records.members(name)]
    if group.strategy == "spread" and zones.count(zone) + count > SPREAD_PER_ZONE:
        raise AwsError(
            "InstanceLimitExceeded",
            f"A spread placement group supports a maximum of {SPREAD_PER_ZONE} running instances per zone.",
        )
    if group.strategy != "cluster":
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
    if placement_group is None or records.placement_group(placement_group).strategy != "cluster":
        return None
    return placement_group


def _view(group: PlacementGroup) -> dict[str, Any]:
    return {
        "GroupName": group.name,
        "GroupId": group.group_id,
        "State": "available",
        "Strategy": group.strategy,
        "PartitionCount": group.partition_count,
        "GroupArn": f"arn:aws:ec2:{REGION}:{ACCOUNT_ID}:placement-group/{group.name}",
        "Tags": tag_views(group.group_id),
    }
