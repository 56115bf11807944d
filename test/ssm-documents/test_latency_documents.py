"""The documents that measure round trips and routes, run as the agent runs them, with the real tools on loopback."""

from __future__ import annotations

import os
import re

import pytest
from document_hosts import MEASUREMENT, calls_of, processes_of, shim, wait_for
from measurement_parameters import (
    PING,
    SERVE_PING,
    SOCKPERF,
    TRACEPATH,
    free_port,
    last_line,
    measure_parameters,
    route_parameters,
    serve_sockperf_parameters,
)

# On a busy machine, no message of a second under load may be answered after sockperf's warm-up.
SECONDS_UNDER_LOAD = 3


def client_text(aws, client) -> str:
    return "\n".join(aws.tool_lines(client.prefix(MEASUREMENT, "client")))


def assert_counted_until_idle(aws, server) -> None:
    """Asserts that the server's host read its counters, and that whatever served ended soon after its last message."""
    prefix = server.prefix(MEASUREMENT, "server")
    wait_for("the server's manifest", lambda: aws.manifest(prefix))
    assert len(aws.counters(prefix, "interface")) > 1
    wait_for("end of whatever served", lambda: not processes_of(server))


class TestSockperf:
    @pytest.mark.parametrize("protocol", ["tcp", "udp"])
    def test_measures_round_trips(self, prepared, aws, protocol):
        client, server = prepared("i-c"), prepared("i-s")
        serve = serve_sockperf_parameters(protocol)

        served = server.run("serve-sockperf", serve)
        measured = client.run("measure-sockperf", measure_parameters(serve, SOCKPERF, MessageBytes="16384"))

        assert last_line(served.stdout)["status"] == "complete"
        assert measured.status == "Success", measured
        assert "avg-rtt=" in client_text(aws, client)
        assert "percentile 99.900" in client_text(aws, client)
        assert_counted_until_idle(aws, server)

    @pytest.mark.parametrize("protocol", ["tcp", "udp"])
    def test_measures_round_trips_under_load(self, prepared, aws, protocol):
        client, server = prepared("i-c"), prepared("i-s")
        load = {**SOCKPERF, "Mode": "under_load", "MessagesPerSecond": "4000", "ReplyEvery": "4"}
        serve = serve_sockperf_parameters(protocol, duration_seconds=SECONDS_UNDER_LOAD)

        server.run("serve-sockperf", serve)
        measured = client.run("measure-sockperf", measure_parameters(serve, load))

        assert measured.status == "Success", measured
        command = aws.manifest(client.prefix(MEASUREMENT, "client"))["command"]
        assert {"under-load", "--full-rtt", "--mps=4000", "--reply-every=4"} <= set(command)
        assert "avg-rtt=" in client_text(aws, client)

    @pytest.mark.parametrize("protocol", ["tcp", "udp"])
    def test_measures_round_trips_under_load_over_several_flows(self, prepared, aws, protocol):
        client, server = prepared("i-c"), prepared("i-s")
        load = {**SOCKPERF, "Mode": "under_load", "MessagesPerSecond": "1000", "ReplyEvery": "1"}
        further = [free_port() for _ in range(2)]
        assert int(further[1]) == int(further[0]) + 1, "two ports in a row must be free"
        flows = {"ParallelStreams": "3", "FirstFlowPort": further[0]}
        serve = {**serve_sockperf_parameters(protocol, duration_seconds=SECONDS_UNDER_LOAD), **flows}

        served = server.run("serve-sockperf", serve)
        measured = client.run("measure-sockperf", {**measure_parameters(serve, load), **flows})

        assert last_line(served.stdout)["status"] == "complete"
        assert measured.status == "Success", measured
        kind = protocol.upper()
        listed = re.findall(
            rf"^\[ *\d\] IP = 127\.0\.0\.1 +PORT = +(\d+) # {kind}", client_text(aws, client), re.MULTILINE
        )
        assert listed == [serve["Port"], *further]
        assert "avg-rtt=" in client_text(aws, client)
        assert_counted_until_idle(aws, server)

    @pytest.mark.parametrize("protocol", ["tcp", "udp"])
    def test_sends_one_way_and_ends_the_servers_stream_soon_after(self, prepared, aws, protocol):
        client, server = prepared("i-c"), prepared("i-s")
        shim(server, "sleep", 'echo "$*" >>"$TEST_HOST/sleep-calls"; exec /bin/sleep "$@"')
        way = {**SOCKPERF, "Mode": "throughput", "MessageBytes": "1400"}
        serve = serve_sockperf_parameters(protocol, duration_seconds=2)

        served = server.run("serve-sockperf", serve)
        # The client may come late: a server that has served nobody does not count as idle, however often it is checked.
        wait_for("checks for idleness", lambda: calls_of(server, "sleep").count("1") > 6)
        assert processes_of(server)
        measured = client.run("measure-sockperf", measure_parameters(serve, way))

        assert last_line(served.stdout)["status"] == "complete"
        assert measured.status == "Success", measured
        assert "Summary: BandWidth is" in client_text(aws, client)
        prefix = server.prefix(MEASUREMENT, "server")
        wait_for("the server's manifest", lambda: aws.manifest(prefix))
        assert aws.manifest(prefix)["exitCode"] == 0
        assert any("messages received and handled" in line for line in aws.tool_lines(prefix))
        wait_for("end of whatever served", lambda: not processes_of(server))

    @pytest.mark.parametrize(("seconds", "rate"), [("20", "max"), ("0060", "266666"), ("7200", "2222")])
    def test_never_asks_for_more_memory_than_a_small_host_has(self, prepared, aws, seconds, rate):
        client = prepared("i-c")
        shim(client, "sockperf", "exit 0")

        client.run(
            "measure-sockperf", measure_parameters(serve_sockperf_parameters(), SOCKPERF, DurationSeconds=seconds)
        )

        assert f"--mps={rate}" in aws.manifest(client.prefix(MEASUREMENT, "client"))["command"]

    @pytest.mark.parametrize(
        ("protocol", "words"), [("tcp", "ERROR: "), ("udp", "No messages were received")], ids=["tcp", "udp"]
    )
    def test_fails_with_the_tools_error_when_nobody_answers(self, prepared, protocol, words):
        client = prepared("i-c")

        result = client.run("measure-sockperf", measure_parameters(serve_sockperf_parameters(protocol), SOCKPERF))

        assert result.status == "Failed"
        assert words in last_line(result.stdout)["reason"]


