"""Forwards packets between two interfaces and delays each one.

It runs as a process in a namespace without addresses. netem does the same, but not every kernel has it, and one
implementation that is tested everywhere is better than two. Packets keep the kernel's size (up to 64 KB, after the
offload header), so a few thousand wake-ups a second carry gigabits.

usage: zone_delay.py INTERFACE INTERFACE ONE_WAY_MICROS

Each line of standard input sets the delay of later packets; the program ends at the end of the input.
"""

import ctypes
import mmap
import os
import select
import socket
import struct
import sys
import time
from collections import deque
from collections.abc import Iterator

_ETH_P_ALL = 0x0003
_SOL_PACKET = 263
_PACKET_RX_RING, _PACKET_VERSION, _PACKET_VNET_HDR, _PACKET_IGNORE_OUTGOING = 5, 10, 15, 23
_TPACKET_V2 = 1
_PR_SET_TIMERSLACK = 29

# The sockets use a ring, because their default buffer holds only three large packets and an ordinary user may not
# enlarge it. A frame holds the largest packet with its headers, in whole pages; a block holds whole frames.
_FRAME_BYTES = 69632
_FRAMES_PER_BLOCK, _BLOCKS = 15, 8
_FRAMES = _FRAMES_PER_BLOCK * _BLOCKS
_STATUS_USER = 1
# struct tpacket2_hdr: status, len, snaplen, mac, net, sec, nsec, …
_FRAME_HEADER = struct.Struct("=IIIHHII")
_VNET_HEADER_BYTES = 10
# Packets that are due this soon are sent at once: an error of some microseconds is better than another sleep.
_EARLY_SECONDS = 0.00002


class Ring:
    """The ring of frames that the kernel fills and this process returns."""

    def __init__(self, memory: mmap.mmap) -> None:
        self._memory = memory
        # A frame must be returned by a single write. Struct's pack_into writes twice: if the ring was full, the kernel
        # may fill the frame in between, and the second write hides that. From then on, every packet is one round late.
        self._statuses = [ctypes.c_uint32.from_buffer(memory, number * _FRAME_BYTES) for number in range(_FRAMES)]
        self._next = 0

    def take(self) -> Iterator[tuple[float, bytes]]:
        """Yields each packet in the ring, with its offload header, and the time at which the kernel received it."""
        while True:
            status, start = self._statuses[self._next], self._next * _FRAME_BYTES
            if not status.value & _STATUS_USER:
                return
            _, _, captured_bytes, mac, _, seconds, nanoseconds = _FRAME_HEADER.unpack_from(self._memory, start)
            first = start + mac - _VNET_HEADER_BYTES
            yield seconds + nanoseconds / 1e9, self._memory[first : start + mac + captured_bytes]
            status.value = 0
            self._next = (self._next + 1) % _FRAMES


class _Side:
    """One interface, with a ring to read from and a socket to write to."""

    def __init__(self, interface: str) -> None:
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.socket.setsockopt(_SOL_PACKET, _PACKET_VERSION, _TPACKET_V2)
        self.socket.setsockopt(_SOL_PACKET, _PACKET_VNET_HDR, 1)
        self.socket.setsockopt(_SOL_PACKET, _PACKET_IGNORE_OUTGOING, 1)
        self.socket.setsockopt(
            _SOL_PACKET,
            _PACKET_RX_RING,
            struct.pack("=IIII", _FRAME_BYTES * _FRAMES_PER_BLOCK, _BLOCKS, _FRAME_BYTES, _FRAMES),
        )
        self._ring = Ring(
            mmap.mmap(self.socket.fileno(), _FRAME_BYTES * _FRAMES, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
        )
        self.socket.bind((interface, _ETH_P_ALL))
        self.waiting: deque[tuple[float, bytes]] = deque()

    def take(self, one_way_seconds: float) -> None:
        """Queues every packet that has arrived; its delay begins at the time at which the kernel received it."""
        now_seconds, wall_clock_seconds = time.monotonic(), time.time()
        for seen_seconds, packet in self._ring.take():
            age_seconds = wall_clock_seconds - seen_seconds
            # The wall clock may have been set since the kernel received the packet.
            left_seconds = min(one_way_seconds, max(0.0, one_way_seconds - age_seconds))
            self.waiting.append((now_seconds + left_seconds, packet))

    def send_due(self, other: "_Side", now_seconds: float) -> None:
        while self.waiting and self.waiting[0][0] <= now_seconds:
            packet = self.waiting.popleft()[1]
            try:
                other.socket.send(packet)
            except OSError:
                # As on a real link, a packet that can't be sent is lost; the next one is tried.
                continue


def carry(first: _Side, second: _Side, one_way_seconds: float) -> None:
    inputs = [first.socket, second.socket, sys.stdin]
    while True:
        now_seconds = time.monotonic()
        waiting = [side.waiting[0][0] for side in (first, second) if side.waiting]
        wait_seconds = max(0.0, min(waiting) - now_seconds) if waiting else None
        readable, _, _ = select.select(inputs, [], [], wait_seconds)
        if sys.stdin in readable:
            lines = os.read(sys.stdin.fileno(), 4096).split()
            if not lines:
                return
            one_way_seconds = int(lines[-1]) / 1_000_000
        first.take(one_way_seconds)
        second.take(one_way_seconds)
        now_seconds = time.monotonic()
        first.send_due(second, now_seconds + _EARLY_SECONDS)
        second.send_due(first, now_seconds + _EARLY_SECONDS)


def main() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, 1, 0, 0, 0)
    first, second = (_Side(interface) for interface in sys.argv[1:3])
    print("ready", flush=True)
    carry(first, second, int(sys.argv[3]) / 1_000_000)


if __name__ == "__main__":
    main()
