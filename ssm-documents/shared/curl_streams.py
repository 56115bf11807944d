"""Parallel streams of curl for a given time: each one repeats its transfer, and the last transfer is cut off.

Prints one JSON object per line: `start`, a `transfer` for each transfer that ended, `end`. A presigned URL is a
credential. Therefore curl reads it from its standard input, and no argument and no printed line or error contains it.
"""

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

CONNECT_SECONDS = 5
# When less time than this is left, another connection is not worthwhile.
SHORTEST_SECONDS = 0.05
# curl checks its clock only now and then. One that ends earlier than this before the deadline had another reason.
CLOCK_SECONDS = 0.5
TIMED_OUT = 28
# curl's own %{json} would contain the URL.
MEASURED = "%{size_download} %{size_upload} %{time_total} %{http_code}"
# --disable ignores .curlrc.
OPTIONS = ["--disable", "--silent", "--show-error", "--globoff", "--noproxy", "*", "--output", "/dev/null"]
OPTIONS += ["--write-out", MEASURED, "--connect-timeout", str(CONNECT_SECONDS), "--config", "-"]
# A presigned URL has its signature after the path. curl does not print it; this removes it should a version do so.
QUERY = re.compile(r"\?\S*")


class TransferError(Exception):
    """A transfer failed before the time was over."""


class Outcome(NamedTuple):
    """How one curl ended."""

    exit_code: int
    # 0 when the server did not answer: that is how curl reports it.
    http_code: int
    transferred_bytes: int
    seconds: float
    # What curl printed on standard error.
    error: str

    @property
    def failure(self) -> str:
        if self.exit_code != 0:
            return self.error or f"curl ended with exit code {self.exit_code}"
        return "" if self.http_code in (200, 204, 206) else f"the server answered with HTTP status {self.http_code}"


def begin_curl(*options: str, seconds: float) -> subprocess.Popen[str]:
    command = ["curl", *OPTIONS, *options, "--max-time", f"{seconds:.3f}"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def await_curl(process: subprocess.Popen[str], url: str) -> Outcome:
    """Sends curl the URL that it waits for on its standard input, and waits for its end."""
    measured, error = process.communicate(f'url = "{url}"\n')
    received, sent, seconds, http_code = measured.split() or (0, 0, 0, 0)
    transferred_bytes = max(int(received), int(sent))
    return Outcome(process.returncode, int(http_code), transferred_bytes, float(seconds), QUERY.sub("?", error.strip()))


class CurlStreams:
    """The streams: `url_of(stream, number)` gives the URL of a stream's next transfer, `options_of` its options."""

    def __init__(self, url_of: Callable[[int, int], str], options_of: Callable[[int, int], Sequence[str]]) -> None:
        self._url_of = url_of
        self._options_of = options_of
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._failure: str | None = None

    def run(self, operation: str, stream_count: int, duration_seconds: float) -> int:
        """Transfers until the time is over or a stream fails; returns the exit code of the program."""
        version = subprocess.run(["curl", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
        start = time.monotonic()
        load = {"operation": operation, "streams": stream_count, "durationSeconds": duration_seconds}
        say(event="start", tool="curl", toolVersion=version, **load)
        with ThreadPoolExecutor(stream_count) as pool:
            for stream in range(1, stream_count + 1):
                pool.submit(self._follow, stream, start, start + duration_seconds)
        if self._failure is not None:
            # The streamer recognises this form and reports it as the tool's error.
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
        except Exception as error:  # ends all streams: with one missing, the others measure something else
            with self._lock:
                self._failure = self._failure or f"stream {stream}: {error}"
                for process in self._running:
                    process.terminate()

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

    def _begin(self, options: Sequence[str], seconds: float) -> subprocess.Popen[str]:
        with self._lock:
            if self._failure is not None:
                raise TransferError("another stream has failed")
            process = begin_curl(*options, seconds=seconds)
            self._running.add(process)
            return process


def say(**content: object) -> None:
    """Prints one event with a single write, so that the lines of several threads do not mix."""
    sys.stdout.write(json.dumps(content, separators=(",", ":")) + "\n")
    sys.stdout.flush()
