"""Starts a lab, with the embedded AWS running and the stack deployed, for `npm run lab` and the end-to-end tests."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.runner.deployment import Deployment, deploy, describe_deployment
from lab.runner.embedded_aws import EmbeddedAws
from lab.runner.errors import LabError
from lab.runner.paths import LabPaths
from lab.runner.watch import Event


@contextmanager
def fresh_lab(
    paths: LabPaths, report: Callable[[Event], None], time_divisor: float | None = None
) -> Iterator[tuple[EmbeddedAws, Deployment]]:
    """Deletes the last run's state, starts the embedded AWS with hosts and deploys the stack to it.

    With `time_divisor` n, credits run out n times sooner than on EC2 (None: as in profiles.json).
    """
    for folder in (paths.aws_state, paths.home, paths.hosts, paths.logs, paths.cloud_assembly):
        shutil.rmtree(folder, ignore_errors=True)
    paths.make()
    with EmbeddedAws(paths, with_hosts=True, time_divisor=time_divisor) as aws:
        report({"event": "deploying"})
        seconds = deploy(aws)
        deployment = describe_deployment(aws)
        _deployment_file(paths).write_text(json.dumps(dataclasses.asdict(deployment)))
        report({"event": "deployed", "seconds": round(seconds, 1)})
        yield aws, deployment


@contextmanager
def kept_lab(paths: LabPaths) -> Iterator[tuple[EmbeddedAws, Deployment]]:
    """Starts the embedded AWS without hosts on the state of the last run."""
    if not _deployment_file(paths).exists():
        raise LabError("no run to query yet: start one with `npm run lab`")
    deployment = Deployment(**json.loads(_deployment_file(paths).read_text()))
    with EmbeddedAws(paths, with_hosts=False) as aws:
        yield aws, deployment


def _deployment_file(paths: LabPaths) -> Path:
    return paths.aws_state / "deployment.json"
