"""The documents' parameters as a plan sets them."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import socket

COMMON = {"RunId": "run-1", "PairId": "p0001", "BucketName": "results", "ExecutionTimeoutSeconds": "300"}
TOOLS = {"Programs": "iperf3,sockperf", "Packages": "iperf3,sockperf"}
PREPARE = {**COMMON, "MtuBytes": "9001", "EnaExpress": "off", "HealthCheckPort": "0", **TOOLS}
ONE_PLAIN_RUN = {"Runs": "1", "OnSeconds": "0", "OffSeconds": "0", "ProbePort": "9999", "ProbeMessagesPerSecond": "0"}
IPERF3 = {
    "ParallelStreams": "1",
    "Direction": "forward",
    "TargetBitsPerSecond": "0",
    "DatagramBytes": "0",
    "MssBytes": "0",
    "CongestionControl": "default",
    "SocketBufferBytes": "0",
    "ProbeMessageBytes": "0",
    "StopAfterThrottledSeconds": "0",
}
SOCKPERF = {"Mode": "ping_pong", "MessageBytes": "64", "MessagesPerSecond": "0", "ReplyEvery": "1"}
PING = {"PacketCount": "5", "IntervalMillis": "20", "PacketBytes": "56"}
SERVE_PING = {**COMMON, "MeasurementId": "p0001-m01", "DurationSeconds": "1", "IntervalMillis": PING["IntervalMillis"]}
TRACEPATH = {"MaxHops": "8", "DurationSeconds": "24"}
HTTP_SERVER = {"Scheme": "http", "ObjectBytes": "100000000"}
S3 = {
    "PayloadBucket": "payloads",
    "Operation": "download",
    "Scheme": "http",
    "ObjectBytes": "5000000",
    "RangeBytes": "0",
    "ParallelStreams": "2",
}


# Each port is used once, and is below those that the kernel assigns to connections, so it stays free until its use.
PORTS = itertools.count(20_000 + os.getpid() % 10_000)


def free_port() -> str:
    for port in PORTS:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return str(port)
    raise AssertionError("port: must be free, none is")


def probe_parameters(**more: str) -> dict[str, str]:
    return {**COMMON, "ServerAddress": "127.0.0.1", "Port": free_port(), **more}


def serve_parameters(protocol: str = "tcp", duration_seconds: int = 1) -> dict[str, str]:
    return {
        **COMMON,
        "MeasurementId": "p0001-m01",
        "Protocol": protocol,
        "Port": free_port(),
        "DurationSeconds": str(duration_seconds),
    }


def serve_sockperf_parameters(protocol: str = "tcp", duration_seconds: int = 1) -> dict[str, str]:
    flows = {"ParallelStreams": "1", "FirstFlowPort": free_port()}
    return {**serve_parameters(protocol, duration_seconds), **flows}


def serve_iperf3_parameters(protocol: str = "tcp", duration_seconds: int = 1, **more: str) -> dict[str, str]:
    return {**serve_parameters(protocol, duration_seconds), **ONE_PLAIN_RUN, **more}


def measure_parameters(serve: dict[str, str], tool: dict[str, str], **more: str) -> dict[str, str]:
    return {**serve, "ServerAddress": "127.0.0.1", **tool, **more}


def route_parameters(**more: str) -> dict[str, str]:
    """Returns the parameters of a tool that needs nothing on the server."""
    return {**COMMON, "MeasurementId": "p0001-m01", "ServerAddress": "127.0.0.1", **more}


def last_line(stdout: str) -> dict:
    return json.loads(stdout.splitlines()[-1])


def serve_http_parameters(duration_seconds: int = 2, **more: str) -> dict[str, str]:
    measurement = {"MeasurementId": "p0001-m01", "Port": free_port(), "DurationSeconds": str(duration_seconds)}
    return {**COMMON, **measurement, **HTTP_SERVER, **more}


def measure_http_parameters(serve: dict[str, str], streams: int = 2) -> dict[str, str]:
    parameters = {**serve, "ServerAddress": "127.0.0.1", "ParallelStreams": str(streams)}
    del parameters["ObjectBytes"]
    return parameters


def measure_s3_parameters(duration_seconds: int = 2, **more: str) -> dict[str, str]:
    duration = {"MeasurementId": "p0001-m01", "DurationSeconds": str(duration_seconds)}
    return {**COMMON, **duration, **S3, **more}


# With these all settings of a tool matter: a duty cycle with a probe, a load over several flows.
CYCLE = {"Runs": "2", "OnSeconds": "2", "OffSeconds": "1", "ProbeMessagesPerSecond": "10"}
FLOWS = {"ParallelStreams": "2", "FirstFlowPort": "10000"}
LOAD = {**SOCKPERF, "Mode": "under_load", "MessagesPerSecond": "1000", **FLOWS}
RARE = {"IntervalMillis": "2000"}
PARAMETERS = {
    "serve-iperf3": serve_iperf3_parameters(**CYCLE),
    "measure-iperf3": measure_parameters(serve_iperf3_parameters(**CYCLE), IPERF3),
    "serve-sockperf": {**serve_sockperf_parameters(), **FLOWS},
    "measure-sockperf": measure_parameters(serve_sockperf_parameters(), LOAD),
    "serve-ping": {**SERVE_PING, **RARE},
    "measure-ping": route_parameters(**{**PING, **RARE}),
    "measure-tracepath": route_parameters(**TRACEPATH),
    "serve-http": serve_http_parameters(),
    "measure-http": measure_http_parameters(serve_http_parameters()),
    "measure-s3": measure_s3_parameters(),
}
