"""Starts a lab, with the embedded AWS running and the stack deployed, for `npm run lab` and the end-to-end tests."""

import dataclasses
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lab.runner import LabError
from lab.runner.deployment import Deployment, deploy, describe_deployment
from lab.runner.embedded_aws import EmbeddedAws, embedded_aws
from lab.runner.paths import LabPaths
from lab.runner.watch import Event


@contextmanager
def fresh_lab(
    paths: LabPaths,
    report: Callable[[Event], None],
    time_divisor: float | None = None,
    wait_divisor: float | None = None,
) -> Iterator[tuple[EmbeddedAws, Deployment]]:
    """Deletes the last run's state, starts the embedded AWS with hosts and deploys the stack to it."""
    paths.renew()
    with embedded_aws(paths, with_hosts=True, time_divisor=time_divisor, wait_divisor=wait_divisor) as aws:
        report({"event": "deploying"})
        seconds = deploy(aws)
        deployment = describe_deployment(aws)
        paths.deployment.write_text(json.dumps(dataclasses.asdict(deployment)))
        report({"event": "deployed", "seconds": round(seconds, 1)})
        yield aws, deployment


@contextmanager
def kept_lab(paths: LabPaths) -> Iterator[tuple[EmbeddedAws, Deployment]]:
    """Starts the embedded AWS without hosts on the state of the last run."""
    if not paths.deployment.exists():
        raise LabError("no run to query yet: start one with `npm run lab`")
    deployment = Deployment(**json.loads(paths.deployment.read_text()))
    with embedded_aws(paths, with_hosts=False) as aws:
        yield aws, deployment
