"""`npm run lab` and `npm run faults` before anything starts: what is wrong with an option is named, a stop is said."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from faults.__main__ import parse_arguments as faults
from lab.command import clean_if_agreed
from lab.command import parse_arguments as lab
from lab.runner import LabError
from lab.runner.paths import LabPaths


@pytest.mark.parametrize("parse", [lab, faults])
def test_help_is_no_error(parse: Callable[[list[str]], Any], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parse(["--help"])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith("usage: npm run ")


@pytest.mark.parametrize(
    ("parse", "arguments", "sentence"),
    [
        (lab, ["--nosuch"], "unrecognized arguments: --nosuch"),
        (lab, ["nosuch"], "invalid choice: 'nosuch' (choose from"),
        (lab, ["athna", "SELECT 1"], "; did you mean athena?"),
        (lab, ["examples/plans/smoke.json"], "; did you mean --plan examples/plans/smoke.json?"),
        (lab, ["--plan"], "argument --plan: expected one argument"),
        (lab, ["--fault", "loss=10"], "argument --fault: fault: must be [TYPE:]KIND[@START[+SECONDS]] with a KIND of"),
        (lab, ["--fault", "m5.largo:cut"], "argument --fault: instance type: must be one of"),
        (lab, ["--time-divisor", "twenty"], "argument --time-divisor: must be a number above 0, got twenty"),
        (lab, ["--time-divisor", "0"], "argument --time-divisor: must be a number above 0, got 0"),
        (lab, ["--time-divisor", "nan"], "argument --time-divisor: must be a number above 0, got nan"),
        (lab, ["--context", "notify"], "must be KEY=VALUE with a KEY of notify, metrics, presignedReports, got notify"),
        (lab, ["-c", "tags=a=b"], "argument -c/--context: must be KEY=VALUE with a KEY of notify, metrics"),
        (lab, ["-c", "notify=arn:aws:sns:us-east-1:123456789012:t"], "the lab has no topic of yours, got notify=arn:"),
        (lab, ["athena"], "the following arguments are required: query"),
        (lab, ["athena", "q", "--csv", "--json"], "argument --json: not allowed with argument --csv"),
        (faults, ["--nosuch"], "unrecognized arguments: --nosuch"),
        (faults, ["stray"], "unrecognized arguments: stray"),
        (faults, ["--count", "ten"], "argument --count: must be a whole number from 1, got ten"),
        (faults, ["--count", "0"], "argument --count: must be a whole number from 1, got 0"),
        (faults, ["--at-once", "1.5"], "argument --at-once: must be a whole number from 1, got 1.5"),
        (faults, ["--only=-1"], "argument --only: must be a whole number from 0, got -1"),
        (faults, ["--seed", "x"], "argument --seed: invalid int value: 'x'"),
    ],
)
def test_a_wrong_option_is_refused(
    parse: Callable[[list[str]], Any], arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        parse(arguments)
    assert end.value.code == 2
    assert sentence in capsys.readouterr().err


def test_settings_of_the_deployment_are_read() -> None:
    options = lab(["-c", "notify=me@example.com,you@example.com", "--context", "metrics=all"])
    assert dict(options.context) == {"notify": "me@example.com,you@example.com", "metrics": "all"}
    assert lab([]).context == []


def test_whole_numbers_are_read() -> None:
    options = faults(["--count", "200", "--seed", "-7", "--only", "0", "--at-once", "1"])
    assert (options.count, options.seed, options.only, options.at_once) == (200, -7, 0, 1)


@pytest.mark.parametrize("word", ["runs", "clean", "athena"])
def test_a_folder_is_read_before_and_after_the_word(word: str, tmp_path: Path) -> None:
    query = ["SELECT 1"] if word == "athena" else []
    folder = ["--folder", str(tmp_path)]
    assert lab([*folder, word, *query]).folder == lab([word, *query, *folder]).folder == tmp_path


def test_a_printed_command_is_about_the_folder_of_the_lab_that_prints_it(tmp_path: Path) -> None:
    assert (LabPaths().command(), LabPaths().command("clean")) == ("npm run lab", "npm run lab -- clean")
    folder = tmp_path / "two words"
    paths = LabPaths(folder)
    assert paths.command() == f"npm run lab -- --folder '{folder}'"
    printed = shlex.split(paths.command("clean"))
    options = lab(printed[printed.index("--") + 1 :])
    assert (options.command, options.folder) == ("clean", folder)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A lab's folder with something in it."""
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports/report.html").write_text("a report")
    return tmp_path


def test_nothing_is_deleted_where_nobody_can_be_asked(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", open(os.devnull))  # noqa: SIM115
    with pytest.raises(LabError) as refused:
        clean_if_agreed(LabPaths(store), is_agreed=False)
    must = "--yes: must be given if standard input is not a terminal"
    assert str(refused.value) == f"{must}; {store} has 0 runs; reports 0.0 MB; 0.0 MB in all"
    assert (store / "reports").exists()


@pytest.mark.parametrize(("answer", "said", "is_left"), [("n", "nothing was", True), ("y", "deleted from", False)])
def test_cleaning_asks_on_a_terminal(
    store: Path,
    answer: str,
    said: str,
    is_left: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    terminal, stdin = os.openpty()
    os.write(terminal, f"{answer}\n".encode())
    with os.fdopen(stdin) as asked:
        monkeypatch.setattr("sys.stdin", asked)
        code = clean_if_agreed(LabPaths(store), is_agreed=False)
    os.close(terminal)
    printed = capsys.readouterr().out
    assert f"{store} has 0 runs; reports 0.0 MB" in printed
    assert (said in printed, (store / "reports").exists()) == (True, is_left)
    assert code == int(is_left)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_lab_that_is_stopped_says_what_it_still_does(number: signal.Signals) -> None:
    program = "import os; from lab.command import stop_on_signals; stop_on_signals(lambda: print('told')); "
    lab = subprocess.Popen(
        [sys.executable, "-c", f"{program}os.kill(os.getpid(), {int(number)})"],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    told, errors = lab.communicate(timeout=60)
    assert told == "told\n"
    assert errors.startswith("lab: stopping: the hosts end and the store is saved; what was measured so far stays")


# Stands in for a module that the lab imports, and takes long to import.
SLOW_MODULE = """
import os, pathlib, time
pathlib.Path(os.environ["REACHED"]).touch()
time.sleep(120)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_lab_that_still_imports_says_that_it_was_stopped(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "boto3.py").write_text(SLOW_MODULE)
    reached = tmp_path / "reached"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "REACHED": str(reached)}
    lab = subprocess.Popen(
        [sys.executable, "-m", "lab"], cwd=Path(__file__).parents[2], env=environment, stderr=subprocess.PIPE, text=True
    )
    while not reached.exists():
        assert lab.poll() is None
        time.sleep(0.05)

    lab.send_signal(number)

    _, errors = lab.communicate(timeout=600)
    assert errors == "lab: stopped, and nothing of it goes on\n"
    assert lab.returncode == 130
