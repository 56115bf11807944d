#!/usr/bin/env python3
"""Measures what the streamer costs on a host (CPU, memory, lost lines); prints one JSON line per rate of tool lines.

Limits: 3 % of one core and 60 MB on average, and no line lost at 1 kHz. The benchmark needs only Python with boto3; the
S3 for the uploads runs on loopback. usage: bench-streamer.py [--seconds 30] [--lines-per-second 1 1000]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[1]
sys.path.insert(0, str(REPOSITORY / "test" / "ssm-documents"))

from local_aws import ROLE_ID, LocalAws  # noqa: E402

STREAMER = REPOSITORY / "ssm-documents" / "shared" / "stream.py"
STREAM_OPTIONS = "--run-id bench --pair-id p0001 --measurement-id p0001-m01 --bucket b --tool iperf3 --host-role client"
INSTANCE_ID = "i-bench"
# Prints lines of iperf3's length, each with its own write, as a tool under stdbuf -oL does.
TOOL = """
import sys, time
seconds, rate = int(sys.argv[1]), int(sys.argv[2])
start = time.monotonic()
for number in range(seconds * rate):
    time.sleep(max(0, start + (number + 1) / rate - time.monotonic()))
    span = "%8d.00-%8d.00" % (number, number + 1)
    sys.stdout.write("[  5] " + span + " sec  1.16 GBytes  9947021 Kbits/sec    0   3.01 MBytes\\n")
    sys.stdout.flush()
"""
ETHTOOL = """#!/bin/sh
printf 'NIC statistics:\\n     bw_in_allowance_exceeded: 0\\n     bw_out_allowance_exceeded: 12\\n'
"""


def cpu_seconds(pid: int) -> tuple[float, float]:
    """Returns the time of the process itself and of the children it waited for (ethtool; the tool still runs)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    user, system, child_user, child_system = map(int, fields[11:15])
    tick = os.sysconf("SC_CLK_TCK")
    return (user + system) / tick, (child_user + child_system) / tick


def resident_bytes(pid: int) -> tuple[int, int]:
    """Returns the current and the highest resident size."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(status["VmRSS"].split()[0]) * 1024, int(status["VmHWM"].split()[0]) * 1024


def bench(seconds: int, lines_per_second: int) -> dict[str, Any]:
    aws = LocalAws()
    with tempfile.TemporaryDirectory() as directory:
        ethtool = Path(directory, "ethtool")
        ethtool.write_text(ETHTOOL)
        ethtool.chmod(0o755)
        environment = {
            **os.environ,
            "PATH": f"{directory}:{os.environ['PATH']}",
            "AWS_ENDPOINT_URL": aws.url,
            "AWS_SSM_REGION_NAME": "eu-central-1",
            "AWS_ACCESS_KEY_ID": INSTANCE_ID,
            "AWS_SECRET_ACCESS_KEY": "none",
        }
        tool = [sys.executable, "-c", TOOL, str(seconds), str(lines_per_second)]
        started = time.monotonic()
        command = [sys.executable, str(STREAMER), *STREAM_OPTIONS.split(), "--state-directory", directory, "--", *tool]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)
        own = children = 0.0
        resident: list[int] = []
        highest = 0
        # Stop before the tool does: once it has been waited for, its CPU time counts among the children's.
        while time.monotonic() - started < seconds - 1:
            time.sleep(0.25)
            own, children = cpu_seconds(process.pid)
            now, highest = resident_bytes(process.pid)
            resident.append(now)
        measured_seconds = time.monotonic() - started
        output, _ = process.communicate()
    prefix = f"raw/{ROLE_ID}:{INSTANCE_ID}/bench/p0001-m01/client/"
    received = aws.tool_lines(prefix)
    expected = seconds * lines_per_second
    return {
        "linesPerSecond": lines_per_second,
        "seconds": seconds,
        "cpuPercent": round(100 * (own + children) / measured_seconds, 2),
        "ofWhichEthtoolPercent": round(100 * children / measured_seconds, 2),
        "meanResidentMegabytes": round(sum(resident) / len(resident) / 1e6, 1),
        "maxResidentMegabytes": round(highest / 1e6, 1),
        "linesIn": expected,
        "linesOut": len(received),
        "inOrder": [int(line[5:14]) for line in received] == list(range(expected)),
        "status": json.loads(output.splitlines()[-1])["status"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--lines-per-second", type=int, nargs="+", default=[1, 1000])
    arguments = parser.parse_args()
    for lines_per_second in arguments.lines_per_second:
        print(json.dumps(bench(arguments.seconds, lines_per_second)), flush=True)


if __name__ == "__main__":
    main()
