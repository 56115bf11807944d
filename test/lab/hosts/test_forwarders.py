"""The processes that carry packets: how long they waited, and the ring of a link with a delay.

The ring meets a stand-in for the kernel that takes every frame back at once.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import time
from pathlib import Path

import pytest
from host_support import TEST_PROFILES

from lab.hosts.forwarder import waited_seconds
from lab.hosts.region import Region
from lab.hosts.zone_delay import Ring

FRAME_BYTES, FRAMES = 69632, 120
PACKETS = 200_000
# The kernel also sets flags above the lowest byte; this one is for a software time stamp.
FILLED = 1 | 1 << 29


@pytest.mark.parametrize(
    ("content", "expected_seconds"),
    [("33052450 686284930 24\n", 0.68628493), ("33052450 0 24\n", 0), ("0 0 0\n", None), ("", None), (None, None)],
    ids=["recorded", "never waited", "a kernel that does not count", "empty", "a kernel without it"],
)
def test_a_forwarder_that_never_waited_is_not_one_whose_waiting_is_not_counted(
    tmp_path: Path, content: str | None, expected_seconds: float | None
) -> None:
    schedstat = tmp_path / "schedstat"
    if content is not None:
        schedstat.write_text(content)
    assert waited_seconds(schedstat) == expected_seconds


class ServiceThatWaited:
    """A service of a region without zones, of which only the waiting matters."""

    is_running = True

    def __init__(self, seconds: float | None) -> None:
        self.waited_seconds = seconds

    def join_zone(self, zone: str, router: str) -> None: ...
    def add_address(self, address: str, zone: str) -> None: ...
    def remove_address(self, address: str) -> None: ...
    def close(self) -> None: ...


@pytest.mark.parametrize(
    ("of_services", "expected_seconds"), [((), 0), ((1.5, 0.0, 2.0), 3.5), ((1.5, None, 2.0), None)]
)
def test_what_one_forwarder_waited_and_nobody_knows_is_missing_in_the_sum(
    of_services: tuple[float | None, ...], expected_seconds: float | None
) -> None:
    region = Region(TEST_PROFILES)
    for seconds in of_services:
        region.add_service(ServiceThatWaited(seconds))
    assert region.waited_seconds == expected_seconds


def fill(memory: mmap.mmap) -> None:
    """Fills each frame as soon as it is returned, so that the ring is always full."""
    statuses = [ctypes.c_uint32.from_buffer(memory, number * FRAME_BYTES) for number in range(FRAMES)]
    for number in range(PACKETS):
        status = statuses[number % FRAMES]
        while status.value != 0:
            pass
        status.value = FILLED


def test_no_frame_is_lost_while_the_ring_is_full() -> None:
    memory = mmap.mmap(-1, FRAME_BYTES * FRAMES)
    ring = Ring(memory)
    kernel = os.fork()
    if kernel == 0:
        try:
            fill(memory)
        finally:
            os._exit(0)

    taken, last_seconds = 0, time.monotonic()
    while taken < PACKETS and time.monotonic() - last_seconds < 60:
        for _ in ring.take():
            taken, last_seconds = taken + 1, time.monotonic()
    os.kill(kernel, 9)
    os.waitpid(kernel, 0)

    assert taken == PACKETS
