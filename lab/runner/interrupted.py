"""Runs that were going on when their lab ended: their hosts ended with it, and nothing goes on with them."""

from lab.runner.deployment import Deployment
from lab.runner.embedded_aws import EmbeddedAws

ERROR = "Lab.Interrupted"
CAUSE = "the lab ended while this execution was running"


def stop_interrupted_runs(aws: EmbeddedAws, deployment: Deployment) -> list[str]:
    """Stops what no host works for, and returns the ids of its runs; the service then saves what they measured."""
    machines = (deployment.run_state_machine_arn, deployment.pair_state_machine_arn)
    runs, pairs = ([arn for arn in _running(aws, machine)] for machine in machines)
    for arn in [*runs, *pairs]:
        aws.stepfunctions.stop_execution(executionArn=arn, error=ERROR, cause=CAUSE)
    return sorted(arn.rsplit(":", 1)[1] for arn in runs)


def _running(aws: EmbeddedAws, machine: str) -> list[str]:
    pages = aws.stepfunctions.get_paginator("list_executions").paginate(stateMachineArn=machine, statusFilter="RUNNING")
    return [execution["executionArn"] for page in pages for execution in page["executions"]]
