"""Network interfaces and their addresses: those of instances, and those that load balancers have in subnets."""

import hashlib
import ipaddress
from typing import Any

from lab.aws.described_account import usable_address_count
from lab.aws.ec2.networks import Subnet
from lab.aws.ec2.records import GroupName, Instance, LoadBalancerInterface, Records
from lab.aws.ec2.requests import Facts, matching
from lab.aws.settings import ACCOUNT_ID
from lab.aws.wire import AwsError, Request

FIRST_HOST_ADDRESS = 4  # EC2 reserves those before it
# RFC 5737 reserves these networks for documentation, so no public host of the internet has these addresses.
PUBLIC_NETWORKS = ("203.0.113.0/24", "198.51.100.0/24")


def free_private_address(records: Records, subnet: Subnet) -> str:
    """Returns the subnet's first address that no VPC uses, because the lab's network has every address only once."""
    taken = {address for address, _ in _addresses(records)}
    network = ipaddress.ip_network(subnet.cidr_block)
    if free_address_count(records, subnet) > 0:
        for offset in range(FIRST_HOST_ADDRESS, network.num_addresses - 1):
            address = str(network[offset])
            if address not in taken:
                return address
    raise AwsError(
        "InsufficientFreeAddressesInSubnet",
        f"There are not enough free addresses in subnet '{subnet.subnet_id}' to satisfy the requested number of "
        "instances.",
    )


def free_address_count(records: Records, subnet: Subnet) -> int:
    """Returns how many addresses of the subnet no instance, no load balancer and no other host of the user has."""
    in_use = sum(subnet_id == subnet.subnet_id for _, subnet_id in _addresses(records))
    return usable_address_count(subnet.subnet_id, subnet.cidr_block) - in_use


def _addresses(records: Records) -> list[tuple[str, str]]:
    """Returns every private address in use, with its subnet."""
    found = [(one.private_address, one.launch.subnet.subnet_id) for one in records.not_terminated()]
    return found + [(one.address, one.subnet.subnet_id) for one in list(records.interfaces.values())]


def free_public_address(records: Records) -> str:
    taken = {instance.public_address for instance in list(records.instances.values())}
    for network in PUBLIC_NETWORKS:
        for address in ipaddress.ip_network(network).hosts():
            if str(address) not in taken:
                return str(address)
    raise AwsError("InsufficientAddressCapacity", "There are not enough free public addresses in the lab")


def add_load_balancer_interface(
    records: Records, arn_ending: str, subnet: Subnet, groups: list[GroupName]
) -> LoadBalancerInterface:
    """Creates the interface in a subnet of the load balancer whose ARN ends with `arn_ending`."""
    interface = LoadBalancerInterface(
        interface_id=f"eni-{hashlib.sha256(arn_ending.encode()).hexdigest()[:17]}",
        subnet=subnet,
        description=f"ELB {arn_ending}",
        address=free_private_address(records, subnet),
        security_groups=groups,
    )
    records.interfaces[interface.interface_id] = interface
    return interface


FACTS: Facts[dict[str, Any]] = {
    "description": lambda view: [view["Description"]],
    "group-id": lambda view: [group["GroupId"] for group in view["Groups"]],
}


def describe_network_interfaces(records: Records, request: Request) -> dict[str, Any]:
    """Lists the interfaces of instances until termination, and those of load balancers until shortly after deletion."""
    views = [_attached_view(instance) for instance in records.not_terminated()]
    views += [_load_balancer_view(one) for one in list(records.interfaces.values())]
    return {"NetworkInterfaces": matching(request, views, FACTS)}


def instance_interface(instance: Instance) -> dict[str, Any]:
    """Returns an instance's only interface, as DescribeInstances shows it."""
    launch, public = instance.launch, instance.public_address
    ending = instance.instance_id.removeprefix("i-")
    view = _view(f"eni-{ending}", launch.subnet, instance.private_address, launch.security_groups)
    return view | {
        "Description": "",
        "Attachment": {
            "DeviceIndex": 0,
            "NetworkCardIndex": 0,
            "Status": "attached",
            "DeleteOnTermination": True,
            "EnaSrdSpecification": {
                "EnaSrdEnabled": launch.ena_srd_enabled,
                "EnaSrdUdpSpecification": {"EnaSrdUdpEnabled": launch.ena_srd_udp_enabled},
            },
        },
        "Association": {"PublicIp": public} if public else None,
    }


def _attached_view(instance: Instance) -> dict[str, Any]:
    """Returns an instance's interface, as DescribeNetworkInterfaces shows it."""
    view = instance_interface(instance)
    attachment = view["Attachment"] | {"InstanceId": instance.instance_id}
    return view | {"AvailabilityZone": instance.launch.subnet.zone, "Attachment": attachment}


def _load_balancer_view(interface: LoadBalancerInterface) -> dict[str, Any]:
    subnet = interface.subnet
    view = _view(interface.interface_id, subnet, interface.address, interface.security_groups)
    return view | {
        "AvailabilityZone": subnet.zone,
        "Description": interface.description,
        "RequesterManaged": True,
    }


def _view(interface_id: str, subnet: Subnet, address: str, groups: list[GroupName]) -> dict[str, Any]:
    return {
        "NetworkInterfaceId": interface_id,
        "SubnetId": subnet.subnet_id,
        "VpcId": subnet.vpc_id,
        "OwnerId": ACCOUNT_ID,
        "Status": "in-use",
        "PrivateIpAddress": address,
        "Groups": groups,
    }
