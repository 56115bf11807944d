"""Once a second, beside the tool: counters of the interface and of its driver, and the tool's processor time."""

from __future__ import annotations

import glob
import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable

INTERFACE_COUNTERS = (
    "rx_bytes",
    "tx_bytes",
    "rx_packets",
    "tx_packets",
    "rx_dropped",
    "tx_dropped",
    "rx_errors",
    "tx_errors",
)
# Of the hundreds that ENA has: what it shaped or dropped, and what ENA Express carried.
DRIVER_COUNTER = re.compile(rb"^\s*(\w+_allowance_exceeded|ena_srd_\w+_pkts):\s*(\d+)\s*$", re.MULTILINE)
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class Sampler(threading.Thread):
    """Reads all of it, and hands it to `add` (`Stream.add`)."""

    def __init__(self, add: Callable, interface: str | None, process_id: int) -> None:
        super().__init__(name="sampler", daemon=True)
        self._add = add
        self._interface = interface
        self._processor_time = ProcessorTime(process_id)
        self._ended = threading.Event()
        self._files = self._open_counters()
        self._ethtool = shutil.which("ethtool") if interface else None

    def _open_counters(self) -> dict[str, int]:
        files = {}
        for counter in INTERFACE_COUNTERS if self._interface else ():
            try:
                files[counter] = os.open(f"/sys/class/net/{self._interface}/statistics/{counter}", os.O_RDONLY)
            except OSError:
                continue
        return files

    def run(self) -> None:
        start = time.monotonic()
        second = 0
        while True:
            self.sample()
            # Counted from the start, so that a slow sample does not shift those after it; missed seconds stay missed.
            second = max(second + 1, int(time.monotonic() - start))
            if self._ended.wait(max(0.0, start + second - time.monotonic())):
                return

    def sample(self) -> None:
        try:
            counters = {name: int(os.pread(file, 32, 0)) for name, file in self._files.items()}
        except (OSError, ValueError):
            counters = {}
        if counters:
            self._add("interface", counters=counters)
        used = self._processor_time.read()
        if used is not None:
            self._add("cpu", counters=used)
        counted = self._read_driver_counters()
        if counted:
            self._add("ethtool", counters=counted)

    def _read_driver_counters(self) -> dict[str, int]:
        if self._ethtool is None:
            return {}
        try:
            answer = subprocess.run(
                [self._ethtool, "-S", self._interface],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=0.9,
                check=False,
            ).stdout
        except (OSError, subprocess.TimeoutExpired):
            return {}
        counted = {name.decode(): int(value) for name, value in DRIVER_COUNTER.findall(answer)}
        if not counted:
            # A driver without these counters will not grow them: no fork a second for nothing.
            self._ethtool = None
        return counted

    def end(self) -> None:
        self._ended.set()
        self.join(timeout=2)
        self.sample()


class ProcessorTime:
    """What a process, its descendants, and those of them that have ended and been waited for took together."""

    def __init__(self, process_id: int) -> None:
        self._process_id = process_id
        self._most = (0, 0)

    def read(self) -> dict[str, float] | None:
        """Cumulative seconds; None when the process is gone."""
        user, system, waiting = 0, 0, [self._process_id]
        while waiting:
            process_id = waiting.pop()
            # A parent before its children: one that ends in between is missing here and with its parent in the next
            # second. The other way round it would be counted twice.
            ticks = processor_ticks(process_id)
            if ticks is None:
                if process_id == self._process_id:
                    return None
                continue
            user, system = user + ticks[0], system + ticks[1]
            waiting += children_of(process_id)
        self._most = (max(user, self._most[0]), max(system, self._most[1]))
        return {
            "user_seconds": self._most[0] / TICKS_PER_SECOND,
            "system_seconds": self._most[1] / TICKS_PER_SECOND,
        }


def processor_ticks(process_id: int) -> tuple[int, int] | None:
    """User and system time of a process and of the children that it has waited for; None when it is gone."""
    try:
        with open(f"/proc/{process_id}/stat", "rb") as file:
            # The name stands in brackets and may have any character in it.
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    user, system, waited_user, waited_system = map(int, fields[11:15])
    return user + waited_user, system + waited_system


def children_of(process_id: int) -> list[int]:
    """Of all its threads: each has its own list."""
    children = []
    for path in glob.glob(f"/proc/{process_id}/task/*/children"):
        try:
            with open(path, "rb") as file:
                children += map(int, file.read().split())
        except OSError:
            continue
    return children


def default_interface() -> str | None:
    """The interface of the default route; a host without one has only itself to talk to."""
    with open("/proc/net/route", encoding="ascii") as file:
        for line in file.readlines()[1:]:
            interface, destination, *_ = line.split()
            if destination == "00000000":
                return interface
    return "lo" if os.path.isdir("/sys/class/net/lo") else None
