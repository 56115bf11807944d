"""What is left when a command is cancelled or a host dies in the middle of a measurement."""

from __future__ import annotations

import sys

from document_hosts import INTERVAL, MEASUREMENT, kill_host, meanwhile, processes_of, runs, wait_for
from measurement_parameters import IPERF3, measure_parameters, serve_iperf3_parameters


class TestInterruption:
    def test_a_cancelled_command_ends_its_tool_and_loses_no_line(self, prepared, aws):
        client, server = prepared("i-c"), prepared("i-s")
        serve = serve_iperf3_parameters(duration_seconds=600)
        server.run("serve-iperf3", serve)
        prefix = client.prefix(MEASUREMENT, "client")

        def cancel_while_it_measures(process):
            # Lines that come after this chunk are only in the streamer's memory.
            wait_for("first chunk", lambda: aws.chunk_keys(prefix))
            wait_for("the tool", lambda: runs(client, "iperf3", "-c"))
            client.agent.cancel(process)

        client.run("measure-iperf3", measure_parameters(serve, IPERF3), on_start=meanwhile(cancel_while_it_measures))

        wait_for("manifest", lambda: aws.manifest(prefix))
        manifest = aws.manifest(prefix)
        assert [chunk["key"] for chunk in manifest["chunks"]] == aws.chunk_keys(prefix)
        assert manifest["lineCount"] == sum(len(aws.lines(key)) - 1 for key in aws.chunk_keys(prefix))
        # iperf3 prints its summary when it is stopped, long before its 600 seconds.
        assert any("sender" in line for line in aws.tool_lines(prefix))
        wait_for("end of the tool", lambda: not processes_of(client))

    def test_a_tool_does_not_outlive_the_documents_worker(self, prepared, aws):
        client, server = prepared("i-c"), prepared("i-s")
        serve = serve_iperf3_parameters(duration_seconds=600)
        server.run("serve-iperf3", serve)
        prefix = client.prefix(MEASUREMENT, "client")
        # A worker starts the script in a process group of its own.
        worker = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:], process_group=0).returncode)"
        client.agent.launcher[:0] = [sys.executable, "-c", worker]

        def kill_the_worker(worker):
            wait_for("first chunk", lambda: aws.chunk_keys(prefix))
            wait_for("the tool", lambda: runs(client, "iperf3", "-c"))
            worker.kill()

        client.run("measure-iperf3", measure_parameters(serve, IPERF3), on_start=meanwhile(kill_the_worker))

        wait_for("manifest", lambda: aws.manifest(prefix))
        wait_for("end of the tool", lambda: not processes_of(client))

    def test_a_killed_host_keeps_the_chunks_it_has_uploaded(self, prepared, aws):
        """How often chunks are cut is tested in test_tool_run.py, by a clock that the test moves."""
        client, server = prepared("i-c"), prepared("i-s")
        serve = serve_iperf3_parameters(duration_seconds=600)
        server.run("serve-iperf3", serve)
        prefix = client.prefix(MEASUREMENT, "client")

        def kill_after_the_second_chunk(_):
            wait_for("second chunk", lambda: len(aws.chunk_keys(prefix)) == 2)
            kill_host(client)

        client.run("measure-iperf3", measure_parameters(serve, IPERF3), on_start=meanwhile(kill_after_the_second_chunk))

        seconds = [round(float(match[1])) for match in map(INTERVAL.match, aws.tool_lines(prefix)) if match]
        assert seconds == list(range(len(seconds)))
        assert len(seconds) > 1
        assert aws.manifest(prefix) is None


class TestOutsideTheAgent:
    def test_uploads_have_the_role_of_the_instance_profile_and_not_that_of_default_host_management(self, prepared, aws):
        client, server = prepared("i-c"), prepared("i-s")
        serve = serve_iperf3_parameters()
        server.run("serve-iperf3", serve)

        client.run("measure-iperf3", measure_parameters(serve, IPERF3))

        assert aws.manifest(client.prefix(MEASUREMENT, "client")) is not None
        assert [key for key in aws.objects if "default-host-management" in key] == []

    def test_every_tool_runs_in_a_scope_of_its_own(self, prepared, aws):
        client, server = prepared("i-c"), prepared("i-s")
        serve = serve_iperf3_parameters()

        served = server.run("serve-iperf3", serve)
        measured = client.run("measure-iperf3", measure_parameters(serve, IPERF3))

        assert (served.status, measured.status) == ("Success", "Success")
        for host in (client, server):
            calls = (host.directory / "systemd-run-calls").read_text().splitlines()
            assert [call for call in calls if call.startswith("--scope --quiet --collect python3 ")]
