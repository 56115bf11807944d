"""The lab as the campaign sees it: starts runs, breaks things, and reads the store."""

import functools
import gzip
import json
import re
import urllib.error
import urllib.parse
import urllib.request
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from faults.fault import INSTANCE_TYPE
from lab.aws.described_account import ACCOUNT
from lab.runner.deployment import Deployment
from lab.runner.embedded_aws import EmbeddedAws

Object = dict[str, Any]
CONTROL_SECONDS = 60
MEASURED: Object = json.loads(Path(__file__).with_name("measured.json").read_text())


def plan_of(
    name: str, measurement_seconds: int, pair_count: int = 1, expect: Object | None = None, **conditions: str
) -> Object:
    """Returns the plan of a run that one fault befalls; the path `own` is between two networks of the user's own."""
    pair: Object = {"clientType": INSTANCE_TYPE, "serverType": INSTANCE_TYPE, **conditions}
    if conditions.get("path") == "own":
        pair |= dict(zip(("client", "server"), _peered_subnets(), strict=True))
    measurement = {**MEASURED["measurement"], "durationSeconds": measurement_seconds}
    plan = {"name": name, "pairs": [pair] * pair_count, "measurements": [measurement], "concurrency": pair_count}
    return plan | ({"expect": [{"type": pair["clientType"], **expect}]} if expect else {})


# Names an image that has the tools, which a private host can't install.
(IMAGE_PARAMETER,) = ACCOUNT["parameters"]


def _peered_subnets() -> list[Object]:
    """Returns ends in two VPCs that the user has peered: private subnets of one zone, and an image for them."""
    peered = ACCOUNT["peerings"][0]
    end = {"imageId": IMAGE_PARAMETER, "publicAddress": False}
    return [{"subnetId": vpc["subnets"][0]["subnetId"], **end} for vpc in ACCOUNT["vpcs"] if vpc["vpcId"] in peered]


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
        try:
            with urllib.request.urlopen(request, timeout=CONTROL_SECONDS) as response:
                text = response.read().decode()
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{what}: {error.read().decode().strip()}") from error
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

    def __init__(self, lab: Lab, run_id: str, keys: Sequence[str] | None = None) -> None:
        """`keys` are those of the whole bucket, for whoever asks about many runs."""
        self.lab = lab
        self._listed = keys
        self.run_id = run_id
        self.arn = self._arn(lab.deployment.run_state_machine_arn, run_id)

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

    def report(self) -> str | None:
        body = self.read("report.html")
        return None if body is None else body.decode()

    def chunk_keys(self, pair_id: str, host_role: str) -> list[str]:
        """Returns the chunks that a host has uploaded, in order."""
        wanted = f"/{self.run_id}/{pair_id}-m01/{host_role}/"
        return sorted(key for key in self.lab.keys("raw/") if wanted in key and key.endswith(".ndjson.gz"))

    def read(self, name: str) -> bytes | None:
        """Returns a document of the run, by its name beside the report."""
        return self.lab.read(f"reports/{self.run_id}/{name}")

    def document(self, name: str) -> Object | None:
        body = self.read(f"{name}.json")
        return None if body is None else json.loads(body)

    def rows(self, table: str) -> list[Object]:
        """Returns the rows of all objects of a table that belong to the run; those of samples have their metric."""
        keys = [key for key in self._keys if key.startswith(f"{table}/")]
        return [row for key in keys for row in self._rows_of(key)]

    def chunks(self, measurement_id: str, host_role: str) -> list[list[Object]]:
        """Returns the lines of each chunk that a host has uploaded, as far as they can be read."""
        wanted = f"/{self.run_id}/{measurement_id}/{host_role}/"
        keys = sorted(key for key in self._keys if wanted in key and key.endswith(".ndjson.gz"))
        return [self._rows_of(key) for key in keys]

    def history(self) -> list[Object]:
        """Returns the entries about the run in the digest of all runs."""
        digest = json.loads(self.lab.read("history/runs.json.gz") or b'{"runs": []}')
        return [entry for entry in digest["runs"] if entry["runId"] == self.run_id]

    def is_in_index(self) -> bool:
        return f"{self.run_id}/report.html" in (self.lab.read("index.html") or b"").decode()

    @functools.cached_property
    def _keys(self) -> list[str]:
        """The keys of all objects that name the run, as they were at the first question."""
        of_run = re.compile(rf"[/=]{re.escape(self.run_id)}[./]")
        return [key for key in self._listed or self.lab.keys("") if of_run.search(key)]

    def _rows_of(self, key: str) -> list[Object]:
        try:
            lines = (self.lab.read(key) or b"").splitlines()
            return [json.loads(line) for line in lines]
        except (EOFError, OSError, ValueError, zlib.error):
            return []  # a fault of the campaign has damaged the object
