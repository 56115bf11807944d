"""What a measure of the benchmark finds: figures beside their limits, and the table of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benched_store import Asked, Bench

from lab.runner.paths import REPOSITORY

QUERIES = {path.stem: path.read_text() for path in sorted((REPOSITORY / "queries").glob("*.sql"))}
SECONDS, CPU_SECONDS = "s", "s of CPU"


@dataclass(frozen=True)
class Figure:
    """One line of the table. With `error` there is no value, and so nothing that is within the limit."""

    measure: str
    value: float
    limit: float
    unit: str
    error: str | None = None

    @property
    def is_met(self) -> bool:
        return self.error is None and self.value <= self.limit

    @property
    def is_of_time(self) -> bool:
        return self.unit in (SECONDS, CPU_SECONDS)

    def cells(self) -> tuple[str, str, str, str]:
        value = f"{self.value:,.2f}" if isinstance(self.value, float) else f"{self.value:,}"
        limit = f"{self.limit:,.3g}" if self.limit < 100 else f"{self.limit:,.0f}"
        figure = self.error or f"{value} {self.unit}"
        return self.measure, figure, f"{limit} {self.unit}", "yes" if self.is_met else "no"


def at_most(measure: str, asked: Asked, value: float, limit: float, unit: str) -> Figure:
    return Figure(measure, value, limit, unit, asked.error)


def with_parameters(name: str, **values: str) -> str:
    """A named query with other values in its `params`, where each parameter has a line of its own."""
    sql = QUERIES[name]
    for parameter, value in values.items():
        sql, count = re.subn(rf"^ {{4}}\S.* AS {parameter}(?=,? +--)", f"    {value} AS {parameter}", sql, flags=re.M)
        if count != 1:
            raise ValueError(f"queries/{name}.sql: params must have {parameter} once, which the benchmark sets")
    return sql


Measure = Callable[[Bench], Iterator[Figure]]


def table_of(figures: list[Figure]) -> str:
    rows = [("measure", "figure", "must", "met")]
    rows += [each.cells() for each in figures]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    rows.insert(1, tuple("-" * width for width in widths))  # type: ignore[arg-type]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
