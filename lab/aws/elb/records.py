"""Load balancers, listeners and target groups as the API shows them, and the checks that their requests share."""

import re
import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import Any, TypeVar

from lab.aws.ec2.records import LoadBalancerInterface
from lab.aws.settings import ACCOUNT_ID, REGION
from lab.aws.wire import AwsError, Request
from lab.hosts.load_balancer import Protocol as Transport

MAX_TAGS = 50
DEFAULT_IDLE_SECONDS = 350
IDLE_TIMEOUT = "tcp.idle_timeout.seconds"
NAME = re.compile("[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,30}[a-zA-Z0-9])?")
Listened = tuple[set[Transport], str, int, int]
"""What a port of a load balancer leads to: protocols, instance, port of the instance, idle timeout in seconds."""


@dataclass
class LoadBalancer:
    name: str
    identifier: str
    interface: LoadBalancerInterface
    tags: dict[str, str]
    settings: Request
    """The request that created it."""
    state: str = "provisioning"
    reason: str | None = None
    active_since: float = float("inf")
    is_deleted: bool = False
    path: threading.Lock = field(default_factory=threading.Lock)
    """Held while the fleet creates, changes or removes the load balancer."""
    sources: set[str] | None = None
    listened: dict[int, Listened] = field(default_factory=dict)
    """What the fleet was last asked for, as `sources` is."""

    @property
    def arn_ending(self) -> str:
        """Returns the end of its ARN, which is also part of its interface's description."""
        return f"net/{self.name}/{self.identifier}"

    @property
    def arn(self) -> str:
        return _arn(f"loadbalancer/{self.arn_ending}")

    def view(self) -> dict[str, Any]:
        subnet = self.interface.subnet
        return {
            "LoadBalancerArn": self.arn,
            "LoadBalancerName": self.name,
            "Scheme": "internal",
            "VpcId": subnet.vpc_id,
            "State": {"Code": self.state, "Reason": self.reason},
            "Type": "network",
            "AvailabilityZones": [{"ZoneName": subnet.zone, "SubnetId": subnet.subnet_id, "LoadBalancerAddresses": []}],
            "SecurityGroups": self.interface.security_group_ids,
        }


@dataclass
class Target:
    instance_id: str
    port: int
    registered: float = field(default_factory=time.monotonic, compare=False)


@dataclass
class TargetGroup:
    name: str
    protocol: str
    port: int
    vpc_id: str
    health_check: dict[str, Any]
    tags: dict[str, str]
    settings: Request
    identifier: str = field(default_factory=lambda: uuid.uuid4().hex[:16])
    targets: list[Target] = field(default_factory=list)

    @property
    def arn(self) -> str:
        return _arn(f"targetgroup/{self.name}/{self.identifier}")

    def view(self, load_balancers: list[str]) -> dict[str, Any]:
        return {
            "TargetGroupArn": self.arn,
            "TargetGroupName": self.name,
            "Protocol": self.protocol,
            "Port": self.port,
            "VpcId": self.vpc_id,
            **self.health_check,
            "LoadBalancerArns": load_balancers,
            "TargetType": "instance",
        }


@dataclass
class Listener:
    load_balancer: LoadBalancer
    port: int
    protocol: str
    target_group: TargetGroup
    tags: dict[str, str]
    identifier: str = field(default_factory=lambda: uuid.uuid4().hex[:16])
    idle_seconds: int = DEFAULT_IDLE_SECONDS

    @property
    def arn(self) -> str:
        return _arn(f"listener/{self.load_balancer.arn_ending}/{self.identifier}")

    def view(self) -> dict[str, Any]:
        return {
            "ListenerArn": self.arn,
            "LoadBalancerArn": self.load_balancer.arn,
            "Port": self.port,
            "Protocol": self.protocol,
            "DefaultActions": [{"Type": "forward", "TargetGroupArn": self.target_group.arn}],
        }


Record = TypeVar("Record", LoadBalancer, TargetGroup)


class Table(dict[str, Record]):
    def __init__(self, kind: str) -> None:
        super().__init__()
        self._kind = kind
        self._code = kind.title().replace(" ", "")

    def found(self, arn: str) -> Record:
        if arn not in self:
            raise self._not_found([arn])
        return self[arn]

    def asked_for(self, request: Request) -> list[Record]:
        """Returns the records that a request names by ARN or by name, or all."""
        found = [self.found(arn) for arn in request.get(f"{self._code}Arns", list(self))]
        if "Names" not in request:
            return found
        by_name = {record.name: record for record in found}
        missing = [name for name in request["Names"] if name not in by_name]
        if missing:
            raise self._not_found(missing)
        return [by_name[name] for name in request["Names"]]

    def created_before(self, request: Request) -> Record | None:
        """Returns the record of this name if an equal request created it; raises if the name can't be used."""
        name = request["Name"]
        check_name(self._kind, name)
        known = next((record for record in self.values() if record.name == name), None)
        if known is not None and known.settings != request:
            raise AwsError(
                f"Duplicate{self._code}Name",
                f"A {self._kind} with the same name '{name}' exists, but with different settings",
            )
        return known

    def _not_found(self, missing: list[str]) -> AwsError:
        return AwsError(f"{self._code}NotFound", f"One or more {self._kind}s not found: {', '.join(missing)}")


class Records:
    """All load balancers, target groups and listeners, by ARN; in memory only, because no host outlives the process."""

    def __init__(self) -> None:
        self.load_balancers = Table[LoadBalancer]("load balancer")
        self.target_groups = Table[TargetGroup]("target group")
        self.listeners: dict[str, Listener] = {}

    def listener(self, arn: str) -> Listener:
        if arn not in self.listeners:
            raise AwsError("ListenerNotFound", f"One or more listeners not found: {arn}")
        return self.listeners[arn]

    def tags(self, arn: str) -> dict[str, str]:
        match arn.rpartition(":")[2].split("/")[0]:
            case "loadbalancer":
                return self.load_balancers.found(arn).tags
            case "targetgroup":
                return self.target_groups.found(arn).tags
        return self.listener(arn).tags

    def listeners_of(self, load_balancer: LoadBalancer) -> list[Listener]:
        return [listener for listener in list(self.listeners.values()) if listener.load_balancer is load_balancer]

    def users_of(self, group: TargetGroup) -> list[Listener]:
        return [listener for listener in list(self.listeners.values()) if listener.target_group is group]


def check_name(kind: str, name: str) -> None:
    if len(name) > 32:
        raise AwsError("ValidationError", f"The {kind} name '{name}' cannot be longer than '32' characters")
    if not NAME.fullmatch(name):
        raise AwsError(
            "ValidationError",
            f"The {kind} name '{name}' can only contain characters that are alphanumeric characters and hyphens(-)"
            " and must not begin or end with a hyphen",
        )
    if name.startswith("internal-"):
        raise AwsError("ValidationError", f"The {kind} name '{name}' must not begin with 'internal-'")


def tags_of(request: Request) -> dict[str, str]:
    tags = request.get("Tags", [])
    keys = [tag["Key"] for tag in tags]
    if len(set(keys)) < len(keys):
        raise AwsError("DuplicateTagKeys", "A tag key was specified more than once")
    if len(keys) > MAX_TAGS:
        raise AwsError("TooManyTags", f"The maximum number of tags is {MAX_TAGS}")
    return {tag["Key"]: tag.get("Value", "") for tag in tags}


def _arn(resource: str) -> str:
    return f"arn:aws:elasticloadbalancing:{REGION}:{ACCOUNT_ID}:{resource}"
