"""The iperf3 driver with real tools: duty cycles, early ends, and round trips beside the load."""

from __future__ import annotations

import argparse
import re
import shlex
import statistics
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from document_hosts import MEASUREMENT, shim, wait_for
from measurement_parameters import IPERF3, free_port, last_line, measure_parameters, serve_iperf3_parameters

DRIVER = Path(__file__).parents[2] / "ssm-documents" / "measure-iperf3" / "drive_iperf3.py"
sys.path.insert(0, str(DRIVER.parent))
import drive_iperf3  # noqa: E402
import latency_probe  # noqa: E402

PROBE = re.compile(r"^probe: (\d+\.\d{3}) (\d+\.\d{3})$")
RUN = re.compile(r"^run (\d+) at (\d+\.\d{3}) s: ")
# An interval of a second; the summaries at the end are longer.
RATE = re.compile(r"^\[ *\d+\] +(\d+)\.00-\d+\.00 +sec +\S+ \wBytes +(\d+) Kbits/sec +\d+ +\S+ \wBytes")


class Clock:
    """Stands in for the module `time`: time passes only by sleeping."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class TestDutyCycle:
    CYCLE = {"Runs": "3", "OnSeconds": "2", "OffSeconds": "1"}

    def test_both_ends_run_three_times_at_the_planned_starts(self, prepared, aws):
        client, server = prepared("i-c"), prepared("i-s")
        serve = serve_iperf3_parameters(duration_seconds=8, **self.CYCLE)

        server.run("serve-iperf3", serve)
        measured = client.run("measure-iperf3", measure_parameters(serve, IPERF3, TargetBitsPerSecond="80000000"))

        assert last_line(measured.stdout)["status"] == "complete", measured
        wait_for("manifest of the server", lambda: aws.manifest(server.prefix(MEASUREMENT, "server")))
        for host, role in ((client, "client"), (server, "server")):
            lines = aws.tool_lines(host.prefix(MEASUREMENT, role))
            assert "network-benchmark: duty cycle of 3 runs, 2 s on, 1 s off" in lines
            begun = dict(RUN.match(line).groups() for line in lines if RUN.match(line))
            assert list(begun) == ["1", "2", "3"]
            if role == "client":
                # A run may start late on a busy machine, but never early.
                assert all(float(at) >= 3 * (int(number) - 1) for number, at in begun.items())

    def test_a_client_starts_each_run_on_the_grid_of_the_first_however_late_one_is(self, monkeypatch):
        clock = Clock()
        monkeypatch.setattr(drive_iperf3, "time", clock)
        arguments = ["drive_iperf3.py", "--runs=4", "--on-seconds=2", "--off-seconds=1", "--", "iperf3"]
        monkeypatch.setattr(sys, "argv", arguments)
        driver = drive_iperf3.Driver(drive_iperf3.parse_arguments())
        starts: list[float] = []

        def run_once(number: int) -> int:
            driver._begin(number, [])
            starts.append(clock.now)
            clock.now += {1: 2.25, 2: 3.5, 3: 2.0}.get(number, 0)
            return 0

        monkeypatch.setattr(driver, "_run_once", run_once)

        assert driver.run() == 0

        # The second run takes longer than its place; the fourth is on time again.
        assert starts == [100, 103, 106.5, 109]

    def test_a_failed_run_is_the_last(self, prepared, aws):
        client = prepared("i-c")

        measured = client.run(
            "measure-iperf3", measure_parameters(serve_iperf3_parameters(duration_seconds=8, **self.CYCLE), IPERF3)
        )

        result = last_line(measured.stdout)
        assert (result["status"], result["exitCode"]) == ("failed", 1)
        # From version 3.16 on, iperf3 says between the two what may be wrong.
        assert re.fullmatch("iperf3: error - unable to connect to server.*: Connection refused", result["reason"])


# Stands in for iperf3, with a throttle at second 20. It prints the first 70 of 120 seconds at once and then waits for
# the signal that ends it. A driver that sends none sees all 120.
THROTTLED_IPERF3 = r"""
import signal, sys, time
if "--version" in sys.argv:
    sys.exit(print("iperf 3.12"))
