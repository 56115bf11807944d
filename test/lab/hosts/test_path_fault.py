"""Faults of the path and of a host's processors, as tools on the hosts meet them. No test needs a fast machine."""

from __future__ import annotations

import re
import time

import pytest
from host_support import Fleet, iperf3, make_pair, round_trips_micros, wait_for, whole_seconds

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
    began = time.monotonic()
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


def test_loses_a_share_of_the_packets(fleet: Fleet) -> None:
    pair = make_pair(fleet, server_faults=("steady:loss=30%",))
    answered = len(round_trips_micros(fleet, pair.client, pair.address, count=400))
    # 280 are expected; five standard deviations are 46.
    assert 230 < answered < 330


def test_a_fault_of_another_type_does_nothing(fleet: Fleet) -> None:
    pair = make_pair(fleet, server_faults=("bursting:cut",))
    assert len(round_trips_micros(fleet, pair.client, pair.address, count=20)) == 20


def test_a_black_hole_swallows_long_packets_only_and_tells_nobody(fleet: Fleet) -> None:
    pair = make_pair(fleet, server_faults=("mtu=1500",))
    short = fleet.run(pair.client, f"ping -n -c 3 -W 1 -s 1472 {pair.address}").stdout
    long = fleet.run(pair.client, f"ping -n -c 3 -W 1 -M do -s 1473 {pair.address}")
    assert " 0% packet loss" in short
    assert " 100% packet loss" in long.stdout
    assert "error" not in long.stdout + long.stderr


def test_a_policer_holds_tcp_below_its_rate_from_its_second_on(fleet: Fleet) -> None:
    _, received = iperf3(fleet, make_pair(fleet, server_faults=("policer=20mbit@4",)), "-t 10 -b 60M")
    rates = whole_seconds(received)
    assert min(rates[:3]) > 40
    assert max(rates[6:]) < 24


def test_a_cut_ends(fleet: Fleet) -> None:
    _, received = iperf3(fleet, make_pair(fleet, server_faults=("cut@2+3",)), "-t 12 -b 20M")
    rates = whole_seconds(received)
    assert min(rates[:1]) > 10
    assert rates[3] == 0
    assert max(rates[6:]) > 10


def test_a_delay_lengthens_both_ways(fleet: Fleet) -> None:
    pair = make_pair(fleet, server_faults=("delay=40ms",))
    round_trips = round_trips_micros(fleet, pair.client, pair.address)
    assert len(round_trips) == 50
    assert 80_000 < min(round_trips) < 90_000


def steal_seconds(fleet: Fleet, host: str) -> float:
    return int(fleet.run(host, "head -1 /proc/stat").stdout.split()[8]) / 100


def test_a_host_without_its_processors_sends_less_and_has_steal(fleet: Fleet) -> None:
    pair = make_pair(fleet, server_faults=("cpu=10%",))
    wait_for("the clock", lambda: len(fleet.run(pair.server, "head -1 /proc/stat").stdout.split()) > 8)
    before = steal_seconds(fleet, pair.server)

    received, _ = iperf3(fleet, pair, "-R -t 5")
    rates = whole_seconds(received)

    # A tenth of 400 Mbit/s; two processors lack nine tenths of each second.
    assert 20 < sorted(rates)[len(rates) // 2] < 44
    assert steal_seconds(fleet, pair.server) - before > 4
