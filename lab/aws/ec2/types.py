"""The lab's instance types as DescribeInstanceTypes shows them, and the zones that offer them, from profiles.json.

The published figures are the scaled profile's own (a steady type publishes baseline = peak). EC2's real figures would
contradict every measurement of the lab, and so every verdict.
"""

from typing import Any

from lab.aws.ec2.requests import matching
from lab.aws.settings import REGION
from lab.aws.wire import AwsError, Request
from lab.hosts.profiles import Profile, Profiles


def describe_instance_types(profiles: Profiles, request: Request) -> dict[str, Any]:
    wanted = request.get("InstanceTypes", sorted(profiles.instance_types))
    unknown = [name for name in wanted if name not in profiles.instance_types]
    if unknown:
        raise AwsError(
            "InvalidInstanceType", f"The following supplied instance types do not exist: [{', '.join(unknown)}]"
        )
    # As on EC2, an unknown type in the filter is no error and matches nothing.
    facts = {
        "instance-type": lambda name: [name],
        "free-tier-eligible": lambda name: [str(profiles.profile(name).free_tier_eligible).lower()],
    }
    found = matching(request, wanted, facts)
    return {"InstanceTypes": [type_view(profiles.profile(name)) for name in found]}


def describe_instance_type_offerings(profiles: Profiles, request: Request) -> dict[str, Any]:
    location_type = request.get("LocationType", "region")
    if location_type not in ("region", "availability-zone"):
        raise AwsError("InvalidParameterValue", "The lab knows the location types region and availability-zone")
    offerings = offering_views(profiles, location_type)
    facts = {
        "instance-type": lambda offering: [offering["InstanceType"]],
        "location": lambda offering: [offering["Location"]],
    }
    return {"InstanceTypeOfferings": matching(request, offerings, facts)}


def offering_views(profiles: Profiles, location_type: str) -> list[dict[str, str]]:
    return [
        {"InstanceType": name, "LocationType": location_type, "Location": location}
        for name, profile in sorted(profiles.instance_types.items())
        for location in (
            [REGION + letter for letter in profile.offered_zones] if location_type == "availability-zone" else [REGION]
        )
    ]


def type_view(profile: Profile) -> dict[str, Any]:
    strategies = ["partition", "spread"] + (["cluster"] if profile.cluster_placement else [])
    return {
        "InstanceType": profile.instance_type,
        "FreeTierEligible": profile.free_tier_eligible,
        "BareMetal": profile.bare_metal,
        **({} if profile.bare_metal else {"Hypervisor": profile.hypervisor}),
        "ProcessorInfo": {"SupportedArchitectures": [profile.architecture]},
        "VCpuInfo": {"DefaultVCpus": profile.vcpu_count},
        "NetworkInfo": {
            "NetworkPerformance": profile.network_performance,
            "DefaultNetworkCardIndex": 0,
            "NetworkCards": [
                {
                    "NetworkCardIndex": 0,
                    "NetworkPerformance": profile.network_performance,
                    "BaselineBandwidthInGbps": profile.baseline_bits_per_second / 1e9,
                    "PeakBandwidthInGbps": profile.peak_bits_per_second / 1e9,
                }
            ],
            "EnaSrdSupported": profile.ena_srd_supported,
        },
        "PlacementGroupInfo": {"SupportedStrategies": strategies},
        "BurstablePerformanceSupported": profile.burstable_cpu,
    }
