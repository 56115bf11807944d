"""RunInstances as EC2 decides it: template and request merged, every refusal by its code."""

from __future__ import annotations

import hashlib
import ipaddress
import json
from dataclasses import dataclass
from typing import Any

from ministack.services import ec2, iam

from lab.aws.ec2_types import IMAGE_ARCHITECTURES, profile_of, resolve_image
from lab.aws.faults import Faults
from lab.aws.query import AwsError
from lab.hosts.profiles import Profile, Profiles

FIRST_HOST_ADDRESS = 4  # EC2 keeps the first four addresses of a subnet for itself


@dataclass(frozen=True)
class Launch:
    """A RunInstances request that may be carried out."""

    image_id: str
    profile: Profile
    subnet_id: str
    zone: str
    security_group_ids: list[str]
    has_public_address: bool
    placement_group: str | None
    instance_profile: dict[str, Any] | None
    tags: dict[str, str]
    count: int
    user_data: str
    shutdown_behavior: str


def fingerprint(request: dict[str, Any]) -> str:
    """Equal for two requests that ask for the same thing: what a client token stands for."""
    asked = {key: value for key, value in request.items() if key not in ("Action", "Version", "ClientToken")}
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def plan_launch(request: dict[str, Any], profiles: Profiles, faults: Faults, region: str) -> Launch:
    """Merges and checks; raises the AwsError that EC2 would answer."""
    template = _template(request.get("LaunchTemplate"))
    instance_type = request.get("InstanceType") or template.get("InstanceType")
    if not instance_type:
        raise AwsError("MissingParameter", "The request must contain the parameter InstanceType")
    profile = profile_of(profiles, instance_type)
    if profile is None:
        raise AwsError("InvalidParameterValue", f"Invalid value '{instance_type}' for InstanceType.")
    image_id = resolve_image(request.get("ImageId") or template.get("ImageId") or "nothing")
    _check_architecture(profile, image_id)
    subnet, groups, has_public_address = _network(request, template)
    zone = subnet["AvailabilityZone"]
    if zone.removeprefix(region) not in profile.offered_zones:
        offered = ", ".join(region + letter for letter in profile.offered_zones)
        raise AwsError(
            "Unsupported",
            f"Your requested instance type ({instance_type}) is not supported in your requested Availability Zone "
            f"({zone}). "
            f"Please retry your request by not specifying an Availability Zone or choosing {offered}.",
        )
    placement = request.get("Placement", {}).get("GroupName") or template.get("Placement", {}).get("GroupName")
    if placement:
        _check_placement(placement, profile, zone)
    faults.raise_if_asked("RunInstances", instanceType=instance_type, zone=zone)
    return Launch(
        image_id=image_id,
        profile=profile,
        subnet_id=subnet["SubnetId"],
        zone=zone,
        security_group_ids=groups,
        has_public_address=has_public_address,
        placement_group=placement,
        instance_profile=_instance_profile(request.get("IamInstanceProfile") or template.get("IamInstanceProfile")),
        tags=_tags(template.get("TagSpecifications", [])) | _tags(request.get("TagSpecification", [])),
        count=int(request.get("MaxCount", 1)),
        user_data=request.get("UserData") or template.get("UserData") or "",
        shutdown_behavior=request.get("InstanceInitiatedShutdownBehavior")
        or template.get("InstanceInitiatedShutdownBehavior")
        or "stop",
    )


def free_address(subnet_id: str) -> str:
    """The subnet's first address that no instance has."""
    taken = {
        instance["PrivateIpAddress"]
        for instance in ec2._instances.values()
        if instance["SubnetId"] == subnet_id and instance["State"]["Name"] != "terminated"
    }
    network = ipaddress.ip_network(ec2._subnets[subnet_id]["CidrBlock"])
    for offset in range(FIRST_HOST_ADDRESS, network.num_addresses - 1):
        address = str(network[offset])
        if address not in taken:
            return address
    raise AwsError("InsufficientFreeAddressesInSubnet", f"There are not enough free addresses in subnet '{subnet_id}'")


def role_of(instance_profile: dict[str, Any] | None) -> dict[str, Any] | None:
    """The IAM role behind an instance profile."""
    if instance_profile is None:
        return None
    names = instance_profile.get("Roles") or []
    return iam._roles.get(names[0]) if names else None


