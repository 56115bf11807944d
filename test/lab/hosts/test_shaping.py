"""The token bucket as measured by a tool on the hosts: rates, onset, and the card's counters.

A busy machine may carry less than the peak, so these tests compare rates of one run with each other and with upper
limits. That the kernel was given the peak rate is read from its own queue.
"""

from __future__ import annotations

import re
import statistics
from itertools import count

import pytest
from host_support import RunOnHost, running, wait_for

from lab.hosts import credits
from lab.hosts.commands import run
from lab.hosts.fleet import HostFleet

_numbers = count(1)
ONSET_SECONDS, DURATION_SECONDS = 3.0, 15
IPERF3_PORT = 5201


def make_pair(fleet: HostFleet, instance_type: str) -> tuple[str, str, str]:
    number = next(_numbers)
    client, server, address = f"i-client{number}", f"i-server{number}", f"10.1.{number}.2"
    fleet.create_host(client, instance_type, "us-east-1a", f"10.1.{number}.1", {})
    fleet.create_host(server, instance_type, "us-east-1a", address, {})
    fleet.set_allowed_sources(client, {address})
    fleet.set_allowed_sources(server, {f"10.1.{number}.1"})
    return client, server, address


def receiver_megabits(
    fleet: HostFleet, run_on_host: RunOnHost, pair: tuple[str, str, str], seconds: int
) -> list[tuple[float, float]]:
    """Returns length and throughput of each of the receiver's seconds, as iperf3 prints them.

    On a busy machine a second may be longer. The next one is then shorter, and has the bits that were waiting.
    """
    client, server, address = pair
    argv = fleet.command(server, ["stdbuf", "-oL", "iperf3", "-s", "-1", "-i", "1", "-f", "m"])
    with running(argv) as listening:
        assert "-----" in listening.readline()
        wait_for("iperf3's server", lambda: fleet.is_listening(server, IPERF3_PORT))
        done = run_on_host(client, f"iperf3 -c {address} -P 8 -t {seconds}")
        assert done.returncode == 0, done.stdout + done.stderr
        text = listening.read()
    sums = re.findall(r"\[SUM\] +([\d.]+)-([\d.]+) +sec .*? ([\d.]+) Mbits/sec *$", text, re.MULTILINE)
    return [(float(end) - float(start), float(rate)) for start, end, rate in sums]


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


def allowance_exceeded(run_on_host: RunOnHost, instance_id: str, direction: str) -> int:
    text = run_on_host(instance_id, "ethtool -S eth0").stdout
    found = re.search(rf"^ +bw_{direction}_allowance_exceeded: (\d+)$", text, re.MULTILINE)
    assert found, text
    return int(found[1])


@pytest.mark.parametrize(
    "limit_bytes", [credits.KERNEL_BUCKET_LIMIT_BYTES, 0], ids=["bucket in the kernel", "bucket in the 64-bit account"]
)
def test_a_bursting_type_carries_its_peak_until_the_bucket_is_empty(
    fleet: HostFleet, run_on_host: RunOnHost, monkeypatch: pytest.MonkeyPatch, limit_bytes: int
) -> None:
    monkeypatch.setattr(credits, "KERNEL_BUCKET_LIMIT_BYTES", limit_bytes)
    pair = make_pair(fleet, "bursting")
    for interface in ("host0", "up0"):
        assert "400Mbit" in queue_toward(interface, pair[0])

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


def test_counters_as_seen_on_ec2_grow_at_the_peak_too(fleet: HostFleet, run_on_host: RunOnHost) -> None:
    pair = make_pair(fleet, "as-seen")

    receiver_megabits(fleet, run_on_host, pair, 2)

    # The credits last for 3 s.
    wait_for("the counter", lambda: allowance_exceeded(run_on_host, pair[0], "out") > 0)


def test_a_steady_type_stays_at_its_rate_and_exceeds_nothing(fleet: HostFleet, run_on_host: RunOnHost) -> None:
    pair = make_pair(fleet, "steady")

    seconds_and_rates = receiver_megabits(fleet, run_on_host, pair, 8)

    assert_at_most_peak(seconds_and_rates)
    rates = [rate for _, rate in seconds_and_rates]
    # A throttle to the bursting type's baseline would leave 15 %.
    assert statistics.median(rates[4:]) > 0.4 * statistics.median(rates[:4])
    assert "rate 400Mbit" in queue_toward("up0", pair[0])
    assert allowance_exceeded(run_on_host, pair[0], "out") == 0


def test_the_slower_side_limits_a_mixed_pair(fleet: HostFleet, run_on_host: RunOnHost) -> None:
    fleet.create_host("i-mixed1", "steady", "us-east-1a", "10.2.0.1", {})
    fleet.create_host("i-mixed2", "bursting", "us-east-1a", "10.2.0.2", {})
    fleet.set_allowed_sources("i-mixed1", {"10.2.0.2"})
    fleet.set_allowed_sources("i-mixed2", {"10.2.0.1"})

    mixed = ("i-mixed1", "i-mixed2", "10.2.0.2")
    assert_burst_then_baseline(receiver_megabits(fleet, run_on_host, mixed, DURATION_SECONDS))
    assert allowance_exceeded(run_on_host, "i-mixed2", "in") > 0
