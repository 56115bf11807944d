"""What security groups admit, as the lab's hosts and load balancers enforce it.

Hosts and load balancers filter only by source address. Only a load balancer's health check also considers protocol and
port.
"""

import ipaddress
import logging
from typing import Any

from lab.aws.ec2.records import Records, SecurityGroup, security_groups
from lab.hosts.fleet import HostFleet

logger = logging.getLogger("lab.ec2")

EVERYWHERE = "0.0.0.0/0"
Permission = dict[str, Any]


class SecurityRules:
    def __init__(self, records: Records, fleet: HostFleet) -> None:
        self._records = records
        self._fleet = fleet

    def sources_of(self, group_ids: list[str]) -> set[str]:
        """Returns the sources that the groups admit by any protocol, without those that lie within another."""
        sources = {
            ipaddress.IPv4Network(source): source
            for source in _sources(_permissions(security_groups(), group_ids), self._group_addresses())
        }
        return {
            source
            for network, source in sources.items()
            if not any(network != other and network.subnet_of(other) for other in sources)
        }

    def admits(self, group_ids: list[str], source_address: str, protocol: str, port: int) -> bool:
        """Returns whether the groups admit `source_address` to this port."""
        wanted = [
            permission
            for permission in _permissions(security_groups(), group_ids)
            if _covers(permission, protocol, port)
        ]
        return _Admitted(_sources(wanted, self._group_addresses())).includes(source_address)

    def apply(self) -> None:
        """Sets for every host the addresses from which its groups' ingress rules admit traffic.

        EC2's rules are stateful, and the hosts' are not. A host must therefore also admit every host that admits it;
        otherwise answers would be dropped.
        """
        addresses, groups = self._group_addresses(), security_groups()
        admitted = [
            (instance, _Admitted(_sources(_permissions(groups, instance.launch.security_group_ids), addresses)))
            for instance in self._records.alive()
        ]
        for instance, own in admitted:
            if not instance.has_host:
                continue
            answering = {
                their_address
                for other, others in admitted
                if other is not instance
                for own_address, their_address in (
                    (instance.private_address, other.private_address),
                    (instance.public_address, other.public_address),
                )
                if own_address and their_address and others.includes(own_address)
            }
            try:
                self._fleet.set_allowed_sources(instance.instance_id, own.sources | answering)
            except LookupError:
                logger.debug("%s: its host is gone", instance.instance_id)

    def _group_addresses(self) -> dict[str, set[str]]:
        """Returns each group's members: the private addresses of its instances and load balancers."""
        found: dict[str, set[str]] = {}
        members = [(instance.private_address, instance.launch.security_group_ids) for instance in self._records.alive()]
        members += [(one.address, one.security_group_ids) for one in list(self._records.interfaces.values())]
        for address, group_ids in members:
            for group_id in group_ids:
                found.setdefault(group_id, set()).add(address)
        return found


class _Admitted:
    """A set of addresses and networks with a fast membership test."""

    def __init__(self, sources: set[str]) -> None:
        self.sources = sources
        self._addresses = {source.removesuffix("/32") for source in sources}
        self._networks = [ipaddress.ip_network(source) for source in sources if "/" in source]

    def includes(self, address: str) -> bool:
        if address in self._addresses:
            return True
        return any(ipaddress.ip_address(address) in network for network in self._networks)


def _permissions(groups: dict[str, SecurityGroup], group_ids: list[str]) -> list[Permission]:
    return [permission for group_id in group_ids for permission in groups.get(group_id, {}).get("IpPermissions", [])]


def _sources(permissions: list[Permission], addresses: dict[str, set[str]]) -> set[str]:
    sources: set[str] = set()
    for permission in permissions:
        sources |= {entry["CidrIp"] for entry in permission.get("IpRanges", [])}
        for pair in permission.get("UserIdGroupPairs", []):
            sources |= addresses.get(pair.get("GroupId", ""), set())
    return sources


def _covers(permission: Permission, protocol: str, port: int) -> bool:
    if permission["IpProtocol"] == "-1":
        return True
    return bool(permission["IpProtocol"] == protocol and permission["FromPort"] <= port <= permission["ToPort"])
