"""A load balancer between two hosts: who may use it, the source that the target sees, its timeouts and its end."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from host_support import (
    SILENCE_SECONDS,
    Fleet,
    Pair,
    answers,
    iperf3,
    received_by,
    running,
    seen_as,
    serving,
    wait_for,
)

from lab.hosts.fleet import UnknownHostError
from lab.hosts.load_balancer import UnknownLoadBalancerError

HOSTS = {
    "i-client": ("us-east-1a", "10.0.1.4"),
    "i-target": ("us-east-1a", "10.0.1.5"),
    "i-stranger": ("us-east-1a", "10.0.1.6"),
    "i-far-client": ("us-east-1b", "10.0.2.4"),
}
ADDRESS = "10.0.1.100"
PORT, TARGET_PORT = 80, 7000


@pytest.fixture(scope="module", autouse=True)
def hosts(fleet: Fleet) -> None:
    for instance_id, (zone, address) in HOSTS.items():
        fleet.create_host(instance_id, "steady", zone, address, {})


@pytest.fixture(autouse=True)
def balancer(fleet: Fleet) -> Iterator[None]:
    """Makes a load balancer that the clients may reach and that alone may reach the target."""
    fleet.add_load_balancer("balancer", "us-east-1a", ADDRESS)
    fleet.set_load_balancer_sources("balancer", {"10.0.1.4", "10.0.2.0/24"})
    fleet.set_listener("balancer", PORT, {"tcp", "udp"}, "i-target", TARGET_PORT, 350)
    for instance_id in HOSTS:
        fleet.set_allowed_sources(instance_id, {ADDRESS} if instance_id == "i-target" else set())
    yield
    fleet.remove_load_balancer("balancer")


def test_the_target_sees_the_load_balancer(fleet: Fleet) -> None:
    with serving(fleet, "i-target", TARGET_PORT):
        assert seen_as(fleet, "i-client", ADDRESS, PORT) == ADDRESS
        assert seen_as(fleet, "i-far-client", ADDRESS, PORT) == ADDRESS
        # The clients may not reach the target itself.
        assert seen_as(fleet, "i-client", "10.0.1.5", TARGET_PORT, seconds=SILENCE_SECONDS) is None


def test_only_its_allowed_sources_reach_it(fleet: Fleet) -> None:
    # The stranger would admit the answers; the load balancer must reject it.
    fleet.set_allowed_sources("i-stranger", {ADDRESS, f"{ADDRESS}/32"})
    with serving(fleet, "i-target", TARGET_PORT):
        assert seen_as(fleet, "i-stranger", ADDRESS, PORT, seconds=SILENCE_SECONDS) is None

        fleet.set_load_balancer_sources("balancer", {"10.0.1.6/32", "10.0.1.6/31", "10.0.1.6"})
        assert seen_as(fleet, "i-stranger", ADDRESS, PORT) == ADDRESS
        assert seen_as(fleet, "i-client", ADDRESS, PORT, seconds=SILENCE_SECONDS) is None


def test_a_target_has_to_admit_it_even_if_it_is_among_the_sources(fleet: Fleet) -> None:
    fleet.set_load_balancer_sources("balancer", {"10.0.0.0/16"})
    fleet.set_allowed_sources("i-target", set())

    with serving(fleet, "i-target", TARGET_PORT):
        assert seen_as(fleet, "i-client", ADDRESS, PORT, seconds=SILENCE_SECONDS) is None


def test_only_its_listeners_answer(fleet: Fleet) -> None:
    with serving(fleet, "i-target", TARGET_PORT):
        assert seen_as(fleet, "i-client", ADDRESS, TARGET_PORT, seconds=SILENCE_SECONDS) is None
    assert not answers(fleet, "i-client", ADDRESS, seconds=SILENCE_SECONDS)


ECHO = """
import socket
server = socket.socket(type=socket.SOCK_DGRAM)
server.bind(("", 7000))
print("up", flush=True)
while True:
    said, (address, port) = server.recvfrom(9000)
    server.sendto(address.encode() + b" " + str(len(said)).encode(), (address, port))
