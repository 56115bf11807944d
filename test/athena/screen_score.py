"""The figures that the SQL screen must reach, as the benchmark's own scorer defines them."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from typing import Any

from lab.runner.paths import REPOSITORY

BENCHMARK = REPOSITORY / "test/fixtures/detection/public.jsonl.gz"
PLACED_WITHIN_SECONDS = 15
Row = dict[str, Any]


@dataclass(frozen=True)
class Score:
    """F1 of throttled or not, and the same when an onset in the wrong place is both a false alarm and a miss."""

    f1: float
    f1_placed: float


def benchmark_truth() -> dict[str, dict[str, Any]]:
    """What each series is, by the id of the measurement that write-benchmark.ts makes of it."""
    with gzip.open(BENCHMARK, "rt") as lines:
        return {f"{series['id']}-m01": series["truth"] for series in map(json.loads, lines)}


def score(screened: dict[str, Row], truth: dict[str, dict[str, Any]]) -> Score:
    """`screened` are the screen's rows by measurement id; every measurement of `truth` must have one."""
    found = placed = false_alarms = misses = 0
    for measurement_id, fact in truth.items():
        row = screened[measurement_id]
        if row["is_throttled"] and fact["throttled"]:
            found += 1
            # Nobody can place the onset inside a gap of the data.
            error = abs(row["onset_seconds"] - fact["onset_s"]) - (fact.get("gap_at_onset_s") or 0)
            placed += error <= PLACED_WITHIN_SECONDS
        elif row["is_throttled"]:
            false_alarms += 1
        elif fact["throttled"]:
            misses += 1
    misplaced = found - placed
    return Score(_f1(found, false_alarms, misses), _f1(placed, false_alarms + misplaced, misses + misplaced))


def _f1(found: int, false_alarms: int, misses: int) -> float:
    return 2 * found / (2 * found + false_alarms + misses)
