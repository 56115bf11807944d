"""What is left when a command is cancelled or a host dies in the middle of a measurement."""

from __future__ import annotations

import time

from document_hosts import INTERVAL, LATE_SECONDS, MEASUREMENT, after, kill_host, processes_of, runs, shim, wait_for
from measurement_parameters import IPERF3, measure_parameters, serve_iperf3_parameters


class TestInterruption:
    def test_a_cancelled_command_ends_its_tool_and_loses_no_line(self, prepared, aws):
        client, server = prepared("i-c"), prepared("i-s")
        serve = serve_iperf3_parameters(duration_seconds=50)
        server.run("serve-iperf3", serve)
        prefix = client.prefix(MEASUREMENT, "client")

        def cancel_while_it_measures(process):
            wait_for("the tool", lambda: runs(client, "iperf3", "-c"))
            time.sleep(4)
            client.agent.cancel(process)

        started = time.monotonic()
        result = client.run(
            "measure-iperf3", measure_parameters(serve, IPERF3), on_start=after(0, cancel_while_it_measures)
        )

        # Not at the end of its 50 seconds.
        assert time.monotonic() - started < 40
        assert result.status == "TimedOut"
        wait_for("manifest", lambda: aws.manifest(prefix))
        intervals = [line for line in aws.tool_lines(prefix) if INTERVAL.match(line)]
        assert len(intervals) >= 2
        wait_for("end of the tool", lambda: not processes_of(client))

    def test_a_killed_host_loses_at_most_10_seconds(self, prepared, aws):
        client, server = prepared("i-c"), prepared("i-s")
        serve = serve_iperf3_parameters(duration_seconds=60)
        server.run("serve-iperf3", serve)
        prefix = client.prefix(MEASUREMENT, "client")

        def kill_after_the_second_chunk(_):
            wait_for("second chunk", lambda: len(aws.chunk_keys(prefix)) == 2, 50)
            kill_host(client)

        kill = after(0, kill_after_the_second_chunk)
        client.run("measure-iperf3", measure_parameters(serve, IPERF3), on_start=kill)

        # The worst moment to die is just before a chunk is there: then its oldest line is the first that is lost.
        for key in aws.chunk_keys(prefix):
            age_seconds = aws.put_times[key] - min(line["time"] for line in aws.lines(key)[1:])
            assert age_seconds <= 10 + LATE_SECONDS
        assert aws.manifest(prefix) is None


class TestOutsideTheAgent:
    def test_uses_a_scope_of_its_own_where_a_system_manager_answers(self, prepared, aws):
        client, server = prepared("i-c"), prepared("i-s")
        serve = serve_iperf3_parameters()
        for host in (client, server):
            (host.directory / "run" / "systemd" / "system").mkdir(parents=True)
            shim(host, "systemctl", "exit 0")
            shim(
                host,
                "systemd-run",
                f'echo "$*" >>{host.directory}/scopes\nwhile [[ $1 == --* ]]; do shift; done\nexec "$@"',
            )

        served = server.run("serve-iperf3", serve)
        measured = client.run("measure-iperf3", measure_parameters(serve, IPERF3))

        assert (served.status, measured.status) == ("Success", "Success")
        for host in (client, server):
            assert "--scope" in (host.directory / "scopes").read_text()
