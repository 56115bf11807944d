"""The lab's instance types, and the account of a bucket that is too large for the kernel."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.hosts.credits import CreditAccount, fits_kernel_bucket
from lab.hosts.profiles import DEFAULT_PATH, Profile, ProfileError, Profiles, UnknownInstanceTypeError

# The c5 types in public recordings of EC2 (peak and baseline in Gbit/s, median onset in seconds).
RECORDED = {"c5.large": (10, 0.75, 278), "c5.xlarge": (10, 1.25, 527), "c5.2xlarge": (10, 2.5, 1060)}


def onset_seconds(profile: Profile) -> float:
    """Returns how long a type bursts at the full rate."""
    assert profile.bucket_bits is not None
    return profile.bucket_bits / (profile.peak_bits_per_second - profile.baseline_bits_per_second)


@pytest.mark.parametrize("name", RECORDED)
def test_types_have_the_recorded_figures_at_the_stated_scale(name: str) -> None:
    profiles = Profiles.load()
    rate_divisor = json.loads(DEFAULT_PATH.read_text())["scale"]["rateDivisor"]
    peak, baseline, recorded_onset_seconds = RECORDED[name]

    profile = profiles.profile(name)

    assert profile.peak_bits_per_second * rate_divisor == peak * 10**9
    assert profile.baseline_bits_per_second * rate_divisor == baseline * 10**9
    # The recordings burst at 9.7 Gbit/s, the lab at the published 10.
    assert onset_seconds(profile) * profiles.time_divisor == pytest.approx(recorded_onset_seconds, rel=0.06)


def test_slower_cards_carry_a_share_of_everything_and_leave_other_types_alone() -> None:
    profiles = Profiles.load()
    slower = profiles.with_slower_cards("c5.xlarge", 0.5)
    before, after = profiles.profile("c5.xlarge"), slower.profile("c5.xlarge")
    assert after.peak_bits_per_second * 2 == before.peak_bits_per_second
    assert after.baseline_bits_per_second * 2 == before.baseline_bits_per_second
    assert onset_seconds(after) == pytest.approx(onset_seconds(before))
    assert slower.with_slower_cards("m4.xlarge", 0.5).profile("m4.xlarge").bucket_bits is None
    assert slower.profile("c5.large") == profiles.profile("c5.large")
    for factor in (0, 1.1):
        with pytest.raises(ProfileError, match="factor: must be above 0 and at most 1"):
            profiles.with_slower_cards("c5.xlarge", factor)


def test_every_type_is_complete() -> None:
    profiles = Profiles.load()

    for profile in profiles.instance_types.values():
        assert profile.is_steady == (profile.bucket_bits is None)
        assert set(profile.offered_zones) <= {"a", "b", "c"}
    assert {p.architecture for p in profiles.instance_types.values()} == {"x86_64", "arm64"}
    assert any(not fits_kernel_bucket(p) for p in profiles.instance_types.values() if not p.is_steady)


def test_types_with_burstable_cpu_have_ec2s_default_credits_and_launch_credits() -> None:
    profiles = Profiles.load()
    default = {name: profile.default_cpu_credits for name, profile in profiles.instance_types.items()}
    assert {name: mode for name, mode in default.items() if mode} == {
        "t2.medium": "standard",
        "t2.2xlarge": "standard",
        "t3.micro": "unlimited",
    }
    # 30 launch credits per vCPU are half an hour of all of them.
    assert profiles.with_time_divisor(1).profile("t2.medium").cpu_launch_seconds == 1800
    assert profiles.profile("t3.micro").cpu_launch_seconds == 0


def test_fails_for_an_unknown_type_and_lists_the_known_ones() -> None:
    with pytest.raises(UnknownInstanceTypeError, match=r"must be one of .*c5\.xlarge.*, got c5\.enormous"):
        Profiles.load().profile("c5.enormous")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"baselineBitsPerSecond": 2_000_000_000}, "baselineBitsPerSecond: must be 1 to the peak"),
        ({"baselineBitsPerSecond": 0}, "baselineBitsPerSecond: must be 1 to the peak"),
        ({"bucketBits": 0}, "bucketBits: must be above 0"),
        ({"baselineBitsPerSecond": 1_000_000_000}, "bucketBits: must be absent for a steady type"),
        ({"architecture": "amd64"}, "architecture: must be one of x86_64, arm64, got amd64"),
        ({"cpuBaselinePercent": 20}, "cpuBaselinePercent: must be 1 to 100 for a type with burstable CPU, else absent"),
        ({"burstableCpu": True}, "cpuBaselinePercent: must be 1 to 100 for a type with burstable CPU"),
        (
            {"packetsPerSecond": {"peak": 10, "baseline": 20, "creditPackets": 1}},
            "packetsPerSecond.baseline: must be 1 to the peak, got 20",
        ),
        (
            {"packetsPerSecond": {"peak": 10, "baseline": 5, "creditPackets": 0}},
            "packetsPerSecond.creditPackets: must be above 0, got 0",
        ),
    ],
)
def test_fails_for_an_inconsistent_profile(tmp_path: Path, change: dict[str, Any], problem: str) -> None:
    content = json.loads(DEFAULT_PATH.read_text())
    content["instanceTypes"]["c5.large"] |= change
    (tmp_path / "profiles.json").write_text(json.dumps(content))

    with pytest.raises(ProfileError, match=f"profiles.instanceTypes.c5.large.{problem}"):
        Profiles.load(tmp_path / "profiles.json")


def spend(account: CreditAccount, bytes_per_second: float, seconds: float, step_seconds: float = 0.05) -> float | None:
    """Sends at a rate; returns when the credits were spent, or None if they were not."""
    spent_after_seconds = None
    for step in range(round(seconds / step_seconds)):
        account.pass_time(step_seconds, round(bytes_per_second * step_seconds))
        if account.is_spent and spent_after_seconds is None:
            spent_after_seconds = (step + 1) * step_seconds
    return spent_after_seconds


def test_an_account_larger_than_the_kernels_bucket_is_spent_at_the_calculated_time() -> None:
    profile = Profiles.load().profile("c5.4xlarge")
    account = CreditAccount.for_profile(profile)
    assert not fits_kernel_bucket(profile)

    spent_after_seconds = spend(account, profile.peak_bits_per_second / 8, 200)

    assert spent_after_seconds == pytest.approx(onset_seconds(profile), abs=0.6)


def test_idle_time_earns_the_burst_back_at_the_baseline_rate() -> None:
    account = CreditAccount(baseline_bytes_per_second=100, bucket_bytes=9000, balance_bytes=9000)

    assert spend(account, 1000, 20) == pytest.approx(10, abs=0.1)
    assert spend(account, 0, 9) is not None
    assert not account.is_spent
    # The idle time earned 900, and the load takes 900 more per second than it earns.
    assert spend(account, 1000, 20) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(
    ("bucket_bytes", "was_spent", "balance_bytes", "is_spent"),
    [
        pytest.param(9000, False, 50, False, id="half a second of the baseline is left"),
        pytest.param(9000, False, 49, True, id="less is left"),
        pytest.param(80, False, 40, False, id="half of a small bucket is left"),
        pytest.param(80, False, 39, True, id="less than half of it is left"),
        pytest.param(9000, True, 99, True, id="less than a second of the baseline is back"),
        pytest.param(9000, True, 100, False, id="a second of the baseline is back"),
        pytest.param(9000, True, 0, True, id="more was sent than there was"),
    ],
)
def test_credits_are_spent_and_back_at_exact_balances(
    bucket_bytes: float, was_spent: bool, balance_bytes: float, is_spent: bool
) -> None:
    account = CreditAccount(100, bucket_bytes, balance_bytes + 10, was_spent)

    # In two seconds 200 bytes are earned.
    has_changed = account.pass_time(2, 210 if balance_bytes else 1000)

    assert (account.balance_bytes, account.is_spent) == (balance_bytes, is_spent)
    assert has_changed == (is_spent != was_spent)


def test_the_kernels_bucket_is_an_unsigned_32_bit_number_of_bytes() -> None:
    profile = Profiles.load().profile("c5.large")
    fits = [fits_kernel_bucket(replace(profile, bucket_bits=8 * size)) for size in (2**32 - 1, 2**32)]
    assert fits == [True, False]


def test_a_late_call_earns_a_full_account_a_quarter_of_a_second_at_most() -> None:
    account = CreditAccount(baseline_bytes_per_second=100, bucket_bytes=9000, balance_bytes=9000)
    account.pass_time(3, 8000)
    assert account.balance_bytes == 1025
    # An account that is not full earns all the time.
    account.pass_time(3, 1300)
    assert (account.balance_bytes, account.is_spent) == (25, True)


def test_credits_are_never_spent_at_the_baseline_rate_or_of_a_steady_type() -> None:
    account = CreditAccount(baseline_bytes_per_second=100, bucket_bytes=9000, balance_bytes=9000)

    assert spend(account, 100, 1000) is None
    steady = CreditAccount.for_profile(Profiles.load().profile("m4.xlarge"))
    assert spend(steady, 1e12, 1000) is None
