"""Measures round trips beside a load with sockperf under-load, and prints each as `probe: 12.346 213.074` (s; us)."""

import argparse
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable


class LatencyProbe:
    """Runs sockperf in windows of some seconds, so that a host that dies loses at most one window.

    sockperf calibrates its clock for two seconds, and does not log the first 0.4 s and the last 0.1 s of a test. The
    windows overlap by that much.
    """

    WINDOW_SECONDS = 10
    PERIOD_SECONDS = 9.5
    CALIBRATION_SECONDS = 2.1
    WARM_UP_SECONDS = 0.4
    END_SECONDS = 3

    def __init__(self, arguments: argparse.Namespace, say: Callable[[str], None]) -> None:
        self._say = say
        self._command = ["stdbuf", "-oL", "sockperf", "under-load", "-i", arguments.probe_address]
        self._command += ["-p", str(arguments.probe_port), "-m", str(arguments.probe_message_bytes)]
        self._command += [f"--mps={arguments.probe_messages_per_second}", "--reply-every=1", "--full-rtt"]
        self._command += ["--tcp"] if arguments.probe_protocol == "tcp" else []
        # The first logged packet was sent within one message interval after the warm-up; this is the middle of it.
        self._first_packet_seconds = self.WARM_UP_SECONDS + 0.5 / arguments.probe_messages_per_second
        self._ended = threading.Event()
        self._threads: list[threading.Thread] = []
        self._origin: float | None = None
        self._windows: set[subprocess.Popen[str]] = set()

    def start(self) -> None:
        self._spawner = threading.Thread(target=self._spawn, daemon=True)
        self._spawner.start()
        self._ended.wait(self.CALIBRATION_SECONDS + self.WARM_UP_SECONDS)

    def begins(self, origin: float) -> None:
        """Sets the start of the load, from which the times of the round trips are counted."""
        self._origin = origin

    def _spawn(self) -> None:
        due = time.monotonic()
        while not self._ended.wait(max(0.0, due - time.monotonic())):
            due += self.PERIOD_SECONDS
            thread = threading.Thread(target=self._run_window, daemon=True)
            self._threads.append(thread)
            thread.start()

    def _run_window(self) -> None:
        with tempfile.TemporaryDirectory(prefix="network-benchmark-probe-") as directory:
            log = os.path.join(directory, "log.csv")
            command = [*self._command, "-t", str(self.WINDOW_SECONDS), "--full-log", log]
            window = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self._windows.add(window)
            assert window.stdout is not None
            started_at, error = None, ""
            for line in window.stdout:
                if "Starting test" in line:
                    started_at = time.monotonic()
                elif "ERROR" in line or "No messages" in line:
                    error = line.strip()
            window.wait()
            self._windows.discard(window)
            trips = self._round_trips(log, started_at)
            if trips:
                self._say("\n".join(trips))
            elif not self._ended.is_set():
                reason = re.sub(r"^.*sockperf: (?:ERROR: )?", "", error) or "sockperf logged no round trip"
                self._say(f"probe: none: {reason}")

    def _round_trips(self, log: str, started_at: float | None) -> list[str]:
        try:
            with open(log, encoding="ascii", errors="replace") as file:
                rows = [line.split(",") for line in file if re.match(r"\d+, ", line)]
        except FileNotFoundError:
            return []
        trips = [(float(row[1]), float(row[3])) for row in rows if len(row) == 4 and row[3].strip()]
        if not trips or started_at is None or self._origin is None:
            return []
        shift = started_at + self._first_packet_seconds - trips[0][0] - self._origin
        return [f"probe: {sent + shift:.3f} {micros:.3f}" for sent, micros in trips if sent + shift >= 0]

    def end(self) -> None:
        """Interrupts the running windows: sockperf still writes its log then."""
        self._ended.set()
        self._spawner.join()
        for window in list(self._windows):
            window.send_signal(signal.SIGINT)
        deadline = time.monotonic() + self.END_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        for window in list(self._windows):
            window.kill()
