"""Runs that a generator makes up from the documented schema alone, as rows by table and as the objects of a store."""

from __future__ import annotations

import gzip
import json
import random
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from documented_schema import Row, Table, cell_of, documented_tables

RUNS, SECONDS, FALL_SECOND = 10, 60, 30
TYPES = ["c5.large", "c5.xlarge", "m5.large"]
PUBLISHED = {"c5.large": 750, "c5.xlarge": 1250, "m5.large": 600}
HOURLY_USD = {"c5.large": 0.085, "c5.xlarge": 0.17, "m5.large": 0.096}
IPERF3 = {
    "tool": "iperf3",
    "kind": "throughput",
    "protocol": "tcp",
    "direction": "forward",
    "duration_seconds": SECONDS,
}
SOCKPERF = {"tool": "sockperf", "kind": "latency", "mode": "ping_pong", "protocol": "tcp", "message_bytes": 64}
PING = {"tool": "ping", "kind": "latency", "message_bytes": 56}
PROBE = {"probe_message_bytes": 64, "probe_messages_per_second": 100}
WAYS: list[Row] = [
    IPERF3 | PROBE | {"parallel_streams": 8},
    IPERF3 | {"parallel_streams": 1, "direction": "reverse"},
    IPERF3 | {"parallel_streams": 1},
    IPERF3 | {"parallel_streams": 8, "mode": "packets", "kind": "packets", "protocol": "udp", "datagram_bytes": 64},
    SOCKPERF | {"duration_seconds": 30},
    PING | {"duration_seconds": 30},
]
PLACES = [("private", "none"), ("private", "cluster"), ("public", "none")]


@dataclass
class Store:
    """The rows by table, and the objects by key."""

    tables: dict[str, Table] = field(default_factory=documented_tables)
    rows: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    _lines: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, table: str, row: Row) -> None:
        self.rows[table].append(row)
        self._lines[self.tables[table].object_of(row)].append(json.dumps(self.tables[table].stored(row)))

    def objects(self) -> dict[str, bytes]:
        return {key: _encoded(key, "\n".join(lines) + "\n") for key, lines in self._lines.items()}


def _encoded(key: str, text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0) if key.endswith(".gz") else text.encode()


def generated_store(today: date) -> Store:
    store, chance = Store(), random.Random(31)
    for number in range(RUNS):
        _add_run(store, chance, number, today - timedelta(days=3 * number))
    _add_running(store, today)
    return store


def _add_run(store: Store, chance: random.Random, number: int, day: date) -> None:
    began = datetime.combine(day, time(8, number), UTC)
    # The first name is a pattern that the second one must not match.
    run: Row = {"day": str(day), "run_id": f"written-{number:02}", "plan_name": ["weekly_c5", "weeklyXc5"][number % 2]}
    run |= {"region": "eu-west-1", "price_list": "list prices of eu-west-1"}
    measured = []
    for pair_index, (path, placement) in enumerate(PLACES):
        pair = run | {"pair_id": f"p{pair_index + 1:04}", "plan_pair_index": pair_index, "repetition": 1}
        pair |= {"client_type": TYPES[number % 3], "server_type": TYPES[number % 3], "zone_relation": "same_zone"}
        pair |= {
            "path": path,
            "placement": placement,
            "ena_express": "off",
            "ena_express_udp": False,
            "mtu_bytes": 9001,
        }
        rows = [_measurement(chance, pair, index, way, began) for index, way in enumerate(WAYS)]
        for row in rows:
            store.add("open_measurements", row)
            if row["kind"] == "throughput":
                _add_samples(store, chance, row)
        store.add("open_pairs", _pair_row(chance, pair, rows))
        measured += rows
    store.add("open_runs", _run_row(chance, run, began, measured))


