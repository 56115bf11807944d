"""Samples, once a second beside the tool, the interface's and its driver's counters, and the processors.

Of the processors: what the tool used, how long it waited for one, and how busy they were with anything at all.
"""

from __future__ import annotations

import contextlib
import glob
import os
import re
import subprocess
import threading
import time
from typing import TYPE_CHECKING

from tool_run import stat_fields

if TYPE_CHECKING:
    from stream import Stream

INTERFACE_COUNTERS = [f"{way}_{what}" for what in ("bytes", "packets", "dropped", "errors") for way in ("rx", "tx")]
# ENA has hundreds of counters. These report what it shaped or dropped, and what ENA Express carried.
DRIVER_COUNTER = re.compile(rb"^\s*(\w+_allowance_exceeded|ena_srd_\w+_pkts):\s*(\d+)\s*$", re.MULTILINE)
# A reading of the driver's counters that takes longer would delay the next sample, so it is given up.
ETHTOOL_SECONDS = 0.9
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class Sampler(threading.Thread):
    """Reads all counters once a second and adds them to the stream."""

    def __init__(self, stream: Stream, interface: str, process_id: int) -> None:
        super().__init__(name="sampler", daemon=True)
        self._stream = stream
        self._interface = interface
        self._processor_time = ProcessorTime(process_id)
        self._ended = threading.Event()
        self._driver_has_counters = True
        self._files: dict[str, int] = {}
        for counter in INTERFACE_COUNTERS:
            with contextlib.suppress(OSError):
                self._files[counter] = os.open(f"/sys/class/net/{interface}/statistics/{counter}", os.O_RDONLY)

    def run(self) -> None:
        start = time.monotonic()
        second = 0
        while True:
            self.sample()
            # Due times count from the start, so a slow sample does not shift later ones; missed seconds are omitted.
            second = max(second + 1, int(time.monotonic() - start))
            if self._ended.wait(max(0.0, start + second - time.monotonic())):
                return

    def sample(self) -> None:
        try:
            counters = {name: int(os.pread(file, 32, 0)) for name, file in self._files.items()}
        except (OSError, ValueError):
            counters = {}
        if counters:
            self._stream.add("interface", counters=counters | tcp_timeouts())
        used = self._processor_time.read()
        if used is not None:
            self._stream.add("cpu", counters=used | steal_time() | processor_pressure())
        counted = self._read_driver_counters()
        if counted:
            self._stream.add("ethtool", counters=counted)

    def _read_driver_counters(self) -> dict[str, int]:
        if not self._driver_has_counters:
            return {}
        try:
            command = ["ethtool", "-S", self._interface]
            answer = subprocess.run(command, capture_output=True, timeout=ETHTOOL_SECONDS, check=False).stdout
        except (OSError, subprocess.TimeoutExpired):
            return {}
        counted = {name.decode(): int(value) for name, value in DRIVER_COUNTER.findall(answer)}
        # A driver that lacks these counters will not get them later, so further processes would be wasted.
        self._driver_has_counters = bool(counted)
        return counted

    def end(self) -> None:
        self._ended.set()
        self.join(timeout=2)
        self.sample()


