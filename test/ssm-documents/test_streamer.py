"""The streamer by itself: what it does with a tool's lines, with a store that fails, and with signals."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest
from document_hosts import LATE_SECONDS, wait_for
from local_aws import ROLE_ID

STREAMER = Path(__file__).parents[2] / "ssm-documents" / "shared" / "stream.py"
PREFIX = f"raw/{ROLE_ID}:i-unit/run-1/p0001-m01/client/"


@pytest.fixture
def stream(aws, tmp_path):
    """Starts the streamer over a piece of Python that plays the tool."""

    def start(tool: str, *options: str, **environment: str) -> subprocess.Popen:
        identity = (
            "--run-id run-1 --pair-id p0001 --measurement-id p0001-m01 --bucket b --tool iperf3 --host-role client"
        )
        directory = ["--state-directory", str(tmp_path / "state")]
        command = [sys.executable, "-u", "-c", f"import os, sys, time\n{tool}"]
        return subprocess.Popen(
            [sys.executable, str(STREAMER), *identity.split(), *directory, *options, "--", *command],
            stdout=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "AWS_ENDPOINT_URL": aws.url,
                "AWS_REGION": "eu-central-1",
                "AWS_ACCESS_KEY_ID": "i-unit",
                "AWS_SECRET_ACCESS_KEY": "none",
                **environment,
            },
        )

    return start


def result(process: subprocess.Popen) -> dict:
    output, _ = process.communicate(timeout=90)
    answer = json.loads(output)
    assert process.returncode == (0 if answer["status"] == "complete" else 1)
    return answer


def test_keeps_every_line_as_it_came_with_its_time_and_source(stream, aws):
    before = time.time()
    answer = result(
        stream(r"""print('one'); print('', 'zwei ü', sep='\n'); print('no', file=sys.stderr); print('end', end='')""")
    )

    assert answer["status"] == "complete"
    assert aws.tool_lines(PREFIX) == ["one", "", "zwei ü", "end"]
    assert aws.tool_lines(PREFIX, "stderr") == ["no"]
    header, *lines = aws.lines(f"{PREFIX}000000.ndjson.gz")
    assert header["schema"] == "network-benchmark.chunk.v1"
    assert all(before - 0.1 <= line["time"] <= time.time() + 0.1 for line in lines)


def test_the_manifest_names_every_chunk_with_its_checksum_and_lines(stream, aws):
    answer = result(stream("for n in range(5): print('x' * 1_500_000)"))

    manifest = aws.manifest(PREFIX)
    assert [chunk["key"] for chunk in manifest["chunks"]] == aws.chunk_keys(PREFIX)
    assert len(manifest["chunks"]) > 1, "a flood is cut by size, too"
    for chunk in manifest["chunks"]:
        assert chunk["sha256"] == hashlib.sha256(aws.objects[chunk["key"]]).hexdigest()
        assert chunk["lineCount"] == len(aws.lines(chunk["key"])) - 1
    assert manifest["lineCount"] == answer["lineCount"] == sum(chunk["lineCount"] for chunk in manifest["chunks"])
    assert sum(map(len, aws.tool_lines(PREFIX))) == 5 * 1_500_000


def test_cuts_a_chunk_within_10_seconds_while_the_tool_runs(stream, aws, monkeypatch):
    process = stream("for n in range(15): print(n); time.sleep(1)")
    wait_for("a chunk", lambda: aws.chunk_keys(PREFIX) or process.poll() is not None)

    assert aws.chunk_keys(PREFIX) == [f"{PREFIX}000000.ndjson.gz"]
    assert process.poll() is None
    (key,) = aws.chunk_keys(PREFIX)
    assert aws.put_times[key] - min(line["time"] for line in aws.lines(key)[1:]) <= 10 + LATE_SECONDS
    # What a busy machine hides: half a second is left for the way to the store.
    monkeypatch.syspath_prepend(str(STREAMER.parent))
    assert importlib.import_module("stream").CHUNK_SECONDS <= 9.5
    assert result(process)["chunkCount"] == 2
    assert aws.tool_lines(PREFIX) == [str(n) for n in range(15)]


def test_samples_the_interfaces_counters_every_second(stream, aws):
    result(stream("time.sleep(5.2)", "--interface", "lo"))

    samples = [line for line in aws.lines(f"{PREFIX}000000.ndjson.gz")[1:] if line["source"] == "interface"]
    gaps = [after["time"] - before["time"] for before, after in zip(samples[:-2], samples[1:-1], strict=True)]
    # At most one a second and one at the end; a busy machine may miss some, and be late with single ones.
    assert 4 <= len(samples) <= 7
    assert abs(statistics.median(gaps) - 1) < 0.2
    assert {"rx_bytes", "tx_bytes", "rx_packets", "tx_packets"} <= samples[0]["counters"].keys()


def test_samples_the_processor_time_of_the_tool_and_its_children(stream, aws):
    """A second each: by itself, by a child that has ended, by a grandchild that still runs."""
    burn = "import time; t = time.process_time()\nwhile time.process_time() - t < 1: pass"
    tool = f"""
