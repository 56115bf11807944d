"""What a host's fault withholds of its processors: starts and ends the program that does so, on the host itself."""

import subprocess
import sys
from pathlib import Path

from lab.hosts.machine import AGENT_PATH, Machine

_PROGRAM = Path(__file__).with_name("cpu_share.py")


class WithheldCpu:
    """Gives the programs of a host a share of one processor for as long as a fault says so."""

    def __init__(self, machine: Machine, state: Path) -> None:
        self._machine = machine
        self._state = state
        self._share: float | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._ended_seconds = 0.0

    @property
    def seconds(self) -> float:
        """Returns how long the host's programs have been kept from running so far."""
        return self._ended_seconds + (self._read() if self._process else 0.0)

    def follow(self, share: float | None) -> None:
        if share == self._share:
            return
        self.end()
        self._share = share
        if share is not None:
            argv = self._machine.command([sys.executable, "-c", _PROGRAM.read_text(), str(share)])
            with self._file.open("wb") as file:
                self._process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=file, env={"PATH": AGENT_PATH})

    def end(self) -> None:
        if self._process:
            self._process.communicate()
            self._ended_seconds += self._read()
            self._process = None

    @property
    def _file(self) -> Path:
        return self._state / "withheld-cpu-seconds"

    def _read(self) -> float:
        return float(self._file.read_text() or 0)
