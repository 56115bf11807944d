"""Runs a command and notes when it prints nothing: `follow`, for the scripts that look at commands as a user does."""

from __future__ import annotations

import os
import re
import selectors
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import child_processes  # noqa: E402

# Colours and movements of the cursor say nothing about what was printed.
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True)
class Silence:
    """A time in which a command printed nothing, from the command's start on."""

    from_seconds: float
    seconds: float
    line_before: str
    """The last line before it; empty at the start of the command."""
    line_after: str
    """The first line after it; empty at the end of the command."""


@dataclass(frozen=True)
class Ended:
    """A command that has ended, with all times in which it printed nothing."""

    code: int
    seconds: float
    output: str
    silences: list[Silence]

    @property
    def longest_silence(self) -> Silence:
        return max(self.silences, key=lambda silence: silence.seconds)


def follow(
    command: list[str], echo: Callable[[float, bytes], None] | None = None, *, grace_seconds: float = 60
) -> Ended:
    """Runs a command without standard input, and passes on what it prints, both outputs in one.

    Any output ends a silence, also a part of a line such as the dots of a test runner. `echo` gets each part with the
    seconds since the start; without it, the parts go to standard output as they are. Whoever stops following ends the
    command, which has `grace_seconds` to clear up.
    """
    echo = echo or _pass_on
    started = time.monotonic()
    parts: list[tuple[float, bytes]] = []
    outputs = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with (
        child_processes.running(command, grace_seconds=grace_seconds, **outputs) as process,
        selectors.DefaultSelector() as selector,
    ):
        assert process.stdout is not None
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            selector.select()
            part = os.read(process.stdout.fileno(), 1 << 16)
            parts.append((time.monotonic() - started, part))
            if not part:
                break
            echo(*parts[-1])
        code = process.wait()
    output = b"".join(part for _, part in parts).decode(errors="replace")
    return Ended(code, time.monotonic() - started, output, _silences(parts))


def _silences(parts: list[tuple[float, bytes]]) -> list[Silence]:
    """Returns the time before each part; the last part is the empty one at the end of the output."""
    found = []
    silent_since, before = 0.0, b""
    for at_seconds, part in parts:
        found.append(Silence(silent_since, at_seconds - silent_since, _last_line(before), _first_line(part)))
        silent_since = at_seconds
        # A line can come in several parts, and its beginning says more than its end.
        before = before.rpartition(b"\n")[2] + part if not before.endswith(b"\n") else part
    return found


def _last_line(output: bytes) -> str:
    return _lines(output)[-1]


def _first_line(output: bytes) -> str:
    return _lines(output)[0]


def _lines(output: bytes) -> list[str]:
    """Returns the lines that say something, or an empty one."""
    text = _ESCAPES.sub("", output.decode(errors="replace")).replace("\r", "\n")
    return [line for line in text.split("\n") if line.strip()] or [""]


def _pass_on(_: float, part: bytes) -> None:
    sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()
