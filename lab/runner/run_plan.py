"""Runs one plan: starts the execution, follows it and fetches its documents."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lab.runner.copies import Copies
from lab.runner.deployment import Deployment
from lab.runner.embedded_aws import EmbeddedAws
from lab.runner.store import objects_in
from lab.runner.watch import Event, RunWatcher

# The event about the report reaches its function within a second; a busy machine takes longer to start the function.
PUBLISHING_DEADLINE_SECONDS = 60


@dataclass(frozen=True)
class RunResult:
    """How an execution ended, and where its documents are on this machine (None when it wrote none)."""

    run_id: str
    status: str
    error: str | None
    cause: str | None
    output: dict[str, Any] | None
    # The folder of a dry run's plan and forecast; None when the run was not dry.
    forecast_folder: Path | None
    summary_path: Path | None
    report_path: Path | None
    # The page over all runs; None when this run wrote no report, or its page was not renewed.
    index_path: Path | None
    # What would have been sent about the run by e-mail; None where the stack tells nobody.
    mail_paths: tuple[Path, ...] | None = None

    @property
    def summary(self) -> dict[str, Any] | None:
        if self.summary_path is None:
            return None
        summary: dict[str, Any] = json.loads(self.summary_path.read_text())
        return summary


def start_run(aws: EmbeddedAws, deployment: Deployment, plan: dict[str, Any]) -> str:
    run_id = datetime.now(UTC).strftime("lab-%Y%m%d-%H%M%S")
    started = aws.stepfunctions.start_execution(
        stateMachineArn=deployment.run_state_machine_arn, name=run_id, input=json.dumps(plan)
    )
    return started["executionArn"]


def follow_run(
    aws: EmbeddedAws, deployment: Deployment, execution_arn: str, report: Callable[[Event], None]
) -> RunResult:
    """Reports progress until the execution is over, then fetches its summary, its report and the page over all runs."""
    description = RunWatcher(aws, deployment, execution_arn).follow(report)
    run_id = execution_arn.rsplit(":", 1)[1]
    copies = Copies(aws.paths, objects_in(aws.paths.aws_state, deployment.bucket))
    report_path = copies.report(run_id)
    is_published = report_path is not None and _is_published(aws, deployment, run_id)
    output = json.loads(description["output"]) if "output" in description else None
    is_dry = output is not None and output.get("outcome") == "dry_run"
    return RunResult(
        run_id=run_id,
        status=description["status"],
        error=description.get("error"),
        cause=description.get("cause"),
        output=output,
        forecast_folder=copies.forecast(run_id) if is_dry else None,
        summary_path=copies.document(run_id, "summary.json"),
        report_path=report_path,
        index_path=copies.index() if is_published else None,
        mail_paths=None if deployment.notification_topic_arn is None else _mails_about(aws, run_id),
    )


def _is_published(aws: EmbeddedAws, deployment: Deployment, run_id: str) -> bool:
    """Waits for publish-run, which S3's event about the report starts after the execution is over.

    It renews the page over all runs, and then sends the message, where the stack has a topic.
    """
    marker = f"reports/{run_id}/published.json"
    deadline = time.monotonic() + PUBLISHING_DEADLINE_SECONDS
    is_renewed = False
    while time.monotonic() < deadline:
        if "Contents" in aws.s3.list_objects_v2(Bucket=deployment.bucket, Prefix=marker):
            is_renewed = True
            done = json.loads(aws.s3.get_object(Bucket=deployment.bucket, Key=marker)["Body"].read())["done"]
            if deployment.notification_topic_arn is None or "message" in done:
                break
        time.sleep(0.2)
    return is_renewed


def _mails_about(aws: EmbeddedAws, run_id: str) -> tuple[Path, ...]:
    return tuple(file for file in sorted(aws.paths.mails.glob("*.txt")) if run_id in file.read_text())
