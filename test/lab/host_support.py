"""What tests with real hosts share besides the fixtures in conftest.py."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO

from lab.hosts import Profile, Profiles
from lab.hosts.machine import AGENT_PATH


@contextmanager
def running(argv: list[str]) -> Iterator[IO[str]]:
    """A command in the background, as its output; at the end all of its process group is killed."""
    process = subprocess.Popen(argv, env=AGENT_ENVIRONMENT, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    try:
        yield process.stdout
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


RunOnHost = Callable[[str, str], "subprocess.CompletedProcess[str]"]
AGENT_ENVIRONMENT = {"PATH": AGENT_PATH, "LANG": "C.UTF-8"}


def make_profile(name: str, peak: int, baseline: int, bucket: int | None) -> Profile:
    return Profile(name, "x86_64", 2, peak, baseline, bucket, "Up to", False, True, ("a", "b", "c"))


# Small enough for a test of seconds:
#  400 ┤▔▔▔╮
#   60 ┤   ╰▁▁▁▁▁▁▁   onset 3 s after a full-rate load
TEST_PROFILES = Profiles(
    instance_types={
        "bursting": make_profile("bursting", 400_000_000, 60_000_000, 1_020_000_000),
        "steady": make_profile("steady", 400_000_000, 400_000_000, None),
    },
    rate_divisor=10,
    time_divisor=20,
    zone_latency_micros={"default": 500},
    same_zone_micros=50,
    public_path_micros=100,
)
