"""Faults of the path and of a host's processors, as tools on the hosts meet them. No test needs a fast machine."""

from __future__ import annotations

import re
import time
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from host_support import (
    Fleet,
    Pair,
    loading,
    make_pair,
    rates_of,
    received_bytes,
    shortest_round_trips_micros,
    wait_for,
)

from lab.hosts import path_fault
from lab.hosts.path_fault import PathFault, PathFaultError, PathFaults
from lab.hosts.profiles import UnknownInstanceTypeError
from lab.hosts.region import STORE_ADDRESS


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("loss=10%", PathFault("loss", 10)),
        ("m5.large:policer=2.5mbit@20", PathFault("policer", 2.5, "m5.large", 20)),
        ("cut@15+12", PathFault("cut", None, None, 15, 12)),
        ("mtu=1500@0.5", PathFault("mtu", 1500, None, 0.5)),
    ],
)
def test_reads_a_fault(text: str, fault: PathFault) -> None:
    assert PathFault.parse(text) == fault


@pytest.mark.parametrize("text", ["loss", "loss=10", "cut=3", "policer=80%", "jam=3ms", "loss=10%@", "cut+3", ""])
def test_refuses_what_is_no_fault_and_says_what_is_allowed(text: str) -> None:
    with pytest.raises(PathFaultError, match=rf"KIND of loss=N%, .*, cut, cpu=N%, got {re.escape(text)}$"):
        PathFault.parse(text)


@pytest.mark.parametrize("text", ["loss=0%", "cpu=101%"])
def test_refuses_an_impossible_amount(text: str) -> None:
    with pytest.raises(PathFaultError, match=f"above 0 and at most 100 %, got {text}"):
        PathFault.parse(text)


def test_a_fault_acts_from_its_second_of_the_load_on_and_for_its_seconds() -> None:
    fault = PathFault("cut", None, None, 15, 12)
    assert [fault.is_on(load) for load in (None, 0, 14.9, 15, 26.9, 27)] == [False, False, False, True, True, False]
    assert PathFault("cut").is_on(None)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("loss=0.5%", "numgen random mod 1000 < 5 drop"),
        ("policer=80mbit", "limit rate over 10000000 bytes/second burst 500000 bytes drop"),
        ("policer=1mbit", "limit rate over 125000 bytes/second burst 20000 bytes drop"),
        ("mtu=1500", "meta length > 1500 drop"),
        ("cut", "drop"),
        ("delay=20ms", None),
        ("cpu=10%", None),
    ],
)
def test_a_fault_is_a_rule_for_arriving_packets_where_it_drops_any(text: str, rule: str | None) -> None:
    assert PathFault.parse(text).rule == rule


def test_a_fault_is_of_its_type_or_of_every_type() -> None:
    types = (None, "m5.large", "c5.large")
    assert [of for of in types if PathFault("cut", None, of).meets("m5.large")] == [None, "m5.large"]


def test_packets_are_judged_one_by_one_where_each_may_be_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_fault, "nft", lambda *_: None)
    kinds = ("loss", "policer", "mtu", "cut", "delay", "cpu")
    judging = [kind for kind in kinds if PathFaults("host", [PathFault(kind, 1)]).meets_packets]
    assert judging == ["loss", "policer", "mtu"]


def test_the_load_begins_with_more_than_handshakes_and_uploads(monkeypatch: pytest.MonkeyPatch) -> None:
    tables: list[str] = []
    monkeypatch.setattr(path_fault, "nft", lambda table, _: tables.append(table))
    texts = ["loss=10%@2+3", "cpu=40%", "cpu=10%@2", "delay=20ms", "delay=5ms@2"]
    began = 100.0
    monkeypatch.setattr(path_fault, "time", SimpleNamespace(monotonic=lambda: began))
    faults = PathFaults("host", [PathFault.parse(text) for text in texts])

    # Two handshakes that lie apart, uploads of which a busy machine tells late, and a second of load from 7.3 s on.
    for seconds, sent in (
        *((0.4, 800_000), (0.7, 0), (1, 800_000), (1.3, 0), (3.3, 3_900_000), (7.3, 0)),
        *((7.5, 1_060_000), (8.9, 10)),
    ):
        faults.pass_time(began + seconds, sent)
        assert (faults.cpu_share, faults.delay_micros, faults.meets_packets) == (0.4, 20_000, False)
        assert "drop" not in tables[-1]
    for seconds, meets in ((9.4, True), (12.2, True), (12.5, False)):
        faults.pass_time(began + seconds, 0)
        assert (faults.cpu_share, faults.delay_micros, faults.meets_packets) == (0.1, 25_000, meets)
    assert [("drop" in table) for table in tables] == [False, True, False]
    assert tables[1].index(STORE_ADDRESS) < tables[1].index("numgen random mod 1000 < 100 drop")


def test_refuses_a_type_that_the_lab_does_not_have(fleet: Fleet) -> None:
    with pytest.raises(UnknownInstanceTypeError, match=r"got m5\.largo"):
        fleet.set_path_faults(["m5.largo:cut"])


