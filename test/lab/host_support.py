"""What tests with real hosts share besides the fixtures in conftest.py."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from typing import IO, NamedTuple

from lab.hosts.commands import namespace_path, run, tool
from lab.hosts.fleet import HostFleet
from lab.hosts.machine import AGENT_PATH
from lab.hosts.profiles import Profile, Profiles
from lab.hosts.settings import HostSettings


@contextmanager
def running(argv: list[str]) -> Iterator[IO[str]]:
    """Runs a command in the background and yields its output; at the end its whole process group is killed."""
    process = subprocess.Popen(argv, env=AGENT_ENVIRONMENT, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    try:
        yield process.stdout
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def wait_for(what: str, is_true: Callable[[], object], seconds: float = 300) -> None:
    """Waits until `is_true`. The limit is long, because a busy machine is slow and an early end costs nothing."""
    deadline_seconds = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline_seconds, f"{what}: not within {seconds} s"
        time.sleep(0.05)


AGENT_ENVIRONMENT = {"PATH": AGENT_PATH, "LANG": "C.UTF-8"}


class Fleet(HostFleet):
    """A fleet on whose hosts tests run commands, and whose cards they look at."""

    def run(self, instance_id: str, line: str) -> subprocess.CompletedProcess[str]:
        """Runs a line of shell on a host as root, with the agent's environment."""
        command = self.command(instance_id, ["sh", "-c", line])
        return subprocess.run(command, env=AGENT_ENVIRONMENT, capture_output=True, text=True, timeout=900, check=False)

    def queue(self, instance_id: str, interface: str) -> str:
        """Describes the queue of the card's interface that sends (`up0`) or receives (`host0`), as the kernel does."""
        return run(["tc", "-s", "-n", f"card-{instance_id}", "qdisc", "show", "dev", interface])

    def rules(self, instance_id: str) -> str:
        """Returns the kernel's rules for packets on the card."""
        return run(["nsenter", f"--net={namespace_path(f'card-{instance_id}')}", tool("nft"), "list", "ruleset"])

    def credits_are_spent(self, instance_id: str, direction: str) -> bool:
        log = self._work_dir / instance_id / "credits.ndjson"
        lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        spent = [line["creditsSpent"] for line in lines if line["direction"] == direction]
        return bool(spent) and spent[-1]


def make_profile(name: str, peak: int, baseline: int, bucket: int | None) -> Profile:
    profile = Profile(name, "x86_64", 2, peak, baseline, "Up to", False, True, ["a", "b", "c"], bucket)
    return replace(profile, allowance_counting="ideal")


# The buckets are small, so that a test takes seconds, and the baseline is far less than a busy machine carries:
#  200 ┤▔▔▔╮
#   20 ┤   ╰▁▁▁▁▁▁▁   onset 3 s after a full-rate load
_BURSTING = make_profile("bursting", 200_000_000, 20_000_000, 540_000_000)
TEST_PROFILES = Profiles(
    instance_types={
        "bursting": _BURSTING,
        "steady": make_profile("steady", 400_000_000, 400_000_000, None),
        "as-seen": replace(_BURSTING, allowance_counting="as_seen_on_ec2"),
        "burstable": replace(
            make_profile("burstable", 200_000_000, 200_000_000, None), burstable_cpu=True, cpu_baseline_percent=20
        ),
    },
    time_divisor=20,
    between_zones_micros=500,
    # Far more than a busy machine adds.
    same_zone_micros=200,
    public_path_micros=200,
    flow_cap_bits_per_second={"default": 150_000_000, "clusterGroup": 300_000_000},
)


# How long a client waits that must not get an answer.
SILENCE_SECONDS = 1
# How long one waits that must get one: a busy machine may stand still for seconds, and an answer ends the waiting.
PATIENCE_SECONDS = 60


def answers(fleet: Fleet, client: str, address: str, options: str = "", seconds: float = PATIENCE_SECONDS) -> bool:
    """Returns whether any of three packets that ping sends is answered."""
    return fleet.run(client, f"ping -n -c 3 -i 0.2 -W {seconds} {options} {address}").returncode == 0


def shortest_round_trips_micros(fleet: Fleet, client: str, limits: dict[str, float]) -> dict[str, float]:
    """Pings until the shortest round trip to each address is below its limit.

    The machine's load lengthens round trips and shortens none, so that a distance that is too long stays so.
    """
    shortest = dict.fromkeys(limits, float("inf"))
    pings = [f"ping -n -c 100 -i 0.02 -W 1 {address} >/tmp/ping-{address} &" for address in limits]
    prints = [f"cat /tmp/ping-{address}; echo next" for address in limits]

    def all_are_short() -> bool:
        printed = fleet.run(client, "\n".join([*pings, "wait", *prints])).stdout.split("next\n")
        for address, part in zip(limits, printed, strict=False):
            micros = [float(millis) * 1000 for millis in re.findall(r"time=([\d.]+) ms", part)]
            shortest[address] = min([shortest[address], *micros])
        return all(shortest[address] < limit for address, limit in limits.items())

    wait_for(f"round trips below {limits}", all_are_short)
    return shortest


class Pair(NamedTuple):
    """Two hosts, of which each admits the other, and their addresses."""

    client: str
    server: str
    client_address: str
    address: str


