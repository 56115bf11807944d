"""Deploys the stack to the embedded AWS with the real `cdk deploy`."""

import subprocess
import time
from dataclasses import dataclass

from lab.runner import LabError
from lab.runner.embedded_aws import EmbeddedAws, end_of
from lab.runner.paths import REPOSITORY

STACK_NAME = "NetworkBenchmark"


@dataclass(frozen=True)
class Deployment:
    """The values of the stack's outputs."""

    run_state_machine_arn: str
    pair_state_machine_arn: str
    bucket: str
    database: str
    workgroup: str


def deploy(aws: EmbeddedAws) -> float:
    """Deploys the stack and returns the seconds it took."""
    started = time.monotonic()
    # Nobody reviews a change set here, and making one costs a round of polling.
    options = ["--no-notices", "--require-approval=never", "--method=direct", f"--output={aws.paths.cloud_assembly}"]
    # Every optional part is deployed, so that every plan can run.
    options += ["--context=peering=true"]
    command = [str(REPOSITORY / "node_modules/.bin/cdk"), "deploy", STACK_NAME, *options]
    with aws.paths.deploy_log.open("wb") as log:
        done = subprocess.run(command, cwd=REPOSITORY, env=aws.environment, stdout=log, stderr=log)
    if done.returncode != 0:
        raise LabError(f"cdk deploy failed; {end_of(aws.paths.deploy_log)}")
    return time.monotonic() - started


def describe_deployment(aws: EmbeddedAws) -> Deployment:
    """Reads the stack's outputs."""
    stacks = aws.cloudformation.describe_stacks(StackName=STACK_NAME)["Stacks"]
    outputs = {output["OutputKey"]: output["OutputValue"] for output in stacks[0].get("Outputs", [])}
    try:
        return Deployment(
            run_state_machine_arn=outputs["RunStateMachineArn"],
            pair_state_machine_arn=outputs["PairStateMachineArn"],
            bucket=outputs["BucketName"],
            database=outputs["DatabaseName"],
            workgroup=outputs["WorkgroupName"],
        )
    except KeyError as missing:
        raise LabError(f"stack {STACK_NAME}: output {missing} is missing, got {sorted(outputs)}") from missing
