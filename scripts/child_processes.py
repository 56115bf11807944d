"""Programs that end with the script that started them: `running`, after `end_by_signals`."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


def end_by_signals() -> None:
    """Makes SIGTERM and SIGHUP end this script by SystemExit, as Ctrl-C does by KeyboardInterrupt.

    Python's own answer to them ends it at once: no `finally` runs, and what it had started goes on.
    """

    def end(number: int, _: object) -> NoReturn:
        for each in _ENDING_SIGNALS:
            # Another one would interrupt the clearing up.
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
    # What the program has left behind is in its group, which has gone if nothing is left.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