class ProcessorTime:
    """The processor time of a process, of its descendants, and of those descendants that ended and were waited for.

    Beside it, the time in which their threads could run and waited for a processor; a thread that ends takes along what
    it waited since the reading before.
    """

    def __init__(self, process_id: int) -> None:
        self._process_id = process_id
        self._highest = (0, 0)
        self._waited_nanoseconds = 0
        self._waited_of_threads: dict[str, int] = {}

    def read(self) -> dict[str, float] | None:
        """Returns cumulative seconds, or None when the process is gone."""
        user, system, unread = 0, 0, [self._process_id]
        waited_of_threads: dict[str, int] = {}
        while unread:
            process_id = unread.pop()
            # Read a parent before its children. A child that ends between the two readings is then missing from this
            # sample and part of its parent's time in the next; in the other order it would be counted twice.
            ticks = processor_ticks(process_id)
            if ticks is None:
                if process_id == self._process_id:
                    return None
                continue
            user, system = user + ticks[0], system + ticks[1]
            waited_of_threads |= run_delays(process_id)
            unread += children_of(process_id)
        user, system = self._highest = (max(user, self._highest[0]), max(system, self._highest[1]))
        used = {"user_seconds": user / TICKS_PER_SECOND, "system_seconds": system / TICKS_PER_SECOND}
        return used | self._waited(waited_of_threads)

    def _waited(self, of_threads: dict[str, int]) -> dict[str, float]:
        """Returns nothing on a kernel that does not count it, because 0 would say that nothing ever waited."""
        before, self._waited_of_threads = self._waited_of_threads, of_threads
        if not of_threads:
            return {}
        grown = (nanoseconds - before.get(thread, 0) for thread, nanoseconds in of_threads.items())
        # A thread that has the number of one that ended counts from 0 again.
        self._waited_nanoseconds += sum(max(0, each) for each in grown)
        return {"waiting_seconds": self._waited_nanoseconds / 1e9}


def tcp_timeouts() -> dict[str, int]:
    """Returns how often the retransmission timer of any of the host's connections has run out."""
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/net/netstat", "rb") as file:
        # Two lines: the names, and the counters in the same order.
        names, counters = (line.split() for line in file if line.startswith(b"TcpExt:"))
        return {"tcp_timeouts": int(counters[names.index(b"TCPTimeouts")])}
    return {}


def steal_time() -> dict[str, float]:
    """Returns the cumulative seconds in which the host had work to do and did not run, summed over its processors.

    The hypervisor takes them: from a T type that is out of CPU credits, most of each second (proc_stat(5): steal).
    """
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/stat", "rb") as file:
        # The first line is the sum: cpu user nice system idle iowait irq softirq steal guest guest_nice.
        return {"steal_seconds": int(file.readline().split()[8]) / TICKS_PER_SECOND}
    return {}


def processor_pressure() -> dict[str, float]:
    """Returns the cumulative seconds in which anything on the host waited for a processor.

    On hosts of several processors the kernel weights each processor by its load (Documentation/accounting/psi.rst).
    Some kernels are built without it, and others refuse to read the file.
    """
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/pressure/cpu", "rb") as file:
        # some avg10=0.00 avg60=0.00 avg300=0.00 total=31164433, in microseconds
        return {"pressure_seconds": int(file.readline().rpartition(b"total=")[2]) / 1e6}
    return {}


def run_delays(process_id: int) -> dict[str, int]:
    """Returns the nanoseconds that each thread of a process could run and waited for a processor, by its file."""
    delays: dict[str, int] = {}
    for path in glob.glob(f"/proc/{process_id}/task/*/schedstat"):
        with contextlib.suppress(OSError, ValueError), open(path, "rb") as file:
            # Time on a processor, time waiting for one, number of turns (Documentation/scheduler/sched-stats.rst).
            on_processor, waited, turns = map(int, file.read().split())
            # A kernel that has the file and does not count shows zeros, and so does a thread before its first turn.
            if on_processor or waited or turns:
                delays[path] = waited
    return delays


def processor_ticks(process_id: int) -> tuple[int, int] | None:
    """Returns user and system time of a process and of the children it waited for, or None when it is gone."""
    fields = stat_fields(process_id)
    if not fields:
        return None
    user, system, waited_user, waited_system = map(int, fields[11:15])
    return user + waited_user, system + waited_system


def children_of(process_id: int) -> list[int]:
    """Returns the children of all threads of a process: the kernel lists them by the thread that started them."""
    children: list[int] = []
    for path in glob.glob(f"/proc/{process_id}/task/*/children"):
        with contextlib.suppress(OSError), open(path, "rb") as file:
            children += map(int, file.read().split())
    return children


def default_interface() -> str:
    """Returns the interface of the default route; prepare-host has made sure that there is one."""
    with open("/proc/net/route", encoding="ascii") as file:
        for line in file.readlines()[1:]:
            interface, destination, *_ = line.split()
            if destination == "00000000":
                return interface
    raise LookupError("network interface: must have the default route, there is none")
