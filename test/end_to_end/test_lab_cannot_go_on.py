"""What stops the lab is reported in a sentence that says what to do, with an exit code that is not zero."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .user_lab import events_until, folder_of_a_lab, start_lab

# What Python and Node print of an error that nobody has caught.
TRACES = ("Traceback (most recent call last)", "    at ", "node:internal")


@pytest.fixture
def outside() -> Iterator[Path]:
    with folder_of_a_lab() as folder:
        yield folder


def started(folder: Path) -> subprocess.Popen[str]:
    return start_lab(folder, "--json")


def sentence_of(lab: subprocess.Popen[str]) -> str:
    """Waits for the end of the lab, which must be a failure, and returns its last line."""
    _, errors = lab.communicate(timeout=600)
    assert lab.returncode == 1, errors
    assert [trace for trace in TRACES if trace in errors] == [], errors
    return errors.splitlines()[-1]


@contextmanager
def disk(folder: Path, size: str) -> Iterator[Path]:
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def filled(folder: Path) -> Iterator[None]:
    """Keeps a disk full, because what the lab removes meanwhile gives some of it back."""
    is_over = threading.Event()

    def keep_full() -> None:
        with (folder / "filler").open("wb", buffering=0) as filler:
            while not is_over.is_set():
                try:
                    filler.write(bytes(1_000_000))
                except OSError:
                    is_over.wait(0.05)

    filling = threading.Thread(target=keep_full)
    filling.start()
    try:
        yield
    finally:
        is_over.set()
        filling.join()


def kill_embedded_aws(folder: Path) -> None:
    """Sends SIGKILL to the lab's own embedded AWS, which its state folder tells from those of other labs."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes().decode().split("\0")
            except OSError:
                continue  # the process has ended meanwhile
            if "lab.aws" in words and f"--state-dir={folder / 'state'}" in words:
                os.kill(int(entry.name), signal.SIGKILL)
                return
    raise AssertionError(f"an embedded AWS on {folder}: must run, none does")


def test_a_file_in_place_of_its_folder(outside: Path) -> None:
    (outside / "lab").write_text("not a folder")
    for folder in (outside / "lab", outside / "lab" / "inside"):
        line = sentence_of(started(folder))
        assert line == f"lab: {folder}: must be a folder, got a file in its place; move the file away"


def test_a_folder_that_its_namespaces_hide() -> None:
    line = sentence_of(started(Path("/run/lab")))
    assert line == "lab: /run/lab: must not be below /run, where the lab mounts a file system of its own"


def test_a_disk_that_is_too_small(outside: Path) -> None:
    with disk(outside / "small", "1m") as folder:
        line = sentence_of(started(folder))
    assert line.startswith(f"lab: {folder}: must be on a disk with at least 200 MB free, got 1.0 MB; ")
    assert "--folder" in line


@pytest.mark.parametrize("event", ["deploying", "started"])
def test_a_disk_that_fills_up(outside: Path, event: str) -> None:
    with disk(outside / "filled", "220m") as folder:
        lab = started(folder)
        events_until(lab, event)
        with filled(folder):
            line = sentence_of(lab)
    told = re.match(rf"lab: {folder}: must be on a disk with at least 2 MB free, got (.*) MB; free some space", line)
    # How much is free is asked a moment after a write has failed.
    assert told and float(told[1]) < 2, line


@pytest.mark.parametrize("event", ["deploying", "started"])
def test_an_embedded_aws_that_was_killed(outside: Path, event: str) -> None:
    lab = started(outside)
    events_until(lab, event)
    kill_embedded_aws(outside)
    assert sentence_of(lab) == (
        "lab: the embedded AWS was killed by SIGKILL (the kernel does this when memory runs out); start the run again. "
        f"The log: {outside}/logs/aws.log"
    )
