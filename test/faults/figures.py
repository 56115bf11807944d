"""What must hold of the figures of a run: they are those that the tool printed, and as much as the cards carry."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from functools import cache

from faults.conduct import Course
from faults.counted import counted, volume
from faults.fault import Fault
from faults.stored import Object
from lab.hosts.profiles import DEFAULT_PATH, Profile, Profiles

# Of a rate that is held by a card: headers are not counted, and a second is cut a few milliseconds early or late.
RATE_MARGIN = 0.10
# A second may be longer than another by this share, because the tool cuts it late on a busy machine.
SECOND_MARGIN = 1.5
# A verdict's figures against the card's.
VERDICT_MARGIN, ONSET_SECONDS = 0.15, 3.0
# Against the run's own samples, of which a busy machine scatters some.
LEVEL_MARGIN = 0.3
# On a busy machine the tool prints late, and its intervals are cut at full seconds.
LEAST_PRINTED_SHARE = 0.3
CONTENTION = "cpu_contention"
SHORT_KINDS = ("insufficient", "steady")
NO_PATH = ("", None)


@cache
def profile_of(instance_type: str) -> Profile:
    return Profiles.load(DEFAULT_PATH).profile(instance_type)


def is_contended(measurement: Object) -> bool:
    """Returns whether the verdict says that other work kept the processors from the hosts."""
    return any(one["name"] == CONTENTION for one in measurement.get("witnesses") or [])


def figures(fault: Fault, course: Course, outcome: str) -> list[str]:
    """Returns what is wrong with the samples of a run, on a busy machine too."""
    broken = []
    for one in fault.measurement_ids:
        broken += [f"{one} {problem}" for problem in _printed(fault, course, one)]
        broken += [f"{one} {problem}" for problem in _same_in_every_table(course, one)]
        broken += [f"{one} {problem}" for problem in _statistics(course, one, outcome)]
        if outcome == "green":
            broken += [f"{one} {problem}" for problem in counted(fault, course, one)]
            broken += [f"{one} {problem}" for problem in _fall(fault, course, one)]
    return broken


def _printed(fault: Fault, course: Course, measurement_id: str) -> list[str]:
    """The receiver's series is what its tool printed, once and second by second; so is the sender's."""
    if "damaged" in course.facts or fault.details.get("prints_garbage"):
        return []
    broken = []
    for metric in ("throughput", "sent_throughput"):
        rows = course.store.series_of(measurement_id, metric)
        # Where nothing came from a receiver that died, the series is the sender's.
        role = next((row["host_role"] for row in rows), "server")
        printed = {start: figures for start, _, *figures in course.store.printed.get(measurement_id, {}).get(role, [])}
        # Where the tool was late, its intervals are cut at full seconds, which moves no bits to another run.
        cut = [row for row in rows if row["length_seconds"] == 1 and row["start_seconds"] in printed]
        wrong = [row["start_seconds"] for row in cut if not _is_printed(row, *printed[row["start_seconds"]])]
        share = sum(row["start_seconds"] in printed for row in rows)
        if wrong or (rows and share < len(rows) * LEAST_PRINTED_SHARE):
            broken.append(f"must have the {metric} that the {role} printed, has another in seconds {wrong[:5]}")
    sums: Counter[float] = Counter()
    for row in course.store.series_of(measurement_id, "stream_throughput"):
        sums[round(row["start_seconds"])] += row["throughput_bits_per_second"]
    whole = {round(row["start_seconds"]): row for row in course.store.series_of(measurement_id, "throughput")}
    apart = [
        second
        for second, row in whole.items()
        if abs(sums[second] - row["throughput_bits_per_second"]) > 0.02 * row["throughput_bits_per_second"] + 1e4
    ]
    if apart:
        broken.append(f"must be the sum of its streams, is not in seconds {apart[:5]}")
    return broken


def _is_printed(row: Object, bits_per_second: float, again: float | None = None) -> bool:
    return abs(row["throughput_bits_per_second"] - bits_per_second) <= 1 and again in (None, row.get("retransmits"))


def _same_in_every_table(course: Course, measurement_id: str) -> list[str]:
    """samples, measurement_samples, live_samples and the CSV beside the report say the same."""
    if not course.store.documents.get("plan"):
        return []  # A run whose plan is deleted can't be folded.
    samples = course.store.of("samples", measurement_id)
    broken = []
    if _lines(samples) != _lines(course.store.of("measurement_samples", measurement_id)):
        broken.append("must have the same rows in samples and measurement_samples, has others")
    kept = {_place(row): row["throughput_bits_per_second"] for row in samples if row["metric"] == "throughput"}
    live = [row for row in course.store.of("live_samples", measurement_id) if row["metric"] == "throughput"]
    other = [
        row["start_seconds"]
        for row in live
        if kept
        and abs(kept.get(_place(row), row["throughput_bits_per_second"]) - row["throughput_bits_per_second"]) > 1
    ]
    if other:
        broken.append(f"must have the same live rows as samples, has others at {other[:5]} s")
    drawn = list(csv.DictReader(io.StringIO(course.store.series.get(measurement_id, ""))))
    rates = {round(float(row["second"])): row.get("throughput_forward_bits_per_second") for row in drawn}
    series = {
        round(row["start_seconds"]): row["throughput_bits_per_second"]
        for row in course.store.series_of(measurement_id, "throughput")
    }
    if {second: float(rate) for second, rate in rates.items() if rate not in NO_PATH} != series:
        broken.append("must have the series of samples beside its report, has another")
    return broken


def _lines(rows: list[Object]) -> Counter[str]:
    return Counter(json.dumps(row, sort_keys=True) for row in rows)


def _place(row: Object) -> tuple[object, ...]:
    return tuple(row.get(name) for name in ("host_role", "direction", "stream", "start_seconds"))


def _statistics(course: Course, measurement_id: str, outcome: str) -> list[str]:
    """The figures of the table's row are those of its samples."""
    series = course.store.series_of(measurement_id, "throughput")
    rates = [row["throughput_bits_per_second"] for row in series]
    repeated = [row.get("retransmits") for row in course.store.series_of(measurement_id, "sent_throughput")]
    if not rates:
        return []
    seconds = [row["length_seconds"] for row in series]
    expected = {
        "sample_count": len(rates),
        "throughput_mean_bits_per_second": sum(map(_product, rates, seconds)) / sum(seconds),
        "throughput_min_bits_per_second": min(rates),
        "throughput_max_bits_per_second": max(rates),
        **{f"throughput_p{one}_bits_per_second": _nearest_rank(rates, one) for one in (5, 50, 95)},
    }
    # A tool that is interrupted prints its last second again.
    if outcome == "green":
        expected["retransmits"] = sum(one or 0 for one in repeated)
    broken = []
    for row in course.store.of("measurements", measurement_id):
        for name, value in expected.items():
            margin = 0.02 * value if name.endswith("mean_bits_per_second") else 0.5
            if row.get(name) is None or abs(row[name] - value) > margin:
                broken.append(f"must have {name} {value:.0f} by its samples, has {row.get(name)}")
    return broken


