"""What the driver's counters count, in both ways of counting."""

from __future__ import annotations

import pytest

from lab.hosts.allowance_counter import AllowanceCounter
from lab.hosts.commands import MTU_BYTES

# 10,000 and 1,000 packets a second.
PEAK_BITS_PER_SECOND, BASELINE_BITS_PER_SECOND = 720_080_000, 72_008_000
SECONDS, INTERVAL_SECONDS = 60, 0.25


def events_per_packet(counting: str, packets_per_second: int, limited: int, is_spent: bool, is_held: bool) -> float:
    counter = AllowanceCounter(counting, PEAK_BITS_PER_SECOND, BASELINE_BITS_PER_SECOND, "10.0.0.1 out")
    for _ in range(int(SECONDS / INTERVAL_SECONDS)):
        sent_bytes = int(packets_per_second * INTERVAL_SECONDS * MTU_BYTES)
        counter.pass_time(INTERVAL_SECONDS, sent_bytes, limited, is_spent, is_held)
    return counter.events / SECONDS / packets_per_second


@pytest.mark.parametrize(
    ("packets_per_second", "limited", "is_spent", "is_held", "least", "most"),
    [
        pytest.param(500, 0, False, False, 0.001, 0.02, id="now and then below every rate"),
        pytest.param(50, 0, False, False, 0, 0, id="hardly any traffic"),
        pytest.param(10_000, 400, False, False, 0.3, 1.2, id="at the peak"),
        pytest.param(9_000, 0, False, False, 0.001, 0.05, id="near the peak without a queue"),
        pytest.param(2_000, 20, False, False, 0.001, 0.05, id="a queue of a moment"),
        pytest.param(1_000, 20, True, False, 1.5, 2.5, id="more events than packets once the credits are spent"),
        pytest.param(4, 1, True, False, 1.9, 2.1, id="no part of an event is forgotten"),
        pytest.param(800, 0, True, False, 0, 0, id="spent credits without a queue"),
        pytest.param(1_000, 20, True, True, 1.5, 2.5, id="spent credits where the processors limit the rate, too"),
        pytest.param(500, 20, False, True, 0, 0, id="what the processors limit is no bandwidth"),
    ],
)
def test_counts_as_users_saw_it(
    packets_per_second: int, limited: int, is_spent: bool, is_held: bool, least: float, most: float
) -> None:
    assert least <= events_per_packet("as_seen_on_ec2", packets_per_second, limited, is_spent, is_held) <= most


def test_some_seconds_below_the_baseline_have_no_event_and_some_have() -> None:
    counter = AllowanceCounter("as_seen_on_ec2", PEAK_BITS_PER_SECOND, BASELINE_BITS_PER_SECOND, "10.0.0.1 out")
    grown = []
    for _ in range(SECONDS):
        before = counter.events
        counter.pass_time(1, 500 * MTU_BYTES, 0, is_spent=False, is_held=False)
        grown.append(counter.events - before)
    assert 0 < grown.count(0) < SECONDS


@pytest.mark.parametrize(("is_spent", "events_per_second"), [(False, 0), (True, 80)])
def test_the_ideal_counter_counts_what_the_queue_limits_once_the_credits_are_spent(
    is_spent: bool, events_per_second: int
) -> None:
    assert events_per_packet("ideal", 1000, 20, is_spent, False) * 1000 == pytest.approx(events_per_second)
