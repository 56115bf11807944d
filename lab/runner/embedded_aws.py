"""Runs the embedded AWS as a child process and makes clients of it."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.error
import urllib.request
from functools import cached_property
from typing import TYPE_CHECKING, cast

import botocore.session
from botocore.client import BaseClient
from botocore.config import Config

from lab.runner.environment import REGION, lab_environment
from lab.runner.errors import LabError
from lab.runner.paths import REPOSITORY, LabPaths

if TYPE_CHECKING:
    from types_boto3_athena import AthenaClient
    from types_boto3_cloudformation import CloudFormationClient
    from types_boto3_s3 import S3Client
    from types_boto3_stepfunctions import SFNClient

PORT = 4566
START_DEADLINE_SECONDS = 60


class EmbeddedAws:
    """Runs `python -m lab.aws` on the lab's state, as a context manager: leaving it ends the process."""

    def __init__(self, paths: LabPaths, with_hosts: bool, time_divisor: float | None = None) -> None:
        self.paths = paths
        self.endpoint_url = f"http://127.0.0.1:{PORT}"
        self.environment = lab_environment(self.endpoint_url, paths.home)
        self._with_hosts = with_hosts
        self._time_divisor = time_divisor
        self._process: subprocess.Popen[bytes] | None = None
        self._session = botocore.session.get_session()

    def __enter__(self) -> EmbeddedAws:
        log = self.paths.logs / "aws.log"
        arguments = ["--port", str(PORT), "--state-dir", str(self.paths.aws_state), "--work-dir", str(self.paths.hosts)]
        if not self._with_hosts:
            arguments.append("--no-hosts")
        if self._time_divisor is not None:
            arguments += ["--time-divisor", str(self._time_divisor)]
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "lab.aws", *arguments],
                cwd=REPOSITORY,
                env=self.environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._wait_until_it_answers()
        return self

    def __exit__(self, *_: object) -> None:
        process = self._process
        if process is None or process.poll() is not None:
            return
        process.terminate()  # it writes its state on SIGTERM
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _wait_until_it_answers(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + START_DEADLINE_SECONDS
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"{self.endpoint_url}/_ministack/health", timeout=2):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        log = self.paths.logs / "aws.log"
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
        raise LabError(f"the embedded AWS did not start; the end of {log}:\n{tail}")

    @cached_property
    def athena(self) -> AthenaClient:
        return cast("AthenaClient", self.client("athena"))

    @cached_property
    def cloudformation(self) -> CloudFormationClient:
        return cast("CloudFormationClient", self.client("cloudformation"))

    @cached_property
    def s3(self) -> S3Client:
        return cast("S3Client", self.client("s3"))

    @cached_property
    def stepfunctions(self) -> SFNClient:
        return cast("SFNClient", self.client("stepfunctions"))

    def client(self, service: str) -> BaseClient:
        """Returns a client of any service of the embedded AWS, independent of the caller's configuration."""
        return self._session.create_client(
            service,
            endpoint_url=self.endpoint_url,
            region_name=REGION,
            aws_access_key_id=self.environment["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=self.environment["AWS_SECRET_ACCESS_KEY"],
            config=Config(retries={"max_attempts": 3}, read_timeout=60),
        )
