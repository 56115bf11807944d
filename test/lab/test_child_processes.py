"""A benchmark that is ended leaves neither its busy loops nor the lab running (`scripts/child_processes.py`)."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
# Many times what anything here takes, for a machine that is busy with other work.
DEADLINE_SECONDS = 120
# What a lab does when it is asked to end: it clears up, which takes a moment, and says so.
LAB = "trap 'sleep 0.3; touch cleared; exit 130' TERM; sleep 600 & echo $! >sleeper; touch up; wait"
# It ignores SIGTERM, and what it starts inherits that.
DEAF = "trap '' TERM; sleep 600 & echo $! >sleeper; touch up; wait"
BENCHMARK = """
import importlib, os, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import child_processes
bench = importlib.import_module("bench-busy-machine")
child_processes.end_by_signals()
with child_processes.running(["bash", "-c", sys.argv[2]], grace_seconds=float(sys.argv[3])), bench.busy_loops(2):
    while not Path("up").exists():
        time.sleep(0.05)
    Path("begun").touch()
    time.sleep(600)
"""


class Benchmark:
    """The benchmark's own loops beside a program, both started as the benchmark starts them."""

    def __init__(self, folder: Path, program: str, grace_seconds: float) -> None:
        command = [sys.executable, "-c", BENCHMARK, str(SCRIPTS), program, str(grace_seconds)]
        self.process = subprocess.Popen(command, cwd=folder)
        wait_for(lambda: (folder / "begun").exists() or self.process.poll() is not None)
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        self.loops = [int(each) for each in children if b"os.getppid" in Path(f"/proc/{each}/cmdline").read_bytes()]
        self.sleeper = int((folder / "sleeper").read_text())
        assert len(self.loops) == 2
        assert all(map(is_running, [*self.loops, self.sleeper]))

    def exit_code(self) -> int:
        """Waits for the benchmark's end. One that does not end fails the test instead of holding it up."""
        try:
            return self.process.wait(DEADLINE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(os.getpgid(self.sleeper), signal.SIGKILL)
            raise


def wait_for(is_true: Callable[[], object]) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_running(process_id: int) -> bool:
    try:
        state = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    # Nobody may have waited for one that has ended.
    return state not in "ZX"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_the_loops_and_lets_the_lab_clear_up(tmp_path: Path, number: signal.Signals) -> None:
    benchmark = Benchmark(tmp_path, LAB, 120)
    benchmark.process.send_signal(number)
    code = benchmark.exit_code()
    assert code == (-number if number == signal.SIGINT else 128 + number)
    assert (tmp_path / "cleared").exists()
    assert not any(map(is_running, [*benchmark.loops, benchmark.sleeper]))


def test_a_program_that_does_not_end_is_killed_with_what_it_started(tmp_path: Path) -> None:
    benchmark = Benchmark(tmp_path, DEAF, 0.5)
    benchmark.process.terminate()
    assert benchmark.exit_code() == 128 + signal.SIGTERM
    assert not any(map(is_running, [*benchmark.loops, benchmark.sleeper]))


def test_loops_whose_benchmark_was_killed_end_by_themselves(tmp_path: Path) -> None:
    benchmark = Benchmark(tmp_path, LAB, 120)
    try:
        benchmark.process.kill()
        benchmark.process.wait()
        wait_for(lambda: not any(map(is_running, benchmark.loops)))
    finally:
        os.kill(benchmark.sleeper, signal.SIGKILL)
