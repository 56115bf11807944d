"""The token bucket as measured by a tool on the hosts: rates, volume, and the card's counters.

A busy machine may carry less than the peak, so that these tests load until the credits are spent, and count bits and
not seconds. The rates that the kernel was given are read from its own queue.
"""

from __future__ import annotations

import pytest
from host_support import (
    TEST_PROFILES,
    Fleet,
    Pair,
    card_counter,
    iperf3,
    loading,
    make_pair,
    rates_of,
    received_bytes,
    seconds_and_megabits,
    wait_for,
)

from lab.hosts import credits

BURSTING = TEST_PROFILES.profile("bursting")
PEAK_MEGABITS, BASELINE_MEGABITS = BURSTING.peak_bits_per_second / 1e6, BURSTING.baseline_bits_per_second / 1e6
BUCKET_MEGABITS = (BURSTING.bucket_bits or 0) / 1e6
# Of the bucket's 540 Mbit.
LESS_THAN_THE_BUCKET = "-P 8 -n 40M"
BYTES_AT_THE_BASELINE = 10_000_000


def load_until_spent(fleet: Fleet, pair: Pair, limited: str, direction: str) -> list[tuple[float, float]]:
    """Returns length and rate of each second of a load until this host's credits are spent, and some more of it."""
    with loading(fleet, pair, "-P 8") as end:

        def is_spent() -> bool:
            return fleet.credits_are_spent(limited, direction)

        wait_for("the end of the credits", is_spent)
        at_the_onset = received_bytes(fleet, pair.server)
        wait_for("bytes at the baseline", lambda: _more_than(fleet, pair, at_the_onset + BYTES_AT_THE_BASELINE))
        # A rate that a busy machine holds below the baseline gives credits back.
        wait_for("the end of the credits again", is_spent)
        return seconds_and_megabits(end())


def _more_than(fleet: Fleet, pair: Pair, byte_count: int) -> bool:
    return received_bytes(fleet, pair.server) > byte_count


def assert_bucket_and_baseline(seconds_and_rates: list[tuple[float, float]], late_seconds: float = 0) -> None:
    """What came beyond the baseline is the bucket, however long that took, and what an account that was late let by."""
    assert_at_most(PEAK_MEGABITS, seconds_and_rates)
    burst_megabits = sum(seconds * (rate - BASELINE_MEGABITS) for seconds, rate in seconds_and_rates)
    assert 0.9 * BUCKET_MEGABITS < burst_megabits < 1.1 * BUCKET_MEGABITS + PEAK_MEGABITS * late_seconds


def assert_at_most(megabits: float, seconds_and_rates: list[tuple[float, float]]) -> None:
    """On average, never more than the peak; a single second may also have bits of the one before."""
    seconds = sum(seconds for seconds, _ in seconds_and_rates)
    assert sum(seconds * rate for seconds, rate in seconds_and_rates) / seconds < 1.05 * megabits


@pytest.fixture
def late_seconds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long accounts had not been called when they found that their credits were spent."""
    original, late = credits.CreditAccount.pass_time, [0.0]

    def pass_time(account: credits.CreditAccount, elapsed_seconds: float, sent_bytes: int) -> bool:
        has_changed = original(account, elapsed_seconds, sent_bytes)
        if has_changed and account.is_spent:
            late.append(elapsed_seconds)
        return has_changed

    monkeypatch.setattr(credits.CreditAccount, "pass_time", pass_time)
    return late


@pytest.mark.parametrize(
    ("limit_bytes", "before"),
    [(credits.KERNEL_BUCKET_LIMIT_BYTES, ("20Mbit", "200Mbit")), (0, ("200Mbit", None))],
    ids=["bucket in the kernel", "bucket in the 64-bit account"],
)
def test_a_bursting_type_carries_its_peak_until_the_bucket_is_empty(
    fleet: Fleet,
    monkeypatch: pytest.MonkeyPatch,
    late_seconds: list[float],
    limit_bytes: int,
    before: tuple[str, str | None],
) -> None:
    monkeypatch.setattr(credits, "KERNEL_BUCKET_LIMIT_BYTES", limit_bytes)
    pair = make_pair(fleet, "bursting", "bursting")
    for interface in ("host0", "up0"):
        assert rates_of(fleet.queue(pair.client, interface)) == before

    measured = load_until_spent(fleet, pair, pair.client, "out")

    # The kernel is never late.
    assert_bucket_and_baseline(measured, 0 if limit_bytes else max(late_seconds))
    assert rates_of(fleet.queue(pair.client, "up0")) == ("20Mbit", "200Mbit")


def test_counters_begin_to_grow_at_the_onset_and_on_the_limited_sides_only(fleet: Fleet) -> None:
    pair = make_pair(fleet, "bursting", "bursting")

    iperf3(fleet, pair, LESS_THAN_THE_BUCKET)
    before = card_counter(fleet, pair.client, "bw_out_allowance_exceeded")
    load_until_spent(fleet, pair, pair.client, "out")

    assert before == 0
    wait_for("the counter", lambda: card_counter(fleet, pair.client, "bw_out_allowance_exceeded") > 0)
    assert card_counter(fleet, pair.client, "bw_in_allowance_exceeded") == 0
    assert card_counter(fleet, pair.server, "bw_out_allowance_exceeded") == 0


def test_counters_as_seen_on_ec2_grow_at_the_peak_too(fleet: Fleet) -> None:
    pair = make_pair(fleet, "as-seen", "as-seen")

    iperf3(fleet, pair, LESS_THAN_THE_BUCKET)

    assert not fleet.credits_are_spent(pair.client, "out")
    wait_for("the counter", lambda: card_counter(fleet, pair.client, "bw_out_allowance_exceeded") > 0)


def test_a_steady_type_stays_at_its_rate_and_exceeds_nothing(fleet: Fleet) -> None:
    pair = make_pair(fleet)

    _, received = iperf3(fleet, pair, "-P 8 -n 200M")

    assert_at_most(400, seconds_and_megabits(received))
    for interface in ("host0", "up0"):
        assert rates_of(fleet.queue(pair.client, interface)) == ("400Mbit", None)
    assert card_counter(fleet, pair.client, "bw_out_allowance_exceeded") == 0


def test_the_slower_side_limits_a_mixed_pair(fleet: Fleet) -> None:
    mixed = make_pair(fleet, "steady", "bursting")

    assert_bucket_and_baseline(load_until_spent(fleet, mixed, mixed.server, "in"))

    wait_for("the counter", lambda: card_counter(fleet, mixed.server, "bw_in_allowance_exceeded") > 0)
