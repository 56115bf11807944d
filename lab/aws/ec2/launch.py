"""RunInstances: merges the launch template with the request, and refuses with EC2's error codes."""

from typing import Any

from lab.aws import embedded
from lab.aws.account_plan import AccountPlan
from lab.aws.ec2.images import Image, image_of
from lab.aws.ec2.networks import Subnet, default_gateway, has_systems_manager_endpoints, subnets
from lab.aws.ec2.placement_groups import check_placement
from lab.aws.ec2.records import GroupName, InstanceProfile, Launch, Records, group_name, security_group
from lab.aws.faults import Faults
from lab.aws.quotas import ServiceQuotas
from lab.aws.settings import REGION
from lab.aws.wire import AwsError, Request
from lab.hosts.profiles import Profile, Profiles

MAX_SECURITY_GROUPS = 5


def plan_launch(
    records: Records,
    profiles: Profiles,
    faults: Faults,
    quotas: ServiceQuotas,
    account_plan: AccountPlan,
    request: Request,
) -> Launch:
    """Merges and checks a request; raises the AwsError that EC2 would answer with."""
    template = _template(request.get("LaunchTemplate"))
    merged = template | request
    instance_type = merged.get("InstanceType")
    if not instance_type:
        raise AwsError("MissingParameter", "The request must contain the parameter InstanceType")
    profile = profiles.instance_types.get(instance_type)
    if profile is None:
        raise AwsError("InvalidParameterValue", f"Invalid value '{instance_type}' for InstanceType.")
    account_plan.check_launch(profile)
    image = _image(profile, merged.get("ImageId", ""))
    subnet, groups, interface = _network(request, template)
    ena_srd_enabled, ena_srd_udp_enabled = _ena_srd(interface.get("EnaSrdSpecification", {}), profile)
    _check_connection_tracking(interface.get("ConnectionTrackingSpecification"), profile)
    _check_zone(profile, subnet.zone)
    placement = (template.get("Placement", {}) | request.get("Placement", {})).get("GroupName")
    count = request["MaxCount"]
    if placement:
        check_placement(records, placement, profile, subnet.zone, count)
    quotas.check_launch(profile, count, [instance.launch.profile for instance in records.alive()])
    faults.raise_if_asked("RunInstances", instanceType=instance_type, zone=subnet.zone)
    return Launch(
        image=image,
        device_names=_device_names(image, template, request),
        profile=profile,
        subnet=subnet,
        security_groups=groups,
        has_public_address=_is_true(interface.get("AssociatePublicIpAddress", subnet.assigns_public_address)),
        gateway=default_gateway(subnet),
        has_endpoints=has_systems_manager_endpoints(subnet.vpc_id),
        ena_srd_enabled=ena_srd_enabled,
        ena_srd_udp_enabled=ena_srd_udp_enabled,
        placement_group=placement,
        cpu_credits=_cpu_credits(request.get("CreditSpecification", {}).get("CpuCredits"), profile),
        instance_profile=_instance_profile(merged.get("IamInstanceProfile")),
        tags=_tags(template) | _tags(request),
        count=count,
    )


def _network(request: Request, template: dict[str, Any]) -> tuple[Subnet, list[GroupName], dict[str, Any]]:
    """Returns the subnet, the security groups, and the interface specification merged from template and request."""
    if request.get("NetworkInterfaces") and (request.get("SubnetId") or request.get("SecurityGroupIds")):
        raise AwsError(
            "InvalidParameterCombination",
            "Network interfaces and an instance-level subnet ID or security groups may not be specified on the "
            "same request",
        )
    interface: dict[str, Any] = {}
    for source in (template, request):
        interface |= next(iter(source.get("NetworkInterfaces", [])), {})
    subnet_id = request.get("SubnetId") or interface.get("SubnetId")
    group_ids = request.get("SecurityGroupIds") or interface.get("Groups") or template.get("SecurityGroupIds")
    if not subnet_id or not group_ids:
        raise AwsError("MissingInput", "The lab's launches name their subnet and their security groups")
    (subnet,) = subnets(subnet_id)
    return subnet, _groups(group_ids, subnet), interface


def _groups(group_ids: list[str], subnet: Subnet) -> list[GroupName]:
    if len(group_ids) > MAX_SECURITY_GROUPS:
        raise AwsError(
            "SecurityGroupsPerInterfaceLimitExceeded",
            f"You have exceeded the maximum number of {MAX_SECURITY_GROUPS} security groups allowed per interface",
        )
    groups = [security_group(group_id) for group_id in group_ids]
    for group in groups:
        if group["VpcId"] != subnet.vpc_id:
            raise AwsError(
                "InvalidParameter",
                f"Security group {group['GroupId']} and subnet {subnet.subnet_id} belong to different networks.",
            )
    return [group_name(group) for group in groups]


def _template(specification: dict[str, Any] | None) -> dict[str, Any]:
    if not specification:
        return {}
    content: dict[str, Any]
    content, _, error = embedded.EC2_TEMPLATE_DATA.value(specification)
    if error:
        wanted = specification.get("LaunchTemplateId") or specification.get("LaunchTemplateName")
        raise AwsError("InvalidLaunchTemplateId.NotFound", f"The launch template '{wanted}' does not exist")
    return content


