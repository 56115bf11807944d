"""A card's limit of packets per second: what arrives, and what the driver counts. No test needs a fast machine."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import pytest
from host_support import TEST_PROFILES, Fleet, Pair, card_counter, iperf3, make_pair, wait_for

from lab.hosts.packet_rate import PacketLimit
from lab.hosts.profiles import Profiles

SECONDS = 4
# Far less than a busy machine carries.
LOW, HIGH = 500, 1_500
FRAGMENTS = 1024


def received_packets(fleet: Fleet, instance_id: str) -> int:
    return int(fleet.run(instance_id, "cat /sys/class/net/eth0/statistics/rx_packets").stdout)


def arrived(fleet: Fleet, pair: Pair, options: str) -> tuple[int, float]:
    """Returns how many packets of a load arrived, and their number per second."""
    before, started = received_packets(fleet, pair.server), time.monotonic()
    iperf3(fleet, pair, options)
    packets = received_packets(fleet, pair.server) - before
    return packets, packets / (time.monotonic() - started)


def limits_of(fleet: Fleet, host: str) -> list[int]:
    """Returns the packets per second that the kernel lets the card carry, and those of fragments."""
    return [int(rate) for rate in re.findall(r"limit rate over (\d+)/second", fleet.rules(host))]


@pytest.fixture(scope="module")
def limited(fleet: Fleet) -> dict[str, Pair]:
    """Pairs whose clients have limits, made of the tests' steady type."""
    steady = TEST_PROFILES.profile("steady")
    limits = {"low": PacketLimit(LOW, LOW, 50), "high": PacketLimit(HIGH, HIGH, 50), "none": None}
    for name, limit in limits.items():
        TEST_PROFILES.instance_types[name] = replace(steady, instance_type=name, packet_limit=limit)
    return {name: make_pair(fleet, name) for name in limits}


def test_two_cards_carry_what_their_types_allow_and_count_the_rest(fleet: Fleet, limited: dict[str, Pair]) -> None:
    # 8 Mbit/s in datagrams of 64 bytes are 15,625 packets a second.
    load = f"-t {SECONDS} -u -b 8M -l 64"
    low, high, _ = (arrived(fleet, limited[name], load)[1] for name in ("low", "high", "none"))

    assert low < 1.2 * LOW
    assert high < 1.2 * HIGH
    assert limits_of(fleet, limited["low"].client) == [LOW, LOW, FRAGMENTS]
    assert limits_of(fleet, limited["high"].client) == [HIGH, HIGH, FRAGMENTS]
    assert limits_of(fleet, limited["none"].client) == [FRAGMENTS]
    for name in ("low", "high"):
        client = limited[name].client
        wait_for("the counter", lambda of=client: card_counter(fleet, of, "pps_allowance_exceeded") > 0)
    assert card_counter(fleet, limited["none"].client, "pps_allowance_exceeded") == 0
    assert card_counter(fleet, limited["low"].client, "bw_out_allowance_exceeded") == 0


def test_segments_of_tcp_are_counted_one_by_one(fleet: Fleet, limited: dict[str, Pair]) -> None:
    """A card that saw super-packets of many segments would let many times as many segments pass."""
    packets, per_second = arrived(fleet, limited["high"], "-M 536 -P 4 -n 1M")

    # Acknowledgements in the other direction spend the same limit.
    assert per_second < 1.2 * HIGH
    # What is still in a buffer when the tool ends does not arrive.
    assert packets >= 0.5 * 1_000_000 / 536


def test_two_types_of_the_lab_differ() -> None:
    limits = [Profiles.load().profile(name).packet_limit for name in ("c6i.large", "c6i.xlarge")]
    assert all(limits)
    assert limits[0] != limits[1]


def test_a_card_lets_1024_outgoing_fragments_a_second_pass_and_counts_the_rest(fleet: Fleet) -> None:
    pair = make_pair(fleet)
    # Shorter fragments, so that a slow machine makes more than pass.
    assert fleet.run(pair.client, "ip link set eth0 mtu 1500").returncode == 0

    # 40 Mbit/s in datagrams of 16 KiB are 3,662 fragments a second.
    _, per_second = arrived(fleet, pair, "-u -l 16384 -b 40M -t 4")

    assert per_second < 1.3 * FRAGMENTS
    wait_for("the counter", lambda: card_counter(fleet, pair.client, "pps_allowance_exceeded") > 500)
    assert card_counter(fleet, pair.server, "pps_allowance_exceeded") == 0
