"""All that the store has of one run, and what its tool printed, from which the judge works out the figures again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from faults.subject import Run

Object = dict[str, Any]
TABLES = ("runs", "pairs", "measurements", "samples", "measurement_samples", "live_samples", "live_measurements")
DOCUMENTS = ("plan", "summary", "forecast", "cost")
# iperf3's line of one second of all its streams, in kbit/s: the project asks for that unit.
SUM_LINE = re.compile(r"^\[SUM\]\s+([\d.]+)-\s*([\d.]+)\s+sec\s+\S+\s+\S+\s+([\d.]+) Kbits/sec(?:\s+(\d+))?")


@dataclass
class Stored:
    """The documents, the rows and the pages of a run."""

    documents: dict[str, Object | None] = field(default_factory=dict)
    rows: dict[str, list[Object]] = field(default_factory=dict)
    """By table; those of another run among the objects of this one, too."""
    printed: dict[str, dict[str, list[list[float]]]] = field(default_factory=dict)
    """By measurement and host: start, length, bits per second and, of a sender, what it sent again in each second that
    the tool printed, in order.
    """
    readings: dict[str, dict[str, dict[str, list[dict[str, float]]]]] = field(default_factory=dict)
    """By measurement, host and source: the counters as they were first and last read."""
    hosts: dict[str, Object] = field(default_factory=dict)
    """The record of each pair's hosts."""
    series: dict[str, str] = field(default_factory=dict)
    """The series beside the report, by measurement, as CSV."""
    history: list[Object] = field(default_factory=list)
    """The entries about the run in the digest of all runs."""
    is_in_index: bool = False
    """Whether the page over all runs links its report."""

    def of(self, table: str, measurement_id: str) -> list[Object]:
        return [row for row in self.rows.get(table, []) if row.get("measurement_id") == measurement_id]

    def series_of(self, measurement_id: str, metric: str, host_role: str | None = None) -> list[Object]:
        """Returns the rows of one metric in `samples`, in the order of their seconds."""
        rows = [one for one in self.of("samples", measurement_id) if one["metric"] == metric]
        return sorted(
            (one for one in rows if host_role in (None, one["host_role"])), key=lambda one: float(one["start_seconds"])
        )


def stored_of(run: Run, measurement_ids: Iterable[str]) -> Stored:
    stored = Stored({name: run.document(name) for name in DOCUMENTS}, {table: run.rows(table) for table in TABLES})
    for name in measurement_ids:
        pair_id = name.partition("-")[0]
        stored.hosts[pair_id] = run.document(f"pairs/{pair_id}") or {}
        chunks = {role: run.chunks(name, role) for role in ("client", "server")}
        stored.printed[name] = {role: printed(of_role) for role, of_role in chunks.items()}
        stored.readings[name] = {role: _readings(of_role) for role, of_role in chunks.items()}
        stored.series[name] = (run.read(f"series/{name}.csv.gz") or b"").decode()
    stored.history, stored.is_in_index = run.history(), run.is_in_index()
    return stored


def printed(chunks: Iterable[Iterable[Object]]) -> list[list[float]]:
    """Returns the seconds that iperf3 printed in a stream's chunks; the first line of a second is its own."""
    seconds: dict[float, list[float]] = {}
    for line in (one.get("line", "") for chunk in chunks for one in chunk if one.get("source") == "stdout"):
        found = SUM_LINE.match(line)
        if found is None:
            continue
        start, end = float(found[1]), float(found[2])
        # At its end it prints the sum of all seconds, and when it is interrupted its last second again.
        if start >= max(seconds, default=-1.0) + 0.5:
            again = [float(found[4])] if found[4] else []
            seconds[start] = [start, round(end - start, 2), float(found[3]) * 1e3, *again]
    return list(seconds.values())


def _readings(chunks: Iterable[Iterable[Object]]) -> dict[str, list[dict[str, float]]]:
    found: dict[str, list[dict[str, float]]] = {}
    for line in (one for chunk in chunks for one in chunk if "counters" in one):
        first, _ = found.get(line["source"], [line["counters"], {}])
        found[line["source"]] = [first, line["counters"]]
    return found
