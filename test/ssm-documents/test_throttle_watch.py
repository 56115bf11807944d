"""When the driver ends a measurement early, tested on the public series: seldom too soon, never because of a dip."""

from __future__ import annotations

import gzip
import itertools
import json
import sys
from collections import Counter
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
AFTER_SECONDS = 120

sys.path.insert(0, str(REPOSITORY / "ssm-documents" / "measure-iperf3"))
import drive_iperf3  # noqa: E402


def interval_line(second: float, rate: float, stream: str = "  5", way: str = "", rest: str = "") -> str:
    return f"[{stream}]{way} {second:6.2f}-{second + 1:.2f}  sec  1.0 MBytes  {rate / 1e3:.0f} Kbits/sec{rest}"


def end_of(rates, after_seconds: int = AFTER_SECONDS) -> int | None:
    """Returns the second in which the measurement would end, or None when it lasts to the end of the series."""
    early_end = drive_iperf3.EarlyEnd(after_seconds, parallel_streams=1, directions=1)
    for second, rate in enumerate(rates):
        if early_end.add(interval_line(second, rate)) is not None:
            return second + 1
    return None


def by_second(times, rates) -> list[tuple[int, float]]:
    """Returns a series of ten intervals per second as iperf3 -i 1 would have printed it."""
    pairs = itertools.groupby(zip(times, rates, strict=True), key=lambda pair: int(pair[0]))
    groups = [(second, [rate for _, rate in group]) for second, group in pairs]
    return [(second, sum(group) / len(group)) for second, group in groups]


@pytest.fixture(scope="module")
def public_series() -> list[dict]:
    with gzip.open(REPOSITORY / "test" / "fixtures" / "detection" / "public.jsonl.gz", "rt") as file:
        return [json.loads(line) for line in file]


def outcome_of(series: dict) -> str:
    early_end = drive_iperf3.EarlyEnd(AFTER_SECONDS, parallel_streams=1, directions=1)
    samples = by_second(series["t"], series["bps"])
    ended = next((s + 1 for s, rate in samples if early_end.add(interval_line(s, rate)) is not None), None)
    truth = series["truth"]
    if not truth["throttled"]:
        return "ended without a throttle" if ended else "held to its end"
    if ended is None:
        has_room = samples[-1][0] - truth["onset_s"] > AFTER_SECONDS + 60
        return "never ended" if has_room else "held to its end"
    return "ended before its throttle" if ended < truth["onset_s"] else "ended"


class TestOnPublicSeries:
    def test_a_throttled_series_ends_after_its_onset(self, public_series):
        throttled = [series for series in public_series if series["truth"]["throttled"]]

        outcomes = Counter((outcome_of(series), series["kind"] == "periodic") for series in throttled)

        assert outcomes[("ended before its throttle", False)] == 0
        # Credits that return in between withdraw the detection, and the whole period is worth measuring.
        assert outcomes[("never ended", False)] <= 1
        assert outcomes[("ended", False)] >= 88

    def test_a_series_without_a_throttle_seldom_ends_early(self, public_series):
        rest = [series for series in public_series if not series["truth"]["throttled"]]

        wrong = Counter(series["kind"] for series in rest if outcome_of(series) == "ended without a throttle")

        # Two minutes of contention at a fifth of the rate look like a throttle until they end.
        assert wrong.total() - wrong["contention"] <= 10
        assert not wrong.keys() & {"dips", "late_dip", "steady", "aborted", "flapping", "ramp", "wander", "step_up"}


class TestRule:
    def test_ends_the_given_time_after_the_throttle_was_seen(self):
        # The median of ten seconds is low from the sixth second after the fall, and for ten seconds at the fifteenth.
        assert end_of([10e9] * 40 + [1e9] * 300, after_seconds=20) == 40 + 15 + 20

    def test_a_dip_ends_nothing(self):
        assert end_of([10e9] * 60 + [1e9] * 40 + [10e9] * 300) is None

    def test_a_dip_of_nineteen_seconds_ends_nothing_at_the_shortest_setting(self):
        assert end_of([10e9] * 60 + [1e9] * 19 + [10e9] * 30, after_seconds=10) is None

    def test_an_ended_flow_is_no_throttle(self):
        assert end_of([10e9] * 60 + [0.0] * 300, after_seconds=20) is None

    def test_a_rate_that_falls_slowly_is_no_throttle(self):
        assert end_of([10e9 * (1 - second / 3000) for second in range(1500)], after_seconds=20) is None

    def test_a_throttle_within_the_first_seconds_is_seen(self):
        assert end_of([10e9] * 8 + [1e9] * 100, after_seconds=20) is not None


class TestLines:
    def test_the_sum_of_parallel_streams_decides(self):
        early_end = drive_iperf3.EarlyEnd(10, parallel_streams=2, directions=1)

        # One stream loses its share to the other, but their sum does not change.
        lines = [
            line
            for second in range(100)
            for line in (
                interval_line(second, 1e9 if second > 50 else 5e9),
                interval_line(second, 9e9 if second > 50 else 5e9, "  7"),
                interval_line(second, 10e9, "SUM"),
            )
        ]

        assert not any(early_end.add(line) for line in lines)

    def test_both_directions_have_to_be_throttled(self):
        early_end = drive_iperf3.EarlyEnd(10, parallel_streams=1, directions=2)

        ended = [
            second
            for second in range(200)
            for way, fall in (("[TX-C]", 40), ("[RX-C]", 120))
            if early_end.add(interval_line(second, 1e9 if second >= fall else 10e9, way=way)) is not None
        ]

        assert ended[0] + 1 == 120 + 15 + 10

    def test_summaries_and_partial_intervals_are_ignored(self):
        early_end = drive_iperf3.EarlyEnd(10, parallel_streams=1, directions=1)
        for second in range(40):
            early_end.add(interval_line(second, 10e9))

        lines = [
            f"[  5]   {start:.2f}-{start + length:.2f}  sec  1.0 MBytes  1000000 Kbits/sec{rest}"
            for start in range(40, 140)
            for length, rest in ((1, "    0             sender"), (1, "                  receiver"), (0.02, ""))
        ]

        assert not any(early_end.add(line) for line in lines)
