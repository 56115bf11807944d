"""Runs one plan: starts the execution, reports its progress, and fetches its documents."""

import gzip
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.runner.deployment import STACK_NAME, Deployment
from lab.runner.embedded_aws import EmbeddedAws
from lab.runner.paths import require_space
from lab.runner.progress import Event
from lab.runner.store import Copies, objects_in

if TYPE_CHECKING:
    from types_boto3_stepfunctions.type_defs import DescribeExecutionOutputTypeDef

# The event about the report reaches its function within a second, but a busy machine starts the function later.
PUBLISHING_DEADLINE_SECONDS = 300
POLL_SECONDS = 1.0


@dataclass(frozen=True)
class RunResult:
    """How an execution ended, and where its documents are on this machine (None if it wrote none)."""

    run_id: str
    status: str
    error: str | None
    cause: str | None
    output: dict[str, Any] | None
    # The folder of a dry run's plan and forecast; None if the run was not dry.
    forecast_folder: Path | None
    summary_path: Path | None
    report_path: Path | None
    # The page over all runs; None if this run wrote no report, or its page was not renewed.
    index_path: Path | None
    # The mails that would have been sent about the run; None if the stack has no topic.
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
    """Reports progress until the execution ends, then fetches its summary, its report and the page over all runs."""
    description = _RunWatcher(aws, deployment, execution_arn).follow(report)
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


def delete_payload(aws: EmbeddedAws) -> None:
    """Deletes what hosts transferred to measure S3. The bucket's rule, a day, is too long for one disk.

    Nothing else may be running.
    """
    resources = aws.cloudformation.describe_stack_resources(StackName=STACK_NAME)["StackResources"]
    for resource in resources:
        is_payload = resource["LogicalResourceId"].startswith("PayloadStore")
        if resource["ResourceType"] != "AWS::S3::Bucket" or not is_payload:
            continue
        bucket = resource.get("PhysicalResourceId", "")
        for page in aws.s3.get_paginator("list_objects_v2").paginate(Bucket=bucket):
            for item in page.get("Contents", []):
                aws.s3.delete_object(Bucket=bucket, Key=item["Key"])


def _is_published(aws: EmbeddedAws, deployment: Deployment, run_id: str) -> bool:
    """Waits for publish-run, which S3's event about the report starts after the execution has ended; it renews the page
    over all runs, and then sends the message if the stack has a topic.
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


class _RunWatcher:
    """Polls Step Functions and the live samples, and reports each change as a small dictionary."""

    def __init__(self, aws: EmbeddedAws, deployment: Deployment, execution_arn: str) -> None:
        self._aws = aws
        self._deployment = deployment
        self._execution_arn = execution_arn
        self._run_id = execution_arn.rsplit(":", 1)[1]
        self._states: dict[str, str] = {}
        self._seen_chunks: set[str] = set()
        self._planned_pairs: dict[str, dict[str, Any]] = {}

    def follow(self, report: Callable[[Event], None]) -> "DescribeExecutionOutputTypeDef":
        while True:
            # On a full disk, the embedded AWS refuses writes, and the run would fail with a misleading reason.
            require_space(self._aws.paths.root)
            description = self._aws.stepfunctions.describe_execution(executionArn=self._execution_arn)
            for event in self._changes():
                report(event)
            if description["status"] != "RUNNING":
                return description
            time.sleep(POLL_SECONDS)

    def _changes(self) -> Iterator[Event]:
        yield from self._state_change("run", self._execution_arn)
        machine = self._deployment.pair_state_machine_arn
        executions = self._aws.stepfunctions.list_executions(stateMachineArn=machine)["executions"]
        for execution in sorted(executions, key=lambda item: item["name"]):
            run_id, _, pair_id = execution["name"].rpartition("-")
            if run_id == self._run_id:
                yield from self._state_change(pair_id, execution["executionArn"])
        yield from self._new_throughput()

    def _state_change(self, subject: str, execution_arn: str) -> Iterator[Event]:
        history = self._aws.stepfunctions.get_execution_history(
            executionArn=execution_arn, reverseOrder=True, maxResults=50
        )
        for event in history["events"]:
            if event["type"].endswith("StateEntered"):
                state = event["stateEnteredEventDetails"]["name"]
                break
            if event["type"].startswith("Execution") and event["type"] != "ExecutionStarted":
                state = event["type"].removeprefix("Execution").lower()
                break
        else:
            return
        if self._states.get(subject) != state:
            self._states[subject] = state
            pair = self._planned_pair(subject) if subject != "run" else {}
            types: Event = {key: pair[key] for key in ("clientType", "serverType") if key in pair}
            yield {"event": "state", "subject": subject, "state": state, **types}

    def _planned_pair(self, pair_id: str) -> dict[str, Any]:
        if not self._planned_pairs:
            key = f"reports/{self._run_id}/plan.json"
            plan = json.loads(self._aws.s3.get_object(Bucket=self._deployment.bucket, Key=key)["Body"].read())
            self._planned_pairs = {pair["pairId"]: pair for pair in plan["pairs"]}
        return self._planned_pairs.get(pair_id, {})

    def _planned_measurement(self, pair_id: str, measurement_id: str) -> dict[str, Any]:
        measurements: list[dict[str, Any]] = self._planned_pair(pair_id).get("measurements", [])
        return next((each for each in measurements if each["measurementId"] == measurement_id), {})

    def _new_throughput(self) -> Iterator[Event]:
        bucket = self._deployment.bucket
        pages = self._aws.s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix="live_samples/")
        keys = [item["Key"] for page in pages for item in page.get("Contents", [])]
        for key in keys:
            if key in self._seen_chunks or f"/run_id={self._run_id}/" not in key:
                continue
            self._seen_chunks.add(key)
            body = self._aws.s3.get_object(Bucket=bucket, Key=key)["Body"].read()
            rows = [json.loads(line) for line in gzip.decompress(body).splitlines()]
            rates = [row for row in rows if row.get("metric") == "throughput"]
            if rates:
                last = max(rates, key=lambda row: row["start_seconds"])
                planned = self._planned_measurement(last["pair_id"], last["measurement_id"])
                yield {
                    "event": "throughput",
                    "subject": last["pair_id"],
                    "measurementId": last["measurement_id"],
                    "hostRole": last["host_role"],
                    "startSeconds": last["start_seconds"],
                    "throughputBitsPerSecond": last["throughput_bits_per_second"],
                    "packetsPerSecond": _packets(rows) if planned.get("mode") == "packets" else None,
                    "durationSeconds": planned.get("durationSeconds"),
                }


def _packets(rows: list[dict[str, Any]]) -> float | None:
    """Returns the packets per second that arrived in the last interval of the rows with host counters."""
    counted = [row for row in rows if row.get("received_packets_per_second") is not None]
    if not counted:
        return None
    packets: float = max(counted, key=lambda row: row["start_seconds"])["received_packets_per_second"]
    return packets
