"""Hosts from the outside: what they can reach, what they can change, and how they end."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import permutations
from pathlib import Path

import pytest
from host_support import (
    AGENT_ENVIRONMENT,
    PATIENCE_SECONDS,
    SILENCE_SECONDS,
    Fleet,
    answers,
    running,
    seen_as,
    serving,
    shortest_round_trips_micros,
)

from lab.hosts.fleet import UnknownHostError
from lab.hosts.profiles import UnknownInstanceTypeError

HOSTS = {
    "i-a1": ("us-east-1a", "10.3.1.1"),
    "i-b1": ("us-east-1b", "10.3.2.1"),
    "i-a2": ("us-east-1a", "10.3.1.2"),
    "i-c1": ("us-east-1c", "10.3.3.1"),
}


@pytest.fixture(scope="module", autouse=True)
def hosts(fleet: Fleet) -> None:
    for instance_id, (zone, address) in HOSTS.items():
        fleet.create_host(instance_id, "steady", zone, address, {})


@pytest.fixture
def listening(fleet: Fleet) -> Iterator[None]:
    """Starts a listener on port 7000 of every host."""
    with ExitStack() as stack:
        for instance_id in HOSTS:
            stack.enter_context(serving(fleet, instance_id))
        yield


def can_connect(fleet: Fleet, client: str, address: str, port: int = 7000, seconds: float = PATIENCE_SECONDS) -> bool:
    return seen_as(fleet, client, address, port, seconds) is not None


def allow(fleet: Fleet, *members: str) -> None:
    for instance_id in HOSTS:
        peers = set(members) - {instance_id} if instance_id in members else set()
        fleet.set_allowed_sources(instance_id, {HOSTS[peer][1] for peer in peers})


@pytest.mark.usefixtures("listening")
def test_hosts_accept_only_members_of_their_own_group(fleet: Fleet) -> None:
    allow(fleet, "i-a1", "i-a2")

    assert can_connect(fleet, "i-a1", "10.3.1.2")
    assert can_connect(fleet, "i-a2", "10.3.1.1")
    assert not can_connect(fleet, "i-b1", "10.3.1.1", seconds=SILENCE_SECONDS)
    assert not can_connect(fleet, "i-a1", "10.3.2.1", seconds=SILENCE_SECONDS)

    allow(fleet)
    assert not can_connect(fleet, "i-a1", "10.3.1.2", seconds=SILENCE_SECONDS)


@pytest.mark.usefixtures("listening")
def test_a_network_can_be_allowed_as_a_whole(fleet: Fleet) -> None:
    for instance_id in HOSTS:
        fleet.set_allowed_sources(instance_id, {"10.3.0.0/16"})

    assert can_connect(fleet, "i-b1", "10.3.1.1")


SAY = 'python3 -c \'import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b"{word}", ("10.3.1.1", 7001))\''


def test_a_forged_source_address_is_dropped(fleet: Fleet) -> None:
    allow(fleet, "i-a1", "i-a2")
    hear = "import socket; s=socket.socket(type=socket.SOCK_DGRAM); s.bind(('', 7001)); print('up', flush=True)"
    hear += "; print(s.recv(99).decode())"
    borrow = "ip addr add 10.3.1.2/32 dev eth0 && ip route add 10.3.1.1 via 169.254.1.2 dev eth0 src 10.3.1.2"

    with running(fleet.command("i-a1", ["python3", "-c", hear])) as heard:
        assert heard.readline() == "up\n"
        # i-c1 sends with the address of i-a2, which i-a1 admits; then i-a2 sends itself.
        spoken = fleet.run("i-c1", f"{borrow} && {SAY.format(word='borrowed')}")
        fleet.run("i-c1", "ip route del 10.3.1.1; ip addr del 10.3.1.2/32 dev eth0")
        fleet.run("i-a2", SAY.format(word="own"))

        assert spoken.returncode == 0
        assert heard.readline() == "own\n"


@pytest.mark.usefixtures("listening")
def test_every_zone_reaches_every_other_in_whatever_order_they_were_made(fleet: Fleet) -> None:
    allow(fleet, *HOSTS)

    unreachable = [
        (client, server)
        for client, server in permutations(HOSTS, 2)
        if not can_connect(fleet, client, HOSTS[server][1])
    ]

    assert unreachable == []


def test_another_zone_is_farther_away(fleet: Fleet) -> None:
    allow(fleet, *HOSTS)

    same_zone, other_zone = (HOSTS[host][1] for host in ("i-a2", "i-b1"))
    micros = shortest_round_trips_micros(fleet, "i-a1", {same_zone: 1000, other_zone: 5000})

    # 200 and 500 microseconds each way.
    assert micros[same_zone] >= 400
    assert micros[other_zone] >= 1000


def test_hosts_reach_the_embedded_aws_and_nothing_else(fleet: Fleet) -> None:
    server = "import socket; s=socket.create_server(('198.18.0.1', 4566)); print('up', flush=True); s.accept()"
    with running([sys.executable, "-c", server]) as output:
        assert output.readline() == "up\n"
        assert fleet.endpoint_url == "http://198.18.0.1:4566"
        assert can_connect(fleet, "i-a1", "198.18.0.1", 4566)
    management_of_the_first_host = "198.18.1.2"
    assert not can_connect(fleet, "i-a2", management_of_the_first_host, seconds=SILENCE_SECONDS)
    for somewhere in ("192.0.2.1", "169.254.169.254", "10.3.9.9"):
        assert not can_connect(fleet, "i-a1", somewhere, 80, seconds=SILENCE_SECONDS)


@pytest.mark.usefixtures("listening")
def test_hosts_do_not_reach_each_other_over_the_management_link(fleet: Fleet) -> None:
    fleet.run("i-a2", "ip route add 198.18.1.2 dev mgmt0")

    assert not can_connect(fleet, "i-a2", "198.18.1.2", seconds=SILENCE_SECONDS)


def test_a_hosts_files_are_its_own(fleet: Fleet, outside: Path) -> None:
    places = (
        "/etc/systemd/system/written-by-a-host",
        "/opt/written-by-a-host",
        "/tmp/written-by-a-host",
        "/var/lib/network-benchmark/written-by-a-host",
        "/run/written-by-a-host",
        "/root/written-by-a-host",
    )

    for place in places:
        assert fleet.run("i-a1", f"echo x > {place}").returncode == 0, place
        assert fleet.run("i-a2", f"cat {place}").returncode != 0, place
        assert not os.path.exists(place)
    for place in ("/usr/bin/written-by-a-host", "/etc/os-release", str(outside / "written-by-a-host")):
        assert fleet.run("i-a1", f"echo x > {place}").returncode != 0, place
    assert os.listdir(outside) == []


def test_a_host_cannot_change_the_kernel_outside_its_network(fleet: Fleet) -> None:
    assert fleet.run("i-a1", "cat /proc/sys/vm/swappiness > /proc/sys/vm/swappiness").returncode != 0
    assert fleet.run("i-a1", "echo 1 > /proc/sys/net/ipv4/tcp_no_metrics_save").returncode == 0


def test_a_host_looks_like_an_ec2_instance(fleet: Fleet) -> None:
    assert fleet.run("i-a1", "hostname").stdout == "i-a1\n"
    # Some kernels put further interfaces into every new namespace (tunl0, sit0), but these are down.
    links = fleet.run("i-a1", "ip -o link show up").stdout
    assert sorted(re.findall(r"^\d+: (\w+)", links, re.MULTILINE)) == ["eth0", "lo", "mgmt0"]
    assert fleet.run("i-a1", "cat /sys/class/net/eth0/mtu").stdout == "9001\n"
    assert fleet.run("i-a1", "cat /proc/1/comm").stdout == "sleep\n"
    assert fleet.run("i-a1", "ethtool -i eth0").stdout.startswith("driver: ena\n")
    assert fleet.run("i-a1", "python3 -c 'import boto3, sys; print(sys.prefix)'").stdout == f"{sys.prefix}\n"
    assert "cubic" in fleet.run("i-a1", "ip route show default").stdout


def test_a_killed_host_ends_at_once_and_alone(fleet: Fleet) -> None:
    fleet.create_host("i-doomed", "steady", "us-east-1a", "10.3.1.9", {})
    lines = "trap '' TERM INT HUP; setsid sleep 1000 & sleep 1000"
    process = subprocess.Popen(fleet.command("i-doomed", ["sh", "-c", lines]), env=AGENT_ENVIRONMENT)

    assert fleet.is_running("i-doomed")
    fleet.kill_host("i-doomed")
    # By itself, the process would end after 1,000 s.
    assert process.wait(timeout=300) != 0
    assert not fleet.is_running("i-doomed")
    assert fleet.is_running("i-a1")
    fleet.destroy_host("i-doomed")


def test_a_killed_host_closes_no_connection(fleet: Fleet) -> None:
    fleet.create_host("i-silent", "steady", "us-east-1a", "10.3.1.9", {})
    fleet.set_allowed_sources("i-silent", {"10.3.1.1"})
    fleet.set_allowed_sources("i-a1", {"10.3.1.9"})
    serve = (
        "import socket,time; s=socket.create_server(('', 7002)); print('up', flush=True); c=s.accept(); time.sleep(60)"
    )
    hear = "import socket; s=socket.create_connection(('10.3.1.9', 7002)); print('connected', flush=True)"
    hear += "; s.settimeout(1.5); print(repr(s.recv(1)))"

    with running(fleet.command("i-silent", ["python3", "-c", serve])) as served:
        assert served.readline() == "up\n"
        with running(fleet.command("i-a1", ["sh", "-c", f'python3 -c "{hear}" 2>&1'])) as heard:
            assert heard.readline() == "connected\n"
            fleet.kill_host("i-silent")
            assert "TimeoutError" in heard.read()
    fleet.destroy_host("i-silent")


def test_a_destroyed_host_leaves_nothing_and_its_address_is_free(fleet: Fleet) -> None:
    for _ in range(2):
        fleet.create_host("i-again", "steady", "us-east-1c", "10.3.3.9", {})
        fleet.destroy_host("i-again")
        fleet.destroy_host("i-again")

    assert not fleet.is_running("i-again")
    namespaces = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
    assert "i-again" not in namespaces
    with pytest.raises(UnknownHostError, match="got i-again"):
        fleet.kill_host("i-again")


def test_fails_for_an_instance_type_that_has_no_profile(fleet: Fleet) -> None:
    with pytest.raises(
        UnknownInstanceTypeError, match="must be one of as-seen, burstable, bursting, steady, got c5.huge"
    ):
        fleet.create_host("i-unknown", "c5.huge", "us-east-1a", "10.3.1.8", {})


def test_fails_for_an_instance_id_in_use(fleet: Fleet) -> None:
    with pytest.raises(ValueError, match="must be new, got i-a1"):
        fleet.create_host("i-a1", "steady", "us-east-1a", "10.3.1.8", {})


def test_fails_for_an_address_in_use_and_leaves_its_owner_alone(fleet: Fleet) -> None:
    allow(fleet, *HOSTS)

    with pytest.raises(ValueError, match="private address: must be free, got 10.3.1.1"):
        fleet.create_host("i-thief", "steady", "us-east-1b", "10.3.1.1", {})

    assert "i-thief" not in subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
    assert answers(fleet, "i-b1", "10.3.1.1")


def test_the_path_to_the_embedded_aws_survives_the_end_of_another_host() -> None:
    # A bridge without an address of its own uses that of a port, and loses it when the port's host ends.
    links = subprocess.run(["ip", "-o", "link"], capture_output=True, text=True, check=True).stdout
    addresses = dict(re.findall(r"^\d+: ([^:@]+)[:@].*link/ether (\S+)", links, re.MULTILINE))
    ports = {address for name, address in addresses.items() if name.startswith("host")}
    assert ports
    assert addresses["management"] not in ports