class TestPing:
    def test_streams_every_reply_and_its_version(self, prepared, aws):
        client = prepared("i-c")

        measured = client.run("measure-ping", route_parameters(**PING))

        assert measured.status == "Success", measured
        text = client_text(aws, client)
        assert text.count(" bytes from 127.0.0.1: icmp_seq=") == 5
        assert "ping from iputils " in text
        assert "5 packets transmitted, 5 received" in text
        assert "rtt min/avg/max/mdev = " in text
        assert aws.manifest(client.prefix(MEASUREMENT, "client"))["exitCode"] == 0

    def test_counts_on_the_server_until_no_more_requests_come(self, prepared, aws):
        client, server = prepared("i-c"), prepared("i-s")
        shim(server, "sleep", 'echo "$*" >>"$TEST_HOST/sleep-calls"; exec /bin/sleep "$@"')

        served = server.run("serve-ping", {**SERVE_PING, "DurationSeconds": "1"})
        # The client may come late: a server that has answered nobody does not count as idle.
        wait_for("checks for idleness", lambda: calls_of(server, "sleep").count("1") > 6)
        measured = client.run("measure-ping", route_parameters(**PING))

        assert last_line(served.stdout)["status"] == "complete"
        assert measured.status == "Success", measured
        assert_counted_until_idle(aws, server)
        assert aws.manifest(server.prefix(MEASUREMENT, "server"))["exitCode"] == 0

    def test_fails_with_its_error_when_nobody_answers(self, prepared):
        client = prepared("i-c")
        # The ping runs in a network of its own, because some machines' networks answer for every address.
        alone = 'ip link set lo up && ip route add 192.0.2.1 dev lo && exec ping "$@"'
        unshare = "unshare --net" if os.geteuid() == 0 else "unshare --map-root-user --net"
        shim(client, "ping", f"PATH=${{PATH#*:}} exec {unshare} bash -c '{alone}' bash \"$@\"")

        result = client.run("measure-ping", route_parameters(**{**PING, "ServerAddress": "192.0.2.1"}))

        assert result.status == "Failed"
        assert "100% packet loss" in last_line(result.stdout)["reason"]

    @pytest.mark.parametrize(("millis", "interval"), [("2", "0.002"), ("200", "0.200"), ("1500", "1.500")])
    def test_asks_for_the_interval_in_seconds(self, prepared, aws, millis, interval):
        client = prepared("i-c")
        shim(client, "ping", "exit 0")

        client.run("measure-ping", route_parameters(**{**PING, "IntervalMillis": millis}))

        command = aws.manifest(client.prefix(MEASUREMENT, "client"))["command"]
        assert command[command.index("-i") + 1] == interval

    def test_prints_english_whatever_the_hosts_locale_is(self, prepared, aws):
        client = prepared("i-c")
        client.agent.environment["LC_ALL"] = "de_DE.UTF-8"
        shim(client, "ping", 'echo "in $LC_ALL"')

        client.run("measure-ping", route_parameters(**PING))

        assert "in C" in client_text(aws, client).splitlines()


class TestTracepath:
    def test_finds_hops_and_path_mtu(self, prepared, aws):
        client = prepared("i-c")

        measured = client.run("measure-tracepath", route_parameters(**TRACEPATH))

        assert measured.status == "Success", measured
        assert re.search(r"Resume: pmtu \d+ hops 1", client_text(aws, client))
        assert "tracepath from iputils " in client_text(aws, client)

    def test_ends_in_bounded_time_where_nobody_answers(self, prepared, aws):
        client = prepared("i-c")
        shim(client, "tracepath", "[[ $1 == -V ]] || sleep 600")

        result = client.run("measure-tracepath", route_parameters(MaxHops="1", DurationSeconds="1"))

        assert result.status == "Failed"
        assert "ended by its time limit" in last_line(result.stdout)["reason"]
        # One second, and the fifteen that the tool may be late.
        command = aws.manifest(client.prefix(MEASUREMENT, "client"))["command"]
        assert command[:4] == ["timeout", "-k", "5", "16"]
