"""RunInstances as EC2 decides it: template and request merged, every refusal by its code."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from ministack.services import ec2, iam

from lab.aws.ec2_placement import check_placement
from lab.aws.ec2_types import IMAGE_ARCHITECTURES, profile_of, resolve_image
from lab.aws.faults import Faults
from lab.aws.query import AwsError
from lab.aws.service_quotas import ServiceQuotas
from lab.hosts.profiles import Profile, Profiles

MAX_SECURITY_GROUPS = 5


@dataclass(frozen=True)
class EnaSrd:
    """ENA Express of an interface, and its separate switch for UDP."""

    enabled: bool
    udp_enabled: bool


@dataclass(frozen=True)
class Launch:
    """A RunInstances request that may be carried out."""

    image_id: str
    profile: Profile
    subnet_id: str
    zone: str
    security_group_ids: list[str]
    has_public_address: bool
    ena_srd: EnaSrd
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


def plan_launch(
    request: dict[str, Any], profiles: Profiles, faults: Faults, quotas: ServiceQuotas, region: str
) -> Launch:
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
    subnet, groups, interface = _network(request, template)
    ena_srd = _ena_srd(interface.get("EnaSrdSpecification") or {}, profile)
    _check_connection_tracking(interface.get("ConnectionTrackingSpecification"), profile)
    has_public_address = _is_true(interface.get("AssociatePublicIpAddress", subnet.get("MapPublicIpOnLaunch")))
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
    count = int(request.get("MaxCount", 1))
    if placement:
        check_placement(placement, profile, zone, count)
    quotas.check_launch(profile, count)
    faults.raise_if_asked("RunInstances", instanceType=instance_type, zone=zone)
    return Launch(
        image_id=image_id,
        profile=profile,
        subnet_id=subnet["SubnetId"],
        zone=zone,
        security_group_ids=groups,
        has_public_address=has_public_address,
        ena_srd=ena_srd,
        placement_group=placement,
        instance_profile=_instance_profile(request.get("IamInstanceProfile") or template.get("IamInstanceProfile")),
        tags=_tags(template.get("TagSpecifications", [])) | _tags(request.get("TagSpecification", [])),
        count=count,
        user_data=request.get("UserData") or template.get("UserData") or "",
        shutdown_behavior=request.get("InstanceInitiatedShutdownBehavior")
        or template.get("InstanceInitiatedShutdownBehavior")
        or "stop",
    )


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


def _network(request: dict[str, Any], template: dict[str, Any]) -> tuple[dict[str, Any], list[str], dict[str, Any]]:
    """Subnet, security groups, and the interface as the request and its template specify it."""
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
        or _default_groups(subnet)
    )
    _check_groups(list(groups), subnet)
    return subnet, list(groups), of_template | interface


def _default_groups(subnet: dict[str, Any]) -> list[str]:
    """Every VPC has a group named default, for whoever names none."""
    return [
        group_id
        for group_id, group in ec2._security_groups.items()
        if group["GroupName"] == "default" and group["VpcId"] == subnet["VpcId"]
    ]


def _check_groups(group_ids: list[str], subnet: dict[str, Any]) -> None:
    if len(group_ids) > MAX_SECURITY_GROUPS:
        raise AwsError(
            "SecurityGroupsPerInterfaceLimitExceeded",
            f"You have exceeded the maximum number of {MAX_SECURITY_GROUPS} security groups allowed per interface",
        )
    for group_id in group_ids:
        group = ec2._security_groups.get(group_id)
        if group is None:
            raise AwsError("InvalidGroup.NotFound", f"The security group '{group_id}' does not exist")
        if group["VpcId"] != subnet["VpcId"]:
            raise AwsError(
                "InvalidParameter",
                f"Security group {group_id} and subnet {subnet['SubnetId']} belong to different networks.",
            )


def _check_connection_tracking(specification: dict[str, Any] | None, profile: Profile) -> None:
    if specification and profile.hypervisor == "xen":
        raise AwsError(
            "InvalidParameterValue",
            f"The instance type {profile.instance_type} does not support configurable connection tracking",
        )


def _ena_srd(specification: dict[str, Any], profile: Profile) -> EnaSrd:
    enabled = _is_true(specification.get("EnaSrdEnabled"))
    udp_enabled = _is_true((specification.get("EnaSrdUdpSpecification") or {}).get("EnaSrdUdpEnabled"))
    if udp_enabled and not enabled:
        raise AwsError("InvalidParameterCombination", "EnaSrdUdpEnabled requires EnaSrdEnabled")
    if enabled and not profile.ena_srd_supported:
        raise AwsError(
            "InvalidParameterCombination",
            f"ENA Express is not supported on instances of type '{profile.instance_type}'.",
        )
    return EnaSrd(enabled, udp_enabled)


def _is_true(value: Any) -> bool:
    """The Query protocol's booleans are words, a launch template's are not."""
    return str(value).lower() == "true"


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
