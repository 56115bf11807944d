"""What the saved queries must answer over the generated rows: figures that are computed without SQL."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from documented_schema import Row
from documented_store import PUBLISHED, SECONDS, Store

# What identifies a row of the answer, and its figures.
Figures = dict[tuple[object, ...], Row]


@dataclass(frozen=True)
class Expected:
    key: tuple[str, ...]
    figures: Figures


def lower_median(values: Iterable[float]) -> float:
    ranked = sorted(values)
    return ranked[math.ceil(len(ranked) / 2) - 1]


def by(rows: Iterable[Row], *names: str) -> dict[tuple[object, ...], list[Row]]:
    groups: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in rows:
        groups[tuple(row.get(name) for name in names)].append(row)
    return groups


def grouped(rows: Iterable[Row], names: tuple[str, ...], figures: Callable[[list[Row]], Row]) -> Expected:
    return Expected(names, {key: figures(group) for key, group in by(rows, *names).items()})


def measured(store: Store, kind: str, *statuses: str) -> list[Row]:
    return [
        row
        for row in store.rows["open_measurements"]
        if row["kind"] == kind and row["status"] in (statuses or ("complete", "truncated"))
    ]


def shown_latency(store: Store, *statuses: str) -> list[Row]:
    """Without what a host held back."""
    return [row for row in measured(store, "latency", *statuses) if "verdict_cause" not in row]


def throttled(store: Store) -> list[Row]:
    return [row for row in measured(store, "throughput") if "onset_seconds" in row]


CELL = ("cell",)
DIRECTED = ("cell", "verdict_direction")
ONE = ("run_id", "measurement_id")


def atlas(store: Store) -> Expected:
    rows = measured(store, "throughput", "complete")
    answer = grouped(
        rows,
        CELL,
        lambda group: {
            "lowest": round(min(row["throughput_mean_bits_per_second"] for row in group) / 1e9, 3),
            "highest": round(max(row["throughput_mean_bits_per_second"] for row in group) / 1e9, 3),
            "repetition_count": len(group),
        },
    )
    figure = "throughput_mean_gbits_per_second"
    return Expected(("cell", "figure"), {(*key, figure): value for key, value in answer.figures.items()})


def bucket_volume_by_type(store: Store) -> Expected:
    def figures(group: list[Row]) -> Row:
        buckets = [row["bucket_bits"] for row in group if "bucket_bits" in row]
        return {
            "measurement_count": len(buckets),
            "bucket_median_gbits": round(lower_median(buckets) / 1e9, 2) if buckets else None,
            "lower_bound_count": len(group) - len(buckets),
        }

    return grouped(measured(store, "throughput"), DIRECTED, figures)


def cheapest_type_that_holds_a_rate(store: Store) -> Expected:
    """1 Gbit/s for three minutes: each measurement either shows that, or that it can't, or does not tell."""

    def answer(row: Row) -> bool | None:
        if row["held_1_gbit"] == "always" or row["held_1_gbit_seconds"] >= 180:
            return True
        return False if row["held_1_gbit"] == "for" else None

    def figures(group: list[Row]) -> Row:
        return {"held_count": sum(answer(row) is True for row in group)}

    everywhere = grouped(measured(store, "throughput"), DIRECTED, figures)
    refuted = {
        key for key, group in by(measured(store, "throughput"), *DIRECTED).items() if False in map(answer, group)
    }
    kept = {key: row for key, row in everywhere.figures.items() if row["held_count"] and key not in refuted}
    return Expected(DIRECTED, kept)


def comparison_of_instance_types(store: Store) -> Expected:
    return grouped(
        measured(store, "throughput"),
        DIRECTED,
        lambda group: {
            "measurement_count": len(group),
            "throttled_count": sum("onset_seconds" in row for row in group),
            "mean_gbits_per_second": round(lower_median(r["throughput_mean_bits_per_second"] for r in group) / 1e9, 3),
        },
    )


def cost_of_runs(store: Store) -> Expected:
    parts = ("cost_instances_usd", "cost_public_addresses_usd", "cost_cpu_credits_usd")
    pairs = by(store.rows["open_pairs"], "run_id")
    return Expected(
        ("run_id",),
        {
            (row["run_id"],): {
                "cost_usd": round(row["cost_usd"], 4),
                "hosts_usd": round(sum(pair[part] for pair in pairs[row["run_id"],] for part in parts), 4),
                "host_hours": 1.0,
            }
            for row in store.rows["open_runs"]
        },
    )


def documented_against_measured_baseline(store: Store) -> Expected:
    def figures(group: list[Row]) -> Row:
        published = PUBLISHED[group[0]["client_type"]] * 1e6
        return {
            "measurement_count": len(group),
            "baseline_ratio": round(lower_median(row["baseline_bits_per_second"] for row in group) / published, 3),
            "burst_ratio": round(lower_median(row["burst_bits_per_second"] for row in group) / 1e10, 3),
        }

    return grouped(throttled(store), DIRECTED, figures)


def failed_measurements(store: Store) -> Expected:
    rows = [row for row in store.rows["open_measurements"] if row["status"] != "complete"]
    return grouped(rows, ONE, lambda group: {"status": group[0]["status"], "reason": group[0]["reason"]})


def latency_by_path(store: Store) -> Expected:
    rows = shown_latency(store, "complete")
    private = {
        (types, placement, tool): lower_median(row["rtt_mean_micros"] for row in group)
        for (types, path, placement, tool), group in by(rows, "client_type", "path", "placement", "tool").items()
        if path == "private"
    }

    def figures(group: list[Row]) -> Row:
        base = private.get((group[0]["client_type"], group[0]["placement"], group[0]["tool"]))
        added = lower_median(row["rtt_mean_micros"] for row in group) - base if base else None
        return {"measurement_count": len(group), "added_to_private_micros": None if added is None else round(added, 1)}

    return grouped(rows, CELL, figures)


