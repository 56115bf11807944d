"""Programs that scripts start (`scripts/child_processes.py`): they end with their script, and their silences are found.

`research/bench-silences.py` prints the times in which a command prints nothing.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from host_support import wait_for

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPTS = REPOSITORY / "scripts"
sys.path.insert(0, str(SCRIPTS))

from child_processes import _silences, follow  # noqa: E402

# Many times what anything here takes, for a machine that is busy with other work.
DEADLINE_SECONDS = 120
# What a lab does when it is asked to end: it clears up, which takes a moment, and says so.
LAB = "trap 'sleep 0.3; touch cleared; exit 130' TERM; sleep 600 & echo $! >sleeper; touch up; wait"
# It ignores SIGTERM, and what it starts inherits that.
DEAF = "trap '' TERM; sleep 600 & echo $! >sleeper; touch up; wait"
BENCHMARK = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import child_processes
child_processes.end_by_signals()
with child_processes.running(["bash", "-c", sys.argv[2]], grace_seconds=float(sys.argv[3])):
    while not Path("up").exists():
        time.sleep(0.05)
    Path("begun").touch()
    time.sleep(600)
"""


class Benchmark:
    """A program, started as a benchmark starts it."""

    def __init__(self, folder: Path, program: str, grace_seconds: float) -> None:
        command = [sys.executable, "-c", BENCHMARK, str(SCRIPTS), program, str(grace_seconds)]
        self.process = subprocess.Popen(command, cwd=folder)
        wait_for("the beginning", lambda: (folder / "begun").exists() or self.process.poll() is not None)
        self.sleeper = int((folder / "sleeper").read_text())
        assert is_running(self.sleeper)

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


def is_running(process_id: int) -> bool:
    try:
        state = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    # Nobody may have waited for one that has ended.
    return state not in "ZX"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_lets_the_lab_clear_up(tmp_path: Path, number: signal.Signals) -> None:
    benchmark = Benchmark(tmp_path, LAB, 120)
    benchmark.process.send_signal(number)
    code = benchmark.exit_code()
    assert code == (-number if number == signal.SIGINT else 128 + number)
    assert (tmp_path / "cleared").exists()
    assert not is_running(benchmark.sleeper)


def test_a_program_that_does_not_end_is_killed_with_what_it_started(tmp_path: Path) -> None:
    benchmark = Benchmark(tmp_path, DEAF, 0.5)
    benchmark.process.terminate()
    assert benchmark.exit_code() == 128 + signal.SIGTERM
    assert not is_running(benchmark.sleeper)


def test_the_longest_silence_is_measured_with_the_lines_around_it(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    ended = follow(["sh", "-c", "echo first; sleep 1; echo second; exit 3"])
    longest = ended.longest_silence
    assert ended.code == 3
    assert ended.output == "first\nsecond\n"
    # On a busy machine another one may be longer.
    (between,) = [one for one in ended.silences if (one.line_before, one.line_after) == ("first", "second")]
    assert 0.9 < between.seconds <= longest.seconds <= ended.seconds
    assert capfdbinary.readouterr().out == b"first\nsecond\n"


def test_a_part_of_a_line_ends_a_silence_and_the_line_is_named_from_its_beginning() -> None:
    parts = [(1.0, b"test/a.py ."), (3.0, b"."), (9.0, b"\x1b[32m.\x1b[0m\n"), (10.0, b"done\n"), (17.0, b"")]
    found = _silences(parts)
    assert [each.seconds for each in found] == [1, 2, 6, 1, 7]
    assert [each.line_before for each in found] == ["", "test/a.py .", "test/a.py ..", "test/a.py ...", "done"]
    assert [each.line_after for each in found] == ["test/a.py .", ".", ".", "done", ""]


def test_the_program_fails_for_a_silence_and_names_it() -> None:
    quiet = bench("--limit-seconds=0.5", "--", "sh", "-c", "echo a; sleep 1; echo b")
    assert quiet.returncode == 1
    assert "exit code 0 after " in quiet.stdout
    assert "    after:  a\n    before: b\n" in quiet.stdout


def test_the_exit_code_of_the_command_is_printed_and_is_no_silence() -> None:
    lively = bench("--limit-seconds=600", "--", "sh", "-c", "echo a; exit 4")
    assert lively.returncode == 0
    assert "exit code 4 after " in lively.stdout
    assert "; 0 silences over 600 s" in lively.stdout


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "research/bench-silences.py", *arguments]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
