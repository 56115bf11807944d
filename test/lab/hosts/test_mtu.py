"""A host that sets its interface to 1500 bytes: both directions work, and its peers discover the MTU."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from host_support import RunOnHost, seen_as, serving, wait_for

from lab.hosts.fleet import HostFleet

HOSTS = {
    "i-small": ("us-east-1a", "10.0.1.4"),
    "i-near": ("us-east-1a", "10.0.1.5"),
    "i-far": ("us-east-1b", "10.0.2.4"),
}
DO_NOT_FRAGMENT = "ping -c 3 -i 0.2 -W 1 -M do -s {bytes} {address}"


@pytest.fixture(scope="module", autouse=True)
def hosts(fleet: HostFleet) -> None:
    for instance_id, (zone, address) in HOSTS.items():
        fleet.create_host(instance_id, "steady", zone, address, {})
        fleet.set_allowed_sources(instance_id, {"10.0.0.0/16"})


@pytest.fixture
def small(run_on_host: RunOnHost) -> Iterator[None]:
    # The other end of the link follows when the fleet's clock runs next.
    def is_discovered() -> bool:
        answer = run_on_host("i-near", DO_NOT_FRAGMENT.format(bytes=1473, address="10.0.1.4"))
        return "mtu" in answer.stdout + answer.stderr

    def is_large() -> bool:
        for instance_id in HOSTS:
            run_on_host(instance_id, "ip route flush cache")
        return run_on_host("i-near", DO_NOT_FRAGMENT.format(bytes=8973, address="10.0.1.4")).returncode == 0

    assert run_on_host("i-small", "ip link set eth0 mtu 1500").returncode == 0
    wait_for("the smaller MTU", is_discovered)
    yield
    assert run_on_host("i-small", "ip link set eth0 mtu 9001").returncode == 0
    wait_for("the larger MTU", is_large)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("peer", ["i-near", "i-far"])
def test_peers_discover_the_smaller_mtu(run_on_host: RunOnHost, peer: str) -> None:
    assert run_on_host(peer, DO_NOT_FRAGMENT.format(bytes=1472, address="10.0.1.4")).returncode == 0
    answer = run_on_host(peer, DO_NOT_FRAGMENT.format(bytes=1473, address="10.0.1.4"))
    assert answer.returncode != 0
    assert "mtu" in answer.stdout + answer.stderr
    assert "pmtu 1500" in run_on_host(peer, "tracepath -n 10.0.1.4").stdout


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("peer", ["i-near", "i-far"])
def test_both_directions_work(fleet: HostFleet, run_on_host: RunOnHost, peer: str) -> None:
    address = HOSTS[peer][1]

    with serving(fleet, peer):
        assert seen_as(run_on_host, "i-small", address) == "10.0.1.4"
    with serving(fleet, "i-small"):
        assert seen_as(run_on_host, peer, "10.0.1.4") == address
    for client, target in (("i-small", address), (peer, "10.0.1.4")):
        assert run_on_host(client, f"ping -c 3 -i 0.2 -W 1 -s 6000 {target}").returncode == 0


def test_jumbo_frames_pass_unchanged(run_on_host: RunOnHost) -> None:
    for peer in ("i-near", "i-far"):
        assert run_on_host(peer, DO_NOT_FRAGMENT.format(bytes=8973, address="10.0.1.4")).returncode == 0
        assert run_on_host(peer, DO_NOT_FRAGMENT.format(bytes=8974, address="10.0.1.4")).returncode != 0
