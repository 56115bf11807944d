"""`research/bench-silences.py` finds the times in which a command prints nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "scripts"))

import silences  # noqa: E402


def test_the_longest_silence_is_measured_with_the_lines_around_it(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    ended = silences.follow(["sh", "-c", "echo first; sleep 1; echo second; exit 3"])
    longest = ended.longest_silence
    assert ended.code == 3
    assert ended.output == "first\nsecond\n"
    assert (longest.line_before, longest.line_after) == ("first", "second")
    assert 0.9 < longest.seconds <= ended.seconds
    assert capfdbinary.readouterr().out == b"first\nsecond\n"


def test_a_part_of_a_line_ends_a_silence_and_the_line_is_named_from_its_beginning() -> None:
    parts = [(1.0, b"test/a.py ."), (3.0, b"."), (9.0, b"\x1b[32m.\x1b[0m\n"), (10.0, b"done\n"), (17.0, b"")]
    found = silences._silences(parts)
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
