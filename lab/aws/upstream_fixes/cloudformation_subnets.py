"""CloudFormation: zones and addresses of subnets.

MiniStack: AWS::EC2::Subnet takes any zone, and addresses that another subnet of the VPC has already.
AWS: CreateSubnet refuses both, InvalidParameterValue and InvalidSubnet.Conflict
(https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html). A subnet whose zone or addresses change
is replaced: the new one is created while the old one still exists
(https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-subnet.html).
Fix: the provisioner compares the properties with the zones and subnets that exist.
"""

import ipaddress
from typing import Any

from lab.aws import embedded

Properties = dict[str, Any]
REPLACING = ("VpcId", "CidrBlock", "AvailabilityZone")


def install() -> None:
    handlers = embedded.CLOUDFORMATION_TYPES.value
    subnet = handlers["AWS::EC2::Subnet"]

    def create(logical_id: str, properties: Properties, stack_name: str) -> Any:
        _check(properties)
        return subnet["create"](logical_id, properties, stack_name)

    def update(physical_id: str, old: Properties, new: Properties, *arguments: Any) -> Any:
        if any(old.get(name) != new.get(name) for name in REPLACING):
            _check(new)
        return subnet["update"](physical_id, old, new, *arguments)

    handlers["AWS::EC2::Subnet"] = subnet | {"create": create, "update": update}


def _check(properties: Properties) -> None:
    """Raises ValueError in the words of EC2."""
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
