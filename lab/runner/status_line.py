"""One line that says what goes on: on a terminal it is rewritten, in a log it is printed now and then."""

import os
import threading
import time
from collections.abc import Callable, Hashable
from datetime import datetime
from typing import TextIO

from lab.runner.progress import CHECK_SECONDS

# A log has at most one line of the status in this time, and only if the status has changed.
LOG_SECONDS = 30.0
ERASE = "\r\x1b[K"


class StatusLine:
    """`describe` returns the status, and what of it must change for a log to have it again.

    The clock is a parameter, so that tests need not wait.
    """

    def __init__(
        self, describe: Callable[[], tuple[str, Hashable]], stream: TextIO, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._describe = describe
        self._stream = stream
        self._clock = clock
        self._is_terminal = stream.isatty()
        self._shown: Hashable = None
        self._printed_at = clock()
        # A signal's handler may come while this thread writes.
        self._lock = threading.RLock()
        self._over = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._run, daemon=True).start()

    def end(self) -> None:
        with self._lock:
            self._over.set()
            self._erase()

    def print(self, line: str) -> None:
        """Prints a line that stays, above the status."""
        with self._lock:
            self._erase()
            self._stream.write(_with_time(line) + "\n")
            self._stream.flush()
            self._printed_at = self._clock()

    def renew(self) -> None:
        with self._lock:
            text, key = self._describe()
            if self._is_terminal:
                key = text
            if self._over.is_set() or key == self._shown:
                return
            if self._is_terminal:
                columns = os.get_terminal_size(self._stream.fileno()).columns or 80
                # In the last column, some terminals would begin another line.
                self._stream.write(ERASE + _with_time(text)[: columns - 1])
                self._stream.flush()
            elif self._clock() - self._printed_at >= LOG_SECONDS:
                self.print(text)
            else:
                return
            self._shown = key

    def _erase(self) -> None:
        if self._is_terminal and self._shown is not None:
            self._stream.write(ERASE)
            self._stream.flush()
            self._shown = None

    def _run(self) -> None:
        while not self._over.wait(CHECK_SECONDS):
            self.renew()


def _with_time(line: str) -> str:
    return f"{datetime.now():%H:%M:%S}  {line}"
