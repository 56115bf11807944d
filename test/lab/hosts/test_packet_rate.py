"""A card's limit of packets per second: what arrives, and what the driver counts. No test needs a fast machine."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from host_support import TEST_PROFILES, RunOnHost, running, wait_for

from lab.hosts.fleet import HostFleet
from lab.hosts.packet_rate import PacketLimit
from lab.hosts.profiles import DEFAULT_PATH, ProfileError, Profiles

IPERF3_PORT = 5201
SECONDS = 4
# Far less than a busy machine carries.
LOW, HIGH = 500, 1_500


def counted(run_on_host: RunOnHost, instance_id: str, name: str) -> int:
    found = re.search(rf"^ +{name}: (\d+)$", run_on_host(instance_id, "ethtool -S eth0").stdout, re.MULTILINE)
    assert found
    return int(found[1])


def received_packets(run_on_host: RunOnHost, instance_id: str) -> int:
    return int(run_on_host(instance_id, "cat /sys/class/net/eth0/statistics/rx_packets").stdout)


def arrived_per_second(
    fleet: HostFleet, run_on_host: RunOnHost, pair: tuple[str, str, str], options: str = "-u -b 8M -l 64"
) -> float:
    client, server, address = pair
    with running(fleet.command(server, ["iperf3", "-s", "-1"])):
        wait_for("iperf3's server", lambda: fleet.is_listening(server, IPERF3_PORT))
        before, started = received_packets(run_on_host, server), time.monotonic()
        done = run_on_host(client, f"iperf3 -c {address} -t {SECONDS} {options}")
        assert done.returncode == 0, done.stdout + done.stderr
        return (received_packets(run_on_host, server) - before) / (time.monotonic() - started)


@pytest.fixture(scope="module")
def limited(fleet: HostFleet) -> dict[str, tuple[str, str, str]]:
    """Pairs whose clients have limits, made of the tests' steady type."""
    steady = TEST_PROFILES.profile("steady")
    limits = {"low": PacketLimit(LOW, LOW, 50), "high": PacketLimit(HIGH, HIGH, 50), "none": None}
    pairs = {}
    for number, (name, limit) in enumerate(limits.items(), 1):
        TEST_PROFILES.instance_types[name] = replace(steady, instance_type=name, packet_limit=limit)
        client, server, addresses = f"i-pps{name}", f"i-server{name}", (f"10.7.{number}.1", f"10.7.{number}.2")
        fleet.create_host(client, name, "us-east-1a", addresses[0], {})
        fleet.create_host(server, "steady", "us-east-1a", addresses[1], {})
        fleet.set_allowed_sources(client, {addresses[1]})
        fleet.set_allowed_sources(server, {addresses[0]})
        pairs[name] = (client, server, addresses[1])
    return pairs


def test_two_cards_carry_what_their_types_allow_and_count_the_rest(
    fleet: HostFleet, run_on_host: RunOnHost, limited: dict[str, tuple[str, str, str]]
) -> None:
    # 8 Mbit/s in datagrams of 64 bytes are 15,625 packets a second.
    low, high, free = (arrived_per_second(fleet, run_on_host, limited[name]) for name in ("low", "high", "none"))

    assert low < 1.2 * LOW
    assert high < 1.2 * HIGH
    assert low < 0.6 * high < high < 0.8 * free
    for name in ("low", "high"):
        wait_for("the counter", lambda name=name: counted(run_on_host, limited[name][0], "pps_allowance_exceeded") > 0)
    assert counted(run_on_host, limited["none"][0], "pps_allowance_exceeded") == 0
    assert counted(run_on_host, limited["low"][0], "bw_out_allowance_exceeded") == 0


def test_segments_of_tcp_are_counted_one_by_one(
    fleet: HostFleet, run_on_host: RunOnHost, limited: dict[str, tuple[str, str, str]]
) -> None:
    """A card that saw super-packets of many segments would let many times as many segments pass."""
    arrived = arrived_per_second(fleet, run_on_host, limited["high"], "-M 536 -P 4")

    # Acknowledgements in the other direction spend the same limit.
    assert 0.1 * HIGH < arrived < 1.2 * HIGH


def test_two_types_of_the_lab_differ() -> None:
    limits = [Profiles.load().profile(name).packet_limit for name in ("c6i.large", "c6i.xlarge")]
    assert all(limits)
    assert limits[0] != limits[1]


@pytest.mark.parametrize(
    ("packets", "problem"),
    [
        (
            {"peak": 10, "baseline": 20, "creditPackets": 1},
            r"packetsPerSecond\.baseline: must be 1 to the peak, got 20",
        ),
        ({"peak": 10, "baseline": 5, "creditPackets": 0}, r"packetsPerSecond\.creditPackets: must be above 0, got 0"),
    ],
)
def test_fails_for_a_limit_that_contradicts_itself(tmp_path: Path, packets: dict[str, int], problem: str) -> None:
    content = json.loads(DEFAULT_PATH.read_text())
    content["instanceTypes"]["c6i.large"]["packetsPerSecond"] = packets
    changed = tmp_path / "profiles.json"
    changed.write_text(json.dumps(content))
    with pytest.raises(ProfileError, match=problem):
        Profiles.load(changed)
