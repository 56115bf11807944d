"""Runs iperf3 where one plain run is not enough, and prints its lines as they come, with lines of its own in between.

Duty cycle: iperf3 is started and stopped for each run, because its rate limit would catch up after a pause. Each line
of a run begins with `run 2 at 40.003 s: `, the start of that run on the time axis of the first.
Early end: `network-benchmark: stopped 120 s after the throttle seen at 41 s`, and exit code 0.
Latency probe: sockperf runs beside the load. `probe: 12.346 213.074` is one round trip: its start in seconds and its
duration in microseconds.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from latency_probe import LatencyProbe

RATE_LINE = re.compile(
    r"\[ *(?P<stream>SUM|\d+)\](?:\[(?P<way>[TR]X)-[CS]\])? +(?P<start>[\d.]+)- *(?P<end>[\d.]+) +sec +"
    r"\S+ [KMGT]?Bytes +(?P<rate>[\d.]+) (?P<unit>[KMGT]?)bits/sec(?P<rest>.*)"
)
UNITS = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
BEGINNING = re.compile(r"Connecting to host |Accepted connection from ")
INTERRUPTED = re.compile(r"iperf3: interrupt - the client has terminated")


class ThrottleWatch:
    """Detects a throttle second by second. It is late but robust, since the verdict is reached elsewhere.

    A throttle is seen when the median of the last ten seconds has been under 80 % of the earlier level for ten seconds
    in a row. The earlier level is the highest median of thirty seconds (at first, of fewer) within five minutes, so a
    slower decline is no throttle. Recovery withdraws the detection, so a dip ends nothing. No traffic at all counts as
    an ended flow.
    """

    RECENT_SECONDS = 10
    LEVEL_SECONDS = 30
    FEWEST_SECONDS = 5
    MEMORY_SECONDS = 300
    THROTTLED_SHARE = 0.8
    DEAD_SHARE = 0.005
    CONFIRMING_SECONDS = 10

    def __init__(self) -> None:
        self._rates: collections.deque[float] = collections.deque(maxlen=self.LEVEL_SECONDS)
        self._levels: collections.deque[float] = collections.deque(maxlen=self.MEMORY_SECONDS)
        self._low_seconds = 0
        self.seen_at_seconds: float | None = None

    def add(self, end_seconds: float, rate: float) -> None:
        self._rates.append(rate)
        if self._is_low():
            self._low_seconds += 1
        else:
            self._low_seconds = 0
            self.seen_at_seconds = None
            if len(self._rates) >= self.FEWEST_SECONDS:
                self._levels.append(statistics.median_high(self._rates))
        if self._low_seconds == self.CONFIRMING_SECONDS:
            self.seen_at_seconds = end_seconds

    def _is_low(self) -> bool:
        if len(self._rates) < self.RECENT_SECONDS or not self._levels:
            return False
        recent = itertools.islice(self._rates, len(self._rates) - self.RECENT_SECONDS, None)
        share = statistics.median_high(recent) / max(max(self._levels), 1.0)
        return self.DEAD_SHARE < share < self.THROTTLED_SHARE


class EarlyEnd:
    """Decides when to stop: after every loaded direction has been throttled for a given time."""

    def __init__(self, after_seconds: float, parallel_streams: int, directions: int) -> None:
        self._after_seconds = after_seconds
        self._stream = "SUM" if parallel_streams > 1 else None
        self._watches: dict[str, ThrottleWatch] = {}
        self._directions = directions

    def add(self, line: str) -> float | None:
        """Returns the second in which the last direction's throttle was seen if it is time to stop, else None."""
        rate = RATE_LINE.search(line)
        if rate is None or rate["rest"].rstrip().endswith(("sender", "receiver", "(omitted)")):
            return None
        if self._stream is not None and rate["stream"] != self._stream:
            return None
        end_seconds = float(rate["end"])
        # The last interval is shorter than a second; it does not count.
        if end_seconds - float(rate["start"]) < 0.5:
            return None
        watch = self._watches.setdefault(rate["way"] or "", ThrottleWatch())
        watch.add(end_seconds, float(rate["rate"]) * UNITS[rate["unit"]])
        seen = [each.seen_at_seconds for each in self._watches.values() if each.seen_at_seconds is not None]
        if len(seen) < self._directions or end_seconds - max(seen) < self._after_seconds:
            return None
        return max(seen)


