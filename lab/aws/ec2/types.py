"""Instance types, images and zones of the lab, as EC2 describes them; the figures are those of profiles.json.

The published figures are the scaled profile's own (a steady type publishes baseline = peak). With EC2's real figures
every verdict would contradict the published bandwidth, which is one of its witnesses.
"""

from __future__ import annotations

from typing import Any

from lab.aws.ec2.requests import check_filters, filters_of
from lab.aws.settings import REGION
from lab.aws.wire import AwsError, Request
from lab.hosts.profiles import Profile, Profiles, UnknownInstanceTypeError

# Canonical's public parameters, and the images that they name in the lab.
IMAGE_PARAMETER = "/aws/service/canonical/ubuntu/server/24.04/stable/current/{}/hvm/ebs-gp3/ami-id"
IMAGE_IDS = {"amd64": "ami-0a1b2c3d4e5f60001", "arm64": "ami-0a1b2c3d4e5f60002"}
IMAGE_PARAMETERS = {IMAGE_PARAMETER.format(name): image_id for name, image_id in IMAGE_IDS.items()}
IMAGE_ARCHITECTURES = {IMAGE_IDS["amd64"]: "x86_64", IMAGE_IDS["arm64"]: "arm64"}


def profile_of(profiles: Profiles, instance_type: str) -> Profile | None:
    try:
        return profiles.profile(instance_type)
    except UnknownInstanceTypeError:
        return None


def resolve_image(image: str) -> str:
    """Returns the image id itself, or the one that `resolve:ssm:<public parameter>` names."""
    if image.startswith("resolve:ssm:"):
        parameter = image.removeprefix("resolve:ssm:")
        if parameter not in IMAGE_PARAMETERS:
            raise AwsError("InvalidParameterValue", f"The parameter {parameter} does not exist")
        image = IMAGE_PARAMETERS[parameter]
    if image not in IMAGE_ARCHITECTURES:
        raise AwsError("InvalidAMIID.NotFound", f"The image id '[{image}]' does not exist")
    return image


def describe_instance_types(profiles: Profiles, request: Request) -> dict[str, Any]:
    wanted = request.get("InstanceType") or sorted(profiles.instance_types)
    unknown = [name for name in wanted if profile_of(profiles, name) is None]
    if unknown:
        raise AwsError(
            "InvalidInstanceType", f"The following supplied instance types do not exist: [{', '.join(unknown)}]"
        )
    # As on EC2, an unknown name in a filter is no error; it matches nothing.
    filters = filters_of(request)
    check_filters(filters, {"instance-type"})
    wanted = [name for name in wanted if name in filters.get("instance-type", [name])]
    return {"instanceTypeSet": [_type_view(profiles.profile(name)) for name in wanted]}


def describe_instance_type_offerings(profiles: Profiles, request: Request) -> dict[str, Any]:
    location_type = request.get("LocationType", "region")
    filters = filters_of(request)
    check_filters(filters, {"instance-type", "location"})
    offerings = []
    for name, profile in sorted(profiles.instance_types.items()):
        zones = [REGION + letter for letter in profile.offered_zones]
        for location in zones if location_type == "availability-zone" else [REGION]:
            if location_type == "availability-zone-id":
                raise AwsError("InvalidParameterValue", "The lab knows the location types region and availability-zone")
            if name in filters.get("instance-type", [name]) and location in filters.get("location", [location]):
                offerings.append({"instanceType": name, "locationType": location_type, "location": location})
    return {"instanceTypeOfferingSet": offerings}


def _type_view(profile: Profile) -> dict[str, Any]:
    baseline = profile.baseline_bits_per_second / 1e9
    peak = profile.peak_bits_per_second / 1e9
    strategies = ["partition", "spread"] + (["cluster"] if profile.cluster_placement else [])
    return {
        "instanceType": profile.instance_type,
        "currentGeneration": True,
        "freeTierEligible": False,
        "supportedUsageClasses": ["on-demand"],
        "supportedRootDeviceTypes": ["ebs"],
        "supportedVirtualizationTypes": ["hvm"],
        "bareMetal": False,
        "hypervisor": profile.hypervisor,
        "processorInfo": {"supportedArchitectures": [profile.architecture]},
        "vCpuInfo": {"defaultVCpus": profile.vcpu_count, "defaultCores": max(1, profile.vcpu_count // 2)},
        "memoryInfo": {"sizeInMiB": profile.vcpu_count * 2048},
        "networkInfo": {
            "networkPerformance": profile.network_performance,
            "maximumNetworkInterfaces": 2,
            "maximumNetworkCards": 1,
            "defaultNetworkCardIndex": 0,
            "networkCards": [
                {
                    "networkCardIndex": 0,
                    "networkPerformance": profile.network_performance,
                    "maximumNetworkInterfaces": 2,
                    "baselineBandwidthInGbps": baseline,
                    "peakBandwidthInGbps": peak,
                }
            ],
            "enaSupport": "required",
            "enaSrdSupported": profile.ena_srd_supported,
        },
        "placementGroupInfo": {"supportedStrategies": strategies},
        "burstablePerformanceSupported": profile.burstable_cpu,
    }
