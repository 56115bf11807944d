#!/usr/bin/env python3
"""Measures what busy loops beside the lab do to its measurements, and prints what the kernel says of them.

  python3 scripts/bench-busy-machine.py [--loops 0,1,2,4,8] [--repetitions 3] [--seconds 60] [--json]

For each number of loops the lab runs the pairs of the first command, side by side: sockperf, then iperf3. The loops run
from the start of the execution to its end, one process each. The thresholds of `domain/verdict/cpu-contention.ts` are
set by what this prints on a machine that does nothing else; the column `load before` shows whether it does. Ended
early, by Ctrl-C or SIGTERM, it ends the lab and the loops.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from child_processes import end_by_signals, running  # noqa: E402

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDER = REPOSITORY / ".cache" / "lab-of-the-busy-machine"
# As in examples/plans/lab-default.json. The first one's burst is the lab's own load, which must not be taken for other
# work; the second one's card carries one rate for ever, so that whatever scatters is the machine's.
TYPES = ("c5.xlarge", "m4.xlarge")
# It ends by itself when its starter was killed by force. Asking for the starter takes no noticeable part of its time.
BUSY_LOOP = """
import os, sys
while os.getppid() == int(sys.argv[1]):
    for _ in range(1_000_000):
        pass
"""
# What the kernel says, by its name in `summary.json`.
PERCENTAGES = {"waiting %": "waitingPercent", "pressure %": "pressurePercent", "steal %": "stealPercent"}


@dataclass(frozen=True)
class Trial:
    """One measurement beside so many loops."""

    loops: int
    # Programs that could run on the machine before the loops began, averaged over a minute.
    load_before: float
    measured: str
    verdict: str
    is_said: bool
    # Percentages of the host on which they are higher, and `spread`: of throughput the 95th percentile over the 5th, of
    # latency the 99th over the median. None where the kernel does not count it.
    figures: dict[str, float | None]


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    loops: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(count):
            loops.append(subprocess.Popen([sys.executable, "-c", BUSY_LOOP, str(os.getpid())]))
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def run_lab(plan: Path, loops: int) -> tuple[float, dict[str, Any]]:
    """Returns the load before the loops began, and the run's summary."""
    command = ["bash", "scripts/lab.sh", "--json", "--folder", str(FOLDER), "--plan", str(plan)]
    with running(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as lab:
        assert lab.stdout is not None
        events = map(json.loads, lab.stdout)
        for event in events:
            if event["event"] == "started":
                break
        load_before = os.getloadavg()[0]
        with busy_loops(loops):
            result = next((event for event in events if event["event"] == "result"), None)
    if result is None or result.get("summary") is None:
        raise SystemExit(f"lab: must end with a summary, got {result}")
    return load_before, json.loads(Path(result["summary"]).read_text())


def trials_of(summary: dict[str, Any], loops: int, load_before: float) -> list[Trial]:
    return [
        Trial(
            loops=loops,
            load_before=load_before,
            measured=f"{measurement['tool']} {measurement['clientType']}",
            verdict=(measurement["verdict"] or {}).get("kind", "-"),
            is_said="cpuContention" in measurement,
            figures={
                **{heading: highest(measurement["statistics"], name) for heading, name in PERCENTAGES.items()},
                "spread": spread_of(measurement["statistics"]),
            },
        )
        for measurement in summary["measurements"]
    ]


def highest(measured: dict[str, Any], figure: str) -> float | None:
    found = [measured.get(host, {}).get(figure) for host in ("clientCpu", "serverCpu")]
    return max((value for value in found if value is not None), default=None)


def spread_of(measured: dict[str, Any]) -> float | None:
    low, high = ("p5", "p95") if "throughputBitsPerSecond" in measured else ("p50", "p99")
    quantiles = measured.get("throughputBitsPerSecond") or measured.get("rttMicros") or {}
    # A rate of 0 has no ratio.
    return quantiles[high] / quantiles[low] if quantiles.get(low) and high in quantiles else None


def table(trials: list[Trial]) -> Iterator[str]:
    headings = "  ".join(f"{heading:<20}" for heading in (*PERCENTAGES, "spread"))
    yield f"measured            loops  load before  {headings}  said    verdicts"
    for measured in sorted({trial.measured for trial in trials}):
        for loops in sorted({trial.loops for trial in trials}):
            some = [trial for trial in trials if (trial.measured, trial.loops) == (measured, loops)]
            cells = [spanned([trial.figures[heading] for trial in some]) for heading in (*PERCENTAGES, "spread")]
            said = f"{sum(trial.is_said for trial in some)} of {len(some)}"
            load = statistics.median(trial.load_before for trial in some)
            verdicts = ", ".join(sorted({trial.verdict for trial in some}))
            figures = "  ".join(f"{cell:<20}" for cell in cells)
            yield f"{measured:<18}  {loops:>5}  {load:>11.1f}  {figures}  {said:<6}  {verdicts}"


def spanned(values: list[float | None]) -> str:
    """The median, with the lowest and the highest value."""
    known = [value for value in values if value is not None]
    if not known:
        return "not counted"
    return f"{statistics.median(known):.1f} ({min(known):.1f}-{max(known):.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loops", default="0,1,2,4,8", help="numbers of busy loops beside the lab")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=60, help="of iperf3; at least 45 give the series a verdict")
    parser.add_argument("--json", action="store_true", help="one line per measurement in the place of the table")
    options = parser.parse_args()
    end_by_signals()

    measurements = [
        {"tool": "sockperf", "durationSeconds": 10},
        {"tool": "iperf3", "durationSeconds": options.seconds},
    ]
    pairs = [{"clientType": each, "serverType": each} for each in TYPES]
    made_plan = {"name": "busy machine", "pairs": pairs, "measurements": measurements, "concurrency": len(pairs)}
    trials: list[Trial] = []
    with tempfile.TemporaryDirectory() as directory:
        plan = Path(directory) / "plan.json"
        plan.write_text(json.dumps(made_plan))
        # In turn, so that what else the machine does meets all numbers of loops alike.
        for _ in range(options.repetitions):
            for loops in map(int, options.loops.split(",")):
                load_before, summary = run_lab(plan, loops)
                made = trials_of(summary, loops, load_before)
                trials += made
                for trial in made:
                    print(json.dumps(asdict(trial)), file=sys.stdout if options.json else sys.stderr, flush=True)
    if not options.json:
        print(f"{os.cpu_count()} processors")
        print("\n".join(table(trials)))


if __name__ == "__main__":
    main()