def interrupted(*_):
    print("iperf3: interrupt - the client has terminated", file=sys.stderr, flush=True)
    sys.exit(1)
signal.signal(signal.SIGTERM, interrupted)
print("Connecting to host 127.0.0.1, port 5201", flush=True)
for second in range(120):
    rate = 900000 if second < 20 else 100000
    line = f"[  5] {second:6.2f}-{second + 1:.2f}  sec  1.0 MBytes  {rate} Kbits/sec    0   1.00 MBytes"
    print(line, flush=True)
    time.sleep(PATIENCE if second == 69 else 0.01)
"""


def throttled_iperf3(client, patience_seconds: float) -> None:
    script = client.directory / "throttled.py"
    script.write_text(THROTTLED_IPERF3.replace("PATIENCE", str(patience_seconds)))
    shim(client, "iperf3", f'exec {shlex.join([sys.executable, str(script)])} "$@"')


class TestEarlyEnd:
    def test_stops_iperf3_and_reports_a_complete_run(self, prepared, aws):
        client = prepared("i-c")
        throttled_iperf3(client, patience_seconds=100)
        serve = serve_iperf3_parameters(duration_seconds=120)

        measured = client.run("measure-iperf3", measure_parameters(serve, IPERF3, StopAfterThrottledSeconds="30"))

        result = last_line(measured.stdout)
        assert (result["status"], result["exitCode"], result["reason"]) == ("complete", 0, "")
        lines = aws.tool_lines(client.prefix(MEASUREMENT, "client"))
        # The median of ten is low from second 26 on; ten low seconds in a row and thirty more follow.
        assert lines[-1] == "network-benchmark: stopped 30 s after the throttle seen at 35 s"
        assert 65 <= sum("Kbits/sec" in line for line in lines) <= 70

    def test_without_the_setting_runs_to_the_end(self, prepared, aws):
        client = prepared("i-c")
        throttled_iperf3(client, patience_seconds=0.01)

        client.run("measure-iperf3", measure_parameters(serve_iperf3_parameters(duration_seconds=120), IPERF3))

        lines = aws.tool_lines(client.prefix(MEASUREMENT, "client"))
        assert sum("Kbits/sec" in line for line in lines) == 120


class TestLatencyProbe:
    @pytest.fixture
    def probe(self):
        arguments = argparse.Namespace(
            probe_address="192.0.2.1",
            probe_port=9999,
            probe_protocol="tcp",
            probe_message_bytes=64,
            probe_messages_per_second=100,
        )
        return latency_probe.LatencyProbe(arguments, print)

    def test_round_trips_are_timed_from_the_start_of_the_load(self, probe, tmp_path):
        log = tmp_path / "log.csv"
        # sockperf's own axis begins anywhere: here at 7 s. A trip without an answer has no duration.
        log.write_text("packet, txTime(sec), rxTime, rtt(usec)\n0, 7.0, 7.1, 90.5\n1, 7.5, , \n2, 8.25, 8.3, 100.25\n")
        probe.begins(1000.0)

        # The first logged packet was sent 0.405 s after the test's start: the warm-up and half an interval of 10 ms.
        assert probe._round_trips(str(log), started_at=1002.0) == ["probe: 2.405 90.500", "probe: 3.655 100.250"]

    def test_round_trips_before_the_load_are_omitted(self, probe, tmp_path):
        log = tmp_path / "log.csv"
        log.write_text("0, 7.0, 7.1, 90.5\n1, 8.0, 8.1, 95.5\n")
        probe.begins(1000.0)

        assert probe._round_trips(str(log), started_at=999.0) == ["probe: 0.405 95.500"]

    def test_measures_round_trips_while_the_load_runs(self, prepared, aws):
        client, server = prepared("i-c"), prepared("i-s")
        probe = {"ProbePort": free_port(), "ProbeMessagesPerSecond": "50"}
        serve = serve_iperf3_parameters(duration_seconds=6, **probe)

        server.run("serve-iperf3", serve)
        measured = client.run(
            "measure-iperf3", measure_parameters(serve, IPERF3, TargetBitsPerSecond="80000000", ProbeMessageBytes="64")
        )

        assert last_line(measured.stdout)["status"] == "complete", measured
        trips = [PROBE.match(line) for line in aws.tool_lines(client.prefix(MEASUREMENT, "client"))]
        starts = [float(trip[1]) for trip in trips if trip]
        assert starts
        assert min(starts) >= 0

    def test_without_its_server_reports_that_and_measures_the_load(self, prepared, aws):
        client, server = prepared("i-c"), prepared("i-s")
        serve = serve_iperf3_parameters(duration_seconds=4)

        server.run("serve-iperf3", serve)
        probe = {"ProbePort": free_port(), "ProbeMessagesPerSecond": "50", "ProbeMessageBytes": "64"}
        measured = client.run("measure-iperf3", measure_parameters(serve, IPERF3, **probe))

        assert last_line(measured.stdout)["status"] == "complete", measured
        lines = aws.tool_lines(client.prefix(MEASUREMENT, "client"))
        assert "probe: none: Can`t connect socket (errno=111 Connection refused)" in lines
        assert any("receiver" in line for line in lines)


# Two hosts and a router between them, which shapes toward the server: 200 Mbit/s until a bucket of 750 Mbit is spent,
# which takes 5 s, then 50 Mbit/s. Its queue of 500 kB takes 20 ms to drain at the high rate and 80 ms at the low one.
THROTTLED_ROUTE = """
set -euo pipefail
mount -t tmpfs none /run
export TMPDIR=/run
for host in client router server; do ip netns add $host; ip -n $host link set lo up; done
ip link add c netns client type veth peer name c netns router
ip link add s netns server type veth peer name s netns router
ip -n client address add 10.9.1.2/24 dev c && ip -n router address add 10.9.1.1/24 dev c
ip -n server address add 10.9.2.2/24 dev s && ip -n router address add 10.9.2.1/24 dev s
for host in client server router; do for link in c s; do ip -n $host link set $link up 2>/dev/null || true; done; done
ip netns exec router sysctl -qw net.ipv4.ip_forward=1
ip -n client route add default via 10.9.1.1 congctl cubic
ip -n server route add default via 10.9.2.1 congctl cubic
ip netns exec router tc qdisc replace dev s root \
  tbf rate 50mbit burst 93750000 limit 500000 peakrate 200mbit mtu 131072