def _template(specification: dict[str, Any] | None) -> dict[str, Any]:
    if not specification:
        return {}
    content, _, error = ec2._resolve_launch_template_data(specification)
    if error:
        wanted = specification.get("LaunchTemplateId") or specification.get("LaunchTemplateName")
        raise AwsError("InvalidLaunchTemplateId.NotFound", f"The launch template '{wanted}' does not exist")
    return content


def _check_architecture(profile: Profile, image_id: str) -> None:
    architecture = IMAGE_ARCHITECTURES[image_id]
    if profile.architecture != architecture:
        raise AwsError(
            "InvalidParameterValue",
            f"The architecture '{profile.architecture}' of the specified instance type does not match the architecture "
            f"'{architecture}' of the specified AMI. Specify an instance type and an AMI that have matching "
            "architectures, and try again.",
        )


def _network(request: dict[str, Any], template: dict[str, Any]) -> tuple[dict[str, Any], list[str], bool]:
    interfaces = request.get("NetworkInterface") or []
    if interfaces and (request.get("SubnetId") or request.get("SecurityGroupId")):
        raise AwsError(
            "InvalidParameterCombination",
            "Network interfaces and an instance-level subnet ID or security groups may not be specified on the same "
            "request",
        )
    of_template = (template.get("NetworkInterfaces") or [{}])[0]
    interface = interfaces[0] if interfaces else {}
    subnet_id = (
        interface.get("SubnetId") or request.get("SubnetId") or of_template.get("SubnetId") or ec2._DEFAULT_SUBNET_ID
    )
    subnet = ec2._subnets.get(subnet_id)
    if subnet is None:
        raise AwsError("InvalidSubnetID.NotFound", f"The subnet ID '{subnet_id}' does not exist")
    groups = (
        interface.get("SecurityGroupId")
        or request.get("SecurityGroupId")
        or of_template.get("Groups")
        or template.get("SecurityGroupIds")
        or [ec2._DEFAULT_SG_ID]
    )
    for group in groups:
        if group not in ec2._security_groups:
            raise AwsError("InvalidGroup.NotFound", f"The security group '{group}' does not exist")
    public = interface.get(
        "AssociatePublicIpAddress", of_template.get("AssociatePublicIpAddress", subnet.get("MapPublicIpOnLaunch"))
    )
    return subnet, list(groups), str(public).lower() == "true"


def _check_placement(name: str, profile: Profile, zone: str) -> None:
    group = ec2._placement_groups.get(name)
    if group is None:
        raise AwsError("InvalidPlacementGroup.Unknown", f"The placement group '{name}' is unknown.")
    if group["Strategy"] != "cluster":
        return
    if not profile.cluster_placement:
        raise AwsError(
            "InvalidParameterCombination",
            f"Placement groups may not be used with instances of type '{profile.instance_type}'.",
        )
    for instance in members(name):
        other = instance["Placement"]["AvailabilityZone"]
        if other != zone:
            raise AwsError(
                "InvalidParameterCombination",
                f"The cluster placement group '{name}' is in the Availability Zone {other} and can't span {zone}.",
            )


def members(placement_group: str) -> list[dict[str, Any]]:
    """Instances that keep a placement group in use."""
    return [
        instance
        for instance in ec2._instances.values()
        if instance["Placement"].get("GroupName") == placement_group and instance["State"]["Name"] != "terminated"
    ]


def _instance_profile(wanted: dict[str, Any] | None) -> dict[str, Any] | None:
    if not wanted:
        return None
    found = iam._lookup_instance_profile(name=wanted.get("Name", ""), arn=wanted.get("Arn", ""))
    if not found:
        named = wanted.get("Name") or wanted.get("Arn")
        raise AwsError(
            "InvalidParameterValue",
            f"Value ({named}) for parameter iamInstanceProfile is invalid. Invalid IAM Instance Profile",
        )
    return found


def _tags(specifications: list[dict[str, Any]]) -> dict[str, str]:
    """The instance's tags; EC2's parameter is called Tag, the template's property Tags."""
    return {
        tag["Key"]: tag.get("Value", "")
        for specification in specifications
        if specification.get("ResourceType") == "instance"
        for tag in specification.get("Tag") or specification.get("Tags") or []
    }
