"""A single flow's limit: a tool on the hosts stays below it, and the kernel's counters show how flows are distributed.

A busy machine may carry less than the limits allow, so these tests assert upper limits and counters, not lower rates.
"""

from __future__ import annotations

import re
from itertools import count
from typing import NamedTuple

import pytest
from host_support import RunOnHost, running, wait_for

from lab.hosts.fleet import HostFleet
from lab.hosts.settings import HostSettings

_numbers = count(1)
IPERF3_PORT = 5201
# More than the control connection of iperf3 sends, and less than any measured flow.
DATA_BYTES = 200_000


class Load(NamedTuple):
    """What arrived per second, and the classes of the sender that carried data: their limits by their numbers."""

    megabits: float
    limits_of_busy_classes: dict[str, str]


def load_between_hosts(
    fleet: HostFleet, run_on_host: RunOnHost, streams: int, options: str, group: str | None = None
) -> Load:
    """Runs iperf3 between two fresh steady hosts of 400 Mbit/s."""
    number = next(_numbers)
    client, server, address = f"i-flow-client{number}", f"i-flow-server{number}", f"10.7.{number}.2"
    settings = HostSettings(cluster_group=group)
    fleet.create_host(client, "steady", "us-east-1a", f"10.7.{number}.1", {}, settings)
    fleet.create_host(server, "steady", "us-east-1a", address, {}, settings)
    fleet.set_allowed_sources(client, {address})
    fleet.set_allowed_sources(server, {f"10.7.{number}.1"})
    with running(fleet.command(server, ["stdbuf", "-oL", "iperf3", "-s", "-1"])) as listening:
        assert "-----" in listening.readline()
        wait_for("iperf3's server", lambda: fleet.is_listening(server, IPERF3_PORT))
        done = run_on_host(client, f"iperf3 -c {address} -P {streams} -t 2 -i 0 -f m {options}")
    rates = re.findall(r"([\d.]+) Mbits/sec(?: +[\d.]+ ms +\d+/\d+ \S+)? +receiver", done.stdout)
    assert rates, done.stdout + done.stderr
    classes = run_on_host(server if "-R" in options else client, "tc -s class show dev eth0").stdout
    counted = re.findall(r"^class htb 1:(\w+) .* rate (\S+) .*\n Sent (\d+) bytes", classes, re.MULTILINE)
    assert counted, classes
    return Load(float(rates[-1]), {name: rate for name, rate, sent in counted if int(sent) > DATA_BYTES})


@pytest.mark.parametrize("options", ["", "-R", "-u -b 600M"], ids=["forward", "reverse", "udp"])
def test_one_stream_is_capped(fleet: HostFleet, run_on_host: RunOnHost, options: str) -> None:
    load = load_between_hosts(fleet, run_on_host, 1, options)

    assert load.megabits < 165
    assert list(load.limits_of_busy_classes.values()) == ["150Mbit"]


def test_several_streams_are_limited_only_by_the_card(fleet: HostFleet, run_on_host: RunOnHost) -> None:
    load = load_between_hosts(fleet, run_on_host, 8, "")

    assert load.megabits < 440
    # Neighbouring ports are in different classes; chance may put two of the eight into one.
    assert len(load.limits_of_busy_classes) >= 6


def test_the_cap_is_higher_in_a_cluster_placement_group(fleet: HostFleet, run_on_host: RunOnHost) -> None:
    load = load_between_hosts(fleet, run_on_host, 1, "", group="together")

    assert load.megabits < 330
    assert list(load.limits_of_busy_classes.values()) == ["300Mbit"]
