"""Every tool on every path: measured with real traffic, or reported as not applicable with a reason."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from permissions.recorded import RecordedCalls

from .running_lab import Object, RunningLab, iperf3, pair, plan

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


@pytest.fixture(scope="module")
def results(lab: RunningLab) -> list[Object]:
    asked = plan("every measurement", [*PAIRS, IMPOSSIBLE], MEASUREMENTS, concurrency=4, seed=1)
    result = lab.follow(lab.start(asked))
    assert result.summary is not None, result.cause
    assert result.status == "SUCCEEDED", result.cause
    return result.summary["measurements"]


@pytest.fixture(scope="module")
def of(results: list[Object]) -> Callable[[str, str], list[Object]]:
    def select(tool: str, path: str) -> list[Object]:
        return [one for one in results if one["tool"] == tool and one["path"] == path and one["placement"] == "none"]

    return select


def test_every_measurement_is_complete_or_has_a_reason(results: list[Object]) -> None:
    told = {(one["tool"], one["path"], one["placement"], one["status"], one["reason"]) for one in results}
    one_zone = "a cluster placement group lies in one zone"
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
    # The limit is 200 Mbit/s; a busy machine carries less by TLS or by the public path.
    assert 20 * MEGA < statistics["throughputBitsPerSecond"]["mean"] < 215 * MEGA


def test_streams_of_curl_have_their_own_rates_and_processor_time(of: Callable[[str, str], list[Object]]) -> None:
    for (measured,), streams in ((of("http", "private"), 3), (of("s3", "private"), 2)):
        statistics = measured["statistics"]
        assert len(statistics["streams"]) == streams
        assert all(stream["throughputBitsPerSecond"] > 0 for stream in statistics["streams"])
        assert statistics["clientCpu"]["userPercent"] + statistics["clientCpu"]["systemPercent"] > 0


def test_round_trips_are_longer_by_public_address_and_load_balancer(of: Callable[[str, str], list[Object]]) -> None:
    # Compare the shortest round trips: longer ones show what else the machine was doing.
    def shortest(path: str) -> float:
        (measured,) = [one for one in of("sockperf", path) if one["mode"] == "ping_pong"]
        return measured["statistics"]["rttMicros"]["min"]

    assert shortest("private") < shortest("nlb") < shortest("public")


def test_latency_under_load_and_the_route_are_measured(of: Callable[[str, str], list[Object]]) -> None:
    (loaded,) = of("iperf3", "private")
    assert loaded["statistics"]["forward"]["loadedLatency"]["before"]["observations"] > 100
    route = {path: of("tracepath", path)[0]["statistics"] for path in ("private", "public")}
    assert route["private"]["pathMtuBytes"] == 9001
    assert route["public"]["pathMtuBytes"] == 1500
    assert [one["pairRepetition"] for one in of("ping", "private")] == [1, 2]


def test_every_measurement_is_a_row_and_no_signed_url_is_stored(lab: RunningLab, results: list[Object]) -> None:
    ((count,),) = lab.query("SELECT COUNT(*) FROM measurements")
    assert int(count or 0) == len(results)
    stored = [key for key in lab.keys("") if not key.startswith("athena-results/")]
    assert any(key.startswith("raw/") for key in stored)
    assert [key for key in stored if SECRET.search(lab.read(key))] == []


def test_a_run_is_compared_with_the_run_that_its_plan_names(lab: RunningLab) -> None:
    measurements = [{"tool": "ping", "count": 20, "repetitions": 3}]
    first = lab.follow(lab.start(plan("before", [pair(STEADY)], measurements)))
    assert first.status == "SUCCEEDED", first.cause
    second = lab.follow(lab.start(plan("after", [pair(STEADY)], measurements, compareTo=first.run_id)))

    assert second.summary is not None, second.cause
    compared = second.summary["comparedRun"]
    assert compared["earlierRunId"] == first.run_id
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


def test_packets_per_second_of_two_types_whose_cards_differ(lab: RunningLab) -> None:
    types = ("c6i.large", "c6i.xlarge")
    # Neither the receiver nor a delay on the way is a bottleneck then. The load is 15,625 packets a second.
    pairs = [{**pair(each, placement="cluster"), "serverType": "m6i.8xlarge"} for each in types]
    load = {"protocol": "udp", "datagramBytes": 64, "targetBitsPerSecond": 8 * MEGA}
    asked = plan("packets", pairs, [iperf3(16, mode="packets", parallelStreams=4, **load)], concurrency=1)

    result = lab.follow(lab.start(asked))

    assert result.summary is not None, result.cause
    assert result.status == "SUCCEEDED", result.cause
    # The pairs are measured in random order.
    packets = {one["clientType"]: one["statistics"]["packetsPerSecond"] for one in result.summary["measurements"]}
    small, large = (packets[each] for each in types)
    # After 10 s at the peak the cards carry 2,500 and 5,000 packets a second.
    assert small["min"] < 1.3 * 2_500
    assert small["mean"] < 0.8 * large["mean"]
    for one in result.summary["measurements"]:
        assert one["statistics"]["clientPpsAllowanceExceeded"] > 0
        assert one["statistics"]["serverPpsAllowanceExceeded"] == 0
        assert one["verdict"] is None
        # A machine that loses packets elsewhere must say so instead of calling that the limit of the type.
        assert one["packetVerdict"]["kind"] in ("packet_limited", "limit_unknown")
