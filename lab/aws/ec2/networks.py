"""VPCs, subnets, routes and peerings, which MiniStack keeps, and how the hosts' network follows them."""

import ipaddress
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

from lab.aws import embedded
from lab.hosts.fleet import HostFleet

ANYWHERE = ipaddress.IPv4Network("0.0.0.0/0")
SYSTEMS_MANAGER_ENDPOINTS = {"ssm", "ssmmessages"}
ministack = embedded.ministack("ec2")
"""Calls that MiniStack answers, also those that the lab answers to everybody else."""


@dataclass(frozen=True)
class Subnet:
    subnet_id: str
    vpc_id: str
    zone: str
    cidr_block: str
    assigns_public_address: bool


def subnets(*subnet_ids: str) -> list[Subnet]:
    """Returns the given subnets, or all; raises AwsError InvalidSubnetID.NotFound for an unknown id."""
    return [subnet_of(view) for view in ministack("DescribeSubnets", SubnetIds=subnet_ids)["Subnets"]]


def subnet_of(view: dict[str, Any]) -> Subnet:
    return Subnet(
        subnet_id=view["SubnetId"],
        vpc_id=view["VpcId"],
        zone=view["AvailabilityZone"],
        cidr_block=view["CidrBlock"],
        assigns_public_address=view.get("MapPublicIpOnLaunch", False),
    )


def cidr_blocks() -> dict[str, str]:
    """Returns the CIDR block of each VPC, by id."""
    return {vpc["VpcId"]: vpc["CidrBlock"] for vpc in ministack("DescribeVpcs")["Vpcs"]}


def active_peerings() -> list[tuple[str, tuple[str, str]]]:
    """Returns the id of each active peering, with the sorted ids of its two VPCs."""
    filters = [{"Name": "status-code", "Values": ["active"]}]
    found = ministack("DescribeVpcPeeringConnections", Filters=filters)["VpcPeeringConnections"]
    return [(peering["VpcPeeringConnectionId"], _vpc_ids(peering)) for peering in found]


def default_gateway(subnet: Subnet) -> Literal["internet", "nat"] | None:
    """Returns the kind of gateway that the subnet's default route leads to."""
    route = _RouteTables().route(subnet, ANYWHERE)
    if route.get("NatGatewayId"):
        return "nat"
    return "internet" if route.get("GatewayId", "").startswith("igw-") else None


def has_systems_manager_endpoints(vpc_id: str) -> bool:
    """Returns whether the VPC has the interface endpoints that the agent of a private host needs."""
    found = ministack("DescribeVpcEndpoints")["VpcEndpoints"]
    services = {one["ServiceName"].rpartition(".")[2] for one in found if one["VpcId"] == vpc_id}
    return services >= SYSTEMS_MANAGER_ENDPOINTS


class Routes:
    """Connects the fleet's networks, each of which is a subnet, if they are in one VPC or have routes to each other.

    Only a peering carries packets between VPCs. On EC2, a packet arrives without a route back and only its answer is
    lost; in the lab, neither arrives.
    """

    def __init__(self, fleet: HostFleet) -> None:
        self._fleet = fleet
        self._connected: set[tuple[str, str]] = set()

    def apply(self) -> None:
        wanted = _connected_subnets()
        for subnet_id, other in sorted(self._connected - wanted):
            self._fleet.disconnect_networks(subnet_id, other)
            self._connected.discard((subnet_id, other))
        for subnet_id, other in sorted(wanted - self._connected):
            self._fleet.connect_networks(subnet_id, other)
            self._connected.add((subnet_id, other))


class _RouteTables:
    """The routes of every subnet: its own table's, or its VPC's main table's."""

    def __init__(self) -> None:
        self._own: dict[str, list[dict[str, str]]] = {}
        self._main: dict[str, list[dict[str, str]]] = {}
        for table in ministack("DescribeRouteTables")["RouteTables"]:
            for association in table["Associations"]:
                if association.get("SubnetId"):
                    self._own[association["SubnetId"]] = table["Routes"]
                elif association.get("Main"):
                    self._main[table["VpcId"]] = table["Routes"]

    def route(self, subnet: Subnet, destination: ipaddress.IPv4Network) -> dict[str, str]:
        """Returns the subnet's most specific IPv4 route that covers a network; empty if there is none."""
        routes = self._own.get(subnet.subnet_id, self._main.get(subnet.vpc_id, []))
        blocks = [(ipaddress.IPv4Network(one["DestinationCidrBlock"]), one) for one in routes if _is_ipv4(one)]
        fitting = [(block.prefixlen, one) for block, one in blocks if destination.subnet_of(block)]
        return max(fitting, key=lambda found: found[0])[1] if fitting else {}


def _connected_subnets() -> set[tuple[str, str]]:
    """Returns the sorted ids of every two subnets whose hosts can exchange packets."""
    tables, peerings = _RouteTables(), dict(active_peerings())

    def peering_to(subnet: Subnet, other: Subnet) -> str | None:
        return tables.route(subnet, ipaddress.IPv4Network(other.cidr_block)).get("VpcPeeringConnectionId")

    def are_connected(subnet: Subnet, other: Subnet) -> bool:
        if subnet.vpc_id == other.vpc_id:
            return True
        peering_id = peering_to(subnet, other)
        if peering_id is None or peering_id != peering_to(other, subnet):
            return False
        return peerings.get(peering_id) == tuple(sorted((subnet.vpc_id, other.vpc_id)))

    pairs = combinations(sorted(subnets(), key=lambda subnet: subnet.subnet_id), 2)
    return {(subnet.subnet_id, other.subnet_id) for subnet, other in pairs if are_connected(subnet, other)}


def _is_ipv4(route: dict[str, str]) -> bool:
    return bool(route.get("DestinationCidrBlock"))


def _vpc_ids(peering: dict[str, Any]) -> tuple[str, str]:
    vpc_id, other = sorted(peering[side]["VpcId"] for side in ("RequesterVpcInfo", "AccepterVpcInfo"))
    return vpc_id, other
