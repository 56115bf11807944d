"""Looks at hosts and interferes with them while they measure."""

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
INTERVAL = re.compile(r"^\[\s*\d+\](?:\[[RT]X-[CS]\])?\s+(\d+\.\d+)-(\d+\.\d+)\s+sec")


def processes_of(host) -> list[int]:
    """Returns every living process that has the host's environment."""
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
    """Returns the ids of the processes that listen on the port."""
    listeners = subprocess.run(["ss", "-Htlnp", f"sport = :{port}"], capture_output=True, text=True, check=True).stdout
    return {int(pid) for pid in re.findall(r"pid=(\d+)", listeners)}


def command_line(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""  # it has ended


def wait_for(what: str, is_true, seconds: float = 120) -> None:
    """Waits until `is_true`. The limit is long, because a busy machine is slow and an early end costs nothing."""
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s"
        time.sleep(0.05)


def meanwhile(action):
    """For `on_start`: runs the action beside the command, with the command's process as its argument."""

    def start(process):
        threading.Thread(target=action, args=[process]).start()

    return start


def calls_of(host, program: str) -> list[str]:
    """Returns the arguments of each call that a program of conftest.py has recorded."""
    record = host.directory / f"{program}-calls"
    return record.read_text().splitlines() if record.exists() else []


def boot_finished(host) -> Path:
    """Returns the file that cloud-init writes when user data has ended."""
    return host.directory / "lib" / "cloud" / "instance" / "boot-finished"


def runs(host, *beginning: str) -> list[int]:
    """Returns the host's processes whose command line begins like this: the programs, not what started them."""
    wanted = "".join(f"{word}\0" for word in beginning).encode()
    return [process for process in processes_of(host) if command_line(process).startswith(wanted)]


def kill_host(host) -> None:
    for process in processes_of(host):
        # The end of one process may have ended another.
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def shim(host, name: str, script: str) -> None:
    """Puts a script on the host's PATH, in front of the machine's own programs."""
    path = host.directory / "bin" / name
    path.write_text(f"#!/bin/bash\n{script}\n")
    path.chmod(0o755)
