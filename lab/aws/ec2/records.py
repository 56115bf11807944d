"""EC2's records: instances and load balancers' interfaces, which the lab keeps, and groups, which MiniStack keeps."""

import datetime
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lab.aws.ec2.images import Image
from lab.aws.ec2.networks import Subnet, ministack
from lab.aws.wire import AwsError
from lab.hosts.profiles import Profile

STATE_CODES = {"pending": 0, "running": 16, "shutting-down": 32, "terminated": 48}
USUAL_ROOT = "/dev/sda1"
SecurityGroup = dict[str, Any]
PlacementGroup = dict[str, Any]
GroupName = dict[str, str]
"""`GroupId` and `GroupName` of a security group, as instances and interfaces show them."""


@dataclass(frozen=True)
class InstanceProfile:
    arn: str
    profile_id: str
    role_name: str | None
    role_id: str | None


@dataclass(frozen=True)
class Launch:
    """A checked RunInstances request."""

    image: Image
    device_names: list[str]
    """Of the volumes, the image's root device among them."""
    profile: Profile
    subnet: Subnet
    security_groups: list[GroupName]
    has_public_address: bool
    gateway: Literal["internet", "nat"] | None
    """Where packets to the internet go from the subnet."""
    has_endpoints: bool
    """Whether its VPC has the endpoints of Systems Manager."""
    ena_srd_enabled: bool
    """Whether the interface has ENA Express. It has a switch of its own for UDP."""
    ena_srd_udp_enabled: bool
    placement_group: str | None
    cpu_credits: str | None
    """`standard` or `unlimited`; None for a type without burstable CPU."""
    instance_profile: InstanceProfile | None
    tags: dict[str, str]
    count: int

    @property
    def security_group_ids(self) -> list[str]:
        return [group["GroupId"] for group in self.security_groups]

    @property
    def is_published(self) -> bool:
        """Returns whether its public address, if any, can be reached."""
        return self.has_public_address and self.gateway == "internet"

    @property
    def has_way_out(self) -> bool:
        return self.is_published or self.gateway == "nat"

    @property
    def boots(self) -> bool:
        """Returns whether the image's volume is the root: the kernel may take an empty volume at `/dev/sda1` for it.

        Seen in https://github.com/hashicorp/terraform-provider-aws/pull/29875 and
        https://github.com/azavea/terraform-aws-ecs-cluster/pull/34.
        """
        root = self.image.root_device_name
        return root in self.device_names and (root == USUAL_ROOT or USUAL_ROOT not in self.device_names)


@dataclass
class Instance:
    """An instance, which is kept until the process ends."""

    instance_id: str
    launch: Launch
    private_address: str
    public_address: str
    client_token: str
    state: str = "pending"
    reason: tuple[str, str] | None = None
    """Code and message of the state's reason."""
    booted_at: float = float("inf")
    has_host: bool = False
    launched: datetime.datetime = field(default_factory=lambda: datetime.datetime.now(datetime.UTC))
    host_lock: threading.Lock = field(default_factory=threading.Lock)
    """Held while its host is created or destroyed."""

    @property
    def is_alive(self) -> bool:
        return self.state in ("pending", "running")


@dataclass(frozen=True)
class BareMetal:
    """How much longer bare metal takes than a virtual host to boot once it is running, and to terminate."""

    start_seconds: float = 0
    stop_seconds: float = 0


@dataclass
class LoadBalancerInterface:
    interface_id: str
    subnet: Subnet
    description: str
    address: str
    security_groups: list[GroupName]

    @property
    def security_group_ids(self) -> list[str]:
        return [group["GroupId"] for group in self.security_groups]


class Records:
    """The records that the lab itself keeps."""

    def __init__(self) -> None:
        self.instances: dict[str, Instance] = {}
        self.interfaces: dict[str, LoadBalancerInterface] = {}
        self.bare_metal = BareMetal()

    def instance(self, instance_id: str) -> Instance:
        if instance_id not in self.instances:
            raise AwsError("InvalidInstanceID.NotFound", f"The instance ID '{instance_id}' does not exist")
        return self.instances[instance_id]

    def not_terminated(self) -> list[Instance]:
        return [instance for instance in list(self.instances.values()) if instance.state != "terminated"]

    def alive(self) -> list[Instance]:
        """Returns the instances that are pending or running."""
        return [instance for instance in list(self.instances.values()) if instance.is_alive]

    def members(self, placement_group: str) -> list[Instance]:
        """Returns the instances that keep a placement group in use."""
        return [instance for instance in self.not_terminated() if instance.launch.placement_group == placement_group]


def security_groups() -> dict[str, SecurityGroup]:
    """Returns all security groups by id, including those of stacks and every VPC's default group."""
    return {group["GroupId"]: group for group in ministack("DescribeSecurityGroups")["SecurityGroups"]}


def security_group(group_id: str) -> SecurityGroup:
    """Returns a security group; raises AwsError InvalidGroup.NotFound if there is none."""
    group: SecurityGroup = ministack("DescribeSecurityGroups", GroupIds=[group_id])["SecurityGroups"][0]
    return group


def group_name(group: SecurityGroup) -> GroupName:
    return {"GroupId": group["GroupId"], "GroupName": group["GroupName"]}


def placement_groups(*names: str) -> list[PlacementGroup]:
    """Returns the named placement groups, or all; raises AwsError InvalidPlacementGroup.Unknown for an unknown name."""
    groups: list[PlacementGroup] = ministack("DescribePlacementGroups", GroupNames=names)["PlacementGroups"]
    return groups


def tags_of(view: Mapping[str, Any]) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in view.get("Tags", [])}


def tag_views(tags: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]