ip netns exec server sockperf server --tcp -p 6299 >/dev/null 2>&1 &
sockperf=$!
ip netns exec server iperf3 -s -1 -p 5299 >/dev/null 2>&1 &
for port in 6299 5299; do
  until ip netns exec server ss -Hltn "sport = :$port" | grep . >/dev/null; do sleep 0.05; done
done
ip netns exec client {python} {driver} --probe-address 10.9.2.2 --probe-port 6299 --probe-messages-per-second 20 -- \
  stdbuf -oL iperf3 -c 10.9.2.2 -p 5299 -t 20 -i 1 -f k
kill $sockperf
"""


def lower_quartile(values):
    return statistics.quantiles(values, n=4)[0]


def test_a_throttle_makes_round_trips_longer():
    script = textwrap.dedent(THROTTLED_ROUTE).format(
        python=shlex.quote(sys.executable), driver=shlex.quote(str(DRIVER))
    )

    run = subprocess.run(
        ["unshare", "--net", "--mount", "bash", "-c", script], capture_output=True, text=True, timeout=300, check=False
    )

    assert run.returncode == 0, run.stderr
    trips = [(float(trip[1]), float(trip[2])) for trip in map(PROBE.match, run.stdout.splitlines()) if trip]
    rates = [(float(rate[1]), float(rate[2])) for rate in map(RATE.match, run.stdout.splitlines()) if rate]
    # The load's own rate shows when it is throttled, because that depends on how fast a busy machine can send before.
    throttled = {int(start) for start, kilobits in rates if start > 0 and kilobits < 75_000}
    # Other work on the machine delays many of the probe's messages; the quarter that it delays least shows the queue.
    before = lower_quartile([micros for start, micros in trips if 1 < start < min(throttled) - 1])
    after = lower_quartile([micros for start, micros in trips if int(start) in throttled])
    assert after > 1.5 * before
