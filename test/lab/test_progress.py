"""Lines for people: what the runner does and waits for, and what a test run does."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
import termios
import threading
from pathlib import Path
from typing import Any

from signs_of_life import TestProgress

from lab.runner.progress import SILENCE_SECONDS, Progress, waiting
from lab.runner.status_line import ERASE, StatusLine

REPOSITORY = Path(__file__).resolve().parents[2]


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


def state(progress: Progress, subject: str, name: str, **types: str) -> None:
    assert progress.line({"event": "state", "subject": subject, "state": name, **types}) is None


def sample(**figures: Any) -> dict[str, Any]:
    event = {"event": "throughput", "subject": "p0001", "measurementId": "p0001-m02", "startSeconds": 11.0}
    return {**event, "durationSeconds": 45, **figures}


class Terminal(io.StringIO):
    """A terminal of 40 columns."""

    def __init__(self) -> None:
        super().__init__()
        self._master, self._slave = pty.openpty()
        termios.tcsetwinsize(self._slave, (24, 40))

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._slave


def without_times(text: str) -> str:
    return re.sub(r"\d\d:\d\d:\d\d  ", "", text)


def test_a_terminal_has_one_line_of_status_which_is_rewritten_and_cut_to_its_width() -> None:
    clock, stream = FakeClock(), Terminal()
    says = ["measuring"]
    status = StatusLine(lambda: (says[0], "the same"), stream, clock)
    status.print("run started")
    for text in ("measuring", "measuring", "x" * 100):
        says[0] = text
        status.renew()
    status.print("run ended")
    status.end()
    status.renew()
    lines = without_times(stream.getvalue()).split("\n")
    assert lines == ["run started", f"{ERASE}measuring{ERASE}{'x' * 29}{ERASE}run ended", ""]


def test_a_log_has_the_status_only_where_it_changes_and_at_most_every_thirty_seconds() -> None:
    clock, stream = FakeClock(), io.StringIO()
    status = StatusLine(lambda: (f"at {clock.now:.0f}", clock.now // 70), stream, clock)
    for _ in range(400):
        clock.now += 0.5
        status.renew()
    assert without_times(stream.getvalue()).split() == ["at", "130", "at", "160", "at", "210", "at", "280"]


def test_the_status_goes_on_while_the_run_is_slow() -> None:
    stream = io.StringIO()
    seen = threading.Event()

    def describe() -> tuple[str, None]:
        seen.set()
        return "measuring", None

    status = StatusLine(describe, stream)
    status.start()
    assert seen.wait(timeout=60)
    status.end()


def test_the_status_names_the_types_and_what_is_waited_for() -> None:
    clock, progress = started()
    clock.now += 6
    assert progress.status()[0] == "checking the plan, its price and its types, for 6 s"
    state(progress, "p0001", "Launch pair", clientType="c5.xlarge", serverType="c5.large")
    assert progress.status()[0] == "p0001 c5.xlarge → c5.large: launching the hosts, for 0 s"
    state(progress, "p0001", "Measure")
    assert progress.line(sample(throughputBitsPerSecond=9.92e8)) is None
    assert progress.status()[0] == "p0001 c5.xlarge → c5.large: measuring p0001-m02, 12 of 45 s, 992 Mbit/s"
    state(progress, "p0002", "Hosts online")
    clock.now += 7
    assert progress.status()[0].endswith("; p0002: waiting until the hosts are online, for 7 s")
    state(progress, "p0001", "succeeded")
    state(progress, "p0002", "failed")
    state(progress, "run", "Summarise run")
    clock.now += 4
    assert progress.status()[0] == "summarising the run and writing the report, for 4 s"
    state(progress, "run", "succeeded")
    clock.now += 4
    assert progress.status()[0] == "fetching the results and saving the store, for 4 s"


def test_many_pairs_are_counted_by_what_they_do() -> None:
    _, progress = started()
    for number in range(1, 23):
        state(progress, f"p{number:04}", "Measure" if number < 20 else "Launch pair")
    assert progress.status()[0] == "22 pairs: 19 measuring; 3 launching the hosts"


def test_a_log_need_not_have_every_second_of_a_measurement() -> None:
    clock, progress = started()
    state(progress, "p0001", "Measure")
    _, before = progress.status()
    clock.now += 1
    progress.line(sample(throughputBitsPerSecond=9.92e8))
    assert progress.status()[1] == before
    state(progress, "p0001", "Analyse")
    assert progress.status()[1] != before


def test_a_run_that_is_stopped_says_what_is_still_done_and_no_longer_measures() -> None:
    clock, progress = started()
    state(progress, "p0001", "Measure")
    progress.line(sample(throughputBitsPerSecond=9.92e8))
    progress.stop()
    clock.now += 3
    assert progress.status()[0] == "stopping: terminating the hosts and saving the store, for 3 s"


def test_packets_are_counted_in_packets() -> None:
    _, progress = started()
    state(progress, "p0001", "Measure")
    progress.line(sample(packetsPerSecond=40_123.4))
    assert progress.status()[0].endswith(", 12 of 45 s, 40 123 packets/s")
    progress.line(sample(throughputBitsPerSecond=2.5e9))
    assert progress.status()[0].endswith(", 12 of 45 s, 2.50 Gbit/s")


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
    clock.now += 4
    assert progress.status()[0] == "starting the embedded AWS, for 4 s"


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
