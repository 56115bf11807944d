"""A lab whose waits are shorter: long ones are divided, and those of half a second or less stay."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
# Stand-ins take the place of what waits. MiniStack may only be imported in a process of its own.
PROGRAM = """
import json
import os
import sys
from pathlib import Path
from lab.aws.settings import Options, configure
state, divisor = Path(sys.argv[1]), float(sys.argv[2])
configure(Options(port=1, bind="127.0.0.1", state_dir=state, work_dir=None, wait_divisor=divisor))
from lab.aws import embedded, shorter_waits
slept = []
embedded.STATES_SLEEP.replace(slept.append)
embedded.QUEUE_DELAY.replace(lambda queue: queue)
embedded.SCHEDULE_SECONDS.replace({"rate(15 minutes)": 900}.get)
shorter_waits.install(divisor)
for seconds in (0.1, 1, 15, 900):
    embedded.STATES_SLEEP.value(seconds)
schedules = [embedded.SCHEDULE_SECONDS.value(one) for one in ("rate(15 minutes)", "cron(0 12 * * ? *)")]
retries = [float(os.environ[f"LAMBDA_ASYNC_RETRY_{which}_SECONDS"]) for which in ("BASE", "MAX")]
print(json.dumps([slept, retries, embedded.QUEUE_DELAY.value(300), schedules]))
"""


def install(folder: Path, divisor: float) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, str(folder), str(divisor)]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("divisor", "waits"),
    [
        (1, [[0.1, 1, 15, 900], [60, 120], 300, [900, None]]),
        (15, [[0.1, 0.5, 1, 60], [4, 8], 20, [60, None]]),
    ],
)
def test_long_waits_are_divided_and_short_ones_stay(tmp_path: Path, divisor: float, waits: list[object]) -> None:
    done = install(tmp_path, divisor)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == waits


def test_a_divisor_below_one_is_refused(tmp_path: Path) -> None:
    assert "wait divisor: must be at least 1, got 0.5" in install(tmp_path, 0.5).stderr
