"""VPCs and subnets, which MiniStack keeps, and the peerings between VPCs, which the hosts' network follows."""

import ipaddress
from dataclasses import dataclass
from typing import Any

from lab.aws import embedded
from lab.hosts.fleet import HostFleet


@dataclass(frozen=True)
class Subnet:
    subnet_id: str
    vpc_id: str
    zone: str
    cidr_block: str
    assigns_public_address: bool


def subnet_of(subnet_id: str) -> Subnet:
    """Raises AwsError InvalidSubnetID.NotFound when there is no such subnet."""
    return _subnet(embedded.call("ec2", "DescribeSubnets", SubnetIds=[subnet_id])["Subnets"][0])


def cidr_blocks() -> dict[str, str]:
    """The CIDR block of each VPC, by id."""
    return {vpc["VpcId"]: vpc["CidrBlock"] for vpc in embedded.call("ec2", "DescribeVpcs")["Vpcs"]}


def active_peerings() -> list[tuple[str, tuple[str, str]]]:
    """The id of each active peering, with the ids of its two VPCs in order."""
    filters = [{"Name": "status-code", "Values": ["active"]}]
    found = embedded.call("ec2", "DescribeVpcPeeringConnections", Filters=filters)["VpcPeeringConnections"]
    return [(peering["VpcPeeringConnectionId"], _vpc_ids(peering)) for peering in found]


class Peerings:
    """Connects two networks of the fleet while a peering is active and both VPCs have a route to each other.

    A VPC's id names its network.
    """

    def __init__(self, fleet: HostFleet) -> None:
        self._fleet = fleet
        self._connected: set[tuple[str, str]] = set()

    def apply(self) -> None:
        peerings = active_peerings()
        wanted = _with_routes(peerings) if peerings else set()
        for vpc_id, other in sorted(self._connected - wanted):
            self._fleet.disconnect_networks(vpc_id, other)
            self._connected.discard((vpc_id, other))
        for vpc_id, other in sorted(wanted - self._connected):
            self._fleet.connect_networks(vpc_id, other)
            self._connected.add((vpc_id, other))


def _subnet(view: dict[str, Any]) -> Subnet:
    return Subnet(
        subnet_id=view["SubnetId"],
        vpc_id=view["VpcId"],
        zone=view["AvailabilityZone"],
        cidr_block=view["CidrBlock"],
        assigns_public_address=bool(view.get("MapPublicIpOnLaunch")),
    )


def _vpc_ids(peering: dict[str, Any]) -> tuple[str, str]:
    vpc_id, other = sorted(peering[side]["VpcId"] for side in ("RequesterVpcInfo", "AccepterVpcInfo"))
    return vpc_id, other


def _with_routes(peerings: list[tuple[str, tuple[str, str]]]) -> set[tuple[str, str]]:
    """The pairs of VPCs that have routes to each other over their peering."""
    blocks = cidr_blocks()
    tables = embedded.call("ec2", "DescribeRouteTables")["RouteTables"]

    def has_route(vpc_id: str, other: str, peering_id: str) -> bool:
        if other not in blocks:
            return False
        network = ipaddress.ip_network(blocks[other])
        return any(
            route.get("VpcPeeringConnectionId") == peering_id
            and "DestinationCidrBlock" in route
            and ipaddress.ip_network(route["DestinationCidrBlock"]).overlaps(network)
            for table in tables
            if table["VpcId"] == vpc_id
            for route in table["Routes"]
        )

    return {
        (vpc_id, other)
        for peering_id, (vpc_id, other) in peerings
        if has_route(vpc_id, other, peering_id) and has_route(other, vpc_id, peering_id)
    }
