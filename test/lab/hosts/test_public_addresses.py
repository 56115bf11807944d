"""The path by public addresses: one-to-one translation, a longer distance than the private path, the internet's MTU."""

from __future__ import annotations

import subprocess

import pytest
from host_support import (
    SILENCE_SECONDS,
    Fleet,
    answers,
    seen_as,
    serving,
    shortest_round_trips_micros,
    wait_for,
)

from lab.hosts.settings import HostSettings

HOSTS = {
    "i-client": ("us-east-1a", "10.0.1.4", "203.0.113.4"),
    "i-server": ("us-east-1a", "10.0.1.5", "203.0.113.5"),
    "i-other-zone": ("us-east-1b", "10.0.2.4", "203.0.113.6"),
    "i-private": ("us-east-1a", "10.0.1.6", None),
}


@pytest.fixture(scope="module", autouse=True)
def hosts(fleet: Fleet) -> None:
    for instance_id, (zone, address, public) in HOSTS.items():
        fleet.create_host(instance_id, "steady", zone, address, {}, HostSettings(public_ip=public))


@pytest.fixture(autouse=True)
def everyone_is_allowed(fleet: Fleet) -> None:
    for instance_id in HOSTS:
        fleet.set_allowed_sources(instance_id, {"10.0.0.0/16", "203.0.113.0/24"})


def test_the_peer_sees_the_public_address(fleet: Fleet) -> None:
    for server in ("i-server", "i-other-zone"):
        with serving(fleet, server):
            assert seen_as(fleet, "i-client", HOSTS[server][2] or "") == "203.0.113.4"
            assert seen_as(fleet, "i-client", HOSTS[server][1]) == "10.0.1.4"


def test_a_host_has_only_its_private_address(fleet: Fleet) -> None:
    assert "203.0.113" not in fleet.run("i-client", "ip addr; ip route").stdout


def test_a_rule_for_private_addresses_does_not_admit_the_public_one(fleet: Fleet) -> None:
    with serving(fleet, "i-server"):
        fleet.set_allowed_sources("i-server", {"10.0.0.0/16"})
        assert seen_as(fleet, "i-client", "203.0.113.5", seconds=SILENCE_SECONDS) is None

        fleet.set_allowed_sources("i-server", {"203.0.113.4/32"})
        assert seen_as(fleet, "i-client", "203.0.113.5") == "203.0.113.4"
        assert seen_as(fleet, "i-client", "10.0.1.5", seconds=SILENCE_SECONDS) is None


# Microseconds each way: 200 within the zone, 500 between zones, and 200 more by public addresses.
@pytest.mark.parametrize(("server", "least", "public_least"), [("i-server", 400, 800), ("i-other-zone", 1000, 1400)])
def test_the_public_path_is_longer_than_the_private_one(
    fleet: Fleet, server: str, least: float, public_least: float
) -> None:
    _, address, public_address = HOSTS[server]
    assert public_address is not None

    micros = shortest_round_trips_micros(fleet, "i-client", {address: public_least, public_address: 5000})

    assert micros[address] >= least
    assert micros[public_address] >= public_least


def test_the_internet_has_a_smaller_mtu_that_hosts_discover(fleet: Fleet) -> None:
    wait_for("the MTU", lambda: "pmtu 1500" in fleet.run("i-client", "tracepath -n 203.0.113.5").stdout)
    assert answers(fleet, "i-client", "203.0.113.6", "-M do -s 1472")
    too_long = fleet.run("i-client", "ping -c 2 -W 1 -M do -s 1473 203.0.113.6")
    assert too_long.returncode != 0
    assert "mtu" in too_long.stdout + too_long.stderr


def test_without_a_public_address_a_host_reaches_no_public_address(fleet: Fleet) -> None:
    for client, address in (("i-private", "203.0.113.5"), ("i-client", "203.0.113.99")):
        silence = fleet.run(client, f"ping -n -c 2 -i 0.2 -W 1 {address}")
        assert "2 packets transmitted, 0 received, 100% packet loss" in silence.stdout


def test_fails_for_a_public_address_in_use_and_leaves_its_owner_alone(fleet: Fleet) -> None:
    settings = HostSettings(public_ip="203.0.113.5")

    for _ in range(2):
        with pytest.raises(ValueError, match="public address: must be free, got 203.0.113.5"):
            fleet.create_host("i-thief", "steady", "us-east-1a", "10.0.1.9", {}, settings)

    assert "i-thief" not in subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True).stdout
    assert answers(fleet, "i-client", "203.0.113.5")


def test_a_destroyed_hosts_public_address_is_free_and_silent(fleet: Fleet) -> None:
    for address in ("10.0.1.8", "10.0.2.8"):
        zone = "us-east-1a" if address == "10.0.1.8" else "us-east-1b"
        fleet.create_host("i-again", "steady", zone, address, {}, HostSettings(public_ip="203.0.113.8"))
        fleet.set_allowed_sources("i-again", {"203.0.113.0/24"})
        assert answers(fleet, "i-client", "203.0.113.8")
        fleet.destroy_host("i-again")
    assert not answers(fleet, "i-client", "203.0.113.8", seconds=SILENCE_SECONDS)
    rules = subprocess.run(["ip", "-n", "internet", "rule"], capture_output=True, text=True, check=True).stdout
    assert "203.0.113.4" in rules and "203.0.113.8" not in rules
