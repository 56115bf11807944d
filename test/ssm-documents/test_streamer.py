"""Tests of the streamer as a program: a tool's lines, a store that fails, and signals."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from document_hosts import wait_for
from local_aws import ROLE_ID

STREAMER = Path(__file__).parents[2] / "ssm-documents" / "shared" / "stream.py"
PREFIX = f"raw/{ROLE_ID}:i-unit/run-1/p0001-m01/client/"

# The streamer with another limit of its output, because a test can't wait for hundreds of megabytes.
WITH_LIMIT = "import sys; sys.path.insert(0, '{}'); import stream; stream.OUTPUT_BYTES = {}; sys.exit(stream.main())"


@pytest.fixture
def stream(aws, tmp_path):
    """Starts the streamer with a piece of Python in place of the tool."""

    def start(tool: str, *options: str, limit_bytes: int | None = None, **environment: str) -> subprocess.Popen:
        identity = (
            "--run-id run-1 --pair-id p0001 --measurement-id p0001-m01 --bucket b --tool iperf3 --host-role client"
        )
        directory = ["--state-directory", str(tmp_path / "state")]
        command = [sys.executable, "-u", "-c", f"import os, sys, time\n{tool}"]
        program = [str(STREAMER)] if limit_bytes is None else ["-c", WITH_LIMIT.format(STREAMER.parent, limit_bytes)]
        return subprocess.Popen(
            [sys.executable, *program, *identity.split(), *directory, *options, "--", *command],
            stdout=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "AWS_ENDPOINT_URL": aws.url,
                "AWS_SSM_REGION_NAME": "eu-central-1",
                "AWS_ACCESS_KEY_ID": "i-unit",
                "AWS_SECRET_ACCESS_KEY": "none",
                **environment,
            },
        )

    return start


def result(process: subprocess.Popen) -> dict:
    output, _ = process.communicate(timeout=300)
    answer = json.loads(output)
    assert process.returncode == (0 if answer["status"] == "complete" else 1)
    return answer


def test_keeps_every_line_unchanged_with_its_time_and_source(stream, aws):
    before = time.time()
    answer = result(
        stream(r"""print('one'); print('', 'zwei ü', sep='\n'); print('no', file=sys.stderr); print('end', end='')""")
    )

    assert answer["status"] == "complete"
    assert aws.tool_lines(PREFIX) == ["one", "", "zwei ü", "end"]
    assert aws.tool_lines(PREFIX, "stderr") == ["no"]
    header, *lines = aws.lines(f"{PREFIX}000000.ndjson.gz")
    assert header["schema"] == "network-benchmark.chunk.v1"
    assert all(before - 1 <= line["time"] <= time.time() + 1 for line in lines)


@pytest.mark.parametrize(
    ("program", "version"),
    [
        ('[ "$1" = --version ] && echo "tool 3.16 (cJSON 1.7.15)"', "3.16"),
        # This is how nginx answers.
        ('[ "$1" = -v ] && echo "nginx version: nginx/1.24.0" >&2', "1.24.0"),
        ('echo "tool: invalid option in 1.2.3" >&2; exit 1', "unknown"),
    ],
)
def test_finds_the_version_of_a_program(stream, aws, tmp_path, program, version):
    path = tmp_path / "tool"
    path.write_text(f"#!/bin/sh\n{program}\n")
    path.chmod(0o755)

    result(stream("print('one')", "--program", str(path)))

    assert aws.lines(f"{PREFIX}000000.ndjson.gz")[0]["toolVersion"] == version


def test_the_manifest_names_every_chunk_with_its_checksum_and_lines(stream, aws):
    answer = result(stream("for n in range(5): print('x' * 1_500_000)"))

    manifest = aws.manifest(PREFIX)
    assert [chunk["key"] for chunk in manifest["chunks"]] == aws.chunk_keys(PREFIX)
    assert len(manifest["chunks"]) > 1, "a flood is also cut by size"
    for chunk in manifest["chunks"]:
        assert chunk["sha256"] == hashlib.sha256(aws.objects[chunk["key"]]).hexdigest()
        assert chunk["lineCount"] == len(aws.lines(chunk["key"])) - 1
    assert manifest["lineCount"] == answer["lineCount"] == sum(chunk["lineCount"] for chunk in manifest["chunks"])
    assert sum(map(len, aws.tool_lines(PREFIX))) == 5 * 1_500_000


def test_uploads_a_chunk_while_the_tool_still_runs(stream, aws, tmp_path):
    process = stream(f"print('first')\nwhile not os.path.exists('{tmp_path}/go-on'): time.sleep(0.1)\nprint('last')")
    wait_for("a chunk", lambda: aws.chunk_keys(PREFIX))

    assert process.poll() is None
    assert aws.tool_lines(PREFIX) == ["first"]
    (tmp_path / "go-on").touch()
    assert result(process)["chunkCount"] == len(aws.chunk_keys(PREFIX)) > 1
    assert aws.tool_lines(PREFIX) == ["first", "last"]


def test_goes_on_without_ethtool(stream, aws, tmp_path):
    (tmp_path / "bin").mkdir()

    assert result(stream("print('fine')", "--interface", "lo", PATH=str(tmp_path / "bin")))["status"] == "complete"


def test_uploads_later_what_s3_refuses_now(stream, aws):
    aws.is_failing = True
    process = stream("for n in range(3): print(n)")
    wait_for("two refusals", lambda: aws.failed_requests >= 2)
    aws.is_failing = False

    assert result(process)["status"] == "complete"
    assert aws.tool_lines(PREFIX) == ["0", "1", "2"]


def test_fails_after_its_deadline_and_keeps_the_spool(stream, aws, tmp_path):
    aws.is_failing = True

    answer = result(stream("print('kept')", "--upload-deadline-seconds", "2"))

    assert answer["status"] == "failed"
    assert answer["reason"].startswith("the tool ended well; upload to S3 failed: ")
    assert list((tmp_path / "state" / "spool").rglob("000000.ndjson.gz"))


def catches(process: subprocess.Popen, number: int) -> bool:
    caught = re.search(r"^SigCgt:\s+(\w+)", Path(f"/proc/{process.pid}/status").read_text(), re.MULTILINE)
    return bool(int(caught[1], 16) >> (number - 1) & 1)


def test_passes_sigterm_on_and_still_writes_its_manifest(stream, aws, tmp_path):
    process = stream(f"print('started'); open('{tmp_path}/has-started', 'w'); time.sleep(60)")
    wait_for("the tool", lambda: (tmp_path / "has-started").exists() and catches(process, signal.SIGTERM))
    process.send_signal(signal.SIGTERM)

    assert result(process)["reason"] == "stopped before its end: started"
    manifest = aws.manifest(PREFIX)
    assert (manifest["exitCode"], manifest["signal"]) == (None, "SIGTERM")


@pytest.mark.parametrize(
    ("tool", "exit_code", "reason"),
    [
        (
            "print('iperf3: error - control socket has closed unexpectedly'); print('done')",
            0,
            "iperf3: error - control",
        ),
        ("print('sockperf: \\x1b[31mERROR: Can`t connect\\x1b[0m')", 0, "ERROR: Can`t connect"),
        ("print('sockperf: No messages were received from the server. Is the server down?')", 0, "No messages were"),
        ("print('a word', file=sys.stderr); sys.exit(9)", 9, "a word"),
        ("sys.exit(9)", 9, "ended with exit code 9 and printed nothing"),
        ("os.kill(os.getpid(), 9)", None, "ended with SIGKILL and printed nothing"),
        ("print('0.00-1.00', flush=True); os.kill(os.getpid(), 9)", None, "ended by SIGKILL; last line: 0.00-1.00"),
        ("print('0.00-1.00'); sys.exit(139)", 139, "ended by SIGSEGV; last line: 0.00-1.00"),
        ("print('0.00-1.00'); sys.exit(124)", 124, "ended by its time limit; last line: 0.00-1.00"),
    ],
)
def test_fails_with_the_tools_own_error(stream, tool, exit_code, reason):
    answer = result(stream(tool))

    assert (answer["status"], answer["exitCode"]) == ("failed", exit_code)
    assert answer["reason"].startswith(reason)


def test_does_not_take_a_statistic_for_an_error(stream):
    tool = "print('====> avg-latency=8.384 (std-dev=50.893, std-error=0.131, 99.0% ci=[8.048, 8.720])')"

    assert result(stream(tool))["status"] == "complete"


def test_ends_although_a_grandchild_holds_the_tools_output(stream, aws):
    answer = result(stream("import subprocess; print(subprocess.Popen(['sleep', '600']).pid)"))

    assert answer["status"] == "complete"
    (grandchild,) = aws.tool_lines(PREFIX)
    # Killing it shows that it was still running, so the streamer did not wait for it.
    os.kill(int(grandchild), signal.SIGKILL)


def test_names_a_tool_that_is_not_installed(aws, tmp_path):
    identity = "--run-id r --pair-id p0001 --measurement-id p0001-m01 --bucket b --tool none --host-role client"
    process = subprocess.Popen(
        [sys.executable, str(STREAMER), *identity.split(), "--state-directory", str(tmp_path), "--", "no-such-tool"],
        stdout=subprocess.PIPE,
        text=True,
    )

    assert result(process)["reason"] == "no-such-tool: No such file or directory"


def test_stops_a_tool_that_floods_its_output_and_says_so(stream, aws):
    process = stream("while True: print('x' * 100_000)", limit_bytes=3_000_000)

    reason = "the output of iperf3 on the client was larger than 3 MB, so iperf3 was stopped"
    assert result(process)["reason"] == reason
    manifest = aws.manifest(PREFIX)
    assert (manifest["signal"], manifest["faults"]) == ("SIGTERM", [reason])
    kept_bytes = sum(map(len, aws.tool_lines(PREFIX)))
    assert 2_900_000 < kept_bytes < 3_200_000, "what came before is kept, and nothing more"


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 64 KiB under the state directory, which the fixture `stream` uses."""
    disk = tmp_path / "state"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], check=True)
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def fill(disk: Path) -> None:
    with contextlib.suppress(OSError), open(disk / "filler", "wb", buffering=0) as file:
        while file.write(bytes(1024)):
            pass


