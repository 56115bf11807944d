"""A card's limit of packets per second: what arrives, and what the driver counts. No test needs a fast machine."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from host_support import TEST_PROFILES, Fleet, Pair, card_counter, iperf3, make_pair, wait_for

from lab.hosts.packet_rate import PacketLimit
from lab.hosts.profiles import Profiles

SECONDS = 4
# Far less than a busy machine carries.
LOW, HIGH = 500, 1_500


def received_packets(fleet: Fleet, instance_id: str) -> int:
    return int(fleet.run(instance_id, "cat /sys/class/net/eth0/statistics/rx_packets").stdout)


def arrived_per_second(fleet: Fleet, pair: Pair, options: str) -> float:
    before, started = received_packets(fleet, pair.server), time.monotonic()
    iperf3(fleet, pair, f"-t {SECONDS} {options}")
    return (received_packets(fleet, pair.server) - before) / (time.monotonic() - started)


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
    load = "-u -b 8M -l 64"
    low, high, free = (arrived_per_second(fleet, limited[name], load) for name in ("low", "high", "none"))

    assert low < 1.2 * LOW
    assert high < 1.2 * HIGH
    assert low < 0.6 * high < high < 0.8 * free
    for name in ("low", "high"):
        client = limited[name].client
        wait_for("the counter", lambda of=client: card_counter(fleet, of, "pps_allowance_exceeded") > 0)
    assert card_counter(fleet, limited["none"].client, "pps_allowance_exceeded") == 0
    assert card_counter(fleet, limited["low"].client, "bw_out_allowance_exceeded") == 0


def test_segments_of_tcp_are_counted_one_by_one(fleet: Fleet, limited: dict[str, Pair]) -> None:
    """A card that saw super-packets of many segments would let many times as many segments pass."""
    arrived = arrived_per_second(fleet, limited["high"], "-M 536 -P 4")

    # Acknowledgements in the other direction spend the same limit.
    assert 0.1 * HIGH < arrived < 1.2 * HIGH


def test_two_types_of_the_lab_differ() -> None:
    limits = [Profiles.load().profile(name).packet_limit for name in ("c6i.large", "c6i.xlarge")]
    assert all(limits)
    assert limits[0] != limits[1]


def test_a_card_lets_1024_outgoing_fragments_a_second_pass_and_counts_the_rest(fleet: Fleet) -> None:
    pair = make_pair(fleet)

    # 100 Mbit/s in datagrams of 16 KiB are 1,526 fragments a second.
    before = received_packets(fleet, pair.server)
    iperf3(fleet, pair, "-u -l 16384 -b 100M -t 4")

    assert received_packets(fleet, pair.server) - before < 1.3 * 4 * 1024
    wait_for("the counter", lambda: card_counter(fleet, pair.client, "pps_allowance_exceeded") > 500)
    assert card_counter(fleet, pair.server, "pps_allowance_exceeded") == 0
