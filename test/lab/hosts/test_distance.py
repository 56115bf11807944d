"""The distance between hosts, by placement and zone, and the route between them."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from host_support import Fleet, shortest_round_trips_micros, wait_for

from lab.hosts import forwarder
from lab.hosts.settings import HostSettings

ADDRESSES = {
    "i-near": "10.0.1.4",
    "i-nearer": "10.0.1.5",
    "i-other-group": "10.0.1.6",
    "i-alone": "10.0.1.7",
    "i-other-zone": "10.0.2.4",
}


@pytest.fixture(scope="module", autouse=True)
def hosts(fleet: Fleet) -> None:
    for instance_id, zone, group in (
        ("i-near", "us-east-1a", "group-1"),
        ("i-nearer", "us-east-1a", "group-1"),
        ("i-other-group", "us-east-1a", "group-2"),
        ("i-alone", "us-east-1a", None),
        ("i-other-zone", "us-east-1b", None),
    ):
        address = ADDRESSES[instance_id]
        fleet.create_host(instance_id, "steady", zone, address, {}, HostSettings(cluster_group=group))
        fleet.set_allowed_sources(instance_id, {"10.0.0.0/16"})


def test_a_cluster_group_is_nearer_than_its_zone_and_its_zone_is_nearer_than_another(fleet: Fleet) -> None:
    # 200 microseconds each way within the zone, 500 between zones.
    limits = {"i-nearer": 400, "i-other-group": 1000, "i-alone": 1000, "i-other-zone": 5000}
    micros = shortest_round_trips_micros(fleet, "i-near", {ADDRESSES[host]: limit for host, limit in limits.items()})

    assert micros[ADDRESSES["i-other-group"]] >= 400
    assert micros[ADDRESSES["i-alone"]] >= 400
    assert micros[ADDRESSES["i-other-zone"]] >= 1000


def test_the_route_between_hosts_can_be_traced(fleet: Fleet) -> None:
    def is_traced(target: str) -> bool:
        traced = fleet.run("i-near", f"tracepath -n {ADDRESSES[target]}").stdout
        fifth = re.search(rf"^ 5: +{re.escape(ADDRESSES[target])} .*reached$", traced, re.MULTILINE)
        return bool(fifth) and "pmtu 9001" in traced and "no reply" not in traced

    for target in ("i-alone", "i-other-zone"):
        # tracepath gives up a hop after three seconds, for which a busy machine may stand still.
        wait_for(f"a route to {target}", lambda of=target: is_traced(of))


def test_a_host_sets_its_own_receive_ring_up_to_the_longest(fleet: Fleet) -> None:
    def lengths(instance_id: str) -> list[str]:
        return re.findall(r"^RX:\s+(\d+)$", fleet.run(instance_id, "ethtool -g eth0").stdout, re.MULTILINE)

    assert fleet.run("i-near", "ethtool -G eth0 rx 4096").returncode == 0
    assert fleet.run("i-near", "ethtool -G eth0 rx 8193").returncode != 0

    assert (lengths("i-near"), lengths("i-nearer")) == (["8192", "4096"], ["8192", "1024"])


@pytest.mark.parametrize(("express", "udp", "mode"), [(False, False, 0), (True, False, 1), (True, True, 3)])
def test_the_card_reports_ena_express(fleet: Fleet, express: bool, udp: bool, mode: int) -> None:
    settings = HostSettings(ena_srd_enabled=express, ena_srd_udp_enabled=udp)
    fleet.create_host("i-express", "steady", "us-east-1a", "10.0.1.9", {}, settings)
    statistics = fleet.run("i-express", "ethtool -S eth0").stdout
    fleet.destroy_host("i-express")

    assert dict(re.findall(r"^ +(ena_srd_\w+): (\d+)$", statistics, re.MULTILINE)) == {
        "ena_srd_mode": str(mode),
        "ena_srd_tx_pkts": "0",
        "ena_srd_eligible_tx_pkts": "0",
        "ena_srd_rx_pkts": "0",
        "ena_srd_resource_utilization": "0",
    }


def test_a_host_counts_as_steal_what_the_forwarders_waited_for_a_processor(fleet: Fleet) -> None:
    fleet.run("i-near", f"ping -q -c 2000 -i 0.001 {ADDRESSES['i-alone']}")
    least = withheld_ticks()
    wait_for("the forwarders' waiting in /proc/stat", lambda: steal_ticks(fleet) >= least)
    assert steal_ticks(fleet) <= withheld_ticks()


def test_a_host_has_no_steal_where_the_kernel_does_not_count_what_the_forwarders_waited(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def field_count() -> int:
        return len(fleet.run("i-near", "head -1 /proc/stat").stdout.split()) - 1

    wait_for("steal in /proc/stat", lambda: field_count() == 10)
    with monkeypatch.context() as other_kernel:
        other_kernel.setattr(forwarder, "waited_seconds", lambda _: None)
        wait_for("no steal in /proc/stat", lambda: field_count() == 7)
    wait_for("steal in /proc/stat again", lambda: field_count() == 10)


def withheld_ticks() -> int:
    """Reads the machine's own steal and the waiting of every forwarder from the files of the kernel."""
    forwarders = [path for path in Path("/proc").glob("[0-9]*") if b"zone_delay.py" in command_line(path)]
    assert len(forwarders) == 3, "within each of two zones, and between them"
    waited_seconds = sum(int((path / "schedstat").read_text().split()[1]) for path in forwarders) / 1e9
    machine_ticks = int(Path("/proc/stat").read_text().split()[8])
    return machine_ticks + int(waited_seconds * os.sysconf("SC_CLK_TCK"))


def command_line(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""  # it has ended


def steal_ticks(fleet: Fleet) -> int:
    return int(fleet.run("i-near", "head -1 /proc/stat").stdout.split()[8])
