"""Network interfaces and the addresses on them: those of instances, and those that load balancers put into subnets."""

from __future__ import annotations

import hashlib
import ipaddress
from typing import Any

from ministack.core.responses import get_account_id
from ministack.services import ec2

from lab.aws.filters import check_filters, check_parameters, filters_of, page, tags_match
from lab.aws.query import AwsError

PAGE_SIZE = 1000
FIRST_HOST_ADDRESS = 4  # EC2 keeps the first four addresses of a subnet for itself
# Set aside for documentation by RFC 5737: nobody's own, so that only the lab has a route to them.
PUBLIC_NETWORKS = ("203.0.113.0/24", "198.51.100.0/24")


def free_private_address(subnet_id: str) -> str:
    """The subnet's first address that no instance and no load balancer has."""
    taken = {interface["privateIpAddress"] for interface in _interfaces() if interface["subnetId"] == subnet_id}
    network = ipaddress.ip_network(ec2._subnets[subnet_id]["CidrBlock"])
    for offset in range(FIRST_HOST_ADDRESS, network.num_addresses - 1):
        address = str(network[offset])
        if address not in taken:
            return address
    raise AwsError("InsufficientFreeAddressesInSubnet", f"There are not enough free addresses in subnet '{subnet_id}'")


def free_public_address() -> str:
    """The first public address that no instance has."""
    taken = {instance["PublicIpAddress"] for instance in ec2._instances.values()}
    for network in PUBLIC_NETWORKS:
        for address in ipaddress.ip_network(network).hosts():
            if str(address) not in taken:
                return str(address)
    raise AwsError("InsufficientAddressCapacity", "There are not enough free public addresses in the lab")


def add_load_balancer_interface(tail: str, subnet_id: str, group_ids: list[str]) -> tuple[str, str]:
    """The interface that a load balancer, `net/<name>/<id>`, puts into a subnet: its id and its private address."""
    subnet = ec2._subnets[subnet_id]
    interface_id = f"eni-{hashlib.sha256(tail.encode()).hexdigest()[:17]}"
    address = free_private_address(subnet_id)
    ec2._network_interfaces[interface_id] = {
        "NetworkInterfaceId": interface_id,
        "SubnetId": subnet_id,
        "VpcId": subnet["VpcId"],
        "AvailabilityZone": subnet["AvailabilityZone"],
        "Description": f"ELB {tail}",
        "OwnerId": get_account_id(),
        "Status": "in-use",
        "PrivateIpAddress": address,
        "InterfaceType": "network_load_balancer",
        "SourceDestCheck": False,
        "MacAddress": _hardware_address(address),
        "Groups": [
            {"GroupId": group_id, "GroupName": ec2._security_groups[group_id]["GroupName"]} for group_id in group_ids
        ],
        "Attachment": None,
    }
    return interface_id, address


def remove_interface(interface_id: str) -> None:
    ec2._network_interfaces.pop(interface_id, None)


def describe_network_interfaces(request: dict[str, Any]) -> dict[str, Any]:
    check_parameters(request, {"NetworkInterfaceId", "Filter", "MaxResults", "NextToken"})
    wanted = request.get("NetworkInterfaceId", [])
    filters = filters_of(request)
    interfaces = _interfaces()
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
    shown, next_token = page(request, found, PAGE_SIZE)
    return {"networkInterfaceSet": shown, "nextToken": next_token}


def instance_interface(instance: dict[str, Any]) -> dict[str, Any]:
    """An instance's one interface, as DescribeInstances and DescribeNetworkInterfaces show it."""
    address, public = instance["PrivateIpAddress"], instance["PublicIpAddress"]
    attachment = {
        "attachmentId": f"eni-attach-{instance['InstanceId'][2:]}",
        "deviceIndex": 0,
        "networkCardIndex": 0,
        "status": "attached",
        "deleteOnTermination": True,
        "enaSrdSpecification": _ena_srd(instance),
    }
    return {
        "networkInterfaceId": f"eni-{instance['InstanceId'][2:]}",
        "subnetId": instance["SubnetId"],
        "vpcId": instance["VpcId"],
        "description": "",
        "ownerId": get_account_id(),
        "status": "in-use",
        "macAddress": _hardware_address(address),
        "privateIpAddress": address,
        "sourceDestCheck": True,
        "groupSet": [
            {"groupId": group["GroupId"], "groupName": group["GroupName"]} for group in instance["SecurityGroups"]
        ],
        "attachment": attachment,
        "association": {"publicIp": public, "publicDnsName": "", "ipOwnerId": "amazon"} if public else None,
        "privateIpAddressesSet": [{"privateIpAddress": address, "primary": True}],
        "interfaceType": "interface",
    }


def _ena_srd(instance: dict[str, Any]) -> dict[str, Any]:
    ena_srd = instance.get("EnaSrd") or {"enabled": False, "udp_enabled": False}
    return {
        "enaSrdEnabled": ena_srd["enabled"],
        "enaSrdUdpSpecification": {"enaSrdUdpEnabled": ena_srd["udp_enabled"]},
    }


def _interfaces() -> list[dict[str, Any]]:
    """Of instances until they are terminated, and of load balancers until a moment after their end."""
    found = []
    for instance in list(ec2._instances.values()):
        if instance["State"]["Name"] != "terminated":
            interface = instance_interface(instance)
            interface["availabilityZone"] = instance["Placement"]["AvailabilityZone"]
            interface["attachment"]["instanceId"] = instance["InstanceId"]
            found.append(interface)
    for record in list(ec2._network_interfaces.values()):
        interface = {
            name[0].lower() + name[1:]: record[name] for name in record if name not in ("Groups", "Attachment")
        }
        found.append(
            interface
            | {
                "groupSet": [
                    {"groupId": group["GroupId"], "groupName": group["GroupName"]} for group in record["Groups"]
                ],
                "requesterId": "amazon-elb",
                "requesterManaged": True,
                "privateIpAddressesSet": [{"privateIpAddress": record["PrivateIpAddress"], "primary": True}],
            }
        )
    return found


def _matches(interface: dict[str, Any], filters: dict[str, list[str]]) -> bool:
    attachment = interface.get("attachment") or {}
    facts = {
        "description": [interface["description"]],
        "network-interface-id": [interface["networkInterfaceId"]],
        "subnet-id": [interface["subnetId"]],
        "vpc-id": [interface["vpcId"]],
        "status": [interface["status"]],
        "interface-type": [interface["interfaceType"]],
        "availability-zone": [interface["availabilityZone"]],
        "private-ip-address": [interface["privateIpAddress"]],
        "attachment.instance-id": [attachment.get("instanceId")],
        "group-id": [group["groupId"] for group in interface["groupSet"]],
    }
    check_filters(filters, set(facts))
    return tags_match(interface["networkInterfaceId"], filters) and all(
        set(facts[name]) & set(values) for name, values in filters.items() if name in facts
    )


def _hardware_address(address: str) -> str:
    return "02:00:" + ":".join(f"{int(part):02x}" for part in address.split("."))