def latency_percentiles(store: Store) -> Expected:
    def figures(group: list[Row]) -> Row:
        p99s = [row["rtt_p99_micros"] for row in group if row["observations"] >= 100]
        p50 = lower_median(row["rtt_p50_micros"] for row in group)
        return {"rtt_p50_micros": round(p50, 1), "rtt_p99_micros": round(lower_median(p99s), 1) if p99s else None}

    return grouped(shown_latency(store), CELL, figures)


def latency_under_throttle(store: Store) -> Expected:
    rows = [row for row in measured(store, "throughput") if "observations_before_onset" in row]
    return grouped(
        rows,
        ONE,
        lambda group: {
            "times_as_long": round(group[0]["rtt_after_onset_p50_micros"] / group[0]["rtt_before_onset_p50_micros"], 2)
        },
    )


def live_throughput(store: Store) -> Expected:
    return grouped(
        store.rows["live_samples"],
        ONE,
        lambda group: {
            "sample_count": len(group),
            "latest_gbits_per_second": round(group[-1]["throughput_bits_per_second"] / 1e9, 3),
        },
    )


def packets_per_second_by_type(store: Store) -> Expected:
    return grouped(
        measured(store, "packets"),
        CELL,
        lambda group: {
            "limiting_type": group[0]["client_type"],
            "baseline_median_packets_per_second": round(lower_median(r["baseline_packets_per_second"] for r in group)),
        },
    )


def round_trip_by_placement(store: Store) -> Expected:
    rows = [row for row in shown_latency(store, "complete") if row["path"] == "private"]
    return grouped(
        rows,
        CELL,
        lambda group: {
            "rtt_min_micros": min(row["rtt_min_micros"] for row in group),
            "rtt_max_micros": round(max(row["rtt_max_micros"] for row in group), 1),
            "rtt_std_dev_micros": deviation_of(group),
        },
    )


def deviation_of(group: list[Row]) -> float | None:
    known = [row["rtt_std_dev_micros"] for row in group if "rtt_std_dev_micros" in row]
    return round(lower_median(known), 1) if known else None


def chosen_series(store: Store) -> Row:
    """A measurement with a fall, of which the store has the seconds."""
    return throttled(store)[0]


def series_of_one_measurement(store: Store) -> Expected:
    chosen = chosen_series(store)
    rows = [row for row in store.rows["samples"] if all(row[name] == chosen[name] for name in ONE)]
    found: Figures = defaultdict(dict)
    for row in rows:
        second = math.floor(row["start_seconds"] + row["length_seconds"] / 2)
        if row["metric"] == "throughput":
            found[second,]["throughput_gbits_per_second"] = round(row["throughput_bits_per_second"] / 1e9, 4)
            found[second,]["level"] = "burst" if second < chosen["onset_seconds"] else "baseline"
        elif row["metric"] == "sent_throughput":
            found[second,]["retransmits"] = row["retransmits"]
        else:
            found[second,]["client_bw_out_allowance_exceeded"] = row["bw_out_allowance_exceeded"]
    assert len(found) == SECONDS
    return Expected(("second",), dict(found))


def sustained_throughput_per_dollar_by_type(store: Store) -> Expected:
    def figures(group: list[Row]) -> Row:
        hourly = group[0]["client_hourly_usd"] + group[0]["server_hourly_usd"]
        best = lower_median(row["sustained_bits_per_second"] / hourly for row in group)
        return {"sustained_gbits_per_second_per_pair_hourly_usd": round(best / 1e9, 3)}

    return grouped(throttled(store), DIRECTED, figures)


def throttle_onsets(store: Store) -> Expected:
    return grouped(throttled(store), ONE, lambda group: {"onset_seconds": round(group[0]["onset_seconds"], 1)})


def throttle_onsets_by_type(store: Store) -> Expected:
    def figures(group: list[Row]) -> Row:
        onsets = [row["onset_seconds"] for row in group if "onset_seconds" in row]
        return {
            "throttled_share": round(len(onsets) / len(group), 3),
            "onset_median_seconds": round(lower_median(onsets), 1) if onsets else None,
        }

    return grouped(measured(store, "throughput"), DIRECTED, figures)


def throttle_screen(store: Store) -> Expected:
    return grouped(
        measured(store, "throughput"),
        ONE,
        lambda group: {"is_throttled": "onset_seconds" in group[0], "measured_seconds": SECONDS},
    )


def throughput_by_streams(store: Store) -> Expected:
    return grouped(
        measured(store, "throughput", "complete"),
        CELL,
        lambda group: {
            "measurement_count": len(group),
            "throughput_gbits_per_second": round(
                lower_median(row["throughput_mean_bits_per_second"] for row in group) / 1e9, 3
            ),
        },
    )


# By the names of the saved queries.
ANSWERS: dict[str, Callable[[Store], Expected]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        atlas, bucket_volume_by_type, cheapest_type_that_holds_a_rate, comparison_of_instance_types, cost_of_runs,
        documented_against_measured_baseline, failed_measurements, latency_by_path, latency_percentiles,
        latency_under_throttle, live_throughput, packets_per_second_by_type, round_trip_by_placement,
        series_of_one_measurement, sustained_throughput_per_dollar_by_type, throttle_onsets, throttle_onsets_by_type,
        throttle_screen, throughput_by_streams,
    )
}  # fmt: skip
