"""Hosts of several networks (VPCs), which do not reach each other until the networks are peered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from host_support import SILENCE_SECONDS, Fleet, answers, shortest_round_trips_micros

from lab.hosts.settings import HostSettings

HOSTS = {
    "i-main": ("us-east-1a", "10.0.1.4", "main"),
    "i-main-neighbour": ("us-east-1a", "10.0.1.5", "main"),
    "i-peer": ("us-east-1a", "10.1.1.4", "peer"),
    "i-third": ("us-east-1a", "10.2.1.4", "third"),
}


@pytest.fixture(scope="module", autouse=True)
def hosts(fleet: Fleet) -> None:
    for instance_id, (zone, address, network) in HOSTS.items():
        create(fleet, instance_id, zone, address, network)


def create(fleet: Fleet, instance_id: str, zone: str, address: str, network: str) -> None:
    fleet.create_host(instance_id, "steady", zone, address, {}, HostSettings(network=network))
    fleet.set_allowed_sources(instance_id, {"10.0.0.0/8"})


@pytest.fixture
def peered(fleet: Fleet) -> Iterator[None]:
    fleet.connect_networks("main", "peer")
    yield
    fleet.disconnect_networks("main", "peer")


def is_silent(fleet: Fleet, client: str, address: str) -> bool:
    return not answers(fleet, client, address, seconds=SILENCE_SECONDS)


def test_networks_do_not_reach_each_other_unless_peered(fleet: Fleet) -> None:
    assert is_silent(fleet, "i-main", "10.1.1.4")

    fleet.connect_networks("main", "peer")
    fleet.connect_networks("peer", "main")
    assert answers(fleet, "i-main", "10.1.1.4")
    assert answers(fleet, "i-peer", "10.0.1.4")
    # A network that is not peered with either stays out of reach.
    assert is_silent(fleet, "i-main", "10.2.1.4")
    assert is_silent(fleet, "i-peer", "10.2.1.4")

    fleet.disconnect_networks("peer", "main")
    fleet.disconnect_networks("main", "peer")
    assert is_silent(fleet, "i-main", "10.1.1.4")
    assert answers(fleet, "i-main", "10.0.1.5")


@pytest.mark.usefixtures("peered")
def test_the_distance_of_peered_hosts_is_that_of_their_zones(fleet: Fleet) -> None:
    create(fleet, "i-late", "us-east-1b", "10.1.2.4", "peer")

    micros = shortest_round_trips_micros(fleet, "i-main", {"10.1.1.4": 1000, "10.1.2.4": 5000})

    # 200 microseconds each way within the zone, 500 between zones.
    assert micros["10.1.1.4"] >= 400
    assert micros["10.1.2.4"] >= 1000
    fleet.destroy_host("i-late")
    assert is_silent(fleet, "i-main", "10.1.2.4")


@pytest.mark.usefixtures("peered")
def test_an_address_changes_its_network_with_its_host(fleet: Fleet) -> None:
    create(fleet, "i-moves", "us-east-1a", "10.1.1.9", "peer")
    assert answers(fleet, "i-main", "10.1.1.9")
    fleet.destroy_host("i-moves")

    create(fleet, "i-moves", "us-east-1a", "10.1.1.9", "third")
    assert is_silent(fleet, "i-main", "10.1.1.9")
    fleet.destroy_host("i-moves")


def test_fails_for_a_network_that_is_peered_with_itself(fleet: Fleet) -> None:
    with pytest.raises(ValueError, match="must be connected with another, got main twice"):
        fleet.connect_networks("main", "main")
