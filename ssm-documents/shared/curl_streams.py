"""Parallel streams of curl for a given time: each transfers again and again, and is cut off in its last transfer.

Prints one JSON object a line: `start`, a `transfer` for each that has ended, `end`. A URL is a credential where it is
presigned: curl reads it from its standard input, and it is in no argument, no line and no error that is printed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

CONNECT_SECONDS = 5
# What is left of the time at the end is not worth another connection.
SHORTEST_SECONDS = 0.05
# curl looks at its clock now and then; one that ended this much before the time was over ended for another reason.
CLOCK_SECONDS = 0.5
TIMED_OUT = 28
# curl's own %{json} would have the URL in it.
MEASURED = "%{size_download} %{size_upload} %{time_total} %{http_code}"
OPTIONS = (
    "--disable",  # reads no .curlrc
    "--silent",
    "--show-error",
    "--globoff",
    "--noproxy",
    "*",
    "--output",
    "/dev/null",
    "--write-out",
    MEASURED,
    "--connect-timeout",
    str(CONNECT_SECONDS),
    "--config",
    "-",
)
# Behind the path of a presigned URL stands its signature. curl does not print it; should a version do so, it ends here.
QUERY = re.compile(r"\?\S*")


class TransferError(Exception):
    """A transfer that failed for another reason than that the time was over."""


class Outcome(NamedTuple):
    """What one curl came to."""

    exit_code: int
    # 0 without an answer, as curl itself has it.
    http_code: int
    transferred_bytes: int
    seconds: float
    # Its complaint; empty where it has none.
    words: str

    @property
    def failure(self) -> str:
        if self.exit_code != 0:
            return self.words or f"curl ended with exit code {self.exit_code}"
        return "" if self.http_code in (200, 204, 206) else f"the server answered with HTTP status {self.http_code}"


def begin_curl(*options: str, seconds: float) -> subprocess.Popen:
    return subprocess.Popen(
        ["curl", *OPTIONS, *options, "--max-time", f"{seconds:.3f}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def await_curl(process: subprocess.Popen, url: str) -> Outcome:
    """Tells a curl what it waits for, and waits for its end."""
    measured, words = process.communicate(f'url = "{url}"\n')
    received, sent, seconds, http_code = measured.split() or (0, 0, 0, 0)
    return Outcome(
        process.returncode, int(http_code), max(int(received), int(sent)), float(seconds), QUERY.sub("?", words.strip())
    )


class CurlStreams:
    """`url_of(stream, number)` gives the URL of a stream's next transfer, `options_of` what curl is told besides."""

    def __init__(
        self,
        url_of: Callable[[int, int], str],
        options_of: Callable[[int, int], Sequence[str]],
    ) -> None:
        self._url_of = url_of
        self._options_of = options_of
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen] = set()
        self._failure: str | None = None

    def run(self, operation: str, stream_count: int, duration_seconds: float) -> int:
        """Transfers until the time is over or a stream fails. Returns the exit code of the program."""
        version = subprocess.run(["curl", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
        start = time.monotonic()
        say(
            event="start",
            tool="curl",
            toolVersion=version,
            operation=operation,
            streams=stream_count,
            durationSeconds=duration_seconds,
        )
        threads = [
            threading.Thread(
                target=self._follow, args=(stream, start, start + duration_seconds), name=f"stream-{stream}"
            )
            for stream in range(1, stream_count + 1)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._failure is not None:
            # The streamer takes these words for the tool's.
            print(f"ERROR: {self._failure}", flush=True)
            return 1
        say(event="end", seconds=round(time.monotonic() - start, 6))
        return 0

    def _follow(self, stream: int, start: float, end: float) -> None:
        number = 0
        try:
            while self._failure is None and end - time.monotonic() > SHORTEST_SECONDS:
                self._transfer(stream, number, start, end)
                number += 1
        except Exception as error:  # of one stream: the others are measured with one too few, and end with it
            self._fail(f"stream {stream}: {error}")

    def _transfer(self, stream: int, number: int, start: float, end: float) -> None:
        url = self._url_of(stream, number)
        began = time.monotonic()
        process = self._begin(self._options_of(stream, number), end - began)
        outcome = await_curl(process, url)
        ended = time.monotonic()
        with self._lock:
            self._running.discard(process)
            if self._failure is not None:
                return
        say(
            event="transfer",
            stream=stream,
            startSeconds=round(began - start, 6),
            seconds=outcome.seconds,
            bytes=outcome.transferred_bytes,
            httpCode=outcome.http_code,
            curlExitCode=outcome.exit_code,
        )
        is_time_over = outcome.exit_code == TIMED_OUT and ended >= end - CLOCK_SECONDS
        if outcome.failure and not is_time_over:
            raise TransferError(outcome.failure)

    def _begin(self, options: Sequence[str], seconds: float) -> subprocess.Popen:
        with self._lock:
            if self._failure is not None:
                raise TransferError("another stream has failed")
            process = begin_curl(*options, seconds=seconds)
            self._running.add(process)
            return process

    def _fail(self, reason: str) -> None:
        with self._lock:
            if self._failure is None:
                self._failure = reason
            for process in self._running:
                process.terminate()


def say(**content: object) -> None:
    """In one write, so that the lines of several threads do not run into each other."""
    sys.stdout.write(json.dumps(content, separators=(",", ":")) + "\n")
    sys.stdout.flush()
