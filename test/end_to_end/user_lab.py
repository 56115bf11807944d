"""`npm run lab` as a user gives it: in namespaces and in a folder of its own, whatever the environment is."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lab import namespace
from lab.runner.paths import REPOSITORY

Event = dict[str, Any]
# The lab must use nothing of the caller's environment.
HOSTILE = {"AWS_PROFILE": "production", "AWS_ENDPOINT_URL": "http://192.0.2.1", "AWS_REGION": "eu-west-1"}
HOSTILE |= {
    "AWS_CONFIG_FILE": "/nowhere",
    "HTTPS_PROXY": "http://192.0.2.1:3128",
    "http_proxy": "http://192.0.2.1:3128",
}


@contextmanager
def folder_of_a_lab() -> Iterator[Path]:
    """Makes a folder that the lab's own namespaces also show: not below /run, where the tests' temporary files are."""
    with TemporaryDirectory(dir=REPOSITORY / ".cache", prefix="lab-of-a-test-") as folder:
        yield Path(folder)


def start_lab(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if name != namespace.INSIDE_VARIABLE} | HOSTILE
    command = ["bash", "scripts/lab.sh", "--folder", str(folder), *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=REPOSITORY, env=environment, stdout=pipe, stderr=pipe, text=True)


def run_lab(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    lab = start_lab(folder, *arguments)
    output, errors = lab.communicate(timeout=1200)
    return subprocess.CompletedProcess(lab.args, lab.returncode, output, errors)


def events_until(lab: subprocess.Popen[str], name: str) -> list[Event]:
    """Returns the events of a lab with `--json` up to the first of this name."""
    seen = []
    for line in lab.stdout:
        seen.append(json.loads(line))
        if seen[-1]["event"] == name:
            return seen
    raise AssertionError(f"{name}: must be reported, got the end: {seen} {lab.communicate()}")