def echoes(fleet: Fleet, pair: Pair, options: str) -> tuple[int, int]:
    """Pings the server; returns how many requests were sent, and how many of them its kernel got.

    Packets do not overtake each other, so that all others are there, or lost, when a later one is answered.
    """

    def counted(host: str, name: str) -> int:
        names, values = re.findall(r"^Icmp: (.*)$", fleet.run(host, "cat /proc/net/snmp").stdout, re.MULTILINE)
        return int(dict(zip(names.split(), values.split(), strict=True))[name])

    sent, arrived = counted(pair.client, "OutEchos"), counted(pair.server, "InEchos")
    fleet.run(pair.client, f"ping -n -q -W 1 {options} {pair.address}")
    fleet.run(pair.client, f"until ping -n -q -c 1 -W 1 {pair.address}; do :; done")
    return counted(pair.client, "OutEchos") - sent, counted(pair.server, "InEchos") - arrived


def test_loses_a_share_of_the_packets(fleet: Fleet) -> None:
    sent, arrived = echoes(fleet, make_pair(fleet, server_faults=("steady:loss=30%",)), "-c 400 -i 0.02")
    # 70 % are expected; five standard deviations of 400 are 46.
    assert 0.585 * sent < arrived < 0.815 * sent


def test_a_fault_of_another_type_does_nothing(fleet: Fleet) -> None:
    sent, arrived = echoes(fleet, make_pair(fleet, server_faults=("bursting:cut",)), "-c 20 -i 0.02")
    assert arrived == sent > 20


def test_a_black_hole_swallows_long_packets_only_and_tells_nobody(fleet: Fleet) -> None:
    pair = make_pair(fleet, server_faults=("mtu=1500",))
    sent, arrived = echoes(fleet, pair, "-c 3 -s 1472")
    assert arrived == sent > 3
    sent, arrived = echoes(fleet, pair, "-c 3 -M do -s 1473")
    assert arrived == sent - 3
    long = fleet.run(pair.client, f"ping -n -c 3 -W 1 -M do -s 1473 {pair.address}")
    assert " 100% packet loss" in long.stdout
    assert "error" not in long.stdout + long.stderr


class Change(NamedTuple):
    """What a host had received when the rules of its path changed, and when that was."""

    drops: bool
    received_bytes: int
    seconds: float


@pytest.fixture
def changes(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> list[Change]:
    """The changes of hosts' paths from now on."""
    seen: list[Change] = []
    original = path_fault.nft

    def nft(table: str, namespace: str) -> None:
        drops, host = "drop" in table, namespace.removeprefix("card-")
        # What has passed is read while the rules hold that end, and when those that begin hold.
        if not drops and seen:
            seen.append(Change(drops, received_bytes(fleet, host), time.monotonic()))
        original(table, namespace)
        if drops:
            began = time.monotonic()
            seen.append(Change(drops, received_bytes(fleet, host), began))

    monkeypatch.setattr(path_fault, "nft", nft)
    return seen


def test_a_policer_holds_tcp_below_its_rate_from_its_second_on(fleet: Fleet, changes: list[Change]) -> None:
    # Most of what a busy machine carries is far more.
    bytes_per_second = 250_000
    pair = make_pair(fleet, server_faults=("policer=2mbit@4",))
    with loading(fleet, pair, "-b 60M"):
        began = time.monotonic()
        wait_for("the policer", lambda: changes)
        on = changes[0]
        wait_for("six seconds of it", lambda: time.monotonic() > on.seconds + 6)
        passed = received_bytes(fleet, pair.server) - on.received_bytes
        seconds = time.monotonic() - on.seconds
    assert on.received_bytes > 1.5 * bytes_per_second * (on.seconds - began)
    assert 0 < passed < 1.2 * bytes_per_second * seconds


def test_a_cut_ends(fleet: Fleet, changes: list[Change]) -> None:
    pair = make_pair(fleet, server_faults=("cut@2+3",))
    with loading(fleet, pair, "-b 20M"):
        wait_for("the end of the cut", lambda: len(changes) == 2)
        begin, end = changes
        wait_for("bytes after it", lambda: received_bytes(fleet, pair.server) > end.received_bytes + 1_000_000)
    assert (begin.drops, end.drops) == (True, False)
    assert begin.received_bytes > 1_000_000
    # Hosts also ask each other for the addresses of their cards.
    assert end.received_bytes - begin.received_bytes < 1_000


def test_a_delay_lengthens_both_ways(fleet: Fleet) -> None:
    pair = make_pair(fleet, server_faults=("delay=40ms",))
    shortest = shortest_round_trips_micros(fleet, pair.client, {pair.address: 90_000})
    assert shortest[pair.address] > 80_000


def steal_seconds(fleet: Fleet, host: str) -> float:
    return int(fleet.run(host, "head -1 /proc/stat").stdout.split()[8]) / 100


def test_a_host_without_its_processors_sends_less_and_has_steal(fleet: Fleet) -> None:
    pair = make_pair(fleet, server_faults=("cpu=10%",))
    # The card counts after that.
    wait_for("the clock", lambda: len(fleet.run(pair.server, "head -1 /proc/stat").stdout.split()) > 8)
    before, sent_bytes = steal_seconds(fleet, pair.server), received_bytes(fleet, pair.client)
    began = time.monotonic()
    with loading(fleet, pair, "-R"):
        # Two processors lack nine tenths of each second in which there is more to send.
        wait_for("steal", lambda: steal_seconds(fleet, pair.server) - before > 4)
        megabits = (received_bytes(fleet, pair.client) - sent_bytes) * 8 / 1e6 / (time.monotonic() - began)

    # A tenth of 400 Mbit/s.
    assert megabits < 44
    queue = fleet.run(pair.server, "tc qdisc show dev eth0").stdout
    assert rates_of(queue) == ("40Mbit", None)
