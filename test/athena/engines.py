"""The two engines that answer the same query over the same store, and how their answers are compared."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from trino_server import TrinoServer

from lab.runner.deployment import Deployment
from lab.runner.embedded_aws import EmbeddedAws
from lab.runner.query import query_result

# Sums of doubles depend on the order in which an engine adds; every named query rounds what it shows.
RELATIVE_TOLERANCE = 1e-9
WHOLE_TYPES = ("tinyint", "smallint", "integer", "bigint")
REAL_TYPES = ("real", "double", "decimal")

# The UTC day of the made-up rows, decided once. It is yesterday, so that a test that takes `current_date` for it fails
# in every run, and not only in one that goes on over midnight. What looks back has to look back two days to find the
# rows after midnight as well. The lab run beside them has the day on which it ran.
ROW_DAY = datetime.now(UTC).date() - timedelta(days=1)


@dataclass(frozen=True)
class Answer:
    """Columns and rows as an engine gives them, in its order."""

    columns: list[str]
    rows: list[list[Any]]

    def as_dicts(self) -> list[dict[str, Any]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


@dataclass(frozen=True)
class Engines:
    aws: EmbeddedAws
    deployment: Deployment
    trino: TrinoServer
    _asked: dict[str, tuple[Answer, list[str]]] = field(default_factory=dict)

    def ask_trino(self, sql: str) -> tuple[Answer, list[str]]:
        """The answer, and the type of each column. The store doesn't change, so nothing is asked twice."""
        if sql not in self._asked:
            self._asked[sql] = self._query(sql)
        return self._asked[sql]

    def _query(self, sql: str) -> tuple[Answer, list[str]]:
        cursor = self.trino.connection().cursor()
        cursor.execute(sql)
        rows = cursor.fetchall()
        description = cursor.description or []
        return Answer([column[0] for column in description], rows), [column[1] for column in description]

    def ask_lab(self, sql: str, types: list[str]) -> Answer:
        """The lab's Athena answers in text, as Athena does; `types` are what to read it as."""
        result = query_result(self.aws, self.deployment, sql)
        assert len(result.names) == len(types), f"columns must be as many, got {result.names} for {types}"
        return Answer(
            result.names,
            [[_value(cell, kind) for cell, kind in zip(row, types, strict=True)] for row in result.rows],
        )


def _value(text: str | None, trino_type: str) -> Any:
    base = trino_type.partition("(")[0]
    if text is None:
        return None
    if base in WHOLE_TYPES:
        return int(text)
    if base in REAL_TYPES:
        return float(text)
    if base == "boolean":
        return {"true": True, "false": False}[text]
    if base == "date":
        return date.fromisoformat(text)
    if base == "timestamp":
        return datetime.fromisoformat(text)
    return text


def differences(trino: Answer, lab: Answer) -> list[str]:
    """What is not the same, in words; empty when the answers agree."""
    if trino.columns != lab.columns:
        return [f"columns: {trino.columns} on Trino, {lab.columns} in the lab"]
    if len(trino.rows) != len(lab.rows):
        return [f"rows: {len(trino.rows)} on Trino, {len(lab.rows)} in the lab"]
    return [
        f"row {number}, {column}: {ours!r} on Trino, {theirs!r} in the lab"
        for number, (row, other) in enumerate(zip(trino.rows, lab.rows, strict=True))
        for column, ours, theirs in zip(trino.columns, row, other, strict=True)
        if not _same(ours, theirs)
    ]


def _same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, float) and isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=RELATIVE_TOLERANCE) or (math.isnan(ours) and math.isnan(theirs))
    return type(ours) is type(theirs) and ours == theirs
