"""Parameters of the documents, as the plan gives them."""

from __future__ import annotations

import json
import socket

COMMON = {"RunId": "run-1", "PairId": "p0001", "BucketName": "results", "ExecutionTimeoutSeconds": "60"}
IPERF3 = {"ParallelStreams": "1", "Direction": "forward", "TargetBitsPerSecond": "0"}
SOCKPERF = {"MessageBytes": "64"}


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def serve_parameters(protocol: str = "tcp", duration_seconds: int = 1) -> dict[str, str]:
    return {
        **COMMON,
        "MeasurementId": "p0001-m01",
        "Protocol": protocol,
        "Port": free_port(),
        "DurationSeconds": str(duration_seconds),
    }


def measure_parameters(serve: dict[str, str], tool: dict[str, str], **more: str) -> dict[str, str]:
    return {**serve, "ServerAddress": "127.0.0.1", **tool, **more}


def last_line(stdout: str) -> dict:
    return json.loads(stdout.splitlines()[-1])
