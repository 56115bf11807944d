"""CloudFormation: the zones of Fn::GetAZs, zones and addresses of subnets, a VPC's attribute CidrBlock, and what keeps
both from being deleted."""

import ipaddress
from collections.abc import Callable
from typing import Any

from lab.aws import embedded

Properties = dict[str, Any]
SUBNETS = embedded.private("ec2._subnets", "fix: cloudformation_networks")
REPLACING = ("VpcId", "CidrBlock", "AvailabilityZone")


@embedded.fix("engine._resolve_refs")
def _resolve(original: Callable[..., Any], value: Any, *context: Any) -> Any:
    """Omits zones without a default subnet; a test deletes some to get a Region with fewer zones."""
    resolved = original(value, *context)
    if not (isinstance(value, dict) and "Fn::GetAZs" in value):
        return resolved
    listed = {one["AvailabilityZone"] for one in list(SUBNETS.value.values()) if one["DefaultForAz"]}
    return [zone for zone in resolved if zone in listed] or resolved


@embedded.fix_resource("AWS::EC2::VPC", "create", "update")
def _with_cidr_block(original: Callable[..., Any], *arguments: Any) -> Any:
    vpc_id, attributes = original(*arguments)
    vpc = embedded.call("ec2", "DescribeVpcs", VpcIds=[vpc_id])["Vpcs"][0]
    return vpc_id, attributes | {"CidrBlock": vpc["CidrBlock"]}


@embedded.fix_resource("AWS::EC2::Subnet", "delete")
def _delete_subnet(original: Callable[..., Any], subnet_id: str, *arguments: Any) -> Any:
    """EC2 keeps a subnet in which an interface endpoint has network interfaces, and so its VPC."""
    endpoints = embedded.call("ec2", "DescribeVpcEndpoints")["VpcEndpoints"]
    if any(subnet_id in one.get("SubnetIds", []) for one in endpoints):
        raise ValueError(f"The subnet '{subnet_id}' has dependencies and cannot be deleted.")
    return original(subnet_id, *arguments)


@embedded.fix_resource("AWS::EC2::Subnet", "create")
def _create_subnet(original: Callable[..., Any], logical_id: str, properties: Properties, *arguments: Any) -> Any:
    _check_subnet(properties)
    return original(logical_id, properties, *arguments)


@embedded.fix_resource("AWS::EC2::Subnet", "update")
def _update_subnet(
    original: Callable[..., Any], physical_id: str, old: Properties, new: Properties, *arguments: Any
) -> Any:
    """Checks the new subnet if a changed property replaces it, because the old one still exists at that time."""
    if any(old.get(name) != new.get(name) for name in REPLACING):
        _check_subnet(new)
    return original(physical_id, old, new, *arguments)


def _check_subnet(properties: Properties) -> None:
    """Raises ValueError with EC2's message."""
    zones = [zone["ZoneName"] for zone in embedded.call("ec2", "DescribeAvailabilityZones")["AvailabilityZones"]]
    zone = properties.get("AvailabilityZone")
    if zone is not None and zone not in zones:
        raise ValueError(
            f"Value ({zone}) for parameter availabilityZone is invalid. Subnets can currently only be created in the "
            f"following availability zones: {', '.join(zones)}."
        )
    filters = [{"Name": "vpc-id", "Values": [properties["VpcId"]]}]
    block = ipaddress.ip_network(properties["CidrBlock"])
    for subnet in embedded.call("ec2", "DescribeSubnets", Filters=filters)["Subnets"]:
        if block.overlaps(ipaddress.ip_network(subnet["CidrBlock"])):
            raise ValueError(f"The CIDR '{block}' conflicts with another subnet")
