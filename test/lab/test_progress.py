"""Lines for people: what the runner does and waits for, what a test run does, and never a long silence."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from signs_of_life import TestProgress

from lab.runner.progress import SILENCE_SECONDS, Progress, waiting

REPOSITORY = Path(__file__).resolve().parents[2]
MAX_SILENCE_SECONDS = 5.0


class FakeClock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def started() -> tuple[FakeClock, Progress]:
    clock = FakeClock()
    progress = Progress(clock)
    progress.line({"event": "started", "runId": "run-1", "plan": "plan.json"})
    return clock, progress


def state(progress: Progress, subject: str, name: str, **types: str) -> str:
    return progress.line({"event": "state", "subject": subject, "state": name, **types})


def sample(**figures: Any) -> dict[str, Any]:
    event = {"event": "throughput", "subject": "p0001", "measurementId": "p0001-m02", "startSeconds": 11.0}
    return {**event, "durationSeconds": 45, **figures}


def test_there_is_a_line_before_five_seconds_of_silence_whatever_happens() -> None:
    clock = FakeClock()
    progress = Progress(clock)
    lines_at = [clock.now]
    for _ in range(200):
        clock.now += 0.5
        if progress.sign_of_life() is not None:
            lines_at.append(clock.now)
    gaps = [later - earlier for earlier, later in zip(lines_at, lines_at[1:], strict=False)]
    assert max(gaps) < MAX_SILENCE_SECONDS
    assert len(lines_at) == 1 + int(100 / SILENCE_SECONDS)


def test_an_event_is_a_sign_of_life_itself() -> None:
    clock, progress = started()
    clock.now += SILENCE_SECONDS - 0.1
    state(progress, "run", "Measure pairs")
    clock.now += SILENCE_SECONDS - 0.1
    assert progress.sign_of_life() is None


def test_lines_name_the_types_and_what_is_waited_for() -> None:
    clock, progress = started()
    clock.now += 6
    assert progress.sign_of_life() == "checking the plan, its price and its types, for 6 s"
    line = state(progress, "p0001", "Launch pair", clientType="c5.xlarge", serverType="c5.large")
    assert line == "p0001 c5.xlarge → c5.large  launching the hosts"
    state(progress, "p0001", "Hosts online")
    clock.now += 7
    assert progress.sign_of_life() == "p0001 c5.xlarge → c5.large: waiting until the hosts are online, for 7 s"
    assert progress.line(sample(throughputBitsPerSecond=9.92e8)) == (
        "p0001 c5.xlarge → c5.large  p0001-m02: 992 Mbit/s in second 12 of 45"
    )
    clock.now += 5
    assert "measuring p0001-m02, 12 of 45 s at the last sample" in (progress.sign_of_life() or "")
    state(progress, "p0001", "succeeded")
    state(progress, "run", "Summarise run")
    clock.now += 4
    assert progress.sign_of_life() == "summarising the run and writing the report, for 4 s"
    state(progress, "run", "succeeded")
    clock.now += 4
    assert progress.sign_of_life() == "fetching the results and saving the store, for 4 s"


def test_packets_are_counted_in_packets() -> None:
    _, progress = started()
    assert progress.line(sample(packetsPerSecond=40_123.4)).endswith(": 40 123 packets/s in second 12 of 45")
    assert progress.line(sample(throughputBitsPerSecond=2.5e9)).endswith(": 2.50 Gbit/s in second 12 of 45")


def test_a_query_that_takes_long_says_so_every_few_seconds() -> None:
    clock = FakeClock()
    speak = waiting("starting the embedded AWS for the query", clock)
    said = []
    for _ in range(20):
        clock.now += 0.5
        said.append(speak())
    assert [line for line in said if line is not None] == [
        f"starting the embedded AWS for the query, for {seconds} s" for seconds in (2, 6, 10)
    ]


def test_a_good_plan_is_followed_by_what_is_started_next() -> None:
    clock = FakeClock()
    progress = Progress(clock)
    assert progress.line({"event": "entering"}) == "the plan is good; entering the lab's namespaces"
    assert progress.line({"event": "starting"}) == "starting the embedded AWS"
    clock.now += SILENCE_SECONDS
    assert progress.sign_of_life() == "starting the embedded AWS, for 4 s"


def test_what_runs_is_named_with_its_time() -> None:
    clock = FakeClock()
    progress = TestProgress(clock)
    clock.now += SILENCE_SECONDS
    assert progress.sign_of_life() == "collecting the tests, for 4 s"
    progress.pytest_runtest_logstart("test/a.py::test_one")
    progress.pytest_runtest_logstart("test/b.py::test_two")
    clock.now += SILENCE_SECONDS
    assert progress.sign_of_life() == "0 tests so far; running test/a.py::test_one for 4 s, test/b.py::test_two for 4 s"
    assert progress.sign_of_life() is None
    progress.pytest_runtest_logfinish("test/a.py::test_one")
    clock.now += SILENCE_SECONDS - 0.1
    assert progress.sign_of_life() is None, "the dot of the test is a sign of life itself"
    clock.now += 0.1
    assert progress.sign_of_life() == "1 test so far; running test/b.py::test_two for 8 s"


def test_a_debugger_is_not_disturbed() -> None:
    clock = FakeClock()
    progress = TestProgress(clock)
    progress.pytest_enter_pdb()
    clock.now += 100
    assert progress.sign_of_life() is None
    progress.pytest_leave_pdb()
    assert progress.sign_of_life() is not None


def test_the_lines_get_past_the_capture_of_what_a_test_prints(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text((REPOSITORY / "test/conftest.py").read_text())
    seen = tmp_path / "seen"
    (tmp_path / "test_slow.py").write_text(
        "import time\nfrom pathlib import Path\n"
        "def test_slow():\n    print('of the test')\n"
        "    for _ in range(600):\n"
        f"        if Path({str(seen)!r}).exists():\n            return\n"
        "        time.sleep(0.1)\n"
    )
    ran = subprocess.Popen(
        [sys.executable, "-m", "pytest", f"--rootdir={tmp_path}", str(tmp_path)],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": f"{REPOSITORY}/test:{REPOSITORY}"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert ran.stdout is not None
    line = next((line for line in ran.stdout if "so far" in line), "no sign of life")
    seen.touch()
    rest, _ = ran.communicate()
    assert re.fullmatch(r"0 of 1 test so far; running test_slow.py::test_slow for \d+ s\n", line)
    assert ran.returncode == 0
    assert "of the test" not in rest
