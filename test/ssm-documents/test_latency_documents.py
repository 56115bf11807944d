"""The documents that measure round trips and routes, run as the agent runs them, with the real tools on loopback."""

from __future__ import annotations

import time

import pytest
from document_hosts import MEASUREMENT, processes_of, shim, wait_for
from measurement_parameters import COMMON, SOCKPERF, last_line, measure_parameters, serve_parameters

PING = {"PacketCount": "5", "IntervalMillis": "20", "PacketBytes": "56"}


def route_parameters(**more: str) -> dict[str, str]:
    return {**COMMON, "MeasurementId": MEASUREMENT, "ServerAddress": "127.0.0.1", **more}


def client_text(aws, client) -> str:
    return "\n".join(aws.tool_lines(client.prefix(MEASUREMENT, "client")))


class TestSockperf:
    @pytest.mark.parametrize("protocol", ["tcp", "udp"])
    def test_measures_round_trips(self, prepared, aws, protocol):
        client, server = prepared("i-c"), prepared("i-s")
        serve = serve_parameters(protocol)

        served = server.run("serve-sockperf", serve)
        measured = client.run("measure-sockperf", measure_parameters(serve, SOCKPERF, MessageBytes="16384"))

        assert last_line(served.stdout)["status"] == "complete"
        assert measured.status == "Success", measured
        assert "avg-rtt=" in client_text(aws, client)
        assert "percentile 99.900" in client_text(aws, client)
        assert aws.manifest(server.prefix(MEASUREMENT, "server")) is None

    @pytest.mark.parametrize("protocol", ["tcp", "udp"])
    def test_measures_round_trips_under_load(self, prepared, aws, protocol):
        client, server = prepared("i-c"), prepared("i-s")
        load = {**SOCKPERF, "Mode": "under_load", "MessagesPerSecond": "4000", "ReplyEvery": "4"}
        serve = serve_parameters(protocol)

        server.run("serve-sockperf", {**serve, "Mode": "under_load"})
        measured = client.run("measure-sockperf", measure_parameters(serve, load))

        assert measured.status == "Success", measured
        command = aws.manifest(client.prefix(MEASUREMENT, "client"))["command"]
        assert {"under-load", "--full-rtt", "--mps=4000", "--reply-every=4"} <= set(command)
        assert "avg-rtt=" in client_text(aws, client)

    @pytest.mark.parametrize("protocol", ["tcp", "udp"])
    def test_sends_one_way_and_ends_the_servers_stream_soon_after(self, prepared, aws, protocol):
        client, server = prepared("i-c"), prepared("i-s")
        way = {**SOCKPERF, "Mode": "throughput", "MessageBytes": "1400"}
        serve = serve_parameters(protocol, duration_seconds=2)

        served = server.run("serve-sockperf", {**serve, "Mode": "throughput"})
        # The next command comes when it comes: a server that has served nobody is not idle.
        time.sleep(6)
        assert processes_of(server)
        measured = client.run("measure-sockperf", measure_parameters(serve, way))

        assert last_line(served.stdout)["status"] == "complete"
        assert measured.status == "Success", measured
        assert "Summary: BandWidth is" in client_text(aws, client)
        prefix = server.prefix(MEASUREMENT, "server")
        wait_for("the server's manifest", lambda: aws.manifest(prefix), seconds=15)
        assert aws.manifest(prefix)["exitCode"] == 0
        assert any("messages received and handled" in line for line in aws.tool_lines(prefix))
        wait_for("end of whatever served", lambda: not processes_of(server))

    @pytest.mark.parametrize(("seconds", "rate"), [("20", "max"), ("0060", "266666"), ("7200", "2222")])
    def test_never_asks_for_more_memory_than_a_small_host_has(self, prepared, aws, seconds, rate):
        client = prepared("i-c")
        shim(client, "sockperf", "exit 0")

        client.run("measure-sockperf", measure_parameters(serve_parameters(), SOCKPERF, DurationSeconds=seconds))

        assert f"--mps={rate}" in aws.manifest(client.prefix(MEASUREMENT, "client"))["command"]

    @pytest.mark.parametrize(
        ("protocol", "words"), [("tcp", "ERROR: "), ("udp", "No messages were received")], ids=["tcp", "udp"]
    )
    def test_fails_with_the_tools_words_when_nobody_answers(self, prepared, protocol, words):
        client = prepared("i-c")

        result = client.run("measure-sockperf", measure_parameters(serve_parameters(protocol), SOCKPERF))

        assert result.status == "Failed"
        assert words in last_line(result.stdout)["reason"]
