"""What exists: instances, placement groups, and the interfaces that load balancers put into subnets."""

from __future__ import annotations

import datetime
import fnmatch
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.aws import embedded
from lab.aws.wire import Request
from lab.hosts.profiles import Profile

STATE_CODES = {"pending": 0, "running": 16, "shutting-down": 32, "terminated": 48}
Filters = dict[str, list[str]]
SecurityGroup = dict[str, Any]


@dataclass(frozen=True)
class EnaSrd:
    """ENA Express of an interface, and its separate switch for UDP."""

    enabled: bool
    udp_enabled: bool


@dataclass(frozen=True)
class InstanceProfile:
    """An IAM instance profile and its role."""

    arn: str
    profile_id: str
    role_name: str | None
    role_id: str | None


@dataclass
class Instance:
    """An instance, from RunInstances until the end of the process."""

    instance_id: str
    image_id: str
    profile: Profile
    subnet_id: str
    vpc_id: str
    zone: str
    private_address: str
    public_address: str
    security_group_ids: list[str]
    ena_srd: EnaSrd
    placement_group: str | None
    instance_profile: InstanceProfile | None
    client_token: str
    state: str = "pending"
    reason: tuple[str, str] | None = None
    """Code and message of the state's reason."""
    running_since: float = float("inf")
    has_host: bool = False
    launched: datetime.datetime = field(default_factory=lambda: datetime.datetime.now(datetime.UTC))
    host_lock: threading.Lock = field(default_factory=threading.Lock)
    """Held while its host is created or destroyed."""

    @property
    def instance_type(self) -> str:
        return self.profile.instance_type

    @property
    def is_alive(self) -> bool:
        return self.state in ("pending", "running")

    @property
    def interface_id(self) -> str:
        return f"eni-{self.instance_id[2:]}"


@dataclass
class PlacementGroup:
    name: str
    group_id: str
    strategy: str
    partition_count: int | None


@dataclass
class LoadBalancerInterface:
    """The interface that a load balancer puts into a subnet."""

    interface_id: str
    subnet_id: str
    vpc_id: str
    zone: str
    description: str
    address: str
    security_group_ids: list[str]


class Records:
    """All records of EC2 that the lab decides upon."""

    def __init__(self) -> None:
        self.instances: dict[str, Instance] = {}
        self.placement_groups: dict[str, PlacementGroup] = {}
        self.interfaces: dict[str, LoadBalancerInterface] = {}

    @property
    def security_groups(self) -> dict[str, SecurityGroup]:
        """MiniStack's table, by id: a stack's groups and every VPC's default group are in it, too."""
        groups: dict[str, SecurityGroup] = embedded.EC2_SECURITY_GROUPS.value
        return groups

    def not_terminated(self) -> list[Instance]:
        return [instance for instance in list(self.instances.values()) if instance.state != "terminated"]

    def alive(self) -> list[Instance]:
        """The instances that run or are about to."""
        return [instance for instance in list(self.instances.values()) if instance.is_alive]

    def members(self, placement_group: str) -> list[Instance]:
        """The instances that keep a placement group in use."""
        return [instance for instance in self.not_terminated() if instance.placement_group == placement_group]

    def group_views(self, group_ids: list[str]) -> list[dict[str, Any]]:
        """Security groups as instances and interfaces show them."""
        groups = self.security_groups
        return [
            {"groupId": group_id, "groupName": groups[group_id]["GroupName"]}
            for group_id in group_ids
            if group_id in groups
        ]


def tags_of(resource_id: str) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in embedded.EC2_TAGS.value.get(resource_id, [])}


def set_tags(resource_id: str, tags: Mapping[str, str]) -> None:
    if tags:
        embedded.EC2_TAGS.value[resource_id] = [{"Key": key, "Value": value} for key, value in tags.items()]


def remove_tags(resource_id: str) -> None:
    embedded.EC2_TAGS.value.pop(resource_id, None)


def tag_views(resource_id: str) -> list[dict[str, str]]:
    return [{"key": key, "value": value} for key, value in tags_of(resource_id).items()]


def requested_tags(request: Request, resource_type: str) -> dict[str, str]:
    """The tags that a request gives to what it creates."""
    return {
        tag["Key"]: tag.get("Value", "")
        for specification in request.get("TagSpecification", [])
        if specification.get("ResourceType") == resource_type
        for tag in specification.get("Tag", [])
    }


def tags_match(resource_id: str, filters: Filters) -> bool:
    """Whether a resource passes those filters that are about tags; `*` and `?` are wildcards."""
    tags = tags_of(resource_id)
    for name, patterns in filters.items():
        if name.startswith("tag:"):
            key = name.removeprefix("tag:")
            candidates = [tags[key]] if key in tags else []
        elif name in ("tag-key", "tag-value"):
            candidates = list(tags if name == "tag-key" else tags.values())
        else:
            continue
        if not any(_matches(pattern, candidate) for pattern in patterns for candidate in candidates):
            return False
    return True


def _matches(pattern: str, text: str) -> bool:
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))
