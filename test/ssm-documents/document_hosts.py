"""What the tests do to hosts while they measure."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path

MEASUREMENT = "p0001-m01"
# As much as a busy machine may be late with a chunk; one that waits for the next cut is late by all of that one's time.
LATE_SECONDS = 4
INTERVAL = re.compile(r"^\[\s*\d+\](?:\[[RT]X-[CS]\])?\s+(\d+\.\d+)-(\d+\.\d+)\s+sec")


def processes_of(host) -> list[int]:
    """Every living process that carries the host's environment."""
    mark = f"TEST_HOST={host.directory}".encode()
    found = []
    for directory in Path("/proc").iterdir():
        if re.fullmatch(r"\d+", directory.name):
            try:
                if mark in (directory / "environ").read_bytes().split(b"\0"):
                    found.append(int(directory.name))
            except OSError:
                continue
    return found


def port_holders(port: str) -> set[int]:
    """Ids of the processes that listen on it."""
    listeners = subprocess.run(["ss", "-Htlnp", f"sport = :{port}"], capture_output=True, text=True, check=True).stdout
    return {int(pid) for pid in re.findall(r"pid=(\d+)", listeners)}


def command_line(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""  # it has ended


def wait_for(what: str, is_true, seconds: float = 30) -> None:
    """Long, because a busy machine takes its time; a wait that is over early costs nothing."""
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s"
        time.sleep(0.05)


def after(seconds: float, action):
    """For `on_start`: does something to the command's process while it runs."""

    def start(process):
        threading.Timer(seconds, action, [process]).start()

    return start


def runs(host, *beginning: str) -> list[int]:
    """The host's processes whose command line begins like this: programs themselves, not what started them."""
    wanted = "".join(f"{word}\0" for word in beginning).encode()
    return [process for process in processes_of(host) if command_line(process).startswith(wanted)]


def kill_host(host) -> None:
    for process in processes_of(host):
        # Some end by the end of another.
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def shim(host, name: str, script: str) -> None:
    """Puts a program of the test before the machine's own on the host's PATH."""
    path = host.directory / "bin" / name
    path.write_text(f"#!/bin/bash\n{script}\n")
    path.chmod(0o755)