@pytest.mark.parametrize("when", ["from the start", "while the tool runs", "all but some bytes of a chunk"])
def test_goes_on_when_the_disk_is_full(stream, aws, tmp_path, small_disk, when):
    noise = "import random; line = lambda: ''.join(random.choices('abcdefghijkl', k=60_000))"
    if when == "from the start":
        fill(small_disk)
    elif when == "all but some bytes of a chunk":
        (small_disk / "half").write_bytes(bytes(48 * 1024))
    wait = f"while not os.path.exists('{tmp_path}/go-on'): time.sleep(0.05)"
    process = stream(f"{noise}\nprint('first', line())\n{wait}\nprint('last', line())")
    wait_for("the first chunk", lambda: aws.chunk_keys(PREFIX))
    if when == "while the tool runs":
        fill(small_disk)
    (tmp_path / "go-on").touch()
    answer = result(process)

    assert (answer["status"], answer["reason"]) == ("complete", "")
    assert [line.split()[0] for line in aws.tool_lines(PREFIX)] == ["first", "last"]
    manifest = aws.manifest(PREFIX)
    assert manifest["faults"] == []
    assert manifest["warnings"] == ["the disk was full, so chunks were uploaded from memory"]
    assert not list(small_disk.rglob("*.gz")), "nothing is left of a chunk that found no room"


def test_says_what_is_lost_when_neither_the_disk_nor_s3_takes_it(stream, aws, small_disk):
    aws.is_failing = True
    fill(small_disk)

    answer = result(stream("print('lost')", "--upload-deadline-seconds", "1"))

    assert answer["status"] == "failed"
    assert re.fullmatch(
        r"the tool ended well; upload to S3 failed: .*; 1 of the files found no room .*", answer["reason"]
    )
