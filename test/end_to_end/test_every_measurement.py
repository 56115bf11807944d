"""Every tool on every path: measured with real traffic, or reported as not applicable with a reason."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

import pytest
from permissions.recorded import RecordedCalls

from lab.runner.run_plan import RunResult

from .running_lab import Object, RunningLab, iperf3, is_disturbed, pair, plan
from .shared_lab import Settings

# This type's credits last longer than any of these measurements.
STEADY = "m4.4xlarge"
PAIRS = [pair(STEADY), pair(STEADY, path="nlb"), pair(STEADY, path="public", zoneRelation="other_zone")]
IMPOSSIBLE = pair(STEADY, placement="cluster", zoneRelation="other_zone")
MEASUREMENTS = [
    {"tool": "ping", "count": 20, "repetitions": 2},
    {"tool": "tracepath"},
    {"tool": "sockperf", "durationSeconds": 5},
    {"tool": "sockperf", "mode": "under_load", "messagesPerSecond": 500, "protocol": "udp", "durationSeconds": 5},
    {"tool": "sockperf", "mode": "throughput", "messageBytes": 1400, "durationSeconds": 6},
    {"tool": "http", "scheme": "https", "parallelStreams": 3, "durationSeconds": 6},
    {"tool": "s3", "operation": "upload", "scheme": "https", "parallelStreams": 2, "durationSeconds": 6},
    iperf3(8, direction="bidirectional", latencyProbe={"messagesPerSecond": 50}),
]
SECRET = re.compile(rb"X-Amz-(?:Signature|Credential|Security-Token)", re.IGNORECASE)
MEGA = 1e6
ROLES = ("client", "server")
# EC2 charges a host for a minute, however soon it ends.
LEAST_CHARGED_SECONDS = 60


# Each way 50 microseconds within the zone, twice by a load balancer, 500 to another zone and 100 by public addresses.
LEAST_MICROS = {"private": 100, "nlb": 200, "public": 1200}
PINGS = [{"tool": "ping", "count": 20, "repetitions": 3}]
PACKET_TYPES = ("c6i.large", "c6i.xlarge")
CREDIT_PACKETS, PACKET_SECONDS = 25_000, 16


class Runs(NamedTuple):
    every_measurement: RunResult
    paths: RunResult
    before: RunResult
    after: RunResult
    packets: RunResult


@pytest.fixture(scope="module")
def lab_settings() -> Settings:
    """A lab of its own, because a test looks at every object of the store."""
    return {"context": {}}


@pytest.fixture(scope="module")
def runs(lab: RunningLab) -> Runs:
    """Runs at once what does not disturb each other: pings are hardly a load."""
    every = lab.start(plan("every measurement", [*PAIRS, IMPOSSIBLE], MEASUREMENTS, concurrency=4, seed=1))
    pinging = lab.start(plan("before", [pair(STEADY)], PINGS))
    every_measurement, before = lab.follow(every), lab.follow(pinging)
    # Neither the receiver nor a delay on the way is a bottleneck then. The load is 15,625 packets a second.
    pairs = [{**pair(each, placement="cluster"), "serverType": "m6i.8xlarge"} for each in PACKET_TYPES]
    load = {"protocol": "udp", "datagramBytes": 64, "targetBitsPerSecond": 8 * MEGA}
    loaded = lab.start(
        plan("packets", pairs, [iperf3(PACKET_SECONDS, mode="packets", parallelStreams=4, **load)], concurrency=1)
    )
    pinging = lab.start(plan("after", [pair(STEADY)], PINGS, compareTo=before.run_id))
    # The bulk transfers above fill the queues between the zones, and then even the shortest round trip is long.
    paths_plan = plan("paths", PAIRS, [{"tool": "sockperf", "durationSeconds": 5}], concurrency=3)
    paths = lab.run(paths_plan)
    after, packets = lab.follow(pinging), lab.follow(loaded)
    if any(is_disturbed(one) for one in paths.summary["measurements"]):
        paths = lab.run(paths_plan)
    runs = Runs(every_measurement, paths, before, after, packets)
    assert {run.status for run in runs} == {"SUCCEEDED"}, [run.cause for run in runs]
    return runs


@pytest.fixture(scope="module")
def run(runs: Runs) -> RunResult:
    return runs.every_measurement


@pytest.fixture(scope="module")
def results(run: RunResult) -> list[Object]:
    return run.summary["measurements"]


@pytest.fixture(scope="module")
def of(results: list[Object]) -> Callable[[str, str], list[Object]]:
    def select(tool: str, path: str) -> list[Object]:
        return [one for one in results if one["tool"] == tool and one["path"] == path and one["placement"] == "none"]

    return select


def test_every_measurement_is_complete_or_has_a_reason(results: list[Object]) -> None:
    told = {(one["tool"], one["path"], one["placement"], one["status"], one["reason"]) for one in results}
    one_zone = "a cluster placement group can't span two zones"
    expected = {(tool["tool"], "private", "cluster", "not_applicable", one_zone) for tool in MEASUREMENTS}
    for tool in ("sockperf", "http"):
        expected |= {(tool, path, "none", "complete", None) for path in ("private", "nlb", "public")}
    for tool in ("ping", "tracepath", "iperf3"):
        expected |= {(tool, path, "none", "complete", None) for path in ("private", "public")}
    expected |= {("s3", "private", "none", "complete", None)}
    refused = {key for key in told - expected if key[3] == "not_applicable" and key[4]}
    assert told - refused == expected
    # The load balancer has a listener for the load but none for the probe.
    over_nlb = {(tool, "nlb") for tool in ("ping", "tracepath", "iperf3", "s3")}
    assert {key[:2] for key in refused} == over_nlb | {("s3", "public")}


@pytest.mark.parametrize(
    ("tool", "path"),
    [("http", "private"), ("http", "nlb"), ("http", "public"), ("iperf3", "private"), ("iperf3", "public")],
)
def test_throughput_is_what_the_card_carries(of: Callable[[str, str], list[Object]], tool: str, path: str) -> None:
    (measured,) = of(tool, path)
    statistics = measured["statistics"].get("reverse", measured["statistics"])
    # The limit is 200 Mbit/s; a busy machine carries less.
    mean = statistics["throughputBitsPerSecond"]["mean"]
    assert 0 < mean < 215 * MEGA
    assert mean > 20 * MEGA or is_disturbed(measured)


def test_streams_of_curl_have_their_own_rates_and_processor_time(of: Callable[[str, str], list[Object]]) -> None:
    for (measured,), streams in ((of("http", "private"), 3), (of("s3", "private"), 2)):
        statistics = measured["statistics"]
        assert len(statistics["streams"]) == streams
        assert all(stream["throughputBitsPerSecond"] > 0 for stream in statistics["streams"])
        assert statistics["clientCpu"]["userPercent"] + statistics["clientCpu"]["systemPercent"] > 0


def test_round_trips_are_longer_by_public_address_and_load_balancer(runs: Runs) -> None:
    # Compare the shortest round trips: longer ones show what else the machine was doing.
    measured = runs.paths.summary["measurements"]
    shortest = {one["path"]: one["statistics"]["rttMicros"]["min"] for one in measured}
    # What the lab delays them by, which no load makes shorter.
    assert all(shortest[path] >= least for path, least in LEAST_MICROS.items()), shortest
    in_order = shortest["private"] < shortest["nlb"] < shortest["public"]
    assert in_order or any(map(is_disturbed, measured)), shortest


def test_latency_under_load_and_the_route_are_measured(of: Callable[[str, str], list[Object]]) -> None:
    (loaded,) = of("iperf3", "private")
    observations = loaded["statistics"]["forward"]["loadedLatency"]["before"]["observations"]
    assert observations > (0 if is_disturbed(loaded) else 100)
    route = {path: of("tracepath", path)[0]["statistics"] for path in ("private", "public")}
    assert route["private"]["pathMtuBytes"] == 9001
    assert route["public"]["pathMtuBytes"] == 1500
    assert [one["pairRepetition"] for one in of("ping", "private")] == [1, 2]


def test_every_measurement_is_a_row_and_no_signed_url_is_stored(
    lab: RunningLab, run: RunResult, results: list[Object]
) -> None:
    ((count,),) = lab.query(f"SELECT COUNT(*) FROM measurements WHERE run_id = '{run.run_id}'")
    assert int(count or 0) == len(results)
    stored = [key for key in lab.keys("") if not key.startswith("athena-results/")]
    assert any(key.startswith("raw/") for key in stored)
    assert [key for key in stored if SECRET.search(lab.read(key))] == []


class Prices:
    """The prices of one run as SQL finds them."""

    def __init__(self, lab: RunningLab, run_id: str) -> None:
        self._lab = lab
        self._run_id = run_id

    def of(self, table: str, *columns: str) -> list[list[float]]:
        """Returns numbers, of which none may be NULL, in the order of pairs and measurements."""
        order = {"runs": "run_id", "pairs": "pair_id", "measurements": "measurement_id"}[table]
        found = self._lab.query(
            f"SELECT {', '.join(columns)} FROM {table} WHERE run_id = '{self._run_id}' ORDER BY {order}"
        )
        assert all(cell is not None for row in found for cell in row), (table, columns, found)
        return [[float(cell or 0) for cell in row] for row in found]

    def by_pair(self, column: str) -> list[float]:
        """Returns the sums over the measurements of each pair."""
        found = self._lab.query(
            f"SELECT pair_id, sum({column}), count({column}), count(*) FROM measurements "
            f"WHERE run_id = '{self._run_id}' GROUP BY pair_id ORDER BY pair_id"
        )
        assert all(known == every for _, _, known, every in found), (column, found)
        return [float(total or 0) for _, total, _, _ in found]


def usd_of(split: Object) -> float:
    return sum(split.values())


def test_prices_agree_between_measurements_pairs_run_documents_and_report(lab: RunningLab, run: RunResult) -> None:
    sql = Prices(lab, run.run_id)
    cost = lab.document(run.run_id, "cost.json")
    assert run.summary is not None and run.report_path is not None

    parts = ["instances", "public_addresses", "cross_zone_traffic", "public_traffic", "load_balancer"]
    parts += ["s3", "athena", "step_functions", "lambda"]
    of_pairs = [row[0] for row in sql.of("pairs", "cost_usd")]
    assert of_pairs == pytest.approx([sum(row) for row in sql.of("pairs", *(f"cost_{part}_usd" for part in parts))])
    assert of_pairs == pytest.approx([usd_of(one["cost"]) for one in cost["pairs"]])
    assert of_pairs == pytest.approx(sql.by_pair("cost_usd"))
    assert [row[0] for row in sql.of("measurements", "cost_usd")] == pytest.approx(
        [one["costUsd"] for one in cost["measurements"]]
    )
    hosts = [sum(row) for row in sql.of("pairs", "cost_instances_usd", "cost_public_addresses_usd")]
    assert hosts == pytest.approx(sql.by_pair("hosts_usd"))
    for column in ("expected_usd", "host_seconds", "traffic_bytes"):
        assert [row[0] for row in sql.of("pairs", column)] == pytest.approx(sql.by_pair(column)), column

    ((cost_usd, expected_usd, upper_usd),) = sql.of("runs", "cost_usd", "expected_usd", "upper_usd")
    assert cost_usd == pytest.approx(sum(of_pairs)) == pytest.approx(cost["costUsd"])
    assert cost_usd == pytest.approx(run.summary["costUsd"])
    assert expected_usd == pytest.approx(sum(row[0] for row in sql.of("pairs", "expected_usd")))
    assert upper_usd == pytest.approx(sum(row[0] for row in sql.of("pairs", "upper_usd")))
    assert 0 < cost_usd <= upper_usd

    report = run.report_path.read_text()
    assert [price for price in of_pairs if price > 0 and f">{price:.4f}<" not in report] == []


def test_what_is_priced_is_what_was_used(lab: RunningLab, run: RunResult) -> None:
    rows = lab.query(
        "SELECT pair_id, path, launched_at, gone_at, host_seconds, cost_load_balancer_usd, "
        "cost_public_traffic_usd + cost_cross_zone_traffic_usd, cardinality(cost_warnings) "
        f"FROM pairs WHERE run_id = '{run.run_id}' ORDER BY pair_id"
    )
    pair_histories = lab.pair_histories(run.run_id)
    assert 0 < len(pair_histories) < len(rows), "some of the pairs must be such that nothing of them can be measured"
    for pair_id, path, launched_at, gone_at, host_seconds, balancer_usd, traffic_usd, warnings in rows:
        assert warnings == "0"
        if pair_id not in pair_histories:
            assert (launched_at, gone_at, host_seconds, balancer_usd, traffic_usd) == (None, None, "0", "0.0", "0.0")
            continue
        assert (float(balancer_usd or 0) > 0) == (path == "nlb")
        assert (float(traffic_usd or 0) > 0) == (path == "public")
        begins = [datetime.fromisoformat(lab.hosts(run.run_id, pair_id or "")[role]["launchedAt"]) for role in ROLES]
        assert datetime.fromisoformat(launched_at or "") == min(begins)
        gone = datetime.fromisoformat(gone_at or "")
        # The state that starts the teardown begins and ends around that time; a second for the clock's resolution.
        first, last = (at.timestamp() for at in moments_of(pair_histories[pair_id], "Tear down pair"))
        assert first - 1 <= gone.timestamp() <= last + 1
        charged = [max(LEAST_CHARGED_SECONDS, math.ceil((gone - begin).total_seconds())) for begin in begins]
        assert float(host_seconds or 0) == sum(charged)


def moments_of(history: list[Object], state: str) -> list[datetime]:
    """Returns when an execution entered and left a state."""
    return [
        event["timestamp"]
        for event in history
        for details in ("stateEnteredEventDetails", "stateExitedEventDetails")
        if event.get(details, {}).get("name") == state
    ]


def test_a_run_is_compared_with_the_run_that_its_plan_names(runs: Runs) -> None:
    compared = runs.after.summary["comparedRun"]
    assert compared["earlierRunId"] == runs.before.run_id
    (cell,) = compared["cells"]
    assert {figure["basis"] for figure in cell["figures"]} <= {"repetitions", "several_modes"}


def test_every_call_is_allowed_to_its_caller_and_a_missing_permission_is_noticed(
    lab: RunningLab, results: list[Object]
) -> None:
    recorded = RecordedCalls(lab.aws, lab.deployment)
    assert {caller.kind for caller in recorded.principals} == {"state machine", "function", "host"}
    assert len({access.action for _, access in recorded.accesses}) > 40
    assert recorded.denied() == []
    (missing,) = {line.split(" ")[1] for line in recorded.denied(without="ec2:CreateTags")}
    assert missing == "ec2:CreateTags"


def test_packets_per_second_of_two_types_whose_cards_differ(runs: Runs) -> None:
    measurements = runs.packets.summary["measurements"]
    # The pairs are measured in random order.
    packets = {one["clientType"]: one["statistics"]["packetsPerSecond"] for one in measurements}
    small, large = (packets[each] for each in PACKET_TYPES)
    # After 10 s at the peak the cards carry 2,500 and 5,000 packets a second, and never more than credits and that.
    assert small["min"] < 1.3 * 2_500
    for one, baseline in ((small, 2_500), (large, 5_000)):
        assert one["mean"] < 1.1 * (baseline + CREDIT_PACKETS / PACKET_SECONDS)
    assert small["mean"] < 0.8 * large["mean"] or any(map(is_disturbed, measurements))
    for one in measurements:
        assert one["statistics"]["clientPpsAllowanceExceeded"] > 0
        assert one["statistics"]["serverPpsAllowanceExceeded"] == 0
        assert one["verdict"] is None
        # A machine that loses packets elsewhere must say so instead of calling that the limit of the type.
        assert one["packetVerdict"]["cause"] in ("packet_rate", "not_known")
