"""A single flow's limit: a tool on the hosts stays below it, and the kernel's counters show how flows are distributed.

A busy machine may carry less than the limits allow, so these tests assert upper limits and counters, not lower rates.
"""

from __future__ import annotations

import re

import pytest
from host_support import Fleet, iperf3, make_pair, received_by

from lab.hosts.settings import HostSettings

# More than the control connection of iperf3 sends, and less than any measured flow.
DATA_BYTES = 200_000


def load_between_hosts(fleet: Fleet, options: str, group: str | None = None) -> tuple[float, list[str]]:
    """Runs iperf3 between two fresh steady hosts of 400 Mbit/s.

    Returns what arrived per second, and the limits of the sender's classes that carried data.
    """
    settings = HostSettings(cluster_group=group)
    pair = make_pair(fleet, client_settings=settings, server_settings=settings)
    printed, _ = iperf3(fleet, pair, f"-n 40M {options}")
    classes = fleet.run(pair.server if "-R" in options else pair.client, "tc -s class show dev eth0").stdout
    counted = re.findall(r"^class htb 1:\w+ .* rate (\S+) .*\n Sent (\d+) bytes", classes, re.MULTILINE)
    assert counted, classes
    return received_by(printed), [rate for rate, sent in counted if int(sent) > DATA_BYTES]


@pytest.mark.parametrize(
    ("options", "group", "most_megabits", "limit"),
    [
        pytest.param("", None, 165, "150Mbit", id="forward"),
        pytest.param("-R", None, 165, "150Mbit", id="reverse"),
        pytest.param("-u -b 600M", None, 165, "150Mbit", id="udp"),
        pytest.param("", "together", 330, "300Mbit", id="in a cluster placement group"),
    ],
)
def test_one_stream_is_capped(fleet: Fleet, options: str, group: str | None, most_megabits: float, limit: str) -> None:
    megabits, limits = load_between_hosts(fleet, options, group)

    assert megabits < most_megabits
    assert limits == [limit]


def test_several_streams_are_limited_only_by_the_card(fleet: Fleet) -> None:
    megabits, limits = load_between_hosts(fleet, "-P 8")

    assert megabits < 440
    # Neighbouring ports are in different classes; chance may put two of the eight into one.
    assert len(limits) >= 6