def _image(profile: Profile, image_id: str) -> Image:
    image = image_of(image_id)
    if profile.architecture != image.architecture:
        raise AwsError(
            "InvalidParameterValue",
            f"The architecture '{profile.architecture}' of the specified instance type does not match the architecture "
            f"'{image.architecture}' of the specified AMI. Specify an instance type and an AMI that have matching "
            "architectures, and try again.",
        )
    return image


def _device_names(image: Image, template: dict[str, Any], request: Request) -> list[str]:
    """Returns the device names of image, template and request, which EC2 merges by name; `NoDevice` omits a device.
    Users report the merging (https://github.com/cdklabs/cdk-nag/issues/1346).
    """
    mappings: dict[str, dict[str, Any]] = {image.root_device_name: {"Ebs": {"VolumeSize": image.volume_gibibytes}}}
    for source in (template, request):
        for mapping in source.get("BlockDeviceMappings", []):
            mappings[mapping["DeviceName"]] = mapping
    attached = {name: mapping.get("Ebs", {}) for name, mapping in mappings.items() if "NoDevice" not in mapping}
    for name, volume in attached.items():
        if name != image.root_device_name and not {"VolumeSize", "SnapshotId"} & volume.keys():
            raise AwsError("MissingParameter", "The request must contain the parameter size or snapshotId")
        if name == image.root_device_name and volume.get("VolumeSize", image.volume_gibibytes) < image.volume_gibibytes:
            raise AwsError(
                "InvalidBlockDeviceMapping",
                f"Volume of size {volume['VolumeSize']}GB is smaller than snapshot '{image.snapshot_id}', expect size "
                f">= {image.volume_gibibytes}GB",
            )
    return list(attached)


def _check_zone(profile: Profile, zone: str) -> None:
    if zone.removeprefix(REGION) not in profile.offered_zones:
        offered = ", ".join(REGION + letter for letter in profile.offered_zones)
        raise AwsError(
            "Unsupported",
            f"Your requested instance type ({profile.instance_type}) is not supported in your requested Availability "
            f"Zone ({zone}). Please retry your request by not specifying an Availability Zone or choosing {offered}.",
        )


def _check_connection_tracking(specification: dict[str, Any] | None, profile: Profile) -> None:
    if specification and profile.hypervisor == "xen":
        raise AwsError(
            "InvalidParameterValue",
            f"The instance type {profile.instance_type} does not support configurable connection tracking",
        )


def _ena_srd(specification: dict[str, Any], profile: Profile) -> tuple[bool, bool]:
    """Returns whether ENA Express is enabled, and whether it is enabled for UDP."""
    enabled = _is_true(specification.get("EnaSrdEnabled"))
    udp_enabled = _is_true(specification.get("EnaSrdUdpSpecification", {}).get("EnaSrdUdpEnabled"))
    if udp_enabled and not enabled:
        raise AwsError("InvalidParameterCombination", "EnaSrdUdpEnabled requires EnaSrdEnabled")
    if enabled and not profile.ena_srd_supported:
        raise AwsError(
            "InvalidParameterCombination",
            f"ENA Express is not supported on instances of type '{profile.instance_type}'.",
        )
    return enabled, udp_enabled


def _cpu_credits(wanted: str | None, profile: Profile) -> str | None:
    if wanted is None:
        return profile.default_cpu_credits
    if not profile.burstable_cpu:
        raise AwsError(
            "InvalidParameterCombination",
            f"The instance type {profile.instance_type} has no CPU credits, so CreditSpecification is not allowed",
        )
    if wanted not in ("standard", "unlimited"):
        raise AwsError("InvalidParameterValue", f"Invalid value '{wanted}' for CpuCredits.")
    return wanted


def _is_true(value: object) -> bool:
    """A launch template may have booleans as text."""
    return str(value).lower() == "true"


def _instance_profile(wanted: dict[str, str] | None) -> InstanceProfile | None:
    if not wanted:
        return None
    name = wanted.get("Name") or wanted.get("Arn", "").rpartition("/")[2]
    try:
        found = embedded.call("iam", "GetInstanceProfile", InstanceProfileName=name)["InstanceProfile"]
    except AwsError as error:
        raise AwsError(
            "InvalidParameterValue",
            f"Value ({wanted.get('Name') or wanted.get('Arn')}) for parameter iamInstanceProfile is invalid. "
            "Invalid IAM Instance Profile",
        ) from error
    role: dict[str, str] = next(iter(found["Roles"]), {})
    return InstanceProfile(found["Arn"], found["InstanceProfileId"], role.get("RoleName"), role.get("RoleId"))


def _tags(source: dict[str, Any]) -> dict[str, str]:
    return {
        tag["Key"]: tag.get("Value", "")
        for specification in source.get("TagSpecifications", [])
        if specification.get("ResourceType") == "instance"
        for tag in specification.get("Tags", [])
    }
