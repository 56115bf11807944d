"""Placement groups: what each strategy allows, and a group that lives as long as an instance is in it."""

from __future__ import annotations

import secrets
from typing import Any

from lab.aws.ec2.records import PlacementGroup, Records, remove_tags, requested_tags, set_tags, tag_views, tags_match
from lab.aws.ec2.requests import check_filters, check_parameters, facts_match, filters_of
from lab.aws.settings import ACCOUNT_ID, REGION
from lab.aws.wire import AwsError, Request
from lab.hosts.profiles import Profile

STRATEGIES = ("cluster", "spread", "partition")
SPREAD_PER_ZONE = 7
MAX_PARTITIONS = 7
DEFAULT_PARTITIONS = 2


class PlacementGroups:
    """The actions on placement groups."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def create(self, request: Request) -> dict[str, Any]:
        check_parameters(request, {"GroupName", "Strategy", "PartitionCount", "TagSpecification"})
        name, strategy = request.get("GroupName"), request.get("Strategy", "cluster")
        count = request.get("PartitionCount")
        if not name:
            raise AwsError("MissingParameter", "The request must contain the parameter GroupName")
        if strategy not in STRATEGIES:
            raise AwsError("InvalidParameterValue", f"Value ({strategy}) for parameter strategy is invalid.")
        if count is not None and (strategy != "partition" or not 1 <= int(count) <= MAX_PARTITIONS):
            raise AwsError("InvalidParameterValue", f"Value ({count}) for parameter partitionCount is invalid.")
        if name in self._records.placement_groups:
            raise AwsError("InvalidPlacementGroup.Duplicate", f"The placement group '{name}' already exists.")
        partitions = int(count or DEFAULT_PARTITIONS) if strategy == "partition" else None
        group = PlacementGroup(name, f"pg-{secrets.token_hex(9)[:17]}", strategy, partitions)
        self._records.placement_groups[name] = group
        set_tags(group.group_id, requested_tags(request, "placement-group"))
        return {"return": True, "placementGroup": _view(group)}

    def delete(self, request: Request) -> dict[str, Any]:
        name = request.get("GroupName", "")
        if name not in self._records.placement_groups:
            raise _unknown(name)
        if self._records.members(name):
            raise AwsError(
                "InvalidPlacementGroup.InUse", f"The placement group '{name}' is in use and may not be deleted."
            )
        remove_tags(self._records.placement_groups.pop(name).group_id)
        return {"return": True}

    def describe(self, request: Request) -> dict[str, Any]:
        check_parameters(request, {"GroupName", "GroupId", "Filter"})
        names, ids = request.get("GroupName", []), request.get("GroupId", [])
        for name in names:
            if name not in self._records.placement_groups:
                raise _unknown(name)
        filters = filters_of(request)
        check_filters(filters, {"group-name", "strategy", "state"})
        return {
            "placementGroupSet": [
                _view(group)
                for group in list(self._records.placement_groups.values())
                if (not names or group.name in names)
                and (not ids or group.group_id in ids)
                and tags_match(group.group_id, filters)
                and facts_match(
                    {"group-name": [group.name], "strategy": [group.strategy], "state": ["available"]}, filters
                )
            ]
        }


def check_placement(records: Records, name: str, profile: Profile, zone: str, count: int) -> None:
    """Raises what RunInstances answers when the group can't take `count` more of this type in this zone."""
    group = records.placement_groups.get(name)
    if group is None:
        raise _unknown(name)
    zones = [instance.zone for instance in records.members(name)]
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
    if placement_group is None or records.placement_groups[placement_group].strategy != "cluster":
        return None
    return placement_group


def _unknown(name: str) -> AwsError:
    return AwsError("InvalidPlacementGroup.Unknown", f"The placement group '{name}' is unknown.")


def _view(group: PlacementGroup) -> dict[str, Any]:
    return {
        "groupName": group.name,
        "groupId": group.group_id,
        "state": "available",
        "strategy": group.strategy,
        "partitionCount": group.partition_count,
        "groupArn": f"arn:aws:ec2:{REGION}:{ACCOUNT_ID}:placement-group/{group.name}",
        "tagSet": tag_views(group.group_id),
    }
