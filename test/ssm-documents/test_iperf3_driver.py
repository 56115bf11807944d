"""What iperf3 is driven to beyond one plain run: duty cycles, early ends, round trips beside the load. Real tools."""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import textwrap
from pathlib import Path

from document_hosts import MEASUREMENT, shim, wait_for
from measurement_parameters import IPERF3, free_port, last_line, measure_parameters, serve_iperf3_parameters

DRIVER = Path(__file__).parents[2] / "ssm-documents" / "measure-iperf3" / "drive_iperf3.py"
PROBE = re.compile(r"^probe: (\d+\.\d{3}) (\d+\.\d{3})$")
RUN = re.compile(r"^run (\d+) at (\d+\.\d{3}) s: ")


class TestDutyCycle:
    CYCLE = {"Runs": "3", "OnSeconds": "2", "OffSeconds": "1"}

    def test_both_ends_run_it_three_times_on_the_beat(self, prepared, aws):
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
            for number, at in begun.items():
                due = 3 * (int(number) - 1)
                # Whoever is late with reading the first beginning has the others earlier by as much.
                early_seconds = 0.01 if role == "client" else 1.5
                assert due - early_seconds <= float(at) <= due + 2.5

    def test_a_run_that_fails_ends_it(self, prepared, aws):
        client = prepared("i-c")

        measured = client.run(
            "measure-iperf3", measure_parameters(serve_iperf3_parameters(duration_seconds=8, **self.CYCLE), IPERF3)
        )

        result = last_line(measured.stdout)
        assert (result["status"], result["exitCode"]) == ("failed", 1)
        assert result["reason"] == "iperf3: error - unable to connect to server: Connection refused"


# A throttle at the twentieth second, and a second every hundredth of one: up to the seventieth, where it waits for the
# signal that ends it. A driver that has not sent any by then sees all of the 120.
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
    shim(client, "iperf3", f'exec {sys.executable} {script} "$@"')


class TestEarlyEnd:
    def test_ends_iperf3_and_calls_that_complete(self, prepared, aws):
        client = prepared("i-c")
        throttled_iperf3(client, patience_seconds=30)
        serve = serve_iperf3_parameters(duration_seconds=120)

        measured = client.run("measure-iperf3", measure_parameters(serve, IPERF3, StopAfterThrottledSeconds="30"))

        result = last_line(measured.stdout)
        assert (result["status"], result["exitCode"], result["reason"]) == ("complete", 0, "")
        lines = aws.tool_lines(client.prefix(MEASUREMENT, "client"))
        # Low from the 26th on (the median of ten), for ten in a row, and thirty more.
        assert lines[-1] == "network-benchmark: stopped 30 s after the throttle seen at 35 s"
        assert 65 <= sum("Kbits/sec" in line for line in lines) <= 70

    def test_without_the_setting_it_is_held_to_its_end(self, prepared, aws):
        client = prepared("i-c")
        throttled_iperf3(client, patience_seconds=0.01)

        client.run("measure-iperf3", measure_parameters(serve_iperf3_parameters(duration_seconds=120), IPERF3))

        lines = aws.tool_lines(client.prefix(MEASUREMENT, "client"))
        assert sum("Kbits/sec" in line for line in lines) == 120


class TestLatencyProbe:
    def test_round_trips_lie_within_the_load(self, prepared, aws):
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
        # A busy machine is late with the first of them, and with the end of the load.
        assert {int(start) for start in starts} >= {3, 4}
        assert max(starts) < 9

    def test_without_its_server_says_so_and_measures_the_load(self, prepared, aws):
        client, server = prepared("i-c"), prepared("i-s")
        serve = serve_iperf3_parameters(duration_seconds=4)

        server.run("serve-iperf3", serve)
        probe = {"ProbePort": free_port(), "ProbeMessagesPerSecond": "50", "ProbeMessageBytes": "64"}
        measured = client.run("measure-iperf3", measure_parameters(serve, IPERF3, **probe))

        assert last_line(measured.stdout)["status"] == "complete", measured
        lines = aws.tool_lines(client.prefix(MEASUREMENT, "client"))
        assert "probe: none: Can`t connect socket (errno=111 Connection refused)" in lines
        assert any("receiver" in line for line in lines)


# Two hosts and a router between them, which shapes towards the server: 200 Mbit/s until 750 Mbit above the baseline are
# spent (5 s), then 50 Mbit/s; its queue of 500 kB takes 20 ms to empty, and 80 ms.
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
  stdbuf -oL iperf3 -c 10.9.2.2 -p 5299 -t 14 -i 1 -f k
kill $sockperf
"""


def test_a_throttle_makes_round_trips_longer():
    script = textwrap.dedent(THROTTLED_ROUTE).format(python=sys.executable, driver=DRIVER)

    run = subprocess.run(
        ["unshare", "--net", "--mount", "bash", "-c", script], capture_output=True, text=True, timeout=120, check=False
    )

    assert run.returncode == 0, run.stderr
    trips = [(float(trip[1]), float(trip[2])) for trip in map(PROBE.match, run.stdout.splitlines()) if trip]
    before = statistics.median(micros for start, micros in trips if 1 < start < 4)
    after = statistics.median(micros for start, micros in trips if 7 < start < 13)
    assert 5_000 < before < 45_000
    assert after > 2 * before
