"""Starts a lab, with the embedded AWS and the deployed stack, for `npm run lab` and the end-to-end tests."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass

from lab.runner import LabError
from lab.runner.assembly import fingerprint
from lab.runner.deployment import (
    EVERY_PART,
    Deployment,
    DeploymentFailedError,
    deploy,
    describe_deployment,
    scale_tags,
    tags_in_words,
)
from lab.runner.embedded_aws import EmbeddedAws, embedded_aws
from lab.runner.paths import LabPaths
from lab.runner.progress import Event
from lab.runner.store import KeptDeployment, Store

Report = Callable[[Event], None]
Lab = tuple[EmbeddedAws, Deployment]
_INTERRUPTED = {"error": "Lab.Interrupted", "cause": "the lab ended while this execution was running"}


@contextmanager
def deployed_lab(
    paths: LabPaths,
    report: Report,
    time_divisor: float | None = None,
    wait_divisor: float | None = None,
    context: Mapping[str, str] | None = None,
) -> Iterator[Lab]:
    """Starts the embedded AWS with hosts on the store in the lab's folder, and deploys the stack with every optional
    part and `context`.

    It deploys nothing if the store already has what the sources would deploy. It replaces a store that can't be used
    any more, and carries its results over.
    """
    deployed = {**EVERY_PART, "tags": tags_in_words(scale_tags(time_divisor)), **(context or {})}
    opening = _Opening(paths, report, Store(paths), time_divisor, wait_divisor, deployed)
    paths.renew()
    with ExitStack() as stack:
        yield opening.open(stack)


@dataclass(frozen=True)
class _Opening:
    paths: LabPaths
    report: Report
    store: Store
    time_divisor: float | None
    wait_divisor: float | None
    context: Mapping[str, str]

    def open(self, stack: ExitStack) -> Lab:
        self.store.put_back()
        if self.store.is_empty:
            self.store.clear()
            return self._started(stack)
        reason = self.store.reason_to_replace()
        if reason is None:
            try:
                return self._started(stack)
            except DeploymentFailedError as error:
                stack.close()
                reason = f"the stack in the store could not be updated: {error}"
        self.report({"event": "storeReplaced", "reason": reason})
        self.store.set_aside()
        try:
            with self._embedded_aws(with_hosts=False) as aws:
                self._deploy(aws)
        except DeploymentFailedError:
            self.store.put_back()
            raise
        self.store.carry_over()
        return self._started(stack)

    def _started(self, stack: ExitStack) -> Lab:
        aws = stack.enter_context(self._embedded_aws(with_hosts=True))
        if self.store.is_empty or self.store.kept_deployment().sources != fingerprint(self.context):
            self._deploy(aws)
        deployment = self.store.kept_deployment().deployment
        interrupted = stop_interrupted_runs(aws, deployment)
        if interrupted:
            self.report({"event": "interrupted", "runIds": interrupted})
        return aws, deployment

    def _embedded_aws(self, with_hosts: bool) -> AbstractContextManager[EmbeddedAws]:
        return embedded_aws(self.paths, with_hosts, self.time_divisor, self.wait_divisor)

    def _deploy(self, aws: EmbeddedAws) -> None:
        sources = fingerprint(self.context)
        self.report({"event": "deploying"})
        seconds = deploy(aws, self.context)
        aws.save_state()
        ec2 = aws.session.client("ec2", endpoint_url=aws.endpoint_url)
        subnets = ec2.describe_subnets()["Subnets"]
        self.store.record(KeptDeployment(describe_deployment(aws), sources, [dict(subnet) for subnet in subnets]))
        self.report({"event": "deployed", "seconds": round(seconds, 1)})


@contextmanager
def kept_lab(paths: LabPaths) -> Iterator[Lab]:
    """Starts the embedded AWS without hosts on the kept store, and leaves its state unchanged."""
    store = Store(paths)
    store.put_back()
    if store.is_empty:
        raise LabError(f"no run to query yet: start one with `{paths.command()}`")
    reason = store.reason_to_replace()
    if reason is not None:
        raise LabError(f"{paths.aws_state}: the next `{paths.command()}` will replace this store, because {reason}")
    with embedded_aws(paths, with_hosts=False, leaves_state=True) as aws:
        yield aws, store.kept_deployment().deployment


def stop_interrupted_runs(aws: EmbeddedAws, deployment: Deployment) -> list[str]:
    """Stops executions whose hosts ended with their lab, so that the service saves their measurements; returns the run
    ids.
    """
    machines = (deployment.run_state_machine_arn, deployment.pair_state_machine_arn)
    runs, pairs = (_running(aws, machine) for machine in machines)
    for arn in [*runs, *pairs]:
        aws.stepfunctions.stop_execution(executionArn=arn, **_INTERRUPTED)
    return sorted(arn.rsplit(":", 1)[1] for arn in runs)


def _running(aws: EmbeddedAws, machine: str) -> list[str]:
    pages = aws.stepfunctions.get_paginator("list_executions").paginate(stateMachineArn=machine, statusFilter="RUNNING")
    return [execution["executionArn"] for page in pages for execution in page["executions"]]
