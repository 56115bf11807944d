"""All five documents, run as the agent runs them, with the real tools on loopback."""

from __future__ import annotations

import json
import socket

import pytest

COMMON = {"RunId": "run-1", "PairId": "p0001", "BucketName": "results", "ExecutionTimeoutSeconds": "60"}


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def measurement(measurement_id: str = "p0001-m01", protocol: str = "tcp", **more: str) -> dict[str, str]:
    return {
        **COMMON,
        "MeasurementId": measurement_id,
        "Protocol": protocol,
        "Port": free_port(),
        "DurationSeconds": "3",
        **more,
    }


def client_of(serve: dict[str, str], **more: str) -> dict[str, str]:
    return {**serve, "ServerAddress": "127.0.0.1", **more}


def iperf3(**more: str) -> dict[str, str]:
    return {"ParallelStreams": "1", "Direction": "forward", "TargetBitsPerSecond": "0", **more}


def result_of(result) -> dict:
    return json.loads(result.stdout.splitlines()[-1])


@pytest.fixture
def prepared(make_host):
    def make(instance_id: str, **options):
        host = make_host(instance_id, **options)
        result = host.run("prepare-host", COMMON)
        assert result.status == "Success", result
        return host

    return make


def test_prepares_a_host_and_records_what_it_is(prepared):
    host = prepared("i-client")

    facts = json.loads((host.state / "host-facts.json").read_text())
    assert facts["instanceId"] == "i-client"
    assert facts["iperf3Version"].startswith("3.")
    assert facts["sockperfVersion"].startswith("3.")


@pytest.mark.parametrize("agent_is_new", [True, False], ids=["env-var-agent", "old-agent"])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
def test_measures_tcp_throughput(prepared, aws, direction, agent_is_new):
    client, server = (prepared(name, knows_environment_interpolation=agent_is_new) for name in ("i-client", "i-server"))
    serve = measurement()

    served = server.run("serve-iperf3", serve)
    measured = client.run("measure-iperf3", client_of(serve, **iperf3(Direction=direction, ParallelStreams="2")))

    assert result_of(served) == {"status": "complete", "exitCode": 0, "reason": ""}
    assert measured.status == "Success", measured
    assert result_of(measured)["status"] == "complete"
    client_manifest = aws.manifest(client.prefix("p0001-m01", "client"))
    assert client_manifest["exitCode"] == 0
    assert "iperf Done." in aws.tool_lines(client.prefix("p0001-m01", "client"))
