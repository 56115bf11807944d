"""The lab's instance types as EC2 describes them; the figures are those of profiles.json.

The published figures are the scaled profile's own (a steady type publishes baseline = peak). With EC2's real figures
every verdict would contradict the published bandwidth, which is one of its witnesses.
"""

from typing import Any, Literal

from lab.aws.settings import REGION
from lab.hosts.profiles import Profile, Profiles

LocationType = Literal["region", "availability-zone"]


def offering_views(profiles: Profiles, location_type: LocationType) -> list[dict[str, str]]:
    """Where each type is offered, as DescribeInstanceTypeOfferings shows it."""
    return [
        {"InstanceType": name, "LocationType": location_type, "Location": location}
        for name, profile in sorted(profiles.instance_types.items())
        for location in (
            [REGION + letter for letter in profile.offered_zones] if location_type == "availability-zone" else [REGION]
        )
    ]


def type_view(profile: Profile) -> dict[str, Any]:
    """The type as DescribeInstanceTypes shows it."""
    strategies = ["partition", "spread"] + (["cluster"] if profile.cluster_placement else [])
    return {
        "InstanceType": profile.instance_type,
        "CurrentGeneration": True,
        "FreeTierEligible": False,
        "SupportedUsageClasses": ["on-demand"],
        "SupportedRootDeviceTypes": ["ebs"],
        "SupportedVirtualizationTypes": ["hvm"],
        "BareMetal": profile.bare_metal,
        **({} if profile.bare_metal else {"Hypervisor": profile.hypervisor}),
        "ProcessorInfo": {"SupportedArchitectures": [profile.architecture]},
        "VCpuInfo": {"DefaultVCpus": profile.vcpu_count, "DefaultCores": max(1, profile.vcpu_count // 2)},
        "MemoryInfo": {"SizeInMiB": profile.vcpu_count * 2048},
        "NetworkInfo": {
            "NetworkPerformance": profile.network_performance,
            "MaximumNetworkInterfaces": 2,
            "MaximumNetworkCards": 1,
            "DefaultNetworkCardIndex": 0,
            "NetworkCards": [
                {
                    "NetworkCardIndex": 0,
                    "NetworkPerformance": profile.network_performance,
                    "MaximumNetworkInterfaces": 2,
                    "BaselineBandwidthInGbps": profile.baseline_bits_per_second / 1e9,
                    "PeakBandwidthInGbps": profile.peak_bits_per_second / 1e9,
                }
            ],
            "EnaSupport": "required",
            "EnaSrdSupported": profile.ena_srd_supported,
        },
        "PlacementGroupInfo": {"SupportedStrategies": strategies},
        "BurstablePerformanceSupported": profile.burstable_cpu,
    }