output_lock = threading.Lock()


def say(text: str) -> None:
    with output_lock:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


class Driver:
    """Runs iperf3 as often as asked."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._origin: float | None = None
        self._is_terminated = False
        self._probe: LatencyProbe | None = None
        if arguments.probe_messages_per_second:
            # Imported here because only clients with a probe have this module installed.
            from latency_probe import LatencyProbe

            self._probe = LatencyProbe(arguments, say)

    def terminate(self, *_: object) -> None:
        """Signal handler: SIGTERM reaches iperf3 too, as part of the process group; its last lines are still read."""
        self._is_terminated = True

    def run(self) -> int:
        arguments = self._arguments
        if self._probe:
            self._probe.start()
        if arguments.runs > 1:
            on, off = arguments.on_seconds, arguments.off_seconds
            say(f"network-benchmark: duty cycle of {arguments.runs} runs, {on} s on, {off} s off")
        exit_code = 0
        for number in range(1, arguments.runs + 1):
            self._await_turn(number)
            exit_code = self._run_once(number)
            if exit_code != 0 or self._is_terminated:
                break
        if self._probe:
            self._probe.end()
        return exit_code

    def _await_turn(self, number: int) -> None:
        """Waits for a client's next start, counted from the first run; a server listens again at once."""
        if self._origin is None or self._arguments.is_server:
            return
        due = self._origin + (number - 1) * (self._arguments.on_seconds + self._arguments.off_seconds)
        time.sleep(max(0.0, due - time.monotonic()))

    def _run_once(self, number: int) -> int:
        process = subprocess.Popen(self._arguments.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert process.stdout is not None
        after, streams = self._arguments.stop_after_throttled_seconds, self._arguments.parallel_streams
        early_end = EarlyEnd(after, streams, self._arguments.directions) if after else None
        stopped = ""
        head: list[str] = []
        prefix = None
        for raw_line in process.stdout:
            line = raw_line.rstrip("\n")
            if prefix is None:
                head.append(line)
                if BEGINNING.search(line) is None:
                    continue
                prefix = self._begin(number, head)
                continue
            if stopped and INTERRUPTED.search(line):
                line = stopped
            say(prefix + line)
            seen = early_end.add(line) if early_end and not stopped else None
            if seen is not None:
                stopped = f"network-benchmark: stopped {after} s after the throttle seen at {seen:.0f} s"
                process.terminate()
        if prefix is None and head:
            self._begin(number, head)
        code = process.wait()
        # Up to version 3.18 iperf3 exits with 1 even after an orderly stop by signal.
        return 0 if stopped else code if code >= 0 else 128 - code

    def _begin(self, number: int, head: list[str]) -> str:
        """Prints the first lines of a run, which begins now, and returns the prefix of all its lines."""
        now = time.monotonic()
        if self._origin is None:
            self._origin = now
            if self._probe:
                self._probe.begins(now)
        prefix = f"run {number} at {now - self._origin:.3f} s: " if self._arguments.runs > 1 else ""
        say("\n".join(prefix + line for line in head))
        return prefix


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--is-server", action="store_true")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--on-seconds", type=int, default=0)
    parser.add_argument("--off-seconds", type=int, default=0)
    parser.add_argument("--stop-after-throttled-seconds", type=int, default=0)
    parser.add_argument("--parallel-streams", type=int, default=1)
    parser.add_argument("--directions", type=int, default=1, help="how many carry load at once")
    parser.add_argument("--probe-address")
    parser.add_argument("--probe-port", type=int)
    parser.add_argument("--probe-protocol", choices=("tcp", "udp"), default="tcp")
    parser.add_argument("--probe-message-bytes", type=int, default=64)
    parser.add_argument("--probe-messages-per-second", type=int, default=0, help="0: no probe")
    parser.add_argument("command", nargs="+", help="iperf3's command line, after --")
    return parser.parse_args()


def main() -> int:
    driver = Driver(parse_arguments())
    signal.signal(signal.SIGTERM, driver.terminate)
    return driver.run()


if __name__ == "__main__":
    sys.exit(main())
