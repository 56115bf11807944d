"""Deploys the stack to the embedded AWS with the real `cdk deploy`."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass

from lab.runner.embedded_aws import EmbeddedAws
from lab.runner.errors import LabError
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
    """Deploys the stack and returns the seconds it took; the CLI's output goes to `.lab/logs/deploy.log`."""
    started = time.monotonic()
    log = aws.paths.logs / "deploy.log"
    command = [
        str(REPOSITORY / "node_modules/.bin/cdk"),
        "deploy",
        STACK_NAME,
        "--no-notices",
        "--require-approval=never",
        # Nobody reviews a change set here, and making one costs a round of polling.
        "--method=direct",
        # Deploy every optional part, so that every plan can run.
        "--context=peering=true",
        f"--output={aws.paths.cloud_assembly}",
    ]
    with log.open("wb") as output:
        done = subprocess.run(command, cwd=REPOSITORY, env=aws.environment, stdout=output, stderr=output)
    if done.returncode != 0:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-25:])
        raise LabError(f"cdk deploy failed; the end of {log}:\n{tail}")
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
