"""Runs the embedded AWS as a child process and makes clients of it."""

import json
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import boto3

from lab.aws.settings import REGION, SCRATCH
from lab.runner import LabError
from lab.runner.environment import lab_environment
from lab.runner.paths import REPOSITORY, LabPaths

PORT = 4566
# A machine that is busy with other work took more than a minute.
START_DEADLINE_SECONDS = STOP_DEADLINE_SECONDS = SAVE_DEADLINE_SECONDS = 300


class EmbeddedAws:
    endpoint_url = f"http://127.0.0.1:{PORT}"

    def __init__(self, paths: LabPaths) -> None:
        self.paths = paths
        self.has_ended: Callable[[], bool] = lambda: False
        self.environment = lab_environment(self.endpoint_url, paths.home)
        key, secret = self.environment["AWS_ACCESS_KEY_ID"], self.environment["AWS_SECRET_ACCESS_KEY"]
        self.session = boto3.Session(key, secret, region_name=REGION)
        self.athena = self.session.client("athena", endpoint_url=self.endpoint_url)
        self.cloudformation = self.session.client("cloudformation", endpoint_url=self.endpoint_url)
        self.glue = self.session.client("glue", endpoint_url=self.endpoint_url)
        self.s3 = self.session.client("s3", endpoint_url=self.endpoint_url)
        self.stepfunctions = self.session.client("stepfunctions", endpoint_url=self.endpoint_url)

    def save_state(self) -> None:
        """Writes the state now, so that the next lab has it even if this one is killed."""
        self._tell("save")

    def set_path_faults(self, faults: list[str]) -> None:
        """Sets the faults (lab.hosts.path_fault) of the hosts that are launched from now on."""
        self._tell("path-faults", json.dumps(faults).encode())

    def _tell(self, what: str, body: bytes | None = None) -> None:
        request = urllib.request.Request(f"{self.endpoint_url}/_lab/{what}", data=body, method="POST")
        with urllib.request.urlopen(request, timeout=SAVE_DEADLINE_SECONDS):
            pass


@contextmanager
def embedded_aws(
    paths: LabPaths,
    with_hosts: bool,
    time_divisor: float | None = None,
    wait_divisor: float | None = None,
    leaves_state: bool = False,
) -> Iterator[EmbeddedAws]:
    """Runs `python -m lab.aws` on the lab's state until the block ends, and then writes the state or leaves it."""
    aws = EmbeddedAws(paths)
    command = [sys.executable, "-m", "lab.aws", f"--port={PORT}", f"--state-dir={paths.aws_state}"]
    command += [f"--work-dir={paths.hosts}", f"--mail-dir={paths.mails}"]
    divisors = {"time-divisor": time_divisor, "wait-divisor": wait_divisor}
    command += [f"--{name}={divisor}" for name, divisor in divisors.items() if divisor is not None]
    flags = {"--no-hosts": not with_hosts, "--leave-state": leaves_state}
    command += [flag for flag, is_set in flags.items() if is_set]
    with paths.aws_log.open("wb") as log:
        process = subprocess.Popen(
            command, cwd=REPOSITORY, env=aws.environment, stdout=log, stderr=log, start_new_session=True
        )
    aws.has_ended = lambda: process.poll() is not None
    was_killed = False
    try:
        _wait_until_it_answers(aws, process)
        try:
            yield aws
        except Exception as error:
            if not aws.has_ended():
                raise
            raise LabError(f"{_ending(process.returncode)}; start the run again. The log: {paths.aws_log}") from error
    finally:
        process.terminate()  # it writes its state on SIGTERM
        try:
            process.wait(STOP_DEADLINE_SECONDS)
        except subprocess.TimeoutExpired:
            was_killed = True
            process.kill()
            process.wait()
        # Each run leaves 20 MB of the functions' unpacked code.
        shutil.rmtree(paths.aws_state / SCRATCH, ignore_errors=True)
    if was_killed:
        raise LabError(
            f"the embedded AWS did not end within {STOP_DEADLINE_SECONDS} s and was killed; the next lab starts from "
            f"the state that was last written. The log: {paths.aws_log}"
        )


def _wait_until_it_answers(aws: EmbeddedAws, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_DEADLINE_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{aws.endpoint_url}/_ministack/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise LabError(f"the embedded AWS did not start; {end_of(aws.paths.aws_log)}")


def _ending(code: int) -> str:
    if code >= 0:
        return f"the embedded AWS ended by itself with code {code}"
    hint = " (the kernel does this when memory runs out)" if -code == signal.SIGKILL else ""
    return f"the embedded AWS was killed by {signal.Signals(-code).name}{hint}"


def end_of(log: Path) -> str:
    return "\n".join([f"the end of {log}:", *log.read_text(errors="replace").splitlines()[-25:]])
