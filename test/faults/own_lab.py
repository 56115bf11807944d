"""Faults of the lab itself: each has a lab of its own, which is interrupted, killed, or finds its disk full."""

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from faults.conduct import Course
from faults.fault import Fault
from faults.judge import Verdict
from faults.readable import complaint
from faults.subject import plan_of
from lab import namespace
from lab.runner.paths import REPOSITORY

# How long a lab may take to end by itself, and the kernel to end what it left, on a busy machine.
ENDING_SECONDS, REMAINS_SECONDS = 90, 20
LOOK_SECONDS = 0.5
BLOCK = b"\0" * 1_000_000
# The lab's own sentence. An error of the file system alone would not say how much is needed.
DISK_WORDS = "must be on a disk with"


def break_own_lab(fault: Fault, folder: Path) -> tuple[Course, Verdict]:
    """Starts a lab in `folder`, breaks it at its moment, and judges how it ends."""
    folder.mkdir(parents=True)
    with _disk(folder, fault.details.get("disk_megabytes")):
        plan = folder / "plan.json"
        plan.write_text(json.dumps(plan_of(folder.name, fault.measurement_seconds)))
        lab_folder = folder / "lab"
        course = Course(folder.name, time.time())
        command = [sys.executable, "-m", "lab", "--plan", str(plan), "--folder", str(lab_folder)]
        environment = {name: value for name, value in os.environ.items() if name != namespace.INSIDE_VARIABLE}
        process = subprocess.Popen(
            command,
            cwd=REPOSITORY,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(fault.delay_seconds)
        if process.poll() is None:
            course.struck = time.time()
            _strike(fault, process, lab_folder)
        broken = []
        try:
            _, errors = process.communicate(timeout=ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            _, errors = process.communicate()
            broken.append(f"must end within {ENDING_SECONDS} s of the fault, had to be killed")
        course.ended = time.time()
        course.status = "SUCCEEDED" if process.returncode == 0 else "FAILED"
        course.cause = errors[-2_000:]
        broken += _remains(lab_folder, course.ended)
    outcome = "green" if process.returncode == 0 else "red"
    expected = fault.outcome if course.struck is not None else "green"
    if outcome != expected:
        broken.append(f"must be {expected}, is {outcome}: {errors[-300:]}")
    reasons = [line for line in errors.splitlines() if line.strip()][-1:]
    if fault.details["how"] != "killed" and outcome == "red":
        broken += _unreadable(fault.details["how"], errors, reasons)
    return course, Verdict(outcome, None, [], reasons, broken)


def _strike(fault: Fault, process: subprocess.Popen[str], lab_folder: Path) -> None:
    match fault.details["how"]:
        case "interrupted":
            # A terminal sends it to the whole process group.
            os.killpg(process.pid, signal.SIGINT)
        case "terminated":
            process.terminate()
        case "killed":
            process.kill()
        case "embedded AWS killed":
            for process_id in _processes_naming(lab_folder, "lab.aws"):
                os.kill(process_id, signal.SIGKILL)
        case "disk full":
            with (lab_folder.parent / "filler").open("wb", buffering=0) as filler, contextlib.suppress(OSError):
                while True:
                    filler.write(BLOCK)
        case how:
            raise ValueError(f"how: must be a fault of a lab, got {how}")


@contextlib.contextmanager
def _disk(folder: Path, megabytes: int | None) -> Iterator[None]:
    """Gives the folder a small disk of its own, where the fault is one of the disk."""
    if megabytes is None:
        yield
        return
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _remains(lab_folder: Path, ended: float) -> list[str]:
    """Returns what still holds a lab that has ended."""
    while _processes_naming(lab_folder) and time.time() < ended + REMAINS_SECONDS:
        time.sleep(LOOK_SECONDS)
    left = _processes_naming(lab_folder)
    broken = [f"nothing of it may run on, {len(left)} processes do"] if left else []
    lock = lab_folder / "lock"
    if lock.exists():
        with lock.open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                broken.append(f"{lock}: must be free for the next lab, is locked")
    return broken


def _processes_naming(lab_folder: Path, *words: str) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            with contextlib.suppress(OSError):
                command = (folder / "cmdline").read_bytes().decode("utf-8", "replace")
                if str(lab_folder) in command and all(word in command for word in words):
                    found.append(int(folder.name))
    return found


def _unreadable(how: str, text: str, reasons: list[str]) -> list[str]:
    if not reasons:
        return ["must say why it ended, says nothing"]
    problem = complaint(text[-2_000:])
    if problem:
        return [f"its last words {problem}: {text[-400:]}"]
    if how == "disk full" and DISK_WORDS not in text:
        return [f"must say {DISK_WORDS!r}, says {text[-400:]}"]
    return []
