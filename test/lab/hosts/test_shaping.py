"""The token bucket as a tool on the hosts measures it: rates, onset, recovery, and the counters beside it."""

from __future__ import annotations

import re
import statistics
import time
from itertools import count

import pytest
from host_support import RunOnHost, running, wait_for

from lab.hosts import HostFleet, credits

_numbers = count(1)
ONSET_SECONDS, DURATION_SECONDS = 3.0, 12


def make_pair(fleet: HostFleet, instance_type: str) -> tuple[str, str, str]:
    number = next(_numbers)
    client, server, address = f"i-client{number}", f"i-server{number}", f"10.1.{number}.2"
    fleet.create_host(client, instance_type, "us-east-1a", f"10.1.{number}.1", {})
    fleet.create_host(server, instance_type, "us-east-1a", address, {})
    fleet.set_peers(client, {server})
    fleet.set_peers(server, {client})
    return client, server, address


def receiver_megabits(
    fleet: HostFleet, run_on_host: RunOnHost, pair: tuple[str, str, str], seconds: int
) -> list[tuple[float, float]]:
    """The receiver's throughput second by second, as iperf3 prints it, each behind how long its second was.

    On a busy machine some of them are longer, and then there are fewer.
    """
    client, server, address = pair
    argv = fleet.command(server, ["stdbuf", "-oL", "iperf3", "-s", "-1", "-i", "1", "-f", "m"])
    with running(argv) as listening:
        assert "-----" in listening.readline()
        time.sleep(0.2)
        done = run_on_host(client, f"iperf3 -c {address} -P 8 -t {seconds}")
        assert done.returncode == 0, done.stdout + done.stderr
        text = listening.read()
    sums = re.findall(r"\[SUM\] +([\d.]+)-([\d.]+) +sec .*? ([\d.]+) Mbits/sec *$", text, re.MULTILINE)
    return [(float(end) - float(start), float(rate)) for start, end, rate in sums if float(end) - float(start) > 0.5]


def assert_burst_then_baseline(seconds_and_rates: list[tuple[float, float]]) -> None:
    assert_at_most_peak(seconds_and_rates)
    assert statistics.median(rate for _, rate in seconds_and_rates[-4:]) == pytest.approx(60, rel=0.1)
    # The bits of the burst, as the seconds that they last at the peak: also where a busy machine needs longer for them.
    burst_bits = sum(seconds * (rate - 60) for seconds, rate in seconds_and_rates)
    assert burst_bits / (400 - 60) == pytest.approx(ONSET_SECONDS, abs=0.4)


def assert_at_most_peak(seconds_and_rates: list[tuple[float, float]]) -> None:
    """The peak of 400 Mbit/s: never more, but for what a second brings of the one before; less on a busy machine."""
    seconds = sum(seconds for seconds, _ in seconds_and_rates)
    assert sum(seconds * rate for seconds, rate in seconds_and_rates) / seconds < 420
    assert 200 < max(rate for _, rate in seconds_and_rates) < 600


def allowance_exceeded(run_on_host: RunOnHost, instance_id: str, direction: str) -> int:
    text = run_on_host(instance_id, "ethtool -S eth0").stdout
    found = re.search(rf"^ +bw_{direction}_allowance_exceeded: (\d+)$", text, re.MULTILINE)
    assert found, text
    return int(found[1])


@pytest.mark.parametrize(
    "limit_bytes", [credits.KERNEL_BUCKET_LIMIT_BYTES, 0], ids=["bucket in the kernel", "bucket in the 64-bit account"]
)
def test_a_bursting_type_gives_its_peak_until_the_bucket_is_empty(
    fleet: HostFleet, run_on_host: RunOnHost, monkeypatch: pytest.MonkeyPatch, limit_bytes: int
) -> None:
    monkeypatch.setattr(credits, "KERNEL_BUCKET_LIMIT_BYTES", limit_bytes)
    pair = make_pair(fleet, "bursting")

    assert_burst_then_baseline(receiver_megabits(fleet, run_on_host, pair, DURATION_SECONDS))


def test_counters_begin_to_grow_at_the_onset_and_on_the_limited_sides_only(
    fleet: HostFleet, run_on_host: RunOnHost
) -> None:
    pair = make_pair(fleet, "bursting")
    client, server, _ = pair

    receiver_megabits(fleet, run_on_host, pair, 2)
    before = allowance_exceeded(run_on_host, client, "out")
    receiver_megabits(fleet, run_on_host, pair, 8)

    assert before == 0
    wait_for("the counter", lambda: allowance_exceeded(run_on_host, client, "out") > 0)
    assert allowance_exceeded(run_on_host, client, "in") == 0
    assert allowance_exceeded(run_on_host, server, "out") == 0


def test_a_steady_type_stays_at_its_rate_and_exceeds_nothing(fleet: HostFleet, run_on_host: RunOnHost) -> None:
    pair = make_pair(fleet, "steady")

    seconds_and_rates = receiver_megabits(fleet, run_on_host, pair, 8)

    assert_at_most_peak(seconds_and_rates)
    assert statistics.median(rate for _, rate in seconds_and_rates[-4:]) > 150
    assert allowance_exceeded(run_on_host, pair[0], "out") == 0


def test_the_slower_side_limits_a_mixed_pair(fleet: HostFleet, run_on_host: RunOnHost) -> None:
    fleet.create_host("i-mixed1", "steady", "us-east-1a", "10.2.0.1", {})
    fleet.create_host("i-mixed2", "bursting", "us-east-1a", "10.2.0.2", {})
    fleet.set_peers("i-mixed1", {"i-mixed2"})
    fleet.set_peers("i-mixed2", {"i-mixed1"})

    mixed = ("i-mixed1", "i-mixed2", "10.2.0.2")
    assert_burst_then_baseline(receiver_megabits(fleet, run_on_host, mixed, DURATION_SECONDS))
    assert allowance_exceeded(run_on_host, "i-mixed2", "in") > 0
