"""What the runner reports of a run that it follows: each change once, and of no other run."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lab.runner import run_plan
from lab.runner.run_plan import _RunWatcher

MEASUREMENTS = [
    {"measurementId": "p0001-m01", "durationSeconds": 30},
    {"measurementId": "p0001-m02", "durationSeconds": 60, "mode": "packets"},
]
PLAN = {
    "pairs": [{"pairId": "p0001", "clientType": "c5.large", "serverType": "m5.large", "measurements": MEASUREMENTS}]
}
LIVE = "live_samples/run_id=run-1/"


def entered(state: str) -> dict[str, Any]:
    return {"type": "TaskStateEntered", "stateEnteredEventDetails": {"name": state}}


def sample(measurement: str, second: float, **figures: Any) -> dict[str, Any]:
    of = {"pair_id": "p0001", "measurement_id": measurement, "host_role": "server", "metric": "throughput"}
    return {**of, "start_seconds": second, "throughput_bits_per_second": 1e6 * second, **figures}


class FakeAws:
    """An embedded AWS in which a run of one pair succeeds at the second look."""

    def __init__(self, root: Path) -> None:
        self.paths = SimpleNamespace(root=root)
        self.stepfunctions = self.s3 = self
        self._statuses = ["RUNNING", "SUCCEEDED"]
        counters = {"metric": "interface", "start_seconds": 3.0, "received_packets_per_second": 7.0}
        self._objects = {
            "reports/run-1/plan.json": json.dumps(PLAN).encode(),
            f"{LIVE}one": self._lines(sample("p0001-m01", 2.0), sample("p0001-m01", 1.0)),
            f"{LIVE}two": self._lines(sample("p0001-m02", 4.0), counters | {"start_seconds": 2.0}, counters),
            f"{LIVE}three": self._lines(counters),
            "live_samples/run_id=run-10/one": b"of another run",
        }

    def _lines(self, *rows: dict[str, Any]) -> bytes:
        return gzip.compress("\n".join(map(json.dumps, rows)).encode())

    def describe_execution(self, **_: Any) -> dict[str, Any]:
        return {"status": self._statuses.pop(0)}

    def list_executions(self, **_: Any) -> dict[str, Any]:
        names = ("run-1-p0001", "run-10-p0001")
        return {"executions": [{"name": name, "executionArn": f"arn:pair:{name}"} for name in names]}

    def get_execution_history(self, executionArn: str, **_: Any) -> dict[str, Any]:
        newest = {"arn:run:run-1": entered("Measure pairs"), "arn:pair:run-1-p0001": {"type": "ExecutionTimedOut"}}
        return {
            "events": [{"type": "TaskSucceeded"}, newest[executionArn], entered("Before"), {"type": "ExecutionStarted"}]
        }

    def get_paginator(self, _: str) -> Any:
        keys = [key for key in self._objects if key.startswith("live_samples/")]
        return SimpleNamespace(paginate=lambda **_: [{}, {"Contents": [{"Key": key} for key in keys]}])

    def get_object(self, Key: str, **_: Any) -> dict[str, Any]:
        return {"Body": io.BytesIO(self._objects[Key])}


def test_each_change_of_the_run_is_reported_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_plan, "POLL_SECONDS", 0)
    deployment: Any = SimpleNamespace(bucket="results", pair_state_machine_arn="pairs")
    aws: Any = FakeAws(tmp_path)
    reported: list[Any] = []

    assert _RunWatcher(aws, deployment, "arn:run:run-1").follow(reported.append) == {"status": "SUCCEEDED"}

    rate = {"event": "throughput", "subject": "p0001", "hostRole": "server"}
    of_rate = {"startSeconds": 2.0, "throughputBitsPerSecond": 2e6, "packetsPerSecond": None, "durationSeconds": 30}
    of_packets = {"startSeconds": 4.0, "throughputBitsPerSecond": 4e6, "packetsPerSecond": 7.0, "durationSeconds": 60}
    types = {"clientType": "c5.large", "serverType": "m5.large"}
    assert reported == [
        {"event": "state", "subject": "run", "state": "Measure pairs"},
        {"event": "state", "subject": "p0001", "state": "timedout", **types},
        {**rate, "measurementId": "p0001-m01", **of_rate},
        {**rate, "measurementId": "p0001-m02", **of_packets},
    ]