import subprocess
burn = {burn!r}
exec(burn)
subprocess.run([sys.executable, '-c', burn])
burn += chr(10) + 'print(flush=True); time.sleep(8)'
running = subprocess.Popen(['sh', '-c', '"$@"; true', 'sh', sys.executable, '-c', burn], stdout=subprocess.PIPE)
running.stdout.readline()
time.sleep(4)
"""
    result(stream(tool, "--interface", "lo"))

    samples = [line["counters"] for line in aws.lines(f"{PREFIX}000000.ndjson.gz")[1:] if line["source"] == "cpu"]
    totals = [sample["user_seconds"] + sample["system_seconds"] for sample in samples]
    assert totals == sorted(totals)
    # Starting three times takes some of it, too; to count anything twice, all of a second more.
    assert 2.8 < totals[-1] < 3.8


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (
            "NIC statistics:\n     tx_drops: 7\n     bw_in_allowance_exceeded: 0\n     bw_out_allowance_exceeded: 12\n",
            {"bw_in_allowance_exceeded": 0, "bw_out_allowance_exceeded": 12},
        ),
        (
            "NIC statistics:\n     pps_allowance_exceeded: 0\n     ena_srd_mode: 1\n     ena_srd_tx_pkts: 90\n"
            "     ena_srd_eligible_tx_pkts: 100\n     ena_srd_rx_pkts: 8\n     ena_srd_resource_utilization: 3\n",
            {"pps_allowance_exceeded": 0, "ena_srd_tx_pkts": 90, "ena_srd_eligible_tx_pkts": 100, "ena_srd_rx_pkts": 8},
        ),
        ("NIC statistics:\n     rx_queue_0_drops: 3\n", None),
        ("no stats available\n", None),
    ],
    ids=["ENA", "ENA with ENA Express", "another driver", "none"],
)
def test_samples_the_drivers_counters_where_the_driver_has_them(stream, aws, tmp_path, answer, expected):
    calls = tmp_path / "calls"
    ethtool = tmp_path / "ethtool"
    ethtool.write_text(f"#!/bin/sh\necho \"$*\" >>{calls}\nprintf '%s' '{answer}'\n")
    ethtool.chmod(0o755)

    result(stream("time.sleep(2.5)", "--interface", "lo", PATH=f"{tmp_path}:{os.environ['PATH']}"))

    samples = [line["counters"] for line in aws.lines(f"{PREFIX}000000.ndjson.gz")[1:] if line["source"] == "ethtool"]
    if expected is None:
        assert samples == []
        assert calls.read_text() == "-S lo\n", "one question is enough"
    else:
        assert len(samples) >= 2
        assert samples[0] == expected


def test_goes_on_without_ethtool(stream, aws, tmp_path):
    (tmp_path / "bin").mkdir()

    assert result(stream("print('fine')", "--interface", "lo", PATH=str(tmp_path / "bin")))["status"] == "complete"


def test_uploads_later_what_s3_refuses_now(stream, aws):
    aws.is_failing = True
    process = stream("for n in range(3): print(n); time.sleep(0.5)")
    time.sleep(3)
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
        ("sys.exit(9)", 9, "ended with exit code 9 and no words"),
        ("os.kill(os.getpid(), 9)", None, "ended with SIGKILL and no words"),
        ("print('0.00-1.00'); sys.exit(124)", 124, "ended by its time limit; last words: 0.00-1.00"),
    ],
)
def test_fails_with_the_tools_own_words(stream, tool, exit_code, reason):
    answer = result(stream(tool))

    assert (answer["status"], answer["exitCode"]) == ("failed", exit_code)
    assert answer["reason"].startswith(reason)


def test_does_not_take_a_statistic_for_an_error(stream):
    tool = "print('====> avg-latency=8.384 (std-dev=50.893, std-error=0.131, 99.0% ci=[8.048, 8.720])')"

    assert result(stream(tool))["status"] == "complete"


def test_ends_although_a_grandchild_holds_the_tools_output(stream):
    started = time.monotonic()
    answer = result(stream("import subprocess; subprocess.Popen(['sleep', '60']); print('over')"))

    assert answer["status"] == "complete"
    assert time.monotonic() - started < 30


def test_names_a_tool_that_is_not_there(aws, tmp_path):
    identity = "--run-id r --pair-id p0001 --measurement-id p0001-m01 --bucket b --tool none --host-role client"
    process = subprocess.Popen(
        [sys.executable, str(STREAMER), *identity.split(), "--state-directory", str(tmp_path), "--", "no-such-tool"],
        stdout=subprocess.PIPE,
        text=True,
    )

    assert result(process)["reason"] == "no-such-tool: No such file or directory"