"""
SAY = """python3 -c '
import socket
client = socket.socket(type=socket.SOCK_DGRAM)
client.settimeout(60)
client.connect(("10.0.1.100", 80))
client.send(bytes({bytes}))
print(client.recv(99).decode())
'"""


def test_it_carries_udp_and_its_fragments(fleet: Fleet) -> None:
    fleet.run("i-client", "ip link set eth0 mtu 1500")
    with running(fleet.command("i-target", ["python3", "-c", ECHO])) as output:
        assert output.readline() == "up\n"
        said = [fleet.run("i-client", SAY.format(bytes=size)).stdout for size in (10, 4000)]
    fleet.run("i-client", "ip link set eth0 mtu 9001")

    assert said == [f"{ADDRESS} 10\n", f"{ADDRESS} 4000\n"]


# Sends every line back.
TALK_SERVER = """
import socketserver
class Talk(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            self.wfile.write(line)
socketserver.ThreadingTCPServer.allow_reuse_address = True
server = socketserver.ThreadingTCPServer(("", 7000), Talk)
print("up", flush=True)
server.serve_forever()
"""
TALK = """python3 -c '
import socket, time
silent, busy = (socket.create_connection(("10.0.1.100", 80), timeout=60).makefile("rw") for _ in range(2))
def ask(flow):
    try:
        flow.write("x\\n"); flow.flush(); return flow.readline().strip()
    except OSError as error:
        return type(error).__name__
print(ask(silent), ask(busy))
longest, last = 0, time.monotonic()
for _ in range(20):
    time.sleep(0.4); ask(busy)
    longest, last = max(longest, time.monotonic() - last), time.monotonic()
print(ask(silent), ask(busy))
print(longest)
'"""
IDLE_SECONDS = 5


def talk(fleet: Fleet) -> list[str]:
    """Returns what two flows said, of a time in which the machine never stood still for as long as a flow may idle."""

    def said() -> list[str]:
        done = fleet.run("i-client", TALK)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    for _ in range(10):
        lines = said()
        if float(lines[-1]) < 0.9 * IDLE_SECONDS:
            break
    return lines[:-1]


def test_a_flow_that_is_silent_for_too_long_is_reset(fleet: Fleet) -> None:
    with running(fleet.command("i-target", ["python3", "-c", TALK_SERVER])) as output:
        assert output.readline() == "up\n"
        patient = talk(fleet)
        fleet.set_listener("balancer", PORT, {"tcp"}, "i-target", TARGET_PORT, IDLE_SECONDS)
        impatient = talk(fleet)

    assert patient == ["x x", "x x"]
    assert impatient == ["x x", "ConnectionResetError x"]


