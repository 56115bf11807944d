"""What must hold of a run's counters: they are the growth of those that the hosts read, and agree with the tool."""

from __future__ import annotations

from collections.abc import Iterator

from faults.conduct import Course
from faults.fault import Fault
from faults.stored import Object

# What the interface carries beyond the tool's bytes are headers, acknowledgements and what the host sends to AWS.
MOST_HEADERS, LEAST_HEADERS = 1.15, 0.98
# What both interfaces send: the tool's bits, those that the receiver's card drops, and acknowledgements.
MOST_TRAFFIC = 1.5
# Whose series these are, and of how many streams; iperf3 has eight unless a plan says otherwise.
DRAWN = {"throughput": ("server", 1), "sent_throughput": ("client", 1), "stream_throughput": ("server", 8)}
ALLOWANCES = ("bw_in", "bw_out", "pps", "conntrack", "linklocal")
# By metric: the source of the readings, and for each column the counter, what a second of the column is of it, and how
# much of that a host may do before and after the samples.
COUNTED: dict[str, tuple[str, dict[str, tuple[str, float, float]]]] = {
    "interface": (
        "interface",
        {
            "received_bits_per_second": ("rx_bytes", 8, 8e6),
            "sent_bits_per_second": ("tx_bytes", 8, 8e6),
            "received_packets_per_second": ("rx_packets", 1, 1e3),
            "sent_packets_per_second": ("tx_packets", 1, 1e3),
        },
    ),
    "allowance": (
        "ethtool",
        {f"{one}_allowance_exceeded": (f"{one}_allowance_exceeded", 1, 1e3) for one in ALLOWANCES},
    ),
    # Where nearly every packet is lost, the tool is busier with connecting and ending than with its transfer.
    "tool_cpu": ("cpu", {f"{one}_cpu_percent": (f"{one}_seconds", 100, 100) for one in ("user", "system")}),
}
FEWEST_COUNTED_SHARE = 0.6
# Nothing may be in the samples that no counter has.
LEAST_GROWN_SHARE, MOST_GROWN_SHARE = 0.8, 1.01


def counted(fault: Fault, course: Course, measurement_id: str) -> list[str]:
    """Both hosts have counted packets, allowances and processor time, and the receiver's bytes are the tool's."""
    broken = []
    for metric in COUNTED:
        for role in ("client", "server"):
            rows = course.store.series_of(measurement_id, metric, role)
            if len(rows) < FEWEST_COUNTED_SHARE * fault.measurement_seconds:
                broken.append(
                    f"must have {metric} of the {role} for its {fault.measurement_seconds} s, has {len(rows)}"
                )
    for metric, (role, streams) in DRAWN.items():
        rows = course.store.series_of(measurement_id, metric, role)
        if len(rows) < FEWEST_COUNTED_SHARE * fault.measurement_seconds * streams:
            broken.append(f"must have {metric} of the {role} and {streams} streams, has {len(rows)} rows")
    arrived = course.store.series_of(measurement_id, "interface", "server")
    tools = volume(course.store.series_of(measurement_id, "throughput"), "throughput_bits_per_second")
    bits = volume(arrived, "received_bits_per_second")
    # The samples of a busy host may begin after the tool; its readings do not.
    most = max(
        bits, 8 * _read(course.store.readings.get(measurement_id, {}).get("server", {}), "interface", "rx_bytes")
    )
    carried = [row["traffic_bytes"] * 8 for row in course.store.of("measurements", measurement_id)]
    if any(
        not LEAST_HEADERS <= one / tools <= MOST_TRAFFIC for one in carried if tools > 0 and "path" not in fault.details
    ):
        broken.append(f"must have the traffic of both hosts, {tools:.3g} bits and some more, has {carried}")
    if tools > 0 and not fault.details.get("path") and not LEAST_HEADERS * tools <= most <= MOST_HEADERS * tools + 8e6:
        broken.append(f"must have the bits that the receiver's interface counted, {bits:.3g}, has {tools:.3g}")
    return [*broken, *_grown(course, measurement_id)]


def _grown(course: Course, measurement_id: str) -> Iterator[str]:
    """Each column adds up to the growth of the counter that the host read."""
    if "damaged" in course.facts:
        return
    for role, readings in course.store.readings.get(measurement_id, {}).items():
        for metric, (source, columns) in COUNTED.items():
            rows = course.store.series_of(measurement_id, metric, role)
            for column, (counter, factor, idle) in columns.items():
                grown = _read(readings, source, counter) * factor
                said = total(rows, metric, column)
                if not LEAST_GROWN_SHARE * grown - idle <= said <= MOST_GROWN_SHARE * grown:
                    yield f"must have {column} of {grown:.4g} in all, as the {role} counted, has {said:.4g}"


def _read(readings: dict[str, list[dict[str, float]]], source: str, counter: str) -> float:
    """Returns by how much a counter of a host grew from its first reading to its last."""
    first, last = (one.get(counter, 0) for one in readings.get(source, [{}, {}]))
    return last - first


def total(rows: list[Object], metric: str, column: str) -> float:
    """Returns what the rows add up to; allowances are the growth itself, and all else is by the second."""
    lengths = (1 if metric == "allowance" else row["length_seconds"] for row in rows)
    return float(sum((row.get(column) or 0) * length for row, length in zip(rows, lengths, strict=True)))


def volume(rows: list[Object], column: str) -> float:
    return float(sum(row[column] * row["length_seconds"] for row in rows))
