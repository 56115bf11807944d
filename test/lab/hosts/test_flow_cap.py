"""A single flow's limit, as a tool on the hosts measures it."""

from __future__ import annotations

import re
import statistics
import time
from itertools import count

import pytest
from host_support import RunOnHost, running

from lab.hosts import HostFleet
from lab.hosts.settings import HostSettings

_numbers = count(1)


def megabits(fleet: HostFleet, run_on_host: RunOnHost, streams: int, options: str, group: str | None = None) -> float:
    """What arrives a second of so many streams between two fresh steady hosts of 400 Mbit/s."""
    number = next(_numbers)
    client, server, address = f"i-flow-client{number}", f"i-flow-server{number}", f"10.7.{number}.2"
    settings = HostSettings(cluster_group=group)
    fleet.create_host(client, "steady", "us-east-1a", f"10.7.{number}.1", {}, settings)
    fleet.create_host(server, "steady", "us-east-1a", address, {}, settings)
    fleet.set_peers(client, {server})
    fleet.set_peers(server, {client})
    with running(fleet.command(server, ["stdbuf", "-oL", "iperf3", "-s", "-1"])) as listening:
        assert "-----" in listening.readline()
        time.sleep(0.2)
        done = run_on_host(client, f"iperf3 -c {address} -P {streams} -t 3 -i 0 -f m {options}")
    rates = re.findall(r"([\d.]+) Mbits/sec(?: +[\d.]+ ms +\d+/\d+ \S+)? +receiver", done.stdout)
    assert rates, done.stdout + done.stderr
    return float(rates[-1])


@pytest.mark.parametrize("options", ["", "-R", "-u -b 600M"], ids=["forward", "reverse", "udp"])
def test_one_stream_is_capped(fleet: HostFleet, run_on_host: RunOnHost, options: str) -> None:
    assert megabits(fleet, run_on_host, 1, options) == pytest.approx(150, rel=0.1)


def test_more_streams_carry_more_until_the_card_is_full(fleet: HostFleet, run_on_host: RunOnHost) -> None:
    # Two streams may share a class; of three tries most do not.
    two = statistics.median(megabits(fleet, run_on_host, 2, "") for _ in range(3))
    assert two == pytest.approx(300, rel=0.1)
    assert megabits(fleet, run_on_host, 8, "") == pytest.approx(400, rel=0.1)


def test_the_cap_is_higher_in_a_cluster_placement_group(fleet: HostFleet, run_on_host: RunOnHost) -> None:
    assert megabits(fleet, run_on_host, 1, "", group="together") == pytest.approx(300, rel=0.1)
