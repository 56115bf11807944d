"""VPC peering: two networks of the fleet are connected while a peering is active and both sides have a route to it."""

from __future__ import annotations

import ipaddress
from typing import Any

from ministack.services import ec2

from lab.aws.machines import Fleet


class Peerings:
    """The connections between the fleet's networks, each of which is named by its VPC's id."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._connected: set[tuple[str, str]] = set()

    def apply(self) -> None:
        wanted = {_vpc_ids(peering) for peering in list(ec2._vpc_peering.values()) if _carries(peering)}
        for vpc_id, other in sorted(self._connected - wanted):
            self._fleet.disconnect_networks(vpc_id, other)
            self._connected.discard((vpc_id, other))
        for vpc_id, other in sorted(wanted - self._connected):
            self._fleet.connect_networks(vpc_id, other)
            self._connected.add((vpc_id, other))


def _vpc_ids(peering: dict[str, Any]) -> tuple[str, str]:
    vpc_id, other = sorted(peering[side]["VpcId"] for side in ("RequesterVpcInfo", "AccepterVpcInfo"))
    return vpc_id, other


def _carries(peering: dict[str, Any]) -> bool:
    vpc_id, other = _vpc_ids(peering)
    peering_id = peering["VpcPeeringConnectionId"]
    return (
        peering["Status"]["Code"] == "active"
        and _has_route(vpc_id, other, peering_id)
        and _has_route(other, vpc_id, peering_id)
    )


def _has_route(vpc_id: str, other: str, peering_id: str) -> bool:
    if other not in ec2._vpcs:
        return False
    network = ipaddress.ip_network(ec2._vpcs[other]["CidrBlock"])
    return any(
        route.get("VpcPeeringConnectionId") == peering_id
        and "DestinationCidrBlock" in route
        and ipaddress.ip_network(route["DestinationCidrBlock"]).overlaps(network)
        for table in list(ec2._route_tables.values())
        if table["VpcId"] == vpc_id
        for route in table["Routes"]
    )
