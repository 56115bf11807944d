"""HTTP and S3 by parallel curl: the documents with real nginx and curl. No trace of S3's signed URLs may be left."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import socket
import ssl
import subprocess
import threading
import time
from pathlib import Path

import pytest
from document_hosts import (
    MEASUREMENT,
    command_line,
    kill_host,
    meanwhile,
    port_holders,
    processes_of,
    runs,
    shim,
    wait_for,
)
from local_aws import ROLE_ID
from measurement_parameters import (
    last_line,
    measure_http_parameters,
    measure_s3_parameters,
    serve_http_parameters,
)

DOCUMENTS = Path(__file__).parents[2] / "ssm-documents"
SECRETS = {"AWS_SECRET_ACCESS_KEY": "a-secret-that-signs", "AWS_SESSION_TOKEN": "a-token-of-a-session"}


def events(aws, host) -> list[dict]:
    return [json.loads(line) for line in aws.tool_lines(host.prefix(MEASUREMENT, "client")) if line.startswith("{")]


def transfers(aws, host) -> list[dict]:
    return [event for event in events(aws, host) if event["event"] == "transfer"]


class TestHttp:
    @pytest.mark.parametrize("scheme", ["http", "https"])
    def test_downloads_again_and_again_until_the_time_is_over(self, prepared, aws, scheme):
        client, server, object_bytes = prepared("i-c"), prepared("i-s"), 100_000
        serve = serve_http_parameters(duration_seconds=5, Scheme=scheme, ObjectBytes=str(object_bytes))

        served = server.run("serve-http", serve)
        measured = client.run("measure-http", measure_http_parameters(serve, streams=3))

        assert last_line(served.stdout) == {"status": "complete", "exitCode": 0, "reason": ""}
        assert measured.status == "Success", measured
        start, *_, end = events(aws, client)
        assert (start["event"], start["tool"], start["operation"], start["streams"]) == ("start", "curl", "download", 3)
        assert end["event"] == "end"
        # The rest at the end may be too short for another transfer. How late a busy machine ends does not matter.
        assert end["seconds"] > 4.9
        done = transfers(aws, client)
        assert {transfer["stream"] for transfer in done} == {1, 2, 3}
        assert {transfer["curlExitCode"] for transfer in done} <= {0, 28}
        completed = [transfer for transfer in done if transfer["curlExitCode"] == 0]
        assert len(completed) > 3
        assert {transfer["bytes"] for transfer in completed} == {object_bytes}
        command = aws.manifest(client.prefix(MEASUREMENT, "client"))["command"]
        assert command[command.index("--scheme") + 1] == scheme

    def test_a_transfer_that_the_end_cuts_off_counts(self, prepared, aws):
        client, server = prepared("i-c"), prepared("i-s")
        # No machine encrypts this much in two seconds.
        serve = serve_http_parameters(Scheme="https", ObjectBytes="9999999999")

        server.run("serve-http", serve)
        measured = client.run("measure-http", measure_http_parameters(serve, streams=2))

        assert measured.status == "Success", measured
        done = transfers(aws, client)
        assert [transfer["curlExitCode"] for transfer in done] == [28, 28]
        assert all(transfer["bytes"] > 0 for transfer in done)

    def test_the_server_ends_with_the_client_and_both_report_their_processor_time(self, prepared, aws):
        client, server = prepared("i-c"), prepared("i-s")
        serve = serve_http_parameters(Scheme="https")
        server.run("serve-http", serve)
        client.run("measure-http", measure_http_parameters(serve))

        prefix = server.prefix(MEASUREMENT, "server")
        wait_for("manifest of the server", lambda: aws.manifest(prefix))
        assert aws.manifest(prefix)["exitCode"] == 0
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", int(serve["Port"])))
        assert any(line.startswith("/object 200 ") for line in aws.tool_lines(prefix))
        for host, role in ((client, "client"), (server, "server")):
            lines = [line for key in aws.chunk_keys(host.prefix(MEASUREMENT, role)) for line in aws.lines(key)[1:]]
            used = [line["counters"] for line in lines if line["source"] == "cpu"]
            assert used[-1].keys() >= {"user_seconds", "system_seconds", "steal_seconds"}

    def test_ends_an_nginx_that_an_earlier_command_left_on_the_port(self, prepared):
        server = prepared("i-s")
        serve = serve_http_parameters()
        server.run("serve-http", serve)
        left = set(processes_of(server))

        again = server.run("serve-http", {**serve, "MeasurementId": "p0001-m02"})

        assert again.status == "Success", again
        wait_for("end of the old server", lambda: not left & set(processes_of(server)))
        assert processes_of(server)

    def test_ends_workers_that_outlived_their_nginx(self, prepared):
        server = prepared("i-s")
        serve = serve_http_parameters()
        server.run("serve-http", serve)
        holders = port_holders(serve["Port"])
        masters = {pid for pid in holders if b"master process" in command_line(pid)}
        assert len(masters) == 1
        # SIGKILL to the master leaves the workers running, as children of init and without our environment.
        for master in masters:
            os.kill(master, signal.SIGKILL)
        wait_for("end of the master", lambda: not masters & port_holders(serve["Port"]))
        orphans = port_holders(serve["Port"])
        assert orphans

        again = server.run("serve-http", {**serve, "MeasurementId": "p0001-m02"})

        assert again.status == "Success", again
        assert not orphans & port_holders(serve["Port"])

    def test_fails_with_curls_error_when_nobody_listens(self, prepared, aws):
        client = prepared("i-c")

        result = client.run("measure-http", measure_http_parameters(serve_http_parameters()))

        assert (result.status, result.exit_code) == ("Failed", 1)
        assert "stream " in last_line(result.stdout)["reason"]
        assert "Failed to connect" in last_line(result.stdout)["reason"]
        assert aws.manifest(client.prefix(MEASUREMENT, "client"))["exitCode"] == 1

    def test_fails_when_the_server_dies_and_keeps_what_was_transferred(self, prepared, aws):
        client, server = prepared("i-c"), prepared("i-s")
        serve = serve_http_parameters(duration_seconds=600)
        server.run("serve-http", serve)
        seen: set[int] = set()

        def has_transferred() -> bool:
            """With two streams, a third curl starts only after one of the first two has ended."""
            seen.update(process for process in runs(client, "curl") if b"--max-time" in command_line(process))
            return len(seen) > 2

        def kill_server(_):
            wait_for("the end of a transfer", has_transferred)
            kill_host(server)

        result = client.run("measure-http", measure_http_parameters(serve), on_start=meanwhile(kill_server))

        assert result.status == "Failed"
        assert "curl: (" in last_line(result.stdout)["reason"]
        assert transfers(aws, client)
        assert events(aws, client)[-1]["event"] != "end"

    def test_a_transfer_that_ends_before_the_time_is_a_failure(self, prepared):
        """curl has the same exit code for `--max-time` and `--connect-timeout`."""
        client = prepared("i-c")
        shim(client, "curl", '[[ $1 == --version ]] && exec /usr/bin/curl --version; echo "0 0 0.1 000"; exit 28')

        result = client.run("measure-http", measure_http_parameters(serve_http_parameters(duration_seconds=200)))

        assert result.status == "Failed"
        assert "curl ended with exit code 28" in last_line(result.stdout)["reason"]


@pytest.fixture
def s3_host(prepared, aws):
    """Returns a host with a session's credentials; its S3 speaks TLS, too."""
    host = prepared("i-c")
    certificate, key = host.directory / "certificate.pem", host.directory / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        + ["-subj", "/CN=s3", "-addext", "subjectAltName=IP:127.0.0.1"]
        + ["-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )
    aws.tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    aws.tls.load_cert_chain(certificate, key)
    host.agent.environment["CURL_CA_BUNDLE"] = str(certificate)
    keys = [
        f"aws_access_key_id = {host.instance_id}",
        *(f"{name.lower()} = {value}" for name, value in SECRETS.items()),
    ]
    Path(host.agent.environment["AWS_CONFIG_FILE"]).write_text("\n".join(["[default]", *keys]))
    return host


class TestS3:
    @pytest.mark.parametrize("scheme", ["http", "https"])
    @pytest.mark.parametrize("operation", ["download", "upload"])
    def test_transfers_objects_below_the_hosts_own_prefix(self, s3_host, aws, operation, scheme):
        measured = s3_host.run("measure-s3", measure_s3_parameters(Operation=operation, Scheme=scheme))

        assert measured.status == "Success", measured
        done = transfers(aws, s3_host)
        assert {transfer["stream"] for transfer in done} == {1, 2}
        whole = [transfer for transfer in done if transfer["curlExitCode"] == 0]
        assert whole
        assert all((transfer["bytes"], transfer["httpCode"]) == (5_000_000, 200) for transfer in whole)
        prefix = f"payload/{ROLE_ID}:i-c/{MEASUREMENT}-"
        names = {key.removeprefix(prefix) for key in aws.objects if key.startswith("payload/")}
        assert names == ({"object"} if operation == "download" else {"1", "2"})
        # The bytes are random, so no two pieces are equal.
        body = aws.objects[f"{prefix}{next(iter(names))}"]
        assert len({body[start : start + 1000] for start in range(0, len(body), 1000)}) == len(body) // 1000

    def test_asks_for_ranges_at_moving_places(self, s3_host, aws):
        measured = s3_host.run("measure-s3", measure_s3_parameters(RangeBytes="2000000"))

        assert measured.status == "Success", measured
        ranges = [asked for method, asked in aws.requests if method == "GET"]
        assert set(ranges) == {"bytes=0-1999999", "bytes=2000000-3999999"}
        assert {transfer["bytes"] for transfer in transfers(aws, s3_host) if transfer["curlExitCode"] == 0} == {
            2_000_000
        }

    def test_reports_the_status_with_which_s3_refuses(self, s3_host, aws, monkeypatch):
        monkeypatch.setattr("local_aws._Handler._may", lambda _, key, *kinds: key.startswith("raw/"))

        result = s3_host.run("measure-s3", measure_s3_parameters(Operation="upload"))

        assert result.status == "Failed"
        assert "the server answered with HTTP status 403" in last_line(result.stdout)["reason"]

    def test_reports_an_object_that_does_not_fit_into_memory(self, monkeypatch, tmp_path):
        monkeypatch.syspath_prepend(str(DOCUMENTS / "shared"))
        monkeypatch.syspath_prepend(str(DOCUMENTS / "measure-s3"))
        measure_s3 = importlib.import_module("measure_s3")
        free_bytes = os.statvfs(tmp_path).f_bavail * os.statvfs(tmp_path).f_frsize

        with pytest.raises(SystemExit, match="ERROR: object: must fit into this host's memory"):
            measure_s3.write_random_bytes(str(tmp_path / "object"), free_bytes + 1_000_000_000)
        assert not (tmp_path / "object").exists()


class TestSecrecy:
    """A presigned URL is a credential: only curl's standard input and the network may carry it."""

    TRACES = (b"X-Amz-", b"Signature", b"AWSAccessKeyId", *(secret.encode() for secret in SECRETS.values()))

    def found_in(self, where: str, text: bytes) -> list[str]:
        return [f"{where}: {trace.decode()}" for trace in self.TRACES if trace in text]

    def everything_left(self, aws, host, result) -> list[str]:
        found = self.found_in("stdout", result.stdout.encode()) + self.found_in("stderr", result.stderr.encode())
        for key in list(aws.objects):
            if key.startswith("raw/"):
                lines = aws.lines(key) if key.endswith(".gz") else json.loads(aws.objects[key])
                found += self.found_in(key, json.dumps(lines).encode())
        # The profile is where the test itself has put the secrets.
        profile = Path(host.agent.environment["AWS_CONFIG_FILE"])
        files = [path for path in host.directory.rglob("*") if path.is_file() and "/opt/" not in str(path)]
        files.remove(profile)
        assert files
        return found + [trace for path in files for trace in self.found_in(str(path), path.read_bytes())]

    @pytest.mark.parametrize("operation", ["download", "upload"])
    def test_no_command_line_and_no_file_has_a_url(self, s3_host, aws, operation):
        seen: set[str] = set()
        is_over = threading.Event()

        def watch(_) -> None:
            while not is_over.is_set():
                for process in processes_of(s3_host):
                    with contextlib.suppress(OSError):
                        command = Path(f"/proc/{process}/cmdline").read_bytes()
                        if b"curl\0" in command:
                            seen.add("a curl")
                        seen.update(self.found_in("command line", command))
                time.sleep(0.01)

        result = s3_host.run("measure-s3", measure_s3_parameters(Operation=operation), on_start=meanwhile(watch))
        is_over.set()

        assert result.status == "Success", result
        assert seen == {"a curl"}
        assert self.everything_left(aws, s3_host, result) == []

    @pytest.mark.parametrize("operation", ["download", "upload"])
    def test_no_refusal_shows_the_signed_request(self, s3_host, aws, monkeypatch, operation):
        monkeypatch.setattr("local_aws._Handler._may", lambda _, key, *kinds: key.startswith("raw/"))

        result = s3_host.run("measure-s3", measure_s3_parameters(Operation=operation))

        assert "HTTP status 403" in last_line(result.stdout)["reason"]
        assert self.everything_left(aws, s3_host, result) == []

    @pytest.mark.parametrize("operation", ["download", "upload"])
    def test_the_signature_is_removed_from_a_url_that_curl_prints(self, s3_host, aws, operation):
        shim(
            s3_host,
            "curl",
            '[[ $1 == --version ]] && exec /usr/bin/curl --version; echo "curl: (3) bad: $(cat)" >&2; exit 3',
        )

        result = s3_host.run("measure-s3", measure_s3_parameters(Operation=operation))

        assert "curl: (3) bad: url = " in last_line(result.stdout)["reason"]
        assert self.everything_left(aws, s3_host, result) == []
