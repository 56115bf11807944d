"""The streamer (Python) and the readers (TypeScript) agree on the keys and on the format of a stream."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from local_aws import ROLE_ID, LocalAws

REPOSITORY = Path(__file__).parents[2]
INSTANCE_ID = "i-0123456789abcdef0"
FACTS = {"instanceId": INSTANCE_ID, "queueCount": 4}
STREAM = {
    "userId": f"{ROLE_ID}:{INSTANCE_ID}",
    "runId": "nightly_2026-11",
    "measurementId": "p0001-m02",
    "hostRole": "server",
}
OF_STREAM = {
    "runId": STREAM["runId"],
    "pairId": "p0001",
    "measurementId": STREAM["measurementId"],
    "hostRole": STREAM["hostRole"],
    "instanceId": INSTANCE_ID,
    "tool": "iperf3",
}
TOOL = ["sh", "-c", 'echo one; echo two >&2; sleep 1.5; printf "µ three"']


@dataclasses.dataclass
class Streamed:
    """What one run of the streamer left behind, and when it ran."""

    result: dict
    objects: dict[str, bytes]
    chunk: list[dict]
    started_at: float
    ended_at: float


@pytest.fixture(scope="module")
def contract() -> dict:
    """What the readers expect of this stream."""
    printed = subprocess.run(
        ["node_modules/.bin/tsx", "test/ssm-documents/print-stream-contract.ts", json.dumps(STREAM)],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(printed.stdout)


@pytest.fixture(scope="module")
def streamed(tmp_path_factory: pytest.TempPathFactory, contract: dict) -> Streamed:
    state = tmp_path_factory.mktemp("state")
    (state / "host-facts.json").write_text(json.dumps(FACTS))
    aws = LocalAws()
    options = {
        "run-id": STREAM["runId"],
        "pair-id": "p0001",
        "measurement-id": STREAM["measurementId"],
        "host-role": STREAM["hostRole"],
        "bucket": "results",
        "tool": "iperf3",
        "state-directory": str(state),
        "interface": "lo",
    }
    arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
    started_at = time.time()
    try:
        finished = subprocess.run(
            [sys.executable, str(REPOSITORY / "ssm-documents/shared/stream.py"), *arguments, "--", *TOOL],
            env={
                "PATH": os.environ["PATH"],
                "AWS_ENDPOINT_URL": aws.url,
                "AWS_SSM_REGION_NAME": "eu-central-1",
                "AWS_ACCESS_KEY_ID": INSTANCE_ID,
                "AWS_SECRET_ACCESS_KEY": "none",
                "AWS_SSM_INSTANCE_ID": INSTANCE_ID,
            },
            stdout=subprocess.PIPE,
            check=True,
        )
        chunk = aws.lines(contract["chunkKey"])
    finally:
        aws.shutdown()
        aws.server_close()
    return Streamed(json.loads(finished.stdout), aws.objects, chunk, started_at, time.time())


def test_writes_the_keys_that_the_store_reads_and_nothing_else(streamed: Streamed, contract: dict):
    assert sorted(streamed.objects) == sorted([contract["chunkKey"], contract["manifestKey"]])
    assert contract["parsedChunkKey"] == {**STREAM, "sequence": 0}


def test_begins_a_chunk_with_its_header(streamed: Streamed, contract: dict):
    header = streamed.chunk[0]
    assert sorted(header) == sorted(contract["headerFields"])
    assert header.items() >= {**OF_STREAM, "schema": contract["chunkSchema"], "sequence": 0}.items()
    assert re.match(r"3\.\d+", header["toolVersion"])
    assert header["command"][-3:] == TOOL
    assert streamed.started_at <= header["startedAtSeconds"] <= streamed.ended_at


def test_stamps_lines_counters_and_the_facts_of_the_host(streamed: Streamed):
    lines = streamed.chunk[1:]
    assert lines[0].items() >= {"source": "facts", "facts": FACTS}.items()
    tool = sorted(f"{line['source']}: {line['line']}" for line in lines if "line" in line)
    assert tool == ["stderr: two", "stdout: one", "stdout: µ three"]
    interface = [line["counters"] for line in lines if line["source"] == "interface"]
    assert len(interface) >= 2
    assert isinstance(interface[0]["rx_bytes"], int)
    processor = next(line["counters"] for line in lines if line["source"] == "cpu")
    # Not every kernel counts the waiting and the pressure.
    assert set(processor) - {"waiting_seconds", "pressure_seconds"} == {
        "steal_seconds",
        "system_seconds",
        "user_seconds",
    }
    assert all(isinstance(seconds, int | float) for seconds in processor.values())
    assert all(streamed.started_at <= line["time"] <= streamed.ended_at for line in lines)


def test_ends_with_a_manifest_that_accounts_for_every_line(streamed: Streamed, contract: dict):
    manifest = json.loads(streamed.objects[contract["manifestKey"]])
    line_count = len(streamed.chunk) - 1
    digest = hashlib.sha256(streamed.objects[contract["chunkKey"]]).hexdigest()
    assert sorted(manifest) == sorted(contract["manifestFields"])
    expected = {**OF_STREAM, "schema": contract["manifestSchema"], "exitCode": 0, "signal": None}
    assert manifest.items() >= {**expected, "lineCount": line_count}.items()
    assert manifest["chunks"] == [
        {"sequence": 0, "key": contract["chunkKey"], "sha256": digest, "lineCount": line_count}
    ]
    assert streamed.started_at <= manifest["startedAtSeconds"] <= manifest["endedAtSeconds"] <= streamed.ended_at
    assert streamed.result == {
        "status": "complete",
        "exitCode": 0,
        "reason": "",
        "chunkCount": 1,
        "lineCount": line_count,
    }
