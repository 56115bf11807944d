"""What security groups let in, as the lab's hosts and load balancers enforce it.

Hosts and load balancers filter by source address, for every protocol and port; the health check of a load balancer
looks at protocol and port, too.
"""

from __future__ import annotations

import ipaddress
import logging
from typing import Any

from ministack.services import ec2

from lab.aws.machines import Fleet

logger = logging.getLogger("lab.ec2")

EVERYWHERE = "0.0.0.0/0"


def members() -> dict[str, set[str]]:
    """The private addresses that a rule which names a group stands for: of its instances and its load balancers."""
    found: dict[str, set[str]] = {}
    for instance in alive_instances():
        for group in instance["SecurityGroups"]:
            found.setdefault(group["GroupId"], set()).add(instance["PrivateIpAddress"])
    for interface in list(ec2._network_interfaces.values()):
        for group in interface["Groups"]:
            found.setdefault(group["GroupId"], set()).add(interface["PrivateIpAddress"])
    return found


def alive_instances() -> list[dict[str, Any]]:
    return [
        instance for instance in list(ec2._instances.values()) if instance["State"]["Name"] in ("pending", "running")
    ]


def permissions_of(group_ids: list[str]) -> list[dict[str, Any]]:
    """The ingress rules of several groups together."""
    return [
        permission
        for group_id in group_ids
        for permission in ec2._security_groups.get(group_id, {}).get("IpPermissions", [])
    ]


def sources_of(group_ids: list[str]) -> set[str]:
    """The addresses and networks that the groups let in, whatever the protocol; none that lies within another."""
    sources = {ipaddress.ip_network(source): source for source in _sources(permissions_of(group_ids), members())}
    return {
        source
        for network, source in sources.items()
        if not any(network != other and network.subnet_of(other) for other in sources)
    }


def admits(group_ids: list[str], source_address: str, protocol: str, port: int) -> bool:
    """Whether the groups let `source_address` reach this port."""
    wanted = [permission for permission in permissions_of(group_ids) if _covers(permission, protocol, port)]
    return _Admitted(_sources(wanted, members())).includes(source_address)


def apply_to_hosts(fleet: Fleet) -> None:
    """Tells every host from which addresses its groups' ingress rules let traffic in.

    EC2's rules are stateful, the hosts' are not: whoever admits a host must also be admitted by it, for the answers.
    """
    addresses = members()
    admitted = {}
    for instance in alive_instances():
        groups = [group["GroupId"] for group in instance["SecurityGroups"]]
        admitted[instance["InstanceId"]] = (instance, _Admitted(_sources(permissions_of(groups), addresses)))
    for instance, own in admitted.values():
        if not instance.get("HasHost"):
            continue
        answering = {
            other[kind]
            for other, others in admitted.values()
            for kind in ("PrivateIpAddress", "PublicIpAddress")
            if other is not instance and other[kind] and instance[kind] and others.includes(instance[kind])
        }
        try:
            fleet.set_allowed_sources(instance["InstanceId"], own.sources | answering)
        except LookupError:
            logger.debug("%s: its host is gone", instance["InstanceId"])


class _Admitted:
    """A set of addresses and networks, made for being asked often."""

    def __init__(self, sources: set[str]) -> None:
        self.sources = sources
        self._addresses = {source.removesuffix("/32") for source in sources}
        self._networks = [ipaddress.ip_network(source) for source in sources if "/" in source]

    def includes(self, address: str) -> bool:
        if address in self._addresses:
            return True
        return any(ipaddress.ip_address(address) in network for network in self._networks)


def _sources(permissions: list[dict[str, Any]], addresses: dict[str, set[str]]) -> set[str]:
    sources: set[str] = set()
    for permission in permissions:
        sources |= {entry["CidrIp"] for entry in permission.get("IpRanges", [])}
        for pair in permission.get("UserIdGroupPairs", []):
            sources |= addresses.get(pair.get("GroupId", ""), set())
    return sources


def _covers(permission: dict[str, Any], protocol: str, port: int) -> bool:
    if permission["IpProtocol"] == "-1":
        return True
    return permission["IpProtocol"] == protocol and permission["FromPort"] <= port <= permission["ToPort"]
