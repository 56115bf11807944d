"""Programs that scripts start: they end with their script, and what they print is followed as a user sees it.

`running` needs `end_by_signals` before it. `follow` notes when a program prints nothing.
"""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
# Escape sequences for colours and cursor movements are removed from what was printed.
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def end_by_signals() -> None:
    """Makes SIGTERM and SIGHUP end this script by SystemExit, as Ctrl-C does by KeyboardInterrupt.

    Python's own answer to them ends it at once: no `finally` runs, and what it had started goes on.
    """

    def end(number: int, _: object) -> NoReturn:
        for each in _ENDING_SIGNALS:
            # A second signal would interrupt the cleanup.
            signal.signal(each, signal.SIG_IGN)
        sys.exit(128 + number)

    for number in _ENDING_SIGNALS:
        signal.signal(number, end)


@contextmanager
def running(command: list[str], *, grace_seconds: float = 60, **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Starts a program, and waits for its end when the block is left.

    A block that is left by an exception, also by a signal, ends the program: by SIGTERM, and after `grace_seconds` by
    SIGKILL with all that is in its process group. Ctrl-C on the terminal does not reach the program by itself.
    """
    with subprocess.Popen(command, start_new_session=True, **options) as process:
        try:
            yield process
        except BaseException:
            _end(process, grace_seconds)
            raise


def _end(process: subprocess.Popen[Any], grace_seconds: float) -> None:
    if process.poll() is None and grace_seconds > 0:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace_seconds)
    # Processes that the program has left behind are in its group, which no longer exists if there are none.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@dataclass(frozen=True)
class Silence:
    """A time in which a command printed nothing, counted from the command's start."""

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
        running(command, grace_seconds=grace_seconds, **outputs) as process,
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
        found.append(Silence(silent_since, at_seconds - silent_since, _lines(before)[-1], _lines(part)[0]))
        silent_since = at_seconds
        # A line can come in several parts, and its beginning says more than its end.
        before = before.rpartition(b"\n")[2] + part if not before.endswith(b"\n") else part
    return found


def _lines(output: bytes) -> list[str]:
    """Returns the lines that are not blank, or a single empty one."""
    text = _ESCAPES.sub("", output.decode(errors="replace")).replace("\r", "\n")
    return [line for line in text.split("\n") if line.strip()] or [""]


def _pass_on(_: float, part: bytes) -> None:
    sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()
