"""A host that sets its interface to 1500 bytes: both directions work, and its peers discover the MTU."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from host_support import Fleet, answers, seen_as, serving, wait_for

HOSTS = {
    "i-small": ("us-east-1a", "10.0.1.4"),
    "i-near": ("us-east-1a", "10.0.1.5"),
    "i-far": ("us-east-1b", "10.0.2.4"),
}
DO_NOT_FRAGMENT = "ping -c 3 -i 0.2 -W 1 -M do -s {bytes} {address}"


@pytest.fixture(scope="module", autouse=True)
def hosts(fleet: Fleet) -> None:
    for instance_id, (zone, address) in HOSTS.items():
        fleet.create_host(instance_id, "steady", zone, address, {})
        fleet.set_allowed_sources(instance_id, {"10.0.0.0/16"})


@pytest.fixture
def small(fleet: Fleet) -> Iterator[None]:
    # The other end of the link follows when the fleet's clock runs next.
    def is_discovered() -> bool:
        answer = fleet.run("i-near", DO_NOT_FRAGMENT.format(bytes=1473, address="10.0.1.4"))
        return "mtu" in answer.stdout + answer.stderr

    def is_large() -> bool:
        for instance_id in HOSTS:
            fleet.run(instance_id, "ip route flush cache")
        return fleet.run("i-near", DO_NOT_FRAGMENT.format(bytes=8973, address="10.0.1.4")).returncode == 0

    assert fleet.run("i-small", "ip link set eth0 mtu 1500").returncode == 0
    wait_for("the smaller MTU", is_discovered)
    yield
    assert fleet.run("i-small", "ip link set eth0 mtu 9001").returncode == 0
    wait_for("the larger MTU", is_large)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("peer", ["i-near", "i-far"])
def test_peers_discover_the_smaller_mtu(fleet: Fleet, peer: str) -> None:
    assert answers(fleet, peer, "10.0.1.4", "-M do -s 1472")
    answer = fleet.run(peer, DO_NOT_FRAGMENT.format(bytes=1473, address="10.0.1.4"))
    assert answer.returncode != 0
    assert "mtu" in answer.stdout + answer.stderr
    wait_for("the MTU", lambda: "pmtu 1500" in fleet.run(peer, "tracepath -n 10.0.1.4").stdout)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("peer", ["i-near", "i-far"])
def test_both_directions_work(fleet: Fleet, peer: str) -> None:
    address = HOSTS[peer][1]

    with serving(fleet, peer):
        assert seen_as(fleet, "i-small", address) == "10.0.1.4"
    with serving(fleet, "i-small"):
        assert seen_as(fleet, peer, "10.0.1.4") == address
    for client, target in (("i-small", address), (peer, "10.0.1.4")):
        assert answers(fleet, client, target, "-s 6000")


def test_jumbo_frames_pass_unchanged(fleet: Fleet) -> None:
    for peer in ("i-near", "i-far"):
        assert answers(fleet, peer, "10.0.1.4", "-M do -s 8973")
        assert fleet.run(peer, DO_NOT_FRAGMENT.format(bytes=8974, address="10.0.1.4")).returncode != 0