_ORDINARY = HostSettings()
_numbers = count(1)


def make_pair(
    fleet: Fleet,
    client_type: str = "steady",
    server_type: str = "steady",
    client_settings: HostSettings = _ORDINARY,
    server_settings: HostSettings = _ORDINARY,
    server_faults: tuple[str, ...] = (),
) -> Pair:
    number = next(_numbers)
    pair = Pair(f"i-client{number}", f"i-server{number}", f"10.40.{number}.1", f"10.40.{number}.2")
    fleet.create_host(pair.client, client_type, "us-east-1a", pair.client_address, {}, client_settings)
    fleet.set_path_faults(list(server_faults))
    try:
        fleet.create_host(pair.server, server_type, "us-east-1a", pair.address, {}, server_settings)
    finally:
        fleet.set_path_faults([])
    fleet.set_allowed_sources(pair.client, {pair.address})
    fleet.set_allowed_sources(pair.server, {pair.client_address})
    return pair


@contextmanager
def loading(fleet: Fleet, pair: Pair, options: str) -> Iterator[Callable[[], str]]:
    """Runs a load from the client, or with `-R` from the server, for as long as a test needs it.

    The yielded function ends it, and returns what the server printed.
    """
    serve = ["stdbuf", "-oL", "iperf3", "-s", "-1", "-i", "1", "-f", "m"]
    with running(fleet.command(pair.server, serve)) as printed:
        wait_for("iperf3's server", lambda: fleet.is_listening(pair.server, 5201))
        with running(fleet.command(pair.client, ["iperf3", "-c", pair.address, "-t", "3600", *options.split()])):

            def end() -> str:
                fleet.run(pair.client, "pkill -INT -x iperf3")
                return printed.read()

            yield end


def iperf3(fleet: Fleet, pair: Pair, options: str) -> tuple[str, str]:
    """Runs a load from the client, or with `-R` from the server, and returns what both of them printed.

    The options say how many bytes (`-n`), because a busy machine may send next to nothing within a time.
    """
    with running(fleet.command(pair.server, ["stdbuf", "-oL", "iperf3", "-s", "-1", "-i", "1", "-f", "m"])) as printed:
        wait_for("iperf3's server", lambda: fleet.is_listening(pair.server, 5201))
        done = fleet.run(pair.client, f"iperf3 -c {pair.address} -i 1 -f m {options}")
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout, printed.read()


_SECOND = re.compile(
    r"^\[ *(SUM|\d+)\] +([\d.]+)- *([\d.]+) +sec .*?Bytes +([\d.]+) Mbits/sec(?!.*(?:sender|receiver))", re.MULTILINE
)


def seconds_and_megabits(printed: str) -> list[tuple[float, float]]:
    """Returns length and rate of each second of all streams together, as iperf3 prints them.

    On a busy machine a second may be longer. The next one is then shorter, and has the bits that were waiting.
    """
    found = _SECOND.findall(printed)
    assert found, printed
    whole = max(name for name, *_ in found)
    return [(float(end) - float(start), float(rate)) for name, start, end, rate in found if name == whole]


def received_bytes(fleet: Fleet, instance_id: str, interface: str = "eth0") -> int:
    return int(fleet.run(instance_id, f"cat /sys/class/net/{interface}/statistics/rx_bytes").stdout)


def received_by(printed: str) -> float:
    """Returns the megabits per second that the client prints for the receiver at the end, of all streams together."""
    rates = re.findall(r"([\d.]+) Mbits/sec(?: +[\d.]+ ms +\d+/\d+ \S+)? +receiver", printed)
    assert rates, printed
    return float(rates[-1])


def rates_of(queue: str) -> tuple[str, str | None]:
    """Returns the rate and the peak rate of a queue."""
    found = re.search(r" rate (\S+) (?:.* peakrate (\S+) )?", queue)
    assert found, queue
    return found[1], found[2]


def card_counter(fleet: Fleet, instance_id: str, name: str) -> int:
    """Returns what the driver of a host's card has counted."""
    printed = fleet.run(instance_id, "ethtool -S eth0").stdout
    found = re.search(rf"^ +{name}: (\d+)$", printed, re.MULTILINE)
    assert found, printed
    return int(found[1])


CONNECT = """python3 -c '
import socket
server = socket.create_connection(("{address}", {port}), timeout={seconds})
print(server.recv(99).decode())
'"""
# Sends every client the source address of its connection.
SERVE = """
import socket
server = socket.create_server(("", {port}))
print("up", flush=True)
while True:
    client, (address, _) = server.accept()
    client.sendall(address.encode())
    client.close()
"""


@contextmanager
def serving(fleet: Fleet, instance_id: str, port: int = 7000) -> Iterator[None]:
    """Runs the server for `seen_as` on a host."""
    with running(fleet.command(instance_id, ["python3", "-c", SERVE.format(port=port)])) as output:
        assert output.readline() == "up\n"
        yield


def seen_as(fleet: Fleet, client: str, address: str, port: int = 7000, seconds: float = PATIENCE_SECONDS) -> str | None:
    """Returns the client's address as the server sees it, or None if the client does not reach the server in time."""
    done = fleet.run(client, CONNECT.format(address=address, port=port, seconds=seconds))
    return done.stdout.strip() if done.returncode == 0 else None
