"""The token bucket as measured by a tool on the hosts: rates, onset, and the card's counters.

A busy machine may carry less than the peak, so these tests compare rates of one run with each other and with upper
limits. That the kernel was given the peak rate is read from its own queue.
"""

from __future__ import annotations

import statistics

import pytest
from host_support import Fleet, card_counter, iperf3, make_pair, seconds_and_megabits, wait_for

from lab.hosts import credits
from lab.hosts.commands import run

ONSET_SECONDS = 3.0
LOAD, LONG_LOAD = "-P 8 -t 8", "-P 8 -t 15"


def assert_burst_then_baseline(seconds_and_rates: list[tuple[float, float]]) -> None:
    assert_at_most_peak(seconds_and_rates)
    whole_seconds = [rate for seconds, rate in seconds_and_rates if seconds > 0.5]
    assert statistics.median(whole_seconds[-4:]) == pytest.approx(60, rel=0.1)
    # The bits of the burst, expressed as seconds at the peak, also if a busy machine needs longer for them.
    burst_bits = sum(seconds * (rate - 60) for seconds, rate in seconds_and_rates)
    assert burst_bits / (400 - 60) == pytest.approx(ONSET_SECONDS, abs=0.4)


def assert_at_most_peak(seconds_and_rates: list[tuple[float, float]]) -> None:
    """On average, never more than the peak of 400 Mbit/s; a single second may also have bits of the one before."""
    seconds = sum(seconds for seconds, _ in seconds_and_rates)
    assert sum(seconds * rate for seconds, rate in seconds_and_rates) / seconds < 420


def queue_toward(interface: str, instance_id: str) -> str:
    """Returns the kernel's description of the queue of one of the card's interfaces."""
    return run(["tc", "-n", f"card-{instance_id}", "qdisc", "show", "dev", interface])


@pytest.mark.parametrize(
    "limit_bytes", [credits.KERNEL_BUCKET_LIMIT_BYTES, 0], ids=["bucket in the kernel", "bucket in the 64-bit account"]
)
def test_a_bursting_type_carries_its_peak_until_the_bucket_is_empty(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch, limit_bytes: int
) -> None:
    monkeypatch.setattr(credits, "KERNEL_BUCKET_LIMIT_BYTES", limit_bytes)
    pair = make_pair(fleet, "bursting", "bursting")
    for interface in ("host0", "up0"):
        assert "400Mbit" in queue_toward(interface, pair.client)

    _, received = iperf3(fleet, pair, LONG_LOAD)

    assert_burst_then_baseline(seconds_and_megabits(received))


def test_counters_begin_to_grow_at_the_onset_and_on_the_limited_sides_only(fleet: Fleet) -> None:
    pair = make_pair(fleet, "bursting", "bursting")

    iperf3(fleet, pair, "-P 8 -t 2")
    before = card_counter(fleet, pair.client, "bw_out_allowance_exceeded")
    iperf3(fleet, pair, LOAD)

    assert before == 0
    wait_for("the counter", lambda: card_counter(fleet, pair.client, "bw_out_allowance_exceeded") > 0)
    assert card_counter(fleet, pair.client, "bw_in_allowance_exceeded") == 0
    assert card_counter(fleet, pair.server, "bw_out_allowance_exceeded") == 0


def test_counters_as_seen_on_ec2_grow_at_the_peak_too(fleet: Fleet) -> None:
    pair = make_pair(fleet, "as-seen", "as-seen")

    iperf3(fleet, pair, "-P 8 -t 2")

    # The credits last for 3 s.
    wait_for("the counter", lambda: card_counter(fleet, pair.client, "bw_out_allowance_exceeded") > 0)


def test_a_steady_type_stays_at_its_rate_and_exceeds_nothing(fleet: Fleet) -> None:
    pair = make_pair(fleet)

    _, received = iperf3(fleet, pair, LOAD)

    assert_at_most_peak(seconds_and_megabits(received))
    rates = [rate for _, rate in seconds_and_megabits(received)]
    # A throttle to the bursting type's baseline would leave 15 %.
    assert statistics.median(rates[4:]) > 0.4 * statistics.median(rates[:4])
    assert "rate 400Mbit" in queue_toward("up0", pair.client)
    assert card_counter(fleet, pair.client, "bw_out_allowance_exceeded") == 0


def test_the_slower_side_limits_a_mixed_pair(fleet: Fleet) -> None:
    mixed = make_pair(fleet, "steady", "bursting")

    _, received = iperf3(fleet, mixed, LONG_LOAD)

    assert_burst_then_baseline(seconds_and_megabits(received))
    assert card_counter(fleet, mixed.server, "bw_in_allowance_exceeded") > 0
