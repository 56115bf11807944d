"""The lab's instance types and their network capacity; only profiles.json has these figures."""

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lab.hosts.allowance_counter import COUNTINGS
from lab.hosts.packet_rate import PacketLimit

DEFAULT_PATH = Path(__file__).resolve().parent.parent / "profiles.json"
_ARCHITECTURES = ("x86_64", "arm64")


class ProfileError(ValueError):
    """A profile is inconsistent; the message names the field, its value and the allowed values."""


class UnknownInstanceTypeError(LookupError):
    """profiles.json does not have the type."""


@dataclass(frozen=True)
class Profile:
    """One instance type; `bucket_bits` is None for a steady type, which has no network credits. A type with burstable
    CPU also has the baseline per processor, and how long its launch credits keep all processors busy.
    """

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
    bare_metal: bool = False
    free_tier_eligible: bool = False
    cpu_baseline_percent: int | None = None
    cpu_launch_seconds: float = 0
    packet_limit: PacketLimit | None = None
    # One of allowance_counter.COUNTINGS.
    allowance_counting: str = COUNTINGS[0]

    @property
    def is_steady(self) -> bool:
        return self.baseline_bits_per_second == self.peak_bits_per_second

    @property
    def default_cpu_credits(self) -> str | None:
        """Returns EC2's default: `standard` for a type with launch credits, `unlimited` for one without."""
        if not self.burstable_cpu:
            return None
        return "standard" if self.cpu_launch_seconds > 0 else "unlimited"


@dataclass(frozen=True)
class Profiles:
    """All instance types, the scale of their figures, and one-way delays: between two zones, between hosts of one zone
    (none within a cluster placement group), and the extra delay of the path through public addresses.
    """

    instance_types: dict[str, Profile]
    time_divisor: float
    between_zones_micros: int
    same_zone_micros: int
    public_path_micros: int
    flow_cap_bits_per_second: dict[str, int]

    def profile(self, instance_type: str) -> Profile:
        try:
            return self.instance_types[instance_type]
        except KeyError:
            known = ", ".join(sorted(self.instance_types))
            raise UnknownInstanceTypeError(f"instance type: must be one of {known}, got {instance_type}") from None

    def flow_cap(self, in_cluster_group: bool) -> int:
        return self.flow_cap_bits_per_second["clusterGroup" if in_cluster_group else "default"]

    def with_time_divisor(self, time_divisor: float) -> "Profiles":
        """Returns the same types and rates, with credits that last 1/`time_divisor` as long as EC2's."""
        if not time_divisor > 0:
            raise ProfileError(f"time divisor: must be above 0, got {time_divisor}")
        factor = self.time_divisor / time_divisor
        scaled = {
            name: replace(
                profile,
                bucket_bits=round(profile.bucket_bits * factor),
                cpu_launch_seconds=profile.cpu_launch_seconds * factor,
            )
            for name, profile in self.instance_types.items()
            if profile.bucket_bits is not None
        }
        return replace(self, instance_types=self.instance_types | scaled, time_divisor=time_divisor)

    def with_slower_cards(self, instance_type: str, factor: float) -> "Profiles":
        """Returns the same types, with one type's rates and bucket reduced to this share."""
        if not 0 < factor <= 1:
            raise ProfileError(f"factor: must be above 0 and at most 1, got {factor}")
        profile = self.profile(instance_type)
        slower = replace(
            profile,
            peak_bits_per_second=round(profile.peak_bits_per_second * factor),
            baseline_bits_per_second=round(profile.baseline_bits_per_second * factor),
            bucket_bits=None if profile.bucket_bits is None else round(profile.bucket_bits * factor),
        )
        return replace(self, instance_types=self.instance_types | {instance_type: slower})

    @staticmethod
    def load(path: Path = DEFAULT_PATH) -> "Profiles":
        content = json.loads(path.read_text())
        return Profiles(
            instance_types={
                name: _profile(name, {"allowanceCounting": content["allowanceCounting"], **fields})
                for name, fields in content["instanceTypes"].items()
            },
            time_divisor=content["scale"]["timeDivisor"],
            between_zones_micros=content["zoneLatencyMicros"],
            same_zone_micros=content["sameZoneLatencyMicros"],
            public_path_micros=content["publicPathLatencyMicros"],
            flow_cap_bits_per_second=content["flowCapBitsPerSecond"],
        )


def _profile(name: str, fields: dict[str, Any]) -> Profile:
    # The source of the figures is only for readers of the file.
    figures = {_snake_case(key): value for key, value in fields.items() if key not in ("source", "packetsPerSecond")}
    if "packetsPerSecond" in fields:
        figures["packet_limit"] = _packet_limit(name, fields["packetsPerSecond"])
    profile = Profile(instance_type=name, **figures)
    baseline, bucket = profile.baseline_bits_per_second, profile.bucket_bits
    share, shares = profile.cpu_baseline_percent, "1 to 100 for a type with burstable CPU, else absent"
    counting = profile.allowance_counting
    architectures = f"one of {', '.join(_ARCHITECTURES)}"
    for is_allowed, field, allowed, value in (
        (profile.architecture in _ARCHITECTURES, "architecture", architectures, profile.architecture),
        (0 < baseline <= profile.peak_bits_per_second, "baselineBitsPerSecond", "1 to the peak", baseline),
        (bucket is None or not profile.is_steady, "bucketBits", "absent for a steady type", bucket),
        (profile.is_steady or (bucket or 0) > 0, "bucketBits", "above 0 for a type that bursts", bucket),
        (counting in COUNTINGS, "allowanceCounting", f"one of {', '.join(COUNTINGS)}", counting),
        (share in range(1, 101) if profile.burstable_cpu else share is None, "cpuBaselinePercent", shares, share),
    ):
        if not is_allowed:
            raise ProfileError(f"profiles.instanceTypes.{name}.{field}: must be {allowed}, got {value}")
    return profile


def _packet_limit(name: str, fields: dict[str, int]) -> PacketLimit:
    limit = PacketLimit(**{_snake_case(key): value for key, value in fields.items()})
    for is_allowed, field, allowed, value in (
        (0 < limit.baseline <= limit.peak, "baseline", "1 to the peak", limit.baseline),
        (limit.credit_packets > 0, "creditPackets", "above 0", limit.credit_packets),
    ):
        if not is_allowed:
            where = f"profiles.instanceTypes.{name}.packetsPerSecond.{field}"
            raise ProfileError(f"{where}: must be {allowed}, got {value}")
    return limit


def _snake_case(name: str) -> str:
    return re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", name)
