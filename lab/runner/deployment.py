"""Deploys the stack to the embedded AWS with the real `cdk deploy`."""

import json
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.aws.described_account import ACCOUNT
from lab.runner import LabError
from lab.runner.assembly import put_assembly
from lab.runner.embedded_aws import EmbeddedAws, end_of
from lab.runner.paths import REPOSITORY

STACK_NAME = "NetworkBenchmark"
POLL_SECONDS = 0.5
_SCALE = json.loads((REPOSITORY / "lab" / "profiles.json").read_text())["scale"]
# The context keys that `npm run lab --context` accepts, which decide what is done with a finished run.
FREE_CONTEXT = ("notify", "metrics", "presignedReports")


def scale_tags(time_divisor: float | None = None) -> dict[str, str]:
    """Returns the tags that mark every result of the lab as one of a scaled model of EC2.

    `time_divisor` is how much sooner than on EC2 credits run out; None takes the figure of profiles.json.
    """
    times = _SCALE["timeDivisor"] if time_divisor is None else time_divisor
    return {"ScaledModel": "lab", "RateDivisor": f"{_SCALE['rateDivisor']:g}", "TimeDivisor": f"{times:g}"}


def tags_in_words(tags: Mapping[str, str]) -> str:
    return ",".join(f"{key}={value}" for key, value in tags.items())


# The lab deploys every optional part and permits all of the user's networks, so that every plan can run.
EVERY_PART = {
    "peering": "true",
    "hostVpcs": ",".join(vpc["vpcId"] for vpc in ACCOUNT["vpcs"]),
    "tags": tags_in_words(scale_tags()),
}


class DeploymentFailedError(LabError):
    """CloudFormation or the CDK has refused the deployment."""


@dataclass(frozen=True)
class Deployment:
    """The values of the stack's outputs."""

    run_state_machine_arn: str
    pair_state_machine_arn: str
    bucket: str
    database: str
    workgroup: str
    notification_topic_arn: str | None = None
    """Where the stack publishes the messages about runs; None where it was deployed without `notify`."""


def deploy(aws: EmbeddedAws, context: Mapping[str, str] = EVERY_PART) -> float:
    started = time.monotonic()
    settings = [f"--context={key}={value}" for key, value in context.items()]
    assembly = aws.paths.cloud_assembly
    put_assembly(assembly, context, lambda folder: _cdk(aws, "synth", "--quiet", f"--output={folder}", *settings))
    deploy_assembly(aws, assembly)
    return time.monotonic() - started


def destroy(aws: EmbeddedAws, assembly: Path | None = None) -> None:
    """Deletes the stack, which was deployed with this assembly, or else by `deploy`."""
    _cdk(aws, "destroy", "--force", f"--app={assembly or aws.paths.cloud_assembly}")


def deploy_assembly(aws: EmbeddedAws, assembly: Path) -> None:
    """Deploys what a `cdk synth` has written, of this version or of another one."""
    # Nobody reviews a change set here, and creating one costs a round of polling.
    _cdk(aws, "deploy", "--require-approval=never", "--method=direct", f"--app={assembly}")


def _cdk(aws: EmbeddedAws, command: str, *options: str) -> None:
    argv = [str(REPOSITORY / "node_modules/.bin/cdk"), command, STACK_NAME, "--no-notices", *options]
    with aws.paths.deploy_log.open("wb") as log:
        cdk = subprocess.Popen(argv, cwd=REPOSITORY, env=aws.environment, stdout=log, stderr=log)
        code = _wait_for(cdk, aws)
    if code != 0:
        raise DeploymentFailedError(f"cdk {command} failed; {end_of(aws.paths.deploy_log)}")


def _wait_for(cdk: "subprocess.Popen[bytes]", aws: EmbeddedAws) -> int:
    """Returns the CDK's exit code. If the embedded AWS ends, it kills the CDK, which would retry for two minutes."""
    while True:
        try:
            return cdk.wait(POLL_SECONDS)
        except subprocess.TimeoutExpired:
            if aws.has_ended():
                cdk.kill()


def describe_deployment(aws: EmbeddedAws) -> Deployment:
    stacks = aws.cloudformation.describe_stacks(StackName=STACK_NAME)["Stacks"]
    outputs = {output["OutputKey"]: output["OutputValue"] for output in stacks[0].get("Outputs", [])}
    try:
        return Deployment(
            run_state_machine_arn=outputs["RunStateMachineArn"],
            pair_state_machine_arn=outputs["PairStateMachineArn"],
            bucket=outputs["BucketName"],
            database=outputs["DatabaseName"],
            workgroup=outputs["WorkgroupName"],
            notification_topic_arn=outputs.get("NotificationTopicArn"),
        )
    except KeyError as missing:
        raise LabError(f"stack {STACK_NAME}: output {missing} is missing, got {sorted(outputs)}") from missing
