"""The lab as the campaign sees it: starts runs, breaks things, and reads the store."""

import gzip
import json
import threading
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple

from lab.aws.described_account import ACCOUNT
from lab.runner.deployment import Deployment
from lab.runner.embedded_aws import EmbeddedAws

Object = dict[str, Any]
# A type with the lowest rate that has no credits: its traffic costs this machine the least.
INSTANCE_TYPE = "m4.xlarge"
CONTROL_SECONDS = 60
MEASURED: Object = json.loads(Path(__file__).with_name("measured.json").read_text())


def plan_of(name: str, measurement_seconds: int, pair_count: int = 1, **conditions: str) -> Object:
    """Returns the plan of a run that one fault befalls; the path `own` is between two networks of the user's own."""
    pair: Object = {"clientType": INSTANCE_TYPE, "serverType": INSTANCE_TYPE, **conditions}
    if conditions.get("path") == "own":
        pair |= dict(zip(("client", "server"), _peered_subnets(), strict=True))
    measurement = {**MEASURED["measurement"], "durationSeconds": measurement_seconds}
    return {"name": name, "pairs": [pair] * pair_count, "measurements": [measurement], "concurrency": pair_count}


# Names an image that has the tools, which a private host can't install.
(IMAGE_PARAMETER,) = ACCOUNT["parameters"]


def _peered_subnets() -> list[Object]:
    """Returns ends in two VPCs that the user has peered: private subnets of one zone, and an image for them."""
    peered = ACCOUNT["peerings"][0]
    end = {"imageId": IMAGE_PARAMETER, "publicAddress": False}
    return [{"subnetId": vpc["subnets"][0]["subnetId"], **end} for vpc in ACCOUNT["vpcs"] if vpc["vpcId"] in peered]


class LiveRow(NamedTuple):
    """What a row of live_samples is about."""

    host_role: str
    metric: str
    stream: str | None
    start_seconds: float


class Lab:
    """Calls of the embedded AWS and of its controls; may be used by several threads."""

    def __init__(self, aws: EmbeddedAws, deployment: Deployment) -> None:
        self.aws = aws
        self.deployment = deployment

    def control(self, method: str, what: str, body: object = None, **query: str) -> Any:
        """Asks the lab itself, and returns its answer as JSON, or None."""
        url = f"{self.aws.endpoint_url}/_lab/{what}?{urllib.parse.urlencode(query)}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, method=method, data=data)
        with urllib.request.urlopen(request, timeout=CONTROL_SECONDS) as response:
            text = response.read().decode()
        return None if text == "ok\n" else json.loads(text)

    def keys(self, prefix: str) -> list[str]:
        pages = self.aws.s3.get_paginator("list_objects_v2").paginate(Bucket=self.deployment.bucket, Prefix=prefix)
        return [item["Key"] for page in pages for item in page.get("Contents", [])]

    def raw(self, key: str) -> bytes:
        """Returns an object's bytes as they are stored."""
        body: bytes = self.aws.s3.get_object(Bucket=self.deployment.bucket, Key=key)["Body"].read()
        return body

    def read(self, key: str) -> bytes | None:
        """Returns an object's contents, unpacked; None when there is none."""
        try:
            body = self.raw(key)
        except self.aws.s3.exceptions.NoSuchKey:
            return None
        return gzip.decompress(body) if key.endswith(".gz") else body

    def write(self, key: str, body: bytes) -> None:
        self.aws.s3.put_object(Bucket=self.deployment.bucket, Key=key, Body=body)

    def delete(self, key: str) -> None:
        self.aws.s3.delete_object(Bucket=self.deployment.bucket, Key=key)


class Run:
    """One run of the campaign, by its id."""

    def __init__(self, lab: Lab, run_id: str) -> None:
        self.lab = lab
        self.run_id = run_id
        self.arn = self._arn(lab.deployment.run_state_machine_arn, run_id)
        self.is_over = threading.Event()

    @staticmethod
    def _arn(machine_arn: str, name: str) -> str:
        return f"{machine_arn.replace(':stateMachine:', ':execution:')}:{name}"

    def pair_arn(self, pair_id: str) -> str:
        return self._arn(self.lab.deployment.pair_state_machine_arn, f"{self.run_id}-{pair_id}")

    def start(self, plan: Object) -> None:
        machine = self.lab.deployment.run_state_machine_arn
        self.lab.aws.stepfunctions.start_execution(stateMachineArn=machine, name=self.run_id, input=json.dumps(plan))

    def describe(self) -> Object:
        description: Object = dict(self.lab.aws.stepfunctions.describe_execution(executionArn=self.arn))
        return description

    def stop(self, arn: str) -> None:
        self.lab.aws.stepfunctions.stop_execution(executionArn=arn, error="Stopped", cause="by the campaign")

    def summary(self) -> Object | None:
        body = self.lab.read(f"reports/{self.run_id}/summary.json")
        return None if body is None else json.loads(body)

    def report(self) -> str | None:
        body = self.lab.read(f"reports/{self.run_id}/report.html")
        return None if body is None else body.decode()

    def chunk_keys(self, pair_id: str, host_role: str) -> list[str]:
        """Returns the chunks that a host has uploaded, in order."""
        wanted = f"/{self.run_id}/{pair_id}-m01/{host_role}/"
        return sorted(key for key in self.lab.keys("raw/") if wanted in key and key.endswith(".ndjson.gz"))

    def samples(self) -> dict[str, list[Object]]:
        """Returns the rows of samples by metric, which is in their keys."""
        found: dict[str, list[Object]] = {}
        for key in self._keys("samples/"):
            metric = key.split("/")[1].removeprefix("metric=")
            found.setdefault(metric, []).extend(self._rows_of(key))
        return found

    def measurement_ids(self, table: str) -> list[str]:
        """Returns the measurement of each row of measurements or live_measurements."""
        return [row["measurement_id"] for key in self._keys(f"{table}/") for row in self._rows_of(key)]

    def live_rows(self, measurement_id: str) -> list[LiveRow]:
        in_run = f"/run_id={self.run_id}/{measurement_id}."
        rows = [row for key in self.lab.keys("live_samples/") if in_run in key for row in self._rows_of(key)]
        return [LiveRow(row["host_role"], row["metric"], row.get("stream"), row["start_seconds"]) for row in rows]

    def _keys(self, table: str) -> list[str]:
        return [key for key in self.lab.keys(table) if f"/{self.run_id}." in key]

    def _rows_of(self, key: str) -> list[Object]:
        return [json.loads(line) for line in (self.lab.read(key) or b"").splitlines()]
