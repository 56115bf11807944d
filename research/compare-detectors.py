"""Scores this project's detector beside ruptures and Apache Otava on labelled series, all in one run.

    research/compare-detectors.sh SERIES.jsonl.gz

One JSON object per line: `id`, `set`, `t` (s), `bps`, `throttled`, and `onset` (s) where it is known. Prints a Markdown
table: the throttles that each method found, and the series without one that it called throttled.

The peers find change points, and not throttles, so one plain rule (`first_fall`) decides for both; it was written once
and not tuned.
"""

import gzip
import json
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import ruptures
from otava.analysis import compute_change_points

Series = dict[str, Any]
Rates: TypeAlias = npt.NDArray[np.float64]

SMALLEST_LEVEL_SAMPLES = 5
LONG_SAMPLES = 45
# Rates below this share of the high ones count as no traffic, and scatter below this is the tools' rounding.
LOWEST_SHARE = 0.005
SMALLEST_NOISE = 0.006
# The lower level must be below this share of the upper one, as it must for our own detector.
LARGEST_RATIO = 0.88
SHARE_BEFORE = 0.9
SHARE_AFTER = 0.95


@dataclass(frozen=True)
class Prediction:
    is_throttled: bool
    onset_seconds: float | None
    milliseconds: float


def first_fall(rates: Rates, boundaries: Sequence[int]) -> int | None:
    """Returns the first boundary that separates a high level from a low one, which is where the throttle is."""
    for boundary in boundaries:
        if not SMALLEST_LEVEL_SAMPLES <= boundary <= len(rates) - SMALLEST_LEVEL_SAMPLES:
            continue
        before, after = rates[:boundary], rates[boundary:]
        high, low = float(np.median(before)), float(np.median(after))
        middle = (high + low) / 2
        is_apart = np.mean(before > middle) >= SHARE_BEFORE and np.mean(after < middle) >= SHARE_AFTER
        if low <= LARGEST_RATIO * high and is_apart:
            return boundary
    return None


def pelt(rates: Rates) -> list[int]:
    """Returns the change points of PELT with squared loss, on the logarithms of the rates in units of their noise.

    KernelCPD with a linear kernel is ruptures' compiled form of the same method.
    """
    logs = np.log(np.maximum(rates, LOWEST_SHARE * np.percentile(rates, 95)))
    noise = 1.4826 * float(np.median(np.abs(np.diff(logs)))) / np.sqrt(2)
    scaled = logs / max(noise, SMALLEST_NOISE)
    found = ruptures.KernelCPD(kernel="linear", min_size=SMALLEST_LEVEL_SAMPLES).fit(scaled.reshape(-1, 1))
    return list(found.predict(pen=100 * np.log(len(rates))))[:-1]


def otava(rates: Rates) -> list[int]:
    """Returns the change points of Apache Otava with a window of 50 samples, p .001 and changes of 20 % and more."""
    found, _ = compute_change_points(rates.tolist(), window_len=50, max_pvalue=0.001, min_magnitude=0.2)
    return sorted(point.index for point in found)


def predictions_of(method: Callable[[Rates], list[int]], series: Sequence[Series]) -> dict[str, Prediction]:
    """Returns a prediction per id."""
    predictions = {}
    for one in series:
        pairs = [(t, rate) for t, rate in zip(one["t"], one["bps"], strict=True) if rate is not None]
        rates = np.array([rate for _, rate in pairs])
        begin = time.perf_counter()
        boundaries = method(rates) if len(rates) >= 2 * SMALLEST_LEVEL_SAMPLES else []
        boundary = first_fall(rates, boundaries)
        milliseconds = 1000 * (time.perf_counter() - begin)
        onset = None if boundary is None else float(pairs[boundary][0])
        predictions[one["id"]] = Prediction(boundary is not None, onset, milliseconds)
    return predictions


def own_predictions(path: str) -> dict[str, Prediction]:
    """Returns what `npm run analyse -- --series` predicts."""
    command = ["bash", str(Path(__file__).parents[1] / "scripts/analyse.sh"), "--series", path]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    return {row["id"]: Prediction(row["throttled"], row["onset_s"], row["ms"]) for row in rows}


def table(series: Sequence[Series], methods: dict[str, dict[str, Prediction]]) -> str:
    """Returns the counts of each method in Markdown, a row per set and length."""
    groups = defaultdict(list)
    for one in series:
        length = "45 samples and more" if len(one["t"]) >= LONG_SAMPLES else "under 45 samples"
        groups["found" if one["throttled"] else "false alarms", one["set"], length].append(one)
    lines = [["", "set", "series", *methods], ["---"] * (3 + len(methods))]
    for (what, name, length), members in sorted(groups.items(), reverse=True):
        counts = [sum(found[one["id"]].is_throttled for one in members) for found in methods.values()]
        lines.append([what, f"{name}, {length}", str(len(members)), *map(str, counts)])
    lines.append(["onset error s, median / max", "", "", *(errors(series, found) for found in methods.values())])
    medians = [statistics.median(one.milliseconds for one in found.values()) for found in methods.values()]
    lines.append(["ms per series, median", "", "", *(f"{median:.2f}" for median in medians)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def errors(series: Sequence[Series], found: dict[str, Prediction]) -> str:
    """Returns how far the onsets of what was found are from the labelled ones."""
    apart = [
        abs(onset - one["onset"])
        for one in series
        if "onset" in one and (onset := found[one["id"]].onset_seconds) is not None
    ]
    return f"{statistics.median(apart):.3f} / {max(apart):.2f}" if apart else "none found"


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: research/compare-detectors.sh SERIES.jsonl.gz")
    with gzip.open(sys.argv[1], "rt") as lines:
        series = [json.loads(line) for line in lines]
    methods = {
        "this project": own_predictions(sys.argv[1]),
        "ruptures 1.1.10, PELT l2": predictions_of(pelt, series),
        "Apache Otava 0.8": predictions_of(otava, series),
    }
    print(table(series, methods))


if __name__ == "__main__":
    main()
