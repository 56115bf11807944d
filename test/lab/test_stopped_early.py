"""A lab that is stopped while it still imports its modules ends with a sentence."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
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
        [sys.executable, "-m", "lab"], cwd=REPOSITORY, env=environment, stderr=subprocess.PIPE, text=True
    )
    while not reached.exists():
        assert lab.poll() is None
        time.sleep(0.05)

    lab.send_signal(number)

    _, errors = lab.communicate(timeout=60)
    assert errors == "lab: stopped\n"
    assert lab.returncode == 130
