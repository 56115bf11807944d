"""The ring of a link with a delay, against a stand-in for the kernel that takes every frame back at once."""

from __future__ import annotations

import ctypes
import mmap
import os
import time

from lab.hosts.zone_delay import Ring

FRAME_BYTES, FRAMES = 69632, 120
PACKETS = 200_000
# The kernel also sets flags above the lowest byte; this one is for a software time stamp.
FILLED = 1 | 1 << 29


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
