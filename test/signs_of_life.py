"""Says what a test run is doing while it prints nothing: a whole lab run or a Trino takes minutes within one test."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import pytest

from lab.runner.progress import SILENCE_SECONDS, SignsOfLife


class TestProgress:
    """How far a run has come. Workers of pytest-xdist report each start and end to the process that asks this one."""

    # Its name begins as that of a class of tests does.
    __test__ = False

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began_at = self._last_line_at = clock()
        self._running: dict[str, float] = {}
        self._ended_count = 0
        self._collected_count: int | None = None
        self._is_at_prompt = False

    def sign_of_life(self) -> str | None:
        """Returns a line when pytest has printed nothing for some seconds; None otherwise."""
        now = self._clock()
        if self._is_at_prompt or now - self._last_line_at < SILENCE_SECONDS:
            return None
        self._last_line_at = now
        if not self._running and self._ended_count == 0:
            return f"collecting the tests, for {now - self._began_at:.0f} s"
        of = "" if self._collected_count is None else f" of {self._collected_count}"
        tests = "test" if (self._collected_count or self._ended_count) == 1 else "tests"
        running = ", ".join(f"{test} for {now - since:.0f} s" for test, since in self._running.items())
        return f"{self._ended_count}{of} {tests} so far" + (f"; running {running}" if running else "; ending")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        # With workers, each of them collects, and this process has no items.
        self._collected_count = len(session.items) or None

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._running[nodeid] = self._clock()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        # pytest has just printed the test's dot.
        self._running.pop(nodeid, None)
        self._ended_count += 1
        self._last_line_at = self._clock()

    def pytest_enter_pdb(self) -> None:
        self._is_at_prompt = True

    def pytest_leave_pdb(self) -> None:
        self._is_at_prompt = False


class PrintedProgress(TestProgress):
    """Prints the signs of life to the terminal or the pipe of the run, past the capture of what a test prints."""

    __test__ = False

    def __init__(self, output: int) -> None:
        super().__init__()
        self._output = os.dup(output)
        self._signs = SignsOfLife(self.sign_of_life, self._write)
        self._signs.start()

    def pytest_unconfigure(self) -> None:
        self._signs.stop()

    def _write(self, line: str) -> None:
        # The cursor may be behind a row of dots.
        os.write(self._output, f"\n{line}\n".encode())
