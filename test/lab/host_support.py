"""What tests with real hosts share besides the fixtures in conftest.py."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import IO

from lab.hosts.fleet import HostFleet
from lab.hosts.machine import AGENT_PATH
from lab.hosts.profiles import Profile, Profiles


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


def wait_for(what: str, is_true: Callable[[], object], seconds: float = 120) -> None:
    """Waits until `is_true`. The limit is long, because a busy machine is slow and an early end costs nothing."""
    deadline_seconds = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline_seconds, f"{what}: not within {seconds} s"
        time.sleep(0.05)


RunOnHost = Callable[[str, str], "subprocess.CompletedProcess[str]"]
AGENT_ENVIRONMENT = {"PATH": AGENT_PATH, "LANG": "C.UTF-8"}


def make_profile(name: str, peak: int, baseline: int, bucket: int | None) -> Profile:
    profile = Profile(name, "x86_64", 2, peak, baseline, "Up to", False, True, ["a", "b", "c"], bucket)
    return replace(profile, allowance_counting="ideal")


# The buckets are small, so that a test takes seconds:
#  400 ┤▔▔▔╮
#   60 ┤   ╰▁▁▁▁▁▁▁   onset 3 s after a full-rate load
TEST_PROFILES = Profiles(
    instance_types={
        "bursting": make_profile("bursting", 400_000_000, 60_000_000, 1_020_000_000),
        "steady": make_profile("steady", 400_000_000, 400_000_000, None),
        "as-seen": replace(
            make_profile("bursting", 400_000_000, 60_000_000, 1_020_000_000), allowance_counting="as_seen_on_ec2"
        ),
        "burstable": replace(
            make_profile("burstable", 200_000_000, 200_000_000, None), burstable_cpu=True, cpu_baseline_percent=20
        ),
    },
    time_divisor=20,
    zone_latency_micros={"default": 500},
    # Far more than a busy machine adds.
    same_zone_micros=200,
    public_path_micros=200,
    flow_cap_bits_per_second={"default": 150_000_000, "clusterGroup": 300_000_000},
)


def round_trips_micros(run_on_host: RunOnHost, client: str, address: str, count: int = 50) -> list[float]:
    """Returns the round trips that ping prints for the packets that were answered."""
    printed = run_on_host(client, f"ping -n -c {count} -i 0.02 -W 1 {address}").stdout
    return [float(millis) * 1000 for millis in re.findall(r"time=([\d.]+) ms", printed)]


def least_round_trips_micros(run_on_host: RunOnHost, client: str, *addresses: str) -> list[float]:
    """Returns the shortest round trip to each address: the machine's load lengthens some of them and shortens none."""
    pings = [f"ping -n -c 100 -i 0.02 -W 1 {address} >/tmp/ping-{address} &" for address in addresses]
    prints = [f"cat /tmp/ping-{address}; echo next" for address in addresses]
    printed = run_on_host(client, "\n".join([*pings, "wait", *prints])).stdout.split("next\n")[: len(addresses)]
    return [min(float(millis) * 1000 for millis in re.findall(r"time=([\d.]+) ms", part)) for part in printed]


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
def serving_sockperf(fleet: HostFleet, instance_id: str) -> Iterator[None]:
    with running(fleet.command(instance_id, ["sockperf", "server", "--tcp"])):
        wait_for("sockperf's server", lambda: fleet.is_listening(instance_id, 11111))
        yield


@contextmanager
def serving(fleet: HostFleet, instance_id: str, port: int = 7000) -> Iterator[None]:
    """Runs the server for `seen_as` on a host."""
    with running(fleet.command(instance_id, ["python3", "-c", SERVE.format(port=port)])) as output:
        assert output.readline() == "up\n"
        yield


# How long a client waits that must not get an answer.
SILENCE_SECONDS = 1


def seen_as(run_on_host: RunOnHost, client: str, address: str, port: int = 7000, seconds: float = 10) -> str | None:
    """Returns the client's address as the server sees it, or None if the client does not reach the server in time."""
    done = run_on_host(client, CONNECT.format(address=address, port=port, seconds=seconds))
    return done.stdout.strip() if done.returncode == 0 else None
