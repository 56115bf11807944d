"""The questions of `docs/data-model.md` that are answered by a query of a few lines, each with its SQL."""

from __future__ import annotations

import re
from pathlib import Path

from engines import ROW_DAY

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/data-model.md"
SECTION = "## Questions, each in a few lines"
# What the examples name, and what the made-up rows have instead.
IN_THE_ROWS = {
    "date '2026-11-20'": f"date '{ROW_DAY}'",
    "date '2026-11-21'": f"date '{ROW_DAY}'",
    "burst-of-c5-20261121": "burst-of-c5-20261120",
    "day = current_date - interval '1' day": f"day = date '{ROW_DAY}'",
    "second = 1017": "second = 117",
}


def questions() -> dict[str, str]:
    """The SQL by the question, over the made-up rows."""
    section = DOCUMENT.read_text().partition(SECTION)[2].partition("\n## ")[0]
    found = re.findall(r"^\*\*(.+?)\*\*.*?```sql\n(.+?)```", section, re.MULTILINE | re.DOTALL)
    return {question: _over_the_rows(sql) for question, sql in found}


def _over_the_rows(sql: str) -> str:
    for example, value in IN_THE_ROWS.items():
        sql = sql.replace(example, value)
    return sql
