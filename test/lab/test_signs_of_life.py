"""A test run is never silent for long, whatever its tests do: `test/signs_of_life.py`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from signs_of_life import TestProgress

from lab.runner.progress import SILENCE_SECONDS

REPOSITORY = Path(__file__).resolve().parents[2]


class FakeClock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


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
