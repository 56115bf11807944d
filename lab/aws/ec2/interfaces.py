"""Network interfaces and the addresses on them: those of instances, and those that load balancers put into subnets."""

from __future__ import annotations

import hashlib
import ipaddress
from typing import Any

from lab.aws.ec2.networks import Subnet
from lab.aws.ec2.records import Filters, Instance, LoadBalancerInterface, Records, tags_match
from lab.aws.ec2.requests import check_filters, check_parameters, facts_match, filters_of, page
from lab.aws.settings import ACCOUNT_ID
from lab.aws.wire import AwsError, Request

FIRST_HOST_ADDRESS = 4  # EC2 reserves the first four addresses of a subnet
# RFC 5737 reserves these for documentation. Nobody owns them, so that only the lab has a route to them.
PUBLIC_NETWORKS = ("203.0.113.0/24", "198.51.100.0/24")


def free_private_address(records: Records, subnet: Subnet) -> str:
    """The subnet's first address that neither an instance nor a load balancer has."""
    taken = {
        instance.private_address for instance in records.not_terminated() if instance.subnet_id == subnet.subnet_id
    }
    taken |= {one.address for one in list(records.interfaces.values()) if one.subnet_id == subnet.subnet_id}
    network = ipaddress.ip_network(subnet.cidr_block)
    for offset in range(FIRST_HOST_ADDRESS, network.num_addresses - 1):
        address = str(network[offset])
        if address not in taken:
            return address
    raise AwsError(
        "InsufficientFreeAddressesInSubnet", f"There are not enough free addresses in subnet '{subnet.subnet_id}'"
    )


def free_public_address(records: Records) -> str:
    """The first public address that no instance has."""
    taken = {instance.public_address for instance in list(records.instances.values())}
    for network in PUBLIC_NETWORKS:
        for address in ipaddress.ip_network(network).hosts():
            if str(address) not in taken:
                return str(address)
    raise AwsError("InsufficientAddressCapacity", "There are not enough free public addresses in the lab")


def add_load_balancer_interface(
    records: Records, arn_ending: str, subnet: Subnet, group_ids: list[str]
) -> LoadBalancerInterface:
    """Puts the interface of the load balancer whose ARN ends with `arn_ending` into a subnet."""
    interface = LoadBalancerInterface(
        interface_id=f"eni-{hashlib.sha256(arn_ending.encode()).hexdigest()[:17]}",
        subnet_id=subnet.subnet_id,
        vpc_id=subnet.vpc_id,
        zone=subnet.zone,
        description=f"ELB {arn_ending}",
        address=free_private_address(records, subnet),
        security_group_ids=group_ids,
    )
    records.interfaces[interface.interface_id] = interface
    return interface


class Interfaces:
    """DescribeNetworkInterfaces."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def describe(self, request: Request) -> dict[str, Any]:
        check_parameters(request, {"NetworkInterfaceId", "Filter", "MaxResults", "NextToken"})
        wanted = request.get("NetworkInterfaceId", [])
        filters = filters_of(request)
        interfaces = self._views()
        known = {interface["networkInterfaceId"] for interface in interfaces}
        for interface_id in wanted:
            if interface_id not in known:
                raise AwsError(
                    "InvalidNetworkInterfaceID.NotFound", f"The networkInterface ID '{interface_id}' does not exist"
                )
        found = [
            interface
            for interface in interfaces
            if (not wanted or interface["networkInterfaceId"] in wanted) and _matches(interface, filters)
        ]
        shown, next_token = page(request, found)
        return {"networkInterfaceSet": shown, "nextToken": next_token}

    def _views(self) -> list[dict[str, Any]]:
        """Those of instances until they are terminated, and of load balancers until a moment after their end."""
        views = []
        for instance in self._records.not_terminated():
            view = instance_interface(self._records, instance)
            view["availabilityZone"] = instance.zone
            view["attachment"]["instanceId"] = instance.instance_id
            views.append(view)
        return views + [self._load_balancer_view(one) for one in list(self._records.interfaces.values())]

    def _load_balancer_view(self, interface: LoadBalancerInterface) -> dict[str, Any]:
        return {
            "networkInterfaceId": interface.interface_id,
            "subnetId": interface.subnet_id,
            "vpcId": interface.vpc_id,
            "availabilityZone": interface.zone,
            "description": interface.description,
            "ownerId": ACCOUNT_ID,
            "status": "in-use",
            "privateIpAddress": interface.address,
            "interfaceType": "network_load_balancer",
            "sourceDestCheck": False,
            "macAddress": _hardware_address(interface.address),
            "groupSet": self._records.group_views(interface.security_group_ids),
            "requesterId": "amazon-elb",
            "requesterManaged": True,
            "privateIpAddressesSet": [{"privateIpAddress": interface.address, "primary": True}],
        }


def instance_interface(records: Records, instance: Instance) -> dict[str, Any]:
    """An instance's one interface, as DescribeInstances and DescribeNetworkInterfaces show it."""
    address, public = instance.private_address, instance.public_address
    return {
        "networkInterfaceId": instance.interface_id,
        "subnetId": instance.subnet_id,
        "vpcId": instance.vpc_id,
        "description": "",
        "ownerId": ACCOUNT_ID,
        "status": "in-use",
        "macAddress": _hardware_address(address),
        "privateIpAddress": address,
        "sourceDestCheck": True,
        "groupSet": records.group_views(instance.security_group_ids),
        "attachment": {
            "attachmentId": f"eni-attach-{instance.instance_id[2:]}",
            "deviceIndex": 0,
            "networkCardIndex": 0,
            "status": "attached",
            "deleteOnTermination": True,
            "enaSrdSpecification": {
                "enaSrdEnabled": instance.ena_srd.enabled,
                "enaSrdUdpSpecification": {"enaSrdUdpEnabled": instance.ena_srd.udp_enabled},
            },
        },
        "association": {"publicIp": public, "publicDnsName": "", "ipOwnerId": "amazon"} if public else None,
        "privateIpAddressesSet": [{"privateIpAddress": address, "primary": True}],
        "interfaceType": "interface",
    }


def _matches(interface: dict[str, Any], filters: Filters) -> bool:
    instance_id = interface.get("attachment", {}).get("instanceId")
    facts = {
        "description": [interface["description"]],
        "network-interface-id": [interface["networkInterfaceId"]],
        "subnet-id": [interface["subnetId"]],
        "vpc-id": [interface["vpcId"]],
        "status": [interface["status"]],
        "interface-type": [interface["interfaceType"]],
        "availability-zone": [interface["availabilityZone"]],
        "private-ip-address": [interface["privateIpAddress"]],
        "attachment.instance-id": [] if instance_id is None else [instance_id],
        "group-id": [group["groupId"] for group in interface["groupSet"]],
    }
    check_filters(filters, set(facts))
    return tags_match(interface["networkInterfaceId"], filters) and facts_match(facts, filters)


def _hardware_address(address: str) -> str:
    return "02:00:" + ":".join(f"{int(part):02x}" for part in address.split("."))
