"""The lab's instance types and the capacity of their networks. Only profiles.json has these figures."""

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

DEFAULT_PATH = Path(__file__).resolve().parent.parent / "profiles.json"
_ARCHITECTURES = ("x86_64", "arm64")


class ProfileError(ValueError):
    """A profile is inconsistent; the message names the field, its value and the allowed values."""


class UnknownInstanceTypeError(LookupError):
    """The type is not in profiles.json, so the lab does not have it."""


@dataclass(frozen=True)
class Profile:
    """One instance type. `bucket_bits` is None for a steady type, which has no credits."""

    instance_type: str
    architecture: str
    vcpu_count: int
    peak_bits_per_second: int
    baseline_bits_per_second: int
    network_performance: str
    burstable_cpu: bool
    cluster_placement: bool
    offered_zones: list[str]
    bucket_bits: int | None = None
    ena_srd_supported: bool = False
    hypervisor: str = "nitro"

    @property
    def is_steady(self) -> bool:
        return self.baseline_bits_per_second == self.peak_bits_per_second


@dataclass(frozen=True)
class Profiles:
    """All instance types, the scale of their figures, and the distances.

    Distances are one-way delays: between two zones, between hosts of one zone (none within a cluster placement group),
    and the extra delay of the path by public addresses.
    """

    instance_types: dict[str, Profile]
    time_divisor: float
    zone_latency_micros: dict[str, int]
    same_zone_micros: int
    public_path_micros: int
    flow_cap_bits_per_second: dict[str, int]

    def profile(self, instance_type: str) -> Profile:
        try:
            return self.instance_types[instance_type]
        except KeyError:
            known = ", ".join(sorted(self.instance_types))
            raise UnknownInstanceTypeError(f"instance type: must be one of {known}, got {instance_type}") from None

    def one_way_micros(self, zone: str, other_zone: str) -> int:
        """Returns the one-way delay between two zones by their letters, in either order."""
        key = "-".join(sorted((zone[-1], other_zone[-1])))
        return self.zone_latency_micros.get(key, self.zone_latency_micros["default"])

    def flow_cap(self, in_cluster_group: bool) -> int:
        """Returns the highest rate of a single flow, in bits per second."""
        return self.flow_cap_bits_per_second["clusterGroup" if in_cluster_group else "default"]

    def with_time_divisor(self, time_divisor: float) -> "Profiles":
        """Returns the same types with buckets that last 1/`time_divisor` as long as EC2's; rates stay."""
        if not time_divisor > 0:
            raise ProfileError(f"time divisor: must be above 0, got {time_divisor}")
        factor = self.time_divisor / time_divisor
        types = {
            name: replace(
                profile, bucket_bits=None if profile.bucket_bits is None else round(profile.bucket_bits * factor)
            )
            for name, profile in self.instance_types.items()
        }
        return replace(self, instance_types=types, time_divisor=time_divisor)

    @staticmethod
    def load(path: Path = DEFAULT_PATH) -> "Profiles":
        content = json.loads(path.read_text())
        return Profiles(
            instance_types={name: _profile(name, fields) for name, fields in content["instanceTypes"].items()},
            time_divisor=content["scale"]["timeDivisor"],
            zone_latency_micros=content["zoneLatencyMicros"],
            same_zone_micros=content["sameZoneLatencyMicros"],
            public_path_micros=content["publicPathLatencyMicros"],
            flow_cap_bits_per_second=content["flowCapBitsPerSecond"],
        )


def _profile(name: str, fields: dict[str, Any]) -> Profile:
    # Only readers of the file need to know the source of the figures.
    figures = {_snake_case(key): value for key, value in fields.items() if key != "source"}
    profile = Profile(instance_type=name, **figures)
    where = f"profiles.instanceTypes.{name}"
    if profile.architecture not in _ARCHITECTURES:
        raise ProfileError(
            f"{where}.architecture: must be one of {', '.join(_ARCHITECTURES)}, got {profile.architecture}"
        )
    if not 0 < profile.baseline_bits_per_second <= profile.peak_bits_per_second:
        raise ProfileError(
            f"{where}.baselineBitsPerSecond: must be 1 to the peak, got {profile.baseline_bits_per_second}"
        )
    if profile.is_steady and profile.bucket_bits is not None:
        raise ProfileError(f"{where}.bucketBits: must be absent for a steady type, got {profile.bucket_bits}")
    if not profile.is_steady and not (profile.bucket_bits or 0) > 0:
        raise ProfileError(f"{where}.bucketBits: must be above 0 for a type that bursts, got {profile.bucket_bits}")
    return profile


def _snake_case(name: str) -> str:
    return re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", name)