def _nearest_rank(values: list[float], percent: float) -> float:
    """Returns the least value that so many percent of the values do not exceed."""
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]


def _product(one: float, other: float) -> float:
    return one * other


def _fall(fault: Fault, course: Course, measurement_id: str) -> list[str]:
    """The levels before and after the onset of a verdict are those of its samples."""
    series = course.store.series_of(measurement_id, "throughput")
    broken = []
    for row in course.store.of("measurements", measurement_id):
        onset = row.get("onset_seconds")
        if onset is None or "path" in fault.details:
            continue
        sides = {
            "burst": [one for one in series if one["start_seconds"] + 1 < onset - ONSET_SECONDS],
            "baseline": [one for one in series if one["start_seconds"] > onset + ONSET_SECONDS],
        }
        for name, rows in sides.items():
            said = row.get(f"{name}_bits_per_second")
            level = volume(rows, "throughput_bits_per_second") / max(1e-9, sum(one["length_seconds"] for one in rows))
            if said is not None and abs(said - level) > LEVEL_MARGIN * level:
                broken.append(f"must have its {name} of {said:.4g} bit/s beside an onset at {onset} s, has {level:.4g}")
    return broken


def rates(fault: Fault, course: Course, is_busy: bool) -> list[str]:
    """Returns where a run carried other rates than its cards do: less on a busy machine, and more on none."""
    if fault.details.get("path"):
        return []
    slowest = min((profile_of(one) for one in fault.instance_types.values()), key=lambda one: one.peak_bits_per_second)
    broken = []
    for one in fault.measurement_ids:
        series = course.store.series_of(one, "throughput")
        carried, due = volume(series, "throughput_bits_per_second"), capacity(slowest, fault.measurement_seconds)
        if carried > due * (1 + RATE_MARGIN / 2) or (not is_busy and carried < due * (1 - RATE_MARGIN)):
            broken.append(f"{one} must have carried {due:.3g} bits as its card does, carried {carried:.3g}")
        kinds = [(row.get("verdict_kind"), row.get("verdict_cause")) for row in course.store.of("measurements", one)]
        if not is_busy and fault.measurement_seconds < 10 and any(kind not in SHORT_KINDS for kind, _ in kinds):
            broken.append(f"{one} is too short for another verdict than {' or '.join(SHORT_KINDS)}, has {kinds}")
        if slowest.bucket_bits is None and any(cause == "network_credits" for _, cause in kinds):
            broken.append(f"{one} has no credits, and must have no drop of network_credits, has {kinds}")
        fast = [
            round(row["start_seconds"])
            for row in series
            if row["throughput_bits_per_second"] > SECOND_MARGIN * slowest.peak_bits_per_second
        ]
        if fast:
            broken.append(f"{one} must stay below its card's {slowest.peak_bits_per_second} bit/s, is above in {fast}")
    return broken


def capacity(profile: Profile, seconds: float) -> float:
    """Returns how many bits a card that begins with full credits carries in this time."""
    peak, baseline = profile.peak_bits_per_second, profile.baseline_bits_per_second
    if profile.bucket_bits is None:
        return peak * seconds
    return min(peak * seconds, profile.bucket_bits + baseline * seconds)


def throttle(fault: Fault, course: Course) -> list[str]:
    """Returns where a verdict of spent credits has other figures than the card; of a steady type there is none."""
    profile = profile_of(fault.instance_types["client"])
    if profile.bucket_bits is None or fault.details.get("path"):
        return []
    peak, baseline = profile.peak_bits_per_second, profile.baseline_bits_per_second
    due = {
        "onset_seconds": profile.bucket_bits / (peak - baseline),
        "burst_bits_per_second": peak,
        "baseline_bits_per_second": baseline,
        "bucket_bits": profile.bucket_bits,
    }
    broken = []
    for one in fault.measurement_ids:
        for row in course.store.of("measurements", one):
            kind = (row.get("verdict_kind"), row.get("verdict_cause"))
            if kind != ("drop", "network_credits"):
                broken.append(f"{one} must be a drop of network_credits, is {kind[0]} of {kind[1]}")
            for name, value in due.items():
                margin = ONSET_SECONDS if name == "onset_seconds" else VERDICT_MARGIN * value
                if row.get(name) is None or abs(row[name] - value) > margin:
                    broken.append(f"{one} must have {name} {value:.4g} as its card, has {row.get(name)}")
    return broken
