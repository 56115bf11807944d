"""The token bucket as a tool on the hosts measures it: rates, onset, recovery, and the counters beside it."""

from __future__ import annotations

import re
import statistics
import time
from itertools import count

import pytest
from host_support import RunOnHost, running

from lab.hosts import HostFleet, credits

_numbers = count(1)
# Two seconds around the onset belong to neither level.
ONSET_SECONDS, DURATION_SECONDS = 3.0, 8


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
) -> list[float]:
    """The receiver's throughput in each second, as iperf3 prints it."""
    client, server, address = pair
    argv = fleet.command(server, ["stdbuf", "-oL", "iperf3", "-s", "-1", "-i", "1", "-f", "m"])
    with running(argv) as listening:
        assert "-----" in listening.readline()
        time.sleep(0.2)
        done = run_on_host(client, f"iperf3 -c {address} -P 8 -t {seconds}")
        assert done.returncode == 0, done.stdout + done.stderr
        text = listening.read()
    sums = re.findall(r"\[SUM\] +([\d.]+)-([\d.]+) +sec .*? ([\d.]+) Mbits/sec *$", text, re.MULTILINE)
    return [float(rate) for start, end, rate in sums if 0.5 < float(end) - float(start) < 1.5]


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

    rates = receiver_megabits(fleet, run_on_host, pair, DURATION_SECONDS)

    assert len(rates) == DURATION_SECONDS
    assert statistics.median(rates[:2]) == pytest.approx(400, rel=0.05)
    assert statistics.median(rates[4:]) == pytest.approx(60, rel=0.05)
    # The onset lies where the bits of the burst say, to a fraction of a second.
    burst_bits = sum(rate - 60 for rate in rates[:5])
    assert burst_bits / (400 - 60) == pytest.approx(ONSET_SECONDS, abs=0.3)


def test_counters_begin_to_grow_at_the_onset_and_on_the_limited_sides_only(
    fleet: HostFleet, run_on_host: RunOnHost
) -> None:
    pair = make_pair(fleet, "bursting")
    client, server, _ = pair

    receiver_megabits(fleet, run_on_host, pair, 2)
    before = allowance_exceeded(run_on_host, client, "out")
    receiver_megabits(fleet, run_on_host, pair, 5)
    time.sleep(0.5)

    assert before == 0
    assert allowance_exceeded(run_on_host, client, "out") > 0
    assert allowance_exceeded(run_on_host, client, "in") == 0
    assert allowance_exceeded(run_on_host, server, "out") == 0


def test_a_steady_type_stays_at_its_rate_and_exceeds_nothing(fleet: HostFleet, run_on_host: RunOnHost) -> None:
    pair = make_pair(fleet, "steady")

    rates = receiver_megabits(fleet, run_on_host, pair, 5)

    assert all(rate == pytest.approx(400, rel=0.05) for rate in rates[1:])
    assert allowance_exceeded(run_on_host, pair[0], "out") == 0


def test_the_slower_side_limits_a_mixed_pair(fleet: HostFleet, run_on_host: RunOnHost) -> None:
    fleet.create_host("i-mixed1", "steady", "us-east-1a", "10.2.0.1", {})
    fleet.create_host("i-mixed2", "bursting", "us-east-1a", "10.2.0.2", {})
    fleet.set_peers("i-mixed1", {"i-mixed2"})
    fleet.set_peers("i-mixed2", {"i-mixed1"})

    rates = receiver_megabits(fleet, run_on_host, ("i-mixed1", "i-mixed2", "10.2.0.2"), DURATION_SECONDS)

    assert statistics.median(rates[:2]) == pytest.approx(400, rel=0.05)
    assert statistics.median(rates[4:]) == pytest.approx(60, rel=0.05)
    assert allowance_exceeded(run_on_host, "i-mixed2", "in") > 0