def _measurement(chance: random.Random, pair: Row, index: int, way: Row, began: datetime) -> Row:
    row = pair | way | {"measurement_id": f"{pair['pair_id']}-m{index + 1:02}", "plan_measurement_index": index}
    row |= {"cell": cell_of(row), "setting": f"{way['tool']}: {way}; {pair['path']}, {pair['placement']}"}
    status = chance.choices(["complete", "truncated", "failed"], [8, 1, 1])[0]
    row |= {"status": status, "run_outcome": "complete", "pair_repetition": 1}
    if status == "failed":
        return row | {"reason": "the tool ended with code 1"}
    started = began + timedelta(minutes=2 * index)
    row |= {"started_at": _instant(started), "ended_at": _instant(started + timedelta(seconds=way["duration_seconds"]))}
    row |= {"cost_usd": chance.uniform(0.01, 0.2), "is_displaced": False, "warnings": []}
    row |= {f"{role}_hourly_usd": HOURLY_USD[row[f"{role}_type"]] for role in ("client", "server")}
    if status == "truncated":
        row["reason"] = "the run was stopped"
    figures = {"throughput": _throughput, "packets": _packets, "latency": _latency}[way["kind"]]
    return row | figures(chance, row)


def _throughput(chance: random.Random, row: Row) -> Row:
    baseline = PUBLISHED[row["client_type"]] * 1e6
    figures: Row = {f"published_{role}_baseline_bits_per_second": int(baseline) for role in ("client", "server")}
    figures |= {f"published_{role}_peak_bits_per_second": 10_000_000_000 for role in ("client", "server")}
    figures |= {"sample_count": SECONDS, "verdict_direction": row["direction"]}
    if "probe_message_bytes" in row:
        figures |= {"rtt_before_onset_p50_micros": chance.uniform(90, 110), "observations_before_onset": 3000}
        figures |= {"rtt_before_onset_p99_micros": chance.uniform(150, 200)}
    if row["parallel_streams"] == 1:
        mean = chance.uniform(4.7e9, 4.9e9)
        figures |= {"verdict_kind": "steady", "verdict_cause": "single_flow_cap", "confidence": 0.9}
        figures |= {"throughput_mean_bits_per_second": mean, "throughput_p95_bits_per_second": mean * 1.01}
        figures |= {"bucket_bits_at_least": (mean - baseline) * SECONDS, "sustained_bits_per_second": mean}
        return figures | {"sustained_bound": "at_most", "held_1_gbit": "at_least", "held_1_gbit_seconds": 100.0}
    burst, level = chance.uniform(9e9, 9.9e9), chance.uniform(0.97, 1.03) * baseline
    onset = FALL_SECOND + chance.uniform(0, 0.4)
    bucket = (burst - level) * onset
    figures |= {"verdict_kind": "drop", "verdict_cause": "network_credits", "confidence": 0.97}
    figures |= {"throttled_by": "sender", "throttled_bucket": "outbound", "onset_seconds": onset, "bucket_bits": bucket}
    figures |= {"onset_low_seconds": onset - 1, "onset_high_seconds": onset + 1, "refill_seconds": bucket / level}
    figures |= {"burst_bits_per_second": burst, "baseline_bits_per_second": level}
    figures |= {"throughput_mean_bits_per_second": (burst + level) / 2, "throughput_p95_bits_per_second": burst}
    figures |= {"sustained_bits_per_second": level, "sustained_bound": "measured"}
    holds = level >= 1e9
    figures |= {"held_1_gbit": "always" if holds else "for"}
    figures |= {"held_1_gbit_seconds": None if holds else bucket / (1e9 - level)}
    figures |= {"rtt_after_onset_p50_micros": chance.uniform(900, 1200), "observations_after_onset": 2900}
    figures |= {"rtt_after_onset_p99_micros": chance.uniform(2000, 2500)}
    evidence = [("series", True), ("ena_allowance_counters", True), ("published_bandwidth", False), ("cpu", None)]
    return figures | {"witnesses": [{"name": name, "agrees": agrees, "detail": "made up"} for name, agrees in evidence]}


def _packets(chance: random.Random, row: Row) -> Row:
    level = chance.uniform(4e5, 5e5)
    figures: Row = {"verdict_kind": "drop", "verdict_cause": "packet_rate", "packets_limited_by": "sender"}
    figures |= {"burst_packets_per_second": 2 * level, "baseline_packets_per_second": level, "packet_bytes": 106}
    return figures | {"packet_onset_seconds": chance.uniform(20, 25), "mean_packets_per_second": 1.5 * level}


