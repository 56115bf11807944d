"""Preparing hosts and measuring throughput: the documents run as the agent runs them, with real tools on loopback."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from document_hosts import (
    INTERVAL,
    MEASUREMENT,
    boot_finished,
    calls_of,
    command_line,
    kill_host,
    meanwhile,
    port_holders,
    processes_of,
    runs,
    shim,
    wait_for,
)
from measurement_parameters import (
    IPERF3,
    PREPARE,
    free_port,
    last_line,
    measure_parameters,
    serve_iperf3_parameters,
    serve_sockperf_parameters,
)


def tcp_settings() -> tuple[int, int]:
    names = ("tcp_limit_output_bytes", "tcp_autocorking")
    first, second = (int(Path(f"/proc/sys/net/ipv4/{name}").read_text()) for name in names)
    return first, second


class TestPrepareHost:
    def test_installs_the_streamer_and_records_what_the_host_is(self, prepared):
        host = prepared("i-client")

        facts = json.loads((host.state / "host-facts.json").read_text())
        assert facts["instanceId"] == "i-client"
        assert facts["kernel"] == os.uname().release
        assert None not in facts.values()
        installed = host.directory / "opt" / "network-benchmark"
        for module in ("stream.py", "tool_run.py", "sampling.py", "upload.py"):
            # What documents leave out of a program: test_shortened_programs.py.
            compile((installed / module).read_text(), module, "exec")

    def test_records_ena_express_as_the_driver_reports_it(self, make_host):
        host = make_host("i-client")
        shim(host, "ethtool", "[[ $1 == -S ]] && printf 'NIC statistics:\\n  tx_timeout: 0\\n  ena_srd_mode: 3\\n'")

        assert host.run("prepare-host", PREPARE).status == "Success"

        assert json.loads((host.state / "host-facts.json").read_text())["enaSrdMode"] == 3

    def test_sets_the_mtu_of_the_interface_that_has_the_default_route(self, make_host):
        host = make_host("i-client")

        assert host.run("prepare-host", {**PREPARE, "MtuBytes": "1500"}).status == "Success"

        assert "link set dev ens5 mtu 1500" in (host.directory / "ip-calls").read_text().splitlines()

    def test_leaves_the_kernel_as_it_is_without_ena_express(self, make_host):
        host = make_host("i-client")
        shim(host, "ethtool", 'echo "$*" >>"$TEST_HOST/ethtool-calls"')
        before = tcp_settings()

        assert host.run("prepare-host", PREPARE).status == "Success"

        assert not [call for call in calls_of(host, "ethtool") if call.startswith("-G")]
        assert tcp_settings() == before

    @pytest.mark.parametrize(("longest", "asked"), [(16384, 8192), (2048, 2048)])
    def test_sets_the_ring_that_ena_express_needs_or_the_longest_there_is(self, make_host, longest, asked):
        host = make_host("i-client")
        rings = f"Pre-set maximums:\\nRX:\\t{longest}\\nTX:\\t1024\\n"
        rings += f"Current hardware settings:\\nRX:\\t{asked}\\nTX:\\t512\\n"
        shim(host, "ethtool", f'echo "$*" >>"$TEST_HOST/ethtool-calls"\n[[ $1 != -g ]] || printf "{rings}"')

        assert host.run("prepare-host", {**PREPARE, "EnaExpress": "same_zone"}).status == "Success"

        assert f"-G ens5 rx {asked}" in calls_of(host, "ethtool")
        facts = json.loads((host.state / "host-facts.json").read_text())
        assert (facts["rxRingLength"], facts["txRingLength"]) == (asked, 512)

    @pytest.mark.parametrize(("zones", "output_bytes"), [("same_zone", 1_048_576), ("other_zone", 4_194_304)])
    def test_lets_tcp_send_as_ena_express_needs_it(self, make_host, zones, output_bytes):
        host = make_host("i-client")

        assert host.run("prepare-host", {**PREPARE, "EnaExpress": zones}).status == "Success"

        assert tcp_settings() == (output_bytes, 0)
        facts = json.loads((host.state / "host-facts.json").read_text())
        assert (facts["tcpLimitOutputBytes"], facts["hasTcpAutocorking"]) == (output_bytes, False)

    def test_fails_without_a_default_route(self, make_host):
        host = make_host("i-client")
        shim(host, "ip", "exit 0")

        result = host.run("prepare-host", PREPARE)

        assert last_line(result.stdout)["reason"] == "network interface: must have the default route, there is none"

    def test_goes_on_where_the_host_has_no_ring_to_set(self, make_host):
        host = make_host("i-client")
        shim(host, "ethtool", "echo 'netlink error: Operation not supported' >&2; exit 76")

        assert host.run("prepare-host", {**PREPARE, "EnaExpress": "other_zone"}).status == "Success"

        assert "rxRingLength" not in json.loads((host.state / "host-facts.json").read_text())

    def test_records_the_kernel_s_settings(self, prepared):
        facts = json.loads((prepared("i-client").state / "host-facts.json").read_text())

        output_bytes, autocorking = tcp_settings()
        assert (facts["tcpLimitOutputBytes"], facts["hasTcpAutocorking"]) == (output_bytes, autocorking != 0)
        assert facts["cpuModel"]

    def test_fails_when_the_interface_refuses_the_mtu(self, make_host):
        host = make_host("i-client")
        shim(host, "ip", "[[ $* == *route* ]] && echo 'default via 192.0.2.1 dev ens5' || exit 2")

        result = host.run("prepare-host", PREPARE)

        assert last_line(result.stdout)["reason"] == "MTU of ens5: must be 9001, could not be set"

    def test_answers_health_checks_on_the_given_port_even_when_the_document_is_sent_twice(self, make_host):
        host = make_host("i-server")
        port = free_port()

        for _ in range(2):
            assert host.run("prepare-host", {**PREPARE, "HealthCheckPort": port}).status == "Success"

        for _ in range(3):
            with socket.create_connection(("127.0.0.1", int(port)), timeout=30) as check:
                assert check.recv(1) == b""
        responders = [process for process in processes_of(host) if b"health_responder" in command_line(process)]
        # `timeout` and the program that it watches.
        assert len(responders) == 2
        (call,) = [call for call in calls_of(host, "systemd-run") if "health_responder" in call]
        assert call.startswith("--quiet --collect --unit=network-benchmark-health timeout ")

    def test_answers_no_health_checks_without_a_port(self, prepared):
        host = prepared("i-client")

        assert [process for process in processes_of(host) if b"health_responder" in command_line(process)] == []

    def test_fails_and_names_the_tool_that_is_missing(self, make_host):
        host = make_host("i-bare")
        # This is a script, because Python would not find its virtual environment when it is started by a link.
        shim(host, "python3", f'exec {shlex.quote(sys.executable)} "$@"')
        # A PATH with everything this machine has but two of the tools.
        for directory in host.agent.environment["PATH"].split(":")[1:]:
            for program in Path(directory).iterdir():
                link = host.directory / "bin" / program.name
                if program.name not in ("sockperf", "tracepath") and not os.path.lexists(link):
                    link.symlink_to(program)
        host.agent.environment["PATH"] = f"{host.directory}/bin"
        (host.state).mkdir(parents=True)
        (host.state / "user-data-failure").write_text("E: Unable to locate package sockperf\n")

        tools = {"Programs": "iperf3,sockperf,tracepath", "Packages": "iperf3,sockperf,iputils-tracepath"}
        result = host.run("prepare-host", {**PREPARE, **tools})

        assert (result.status, result.exit_code) == ("Failed", 1)
        assert last_line(result.stdout)["reason"] == (
            "tools: must be installed, missing programs (packages): "
            "sockperf (sockperf), tracepath (iputils-tracepath); "
            "docs/private-hosts.md says how to make an image that has them; "
            "user data reported: E: Unable to locate package sockperf"
        )

    def test_waits_for_user_data_that_still_runs(self, make_host):
        host = make_host("i-young")
        boot_finished(host).unlink()
        calls_while_waiting: list[str] = []

        def finish_user_data(_):
            wait_for("the document to wait", lambda: runs(host, "sleep", "0.5"))
            calls_while_waiting.extend(calls_of(host, "snap"))
            boot_finished(host).touch()

        result = host.run("prepare-host", PREPARE, on_start=meanwhile(finish_user_data))

        assert result.status == "Success"
        assert calls_while_waiting == []
        assert calls_of(host, "snap") == ["refresh --hold"]

    def test_stops_background_jobs_even_where_some_are_not_installed(self, prepared):
        (call,) = calls_of(prepared("i-client"), "systemctl")

        assert call.startswith("stop --no-block apt-daily.timer apt-daily-upgrade.timer ")

    @pytest.mark.parametrize(
        ("program", "reason"), [("systemctl", "systemctl ended with exit code 1"), ("snap", "snap")]
    )
    def test_fails_when_background_jobs_go_on(self, make_host, program, reason):
        host = make_host("i-client")
        shim(host, program, "exit 1")

        result = host.run("prepare-host", PREPARE)

        assert result.status == "Failed"
        assert reason in last_line(result.stdout)["reason"]


class TestThroughput:
    @pytest.mark.parametrize(
        ("direction", "agent_is_new"),
        [("forward", True), ("reverse", True), ("bidirectional", True), ("forward", False)],
        ids=["forward", "reverse", "bidirectional", "forward with an agent without ENV_VAR"],
    )
    def test_tcp(self, prepared, aws, direction, agent_is_new):
        client, server = (prepared(name, knows_environment_interpolation=agent_is_new) for name in ("i-c", "i-s"))
        serve = serve_iperf3_parameters()

        served = server.run("serve-iperf3", serve)
        measured = client.run("measure-iperf3", measure_parameters(serve, IPERF3, Direction=direction))

        assert last_line(served.stdout) == {"status": "complete", "exitCode": 0, "reason": ""}
        assert measured.status == "Success", measured
        assert last_line(measured.stdout)["status"] == "complete"
        for host, role in ((client, "client"), (server, "server")):
            prefix = host.prefix(MEASUREMENT, role)
            wait_for(f"manifest of the {role}", lambda prefix=prefix: aws.manifest(prefix))
            assert aws.manifest(prefix)["exitCode"] == 0
            assert any(INTERVAL.match(line) for line in aws.tool_lines(prefix))

    def test_udp_spreads_the_offered_load_over_the_streams(self, prepared, aws):
        client, server = prepared("i-c"), prepared("i-s")
        serve = serve_iperf3_parameters(protocol="udp")

        server.run("serve-iperf3", serve)
        measured = client.run(
            "measure-iperf3",
            measure_parameters(serve, IPERF3, ParallelStreams="4", TargetBitsPerSecond="40000000"),
        )

        assert measured.status == "Success", measured
        command = aws.manifest(client.prefix(MEASUREMENT, "client"))["command"]
        assert command[command.index("-b") + 1] == "10000000"
        sums = [line for line in aws.tool_lines(client.prefix(MEASUREMENT, "client")) if line.startswith("[SUM]")]
        assert sums

    def test_passes_the_settings_of_sockets_on(self, prepared, aws):
        client, server = prepared("i-c"), prepared("i-s")
        settings = {"MssBytes": "536", "CongestionControl": "reno", "SocketBufferBytes": "65536"}
        serve = serve_iperf3_parameters()

        server.run("serve-iperf3", serve)
        measured = client.run("measure-iperf3", measure_parameters(serve, IPERF3, **settings))

        assert measured.status == "Success", measured
        lines = aws.tool_lines(client.prefix(MEASUREMENT, "client"))
        assert any("TCP MSS: 536" in line for line in lines)
        assert "snd_tcp_congestion reno" in lines

    def test_reports_the_setting_that_the_kernel_refuses(self, prepared, aws):
        client, server = prepared("i-c"), prepared("i-s")
        serve = serve_iperf3_parameters()

        server.run("serve-iperf3", serve)
        measured = client.run("measure-iperf3", measure_parameters(serve, IPERF3, CongestionControl="nosuch"))

        assert measured.status == "Failed"
        assert "unable to set TCP_CONGESTION" in last_line(measured.stdout)["reason"]

    def test_fails_with_the_tools_error_when_nobody_listens(self, prepared, aws):
        client = prepared("i-c")

        result = client.run("measure-iperf3", measure_parameters(serve_iperf3_parameters(), IPERF3))

        assert (result.status, result.exit_code) == ("Failed", 1)
        assert "unable to connect to server" in last_line(result.stdout)["reason"]
        assert aws.manifest(client.prefix(MEASUREMENT, "client"))

    def test_fails_when_the_server_dies_although_iperf3_may_exit_with_0(self, prepared, aws):
        client, server = prepared("i-c"), prepared("i-s")
        serve = serve_iperf3_parameters(duration_seconds=600)
        server.run("serve-iperf3", serve)

        def kill_server(_):
            wait_for("first chunk", lambda: aws.chunk_keys(client.prefix(MEASUREMENT, "client")))
            kill_host(server)

        result = client.run("measure-iperf3", measure_parameters(serve, IPERF3), on_start=meanwhile(kill_server))

        assert result.status == "Failed"
        assert "iperf3: error - " in last_line(result.stdout)["reason"]

    def test_keeps_nonsense_unchanged_and_answers_in_short_printable_ascii(self, prepared, aws):
        client = prepared("i-c")
        shim(
            client,
            "iperf3",
            r"head -c 30000 /dev/zero; printf '\xff\x1b[31m\n%.0s' {1..500}; echo 'so long' >&2; exit 3",
        )

        result = client.run("measure-iperf3", measure_parameters(serve_iperf3_parameters(), IPERF3))

        assert result.status == "Failed"
        assert re.fullmatch(r"[ -~]{1,600}\n", result.stdout)
        assert last_line(result.stdout)["exitCode"] == 3
        kept = "".join(aws.tool_lines(client.prefix(MEASUREMENT, "client")))
        assert kept.count("\0") == 30_000
        assert kept.count("\x1b[31m") == 500


SERVE = {"serve-iperf3": serve_iperf3_parameters, "serve-sockperf": serve_sockperf_parameters}


class TestServers:
    @pytest.mark.parametrize("document", ["serve-iperf3", "serve-sockperf"])
    def test_ends_a_server_that_an_earlier_command_left_on_the_port(self, prepared, document):
        server = prepared("i-s")
        serve = SERVE[document]()
        server.run(document, serve)
        left = set(processes_of(server))

        again = server.run(document, {**serve, "MeasurementId": "p0001-m02"})

        assert again.status == "Success", again
        wait_for("end of the old server", lambda: not left & set(processes_of(server)))
        assert processes_of(server)

    def test_kills_a_server_that_ignores_sigterm(self, prepared):
        server = prepared("i-s")
        serve = serve_sockperf_parameters("tcp")
        listen = f"import socket, time; s = socket.create_server(('', {serve['Port']})); time.sleep(600)"
        shim(server, "sockperf", f"trap '' TERM; exec python3 -c \"{listen}\"")
        server.run("serve-sockperf", serve)
        deaf = port_holders(serve["Port"])
        assert len(deaf) == 1

        again = server.run("serve-sockperf", {**serve, "MeasurementId": "p0001-m02"})

        assert again.status == "Success", again
        assert len(port_holders(serve["Port"])) == 1
        assert not deaf & port_holders(serve["Port"])

    def test_names_a_full_disk_where_a_server_does_not_start(self, prepared):
        host = prepared("i-server")
        disk = host.directory / "lib"
        disk.rename(host.directory / "before")
        disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], check=True)
        try:
            shutil.copytree(host.directory / "before", disk, dirs_exist_ok=True)
            with contextlib.suppress(OSError), open(disk / "filler", "wb", buffering=0) as file:
                while file.write(bytes(1024)):
                    pass
            started = host.run("serve-iperf3", SERVE["serve-iperf3"]())
            shim(host, "iperf3", "echo 'no such device' >&2; exit 1")
            failed = host.run("serve-iperf3", SERVE["serve-iperf3"]())
        finally:
            subprocess.run(["umount", "--lazy", str(disk)], check=True)

        assert last_line(started.stdout)["status"] == "complete", "a server needs no room"
        # What the server said found no room.
        reason = last_line(failed.stdout)["reason"]
        assert re.fullmatch(r"port \d+: no server listens on it; the end of its log: ; the disk is full", reason)

    def test_refuses_a_port_that_something_else_holds(self, prepared):
        server = prepared("i-s")
        serve = serve_iperf3_parameters()
        with socket.create_server(("127.0.0.1", int(serve["Port"]))):
            result = server.run("serve-iperf3", serve)

        assert result.status == "Failed"
        assert re.match(rf"port {serve['Port']}: must be free, is held by \S+", last_line(result.stdout)["reason"])

    @pytest.mark.parametrize("document", ["serve-iperf3", "serve-sockperf"])
    def test_reports_why_no_server_listens(self, prepared, document):
        server = prepared("i-s")
        shim(server, document.removeprefix("serve-"), "echo 'no such device' >&2; exit 1")

        result = server.run(document, SERVE[document]())

        assert result.status == "Failed"
        assert "no server listens on it" in last_line(result.stdout)["reason"]
        assert "no such device" in last_line(result.stdout)["reason"]
