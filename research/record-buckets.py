#!/usr/bin/env python3
"""Records iperf3 over real token buckets: test data for the detector, with a truth that does not come from iperf3.

    .cache/venv/bin/python research/record-buckets.py --out FOLDER [--parallel 3] [--case NAME…]

Each case of test/fixtures/real-buckets/cases.json runs in namespaces of its own, without root: client, router, server
and a second client for competing traffic. The router's queue toward the receiver is either a kernel bucket (tbf) or is
controlled by token accounts and a plan of rates. The router's byte counters are read every 20 ms; they show when the
load began and when the tokens were spent. The script writes NAME.iperf3.json.gz per case (the unchanged output of
`iperf3 -J`) and one row per case in truth.json.
"""

import argparse
import gzip
import json
import math
import os
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from token_account import GIGA, READ_SECONDS, Account, planned_rate  # noqa: E402

from lab.hosts.commands import MTU_BYTES, ip, run, tool  # noqa: E402
from lab.hosts.queue_statistics import QueueReader  # noqa: E402

CASES = REPOSITORY / "test" / "fixtures" / "real-buckets" / "cases.json"
Case = dict[str, Any]
# One 64 KiB super-packet must fit; 8 ms of the rate make up for a late timer.
LEAST_QUEUE_BURST_BYTES = 131_072
CATCH_UP_SECONDS = 0.008
QUEUE_BYTES = 1_000_000
# iperf3's control connection exchanges less than this before the first data.
LOAD_START_BYTES = 100_000
# A smaller relative change of a ramp is not worth calling tc for.
SMALLEST_RATE_CHANGE = 0.004
HOSTS = {"client": 1, "server": 2, "other": 3}
SERVER_ADDRESS = f"10.77.{HOSTS['server']}.2"


class Router:
    """Shapes the traffic toward the receiver and records its counters; it runs in the lab's first namespace."""

    def __init__(self, case: Case) -> None:
        self.toward = "to-client" if case.get("reverse") else "to-server"
        self.source = "to-server" if case.get("reverse") else "to-client"
        self._bucket = case.get("kernelBucket")
        self._plan = [(at, gbps * GIGA) for at, gbps in case.get("planGbps", [])]
        self._peak = case["peakGbps"] * GIGA
        wanted = [self._bucket] if self._bucket else case.get("accounts", [])
        self.accounts = [Account.from_case(one, self._peak, self._bucket is not None) for one in wanted]
        self.load_start: float | None = None
        #: (monotonic seconds, bytes of the measured flow, bytes that left the queue)
        self.readings: list[tuple[float, int, int]] = []
        self._rate = 0.0
        self._ended = threading.Event()
        self._measured_from = math.inf

    def start(self) -> None:
        if self._bucket:
            bucket_bytes = int(self._bucket["gigabits"] * GIGA / 8)
            self._set_queue(self._bucket["baselineGbps"] * GIGA, bucket_bytes, self._peak)
        else:
            self._set_rate(self._plan[0][1] if self._plan else self._peak)
        # The queue counts what the bucket is charged for: one header per packet, not one per super-packet.
        self._queue = QueueReader("router")
        self._queue_index = socket.if_nametoindex(self.toward)
        self._watching = ThreadPoolExecutor(1).submit(self._watch)

    def stop(self) -> None:
        self._ended.set()
        self._watching.result()

    def _watch(self) -> None:
        while not self._ended.wait(READ_SECONDS):
            self._read()
            if not self._bucket:
                self._steer()

    def _read(self) -> None:
        flow = received_bytes(self.source)
        wire = self._queue.read()[self._queue_index].sent_bytes
        now = time.monotonic()
        if self.readings:
            before, _, wire_before = self.readings[-1]
            for account in self.accounts:
                account.book(now, now - before, 8 * (wire - wire_before))
        if self.load_start is None:
            since = [reading for reading in self.readings if reading[0] >= self._measured_from]
            if since and flow - since[0][1] > LOAD_START_BYTES:
                self.load_start = since[-1][0]
        self.readings.append((now, flow, wire))

    def measure(self) -> None:
        """Begins the measurement: the load starts with the first data that the measured flow carries after this."""
        self._measured_from = time.monotonic()

    def _steer(self) -> None:
        wanted = min([self._peak, *(one.low_bits_per_second for one in self.accounts if one.is_spent)])
        if self._plan:
            since = 0.0 if self.load_start is None else time.monotonic() - self.load_start
            wanted = min(wanted, planned_rate(self._plan, since))
        if abs(wanted / self._rate - 1) > SMALLEST_RATE_CHANGE:
            self._set_rate(wanted)

    def _set_rate(self, rate: float) -> None:
        self._set_queue(rate, catch_up_bytes(rate))
        self._rate = rate

    def _set_queue(self, rate: float, burst_bytes: int, peak: float | None = None) -> None:
        shape = f"rate {int(rate)}bit burst {burst_bytes} limit {QUEUE_BYTES}"
        if peak:
            shape += f" peakrate {int(peak)}bit mtu {catch_up_bytes(peak)}"
        run(["tc", "qdisc", "replace", "dev", self.toward, "root", "tbf", *shape.split()])


def catch_up_bytes(rate: float) -> int:
    return max(LEAST_QUEUE_BURST_BYTES, int(rate / 8 * CATCH_UP_SECONDS))


def received_bytes(interface: str) -> int:
    for line in Path("/proc/net/dev").read_text().splitlines():
        name, _, values = line.partition(":")
        if name.strip() == interface:
            return int(values.split()[0])
    raise RuntimeError(f"interface: must be one of the router, got {interface}")