def _latency(chance: random.Random, row: Row) -> Row:
    shortest = {"private": 80, "public": 140}[row["path"]] - (20 if row["placement"] == "cluster" else 0)
    p50 = shortest + chance.uniform(5, 10)
    held = chance.random() < 0.1
    figures: Row = {"rtt_min_micros": float(shortest), "rtt_mean_micros": p50 + 2, "rtt_p50_micros": p50}
    figures |= {"rtt_p90_micros": p50 + 10, "rtt_p99_micros": p50 + 40, "rtt_p99_9_micros": p50 + 90}
    figures |= {
        "rtt_p99_99_micros": p50 + 200,
        "rtt_max_micros": p50 + 400,
        "observations": chance.choice([90, 9000, 90_000]),
    }
    figures |= {"dropped_messages": 0, "transactions_per_second": 1e6 / p50}
    if row["tool"] == "ping":
        figures |= {"rtt_std_dev_micros": chance.uniform(1, 20)}
    return figures | ({"verdict_cause": "packet_rate", "round_trips_limited_by": "client"} if held else {})


def _add_samples(store: Store, chance: random.Random, row: Row) -> None:
    identity = {name: row[name] for name in ("day", "run_id", "pair_id", "measurement_id", "direction")}
    onset = row.get("onset_seconds", SECONDS)
    for second in range(SECONDS if "throughput_mean_bits_per_second" in row else 0):
        level = row.get("burst_bits_per_second") if second < onset else row["baseline_bits_per_second"]
        rate = (level or row["throughput_mean_bits_per_second"]) * chance.uniform(0.99, 1.01)
        every = identity | {"length_seconds": 1.0, "stream": "sum"}
        samples: list[Row] = [
            every | {"metric": "throughput", "host_role": "server", "start_seconds": float(second)}
            | {"throughput_bits_per_second": rate},
            every | {"metric": "sent_throughput", "host_role": "client", "start_seconds": second + 0.001}
            | {"throughput_bits_per_second": rate, "retransmits": chance.randrange(5)},
            every | {"metric": "allowance", "host_role": "client", "start_seconds": second - 0.03}
            | {"bw_out_allowance_exceeded": 0 if second < onset else chance.randrange(1000, 2000)},
        ]  # fmt: skip
        for sample in samples:
            store.add("samples", sample)
            store.add("measurement_samples", {name: value for name, value in sample.items() if name != "day"})


def _pair_row(chance: random.Random, pair: Row, measured: list[Row]) -> Row:
    columns = documented_tables()["open_pairs"].columns
    parts = [name for name in columns if name.startswith("cost_") and name.endswith("_usd") and name != "cost_usd"]
    costs = {name: chance.uniform(0.001, 0.1) for name in parts}
    failed = any(row["status"] != "complete" for row in measured)
    row = pair | costs | {"cost_usd": sum(costs.values()), "expected_usd": 0.5, "upper_usd": 1.0}
    return row | {"status": "failed" if failed else "complete", "host_seconds": 1200, "traffic_bytes": 10**11}


def _run_row(chance: random.Random, run: Row, began: datetime, measured: list[Row]) -> Row:
    counts = {f"{status}_count": sum(row["status"] == status for row in measured) for status in ("complete", "failed")}
    row = run | counts | {"outcome": "complete", "measurement_count": len(measured), "pair_count": len(PLACES)}
    row |= {"created_at": _instant(began), "ended_at": _instant(began + timedelta(hours=1)), "started_by": "schedule"}
    row |= {"expected_usd": 1.5, "upper_usd": 3.0, "cost_usd": chance.uniform(1, 2), "tags": '{"Team":"net"}'}
    return row


def _add_running(store: Store, today: date) -> None:
    """A run of today that goes on, with the rows of its first seconds."""
    row: Row = {"day": str(today), "run_id": "written-now", "pair_id": "p0001", "measurement_id": "p0001-m01"}
    store.add(
        "live_measurements", row | IPERF3 | {"parallel_streams": 8, "status": "complete", "client_type": "c5.large"}
    )
    for second in range(20):
        sample = row | {"metric": "throughput", "host_role": "server", "direction": "forward", "stream": "sum"}
        sample |= {"start_seconds": float(second), "length_seconds": 1.0, "throughput_bits_per_second": 1e9 + second}
        store.add(
            "live_samples",
            sample | {"sequence": second // 10, "started_at": _instant(datetime.combine(today, time(), UTC))},
        )


def _instant(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def rows_of(store: Store, table: str, **equal: Any) -> list[Row]:
    return [row for row in store.rows[table] if all(row.get(name) == value for name, value in equal.items())]