def test_the_flows_of_a_removed_listener_end(fleet: Fleet) -> None:
    fleet.set_listener("balancer", 81, {"tcp"}, "i-target", TARGET_PORT, 350)
    talk = "import socket; s=socket.create_connection(('10.0.1.100', {port}), timeout={seconds}); f=s.makefile('rw')\n"
    talk += "for word in ('first', 'second'):\n f.write(word+'\\n'); f.flush(); print(f.readline(), end='', flush=True)"
    talk += "; import sys; word=='first' and sys.stdin.readline()"

    with running(fleet.command("i-target", ["python3", "-c", TALK_SERVER])) as output:
        assert output.readline() == "up\n"
        flows = [
            subprocess.Popen(
                fleet.command("i-client", ["python3", "-c", talk.format(port=port, seconds=seconds)]),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for port, seconds in ((80, 100), (81, 10))
        ]
        assert [flow.stdout.readline() for flow in flows if flow.stdout] == ["first\n"] * 2
        fleet.remove_listener("balancer", 81)
        fleet.remove_listener("balancer", 81)
        kept, ended = (flow.communicate("go on\n", timeout=300) for flow in flows)

    assert kept[0] == "second\n", kept[1]
    assert ended[0] == "" and "imeout" in ended[1]


# The two flows take turns, and the shortest round trip of each counts: a busy machine makes many of them longer, and
# none shorter than the distance. They end when the direct one is shorter than any balanced one can be.
TAKE_TURNS = """python3 -c '
import socket, time
flows = [socket.create_connection(address, timeout=60) for address in (("10.0.1.5", 7000), ("10.0.1.100", 80))]
micros = [[], []]
until = time.monotonic() + 120
while len(micros[0]) < 500 or min(micros[0]) >= 800 and time.monotonic() < until:
    for flow, taken in zip(flows, micros):
        started = time.monotonic()
        flow.send(b"x\\n")
        flow.recv(9)
        taken.append((time.monotonic() - started) * 1e6)
print(*map(min, micros))
'"""


def test_the_load_balancer_adds_distance_and_needs_no_process(fleet: Fleet) -> None:
    fleet.set_listener("balancer", 5201, {"tcp", "udp"}, "i-target", 5201, 350)
    fleet.set_allowed_sources("i-target", {"10.0.0.0/16"})
    fleet.set_allowed_sources("i-client", {"10.0.0.0/16"})

    with running(fleet.command("i-target", ["python3", "-c", TALK_SERVER])) as output:
        assert output.readline() == "up\n"
        asked = fleet.run("i-client", TAKE_TURNS)
    assert asked.returncode == 0, asked.stderr
    direct_micros, balanced_micros = (float(micros) for micros in asked.stdout.split())
    # Packets travel the distance of 200 microseconds within the zone twice each way.
    assert 400 <= direct_micros < 800 <= balanced_micros
    pair = Pair("i-client", "i-target", HOSTS["i-client"][1], ADDRESS)
    assert received_by(iperf3(fleet, pair, "-P 4 -n 100M")[0]) < 440
    # The packets stay in the kernel; a forwarder in user space would carry a fraction.
    assert [command for command in commands_in("balancer") if "zone_delay.py" not in command] == []


def commands_in(name: str) -> list[str]:
    """Returns the processes in the namespace of a load balancer."""
    (namespace,) = [one for one in os.listdir("/run/netns") if name in one]
    processes = subprocess.run(["ip", "netns", "pids", namespace], capture_output=True, text=True, check=True).stdout
    return [Path(f"/proc/{process}/cmdline").read_text() for process in processes.split()]


def test_reports_whether_a_host_listens_on_a_port(fleet: Fleet) -> None:
    assert not fleet.is_listening("i-target", 7003)
    with serving(fleet, "i-target", 7003):
        assert fleet.is_listening("i-target", 7003)
        assert not fleet.is_listening("i-client", 7003)
    wait_for("the end of the listener", lambda: not fleet.is_listening("i-target", 7003))
    fleet.create_host("i-killed", "steady", "us-east-1a", "10.0.1.9", {})
    fleet.kill_host("i-killed")
    assert not fleet.is_listening("i-killed", 7003)
    fleet.destroy_host("i-killed")
    with pytest.raises(UnknownHostError):
        fleet.is_listening("i-gone", 7003)


def test_a_removed_load_balancer_leaves_nothing_and_its_address_is_free(fleet: Fleet) -> None:
    fleet.remove_load_balancer("balancer")
    fleet.remove_load_balancer("balancer")

    assert "balancer" not in subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True).stdout
    with serving(fleet, "i-target", TARGET_PORT):
        assert seen_as(fleet, "i-client", ADDRESS, PORT, seconds=SILENCE_SECONDS) is None
    with pytest.raises(UnknownLoadBalancerError, match="got balancer"):
        fleet.set_load_balancer_sources("balancer", set())
    fleet.add_load_balancer("balancer", "us-east-1b", ADDRESS)


def test_fails_for_a_name_or_an_address_in_use(fleet: Fleet) -> None:
    with pytest.raises(ValueError, match="load balancer: must be new, got balancer"):
        fleet.add_load_balancer("balancer", "us-east-1a", "10.0.1.101")
    with pytest.raises(ValueError, match="private address: must be free, got 10.0.1.5"):
        fleet.add_load_balancer("another", "us-east-1a", "10.0.1.5")

    namespaces = subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True).stdout
    assert namespaces.count("balancer") == 1