def connect_hosts() -> None:
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
    run(["ip", "netns", "attach", "router", str(os.getpid())])
    for host, number in HOSTS.items():
        ip(f"netns add {host}")
        ip(
            f"link add name eth0 mtu {MTU_BYTES} netns {host} type veth peer name to-{host} mtu {MTU_BYTES}",
            f"addr add 10.77.{number}.1/24 dev to-{host}",
            f"link set to-{host} up",
        )
        ip(
            "link set lo up",
            f"addr add 10.77.{number}.2/24 dev eth0",
            "link set eth0 up",
            # EC2's images use cubic; this machine's default may differ.
            f"route add default via 10.77.{number}.1 congctl cubic",
            namespace=host,
        )


def iperf3(host: str, *arguments: str) -> subprocess.Popen[str]:
    command = [tool("ip"), "netns", "exec", host, tool("iperf3"), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def record_here(case: Case, out: Path) -> None:
    """Records one case inside the lab's namespaces, from an empty network to the two files."""
    connect_hosts()
    others = case.get("others", [])
    ports = [5201 + index for index in range(1 + len(others))]
    servers = [iperf3("server", "-s", "-p", str(port)) for port in ports]
    time.sleep(0.5)
    router = Router(case)
    router.start()
    for drained_seconds, idle_seconds in case.get("before", []):
        iperf3("client", "-c", SERVER_ADDRESS, "-t", str(drained_seconds)).communicate()
        time.sleep(idle_seconds)
    begin = time.monotonic() + max([0.0, *(-one["atSeconds"] for one in others)])
    with ThreadPoolExecutor() as pool:
        loads = [pool.submit(run_other, begin, *other) for other in zip(others, ports[1:], strict=True)]
        time.sleep(max(0.0, begin - time.monotonic()))
        router.measure()
        options = ["-P", str(case["streams"])] if case.get("streams") else []
        options += ["-R"] if case.get("reverse") else []
        options += ["-t", str(case["seconds"]), "-i", "1", "-J", "--get-server-output"]
        client = iperf3("client", "-c", SERVER_ADDRESS, *options)
        printed, _ = client.communicate()
        router.stop()
    for load in loads:
        load.result()
    for server in servers:
        server.terminate()
    if client.returncode != 0 or router.load_start is None:
        raise RuntimeError(f"{case['name']}: iperf3 must end well and send, got exit code {client.returncode}")
    with gzip.GzipFile(out / f"{case['name']}.iperf3.json.gz", "wb", mtime=0) as file:
        file.write(printed.encode())
    truth = truth_of(case, router, router.load_start)
    (out / f"{case['name']}.truth.json").write_text(json.dumps(truth) + "\n")


def run_other(begin: float, other: Case, port: int) -> None:
    time.sleep(max(0.0, begin + other["atSeconds"] - time.monotonic()))
    limit = ["-b", f"{int(other['gbps'] * GIGA)}"] if "gbps" in other else []
    iperf3("other", "-c", SERVER_ADDRESS, "-p", str(port), "-t", str(other["seconds"]), *limit).communicate()


def truth_of(case: Case, router: Router, start: float) -> Case:
    """Returns what the counters and the accounts show, without any figure from iperf3."""
    expected = case["truth"]
    truth = {"name": case["name"], **expected, "loadAverage": round(os.getloadavg()[0], 1)}
    flow = [(at - start, flow_bytes) for at, flow_bytes, _ in router.readings]
    end = case["seconds"]
    if not expected["throttled"]:
        return {**truth, "meanBitsPerSecond": round(mean_rate(flow, 0, end))}
    spent = sorted(at - start for one in router.accounts for at in one.spent_at if at > start)
    onset = spent[0]
    return {
        **truth,
        "onsetSeconds": round(onset, 2),
        "burstBitsPerSecond": round(mean_rate(flow, 0, onset)),
        "afterBitsPerSecond": round(mean_rate(flow, onset, end)),
        "tokensSpentSeconds": [round(at, 2) for at in spent],
    }


def mean_rate(flow: list[tuple[float, int]], from_seconds: float, to_seconds: float) -> float:
    inside = [reading for reading in flow if from_seconds <= reading[0] <= to_seconds]
    return 8 * (inside[-1][1] - inside[0][1]) / (inside[-1][0] - inside[0][0])


def record_apart(case: Case, out: Path) -> bool:
    command = [sys.executable, "-m", "lab.namespace", sys.executable, __file__]
    command += ["--inside", "--out", str(out), "--case", case["name"]]
    ended = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    outcome = "recorded" if ended.returncode == 0 else f"failed: {ended.stderr.strip()}"
    print(f"{case['name']}: {outcome}", flush=True)
    return ended.returncode == 0


def write_table(out: Path, cases: list[Case]) -> None:
    """Writes one row per recording in the folder, in the order of the cases, and keeps rows of earlier calls."""
    table = out / "truth.json"
    rows = {row["name"]: row for row in (json.loads(table.read_text()) if table.exists() else [])}
    for case in cases:
        own = out / f"{case['name']}.truth.json"
        if own.exists():
            rows[case["name"]] = json.loads(own.read_text())
            own.unlink()
    ordered = [rows[case["name"]] for case in cases if case["name"] in rows]
    table.write_text(json.dumps(ordered, indent=2) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--parallel", type=int, default=3)
    parser.add_argument("--case", nargs="*", default=[])
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    cases = json.loads(CASES.read_text())
    chosen = [case for case in cases if not arguments.case or case["name"] in arguments.case]
    out = arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    if arguments.inside:
        record_here(chosen[0], out)
        return
    with ThreadPoolExecutor(arguments.parallel) as pool:
        is_recorded = list(pool.map(lambda case: record_apart(case, out), chosen))
    write_table(out, cases)
    if not all(is_recorded):
        sys.exit(1)


if __name__ == "__main__":
    main()
