"""Makes a store of thousands of runs of a small one: `grow` copies the rows of its runs under other ids and days.

The copies differ in each figure by a percent or so, because equal values would compress better than measured ones. Only
rows of `runs`, `pairs` and `measurements` are copied: what a question over many runs reads.
"""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

TABLES = {"runs": ".ndjson", "pairs": ".ndjson.gz", "measurements": ".ndjson.gz"}
# Of each copied figure, as a share of it.
SCATTER = 0.01
FIGURE = re.compile(r'(?<=":)\d+\.(\d+)')


def grow(store: Path, folder: Path, run_count: int, today: date, days: int) -> None:
    """Spreads the copies evenly over the days until `today`; `store` and `folder` have the objects by their keys."""
    originals = [(path.stem, path.parent.name) for path in sorted((store / "runs").glob("day=*/*.ndjson"))]
    rows = {table: [_rows(store, table, *original) for original in originals] for table in TABLES}
    scatter = random.Random(1)
    for index in range(run_count):
        number = index % len(originals)
        run_id, partition = originals[number]
        copied_id, day = f"{run_id}-{index:05}", today - timedelta(days=index * days // run_count)
        for table, suffix in TABLES.items():
            text = FIGURE.sub(_scattered(scatter), rows[table][number])
            text = text.replace(run_id, copied_id).replace(partition.removeprefix("day="), day.isoformat())
            file = folder / table / f"day={day}" / f"{copied_id}{suffix}"
            file.parent.mkdir(parents=True, exist_ok=True)
            body = text.encode()
            file.write_bytes(gzip.compress(body, 6) if suffix.endswith(".gz") else body)


def _rows(store: Path, table: str, run_id: str, partition: str) -> str:
    body = (store / table / partition / f"{run_id}{TABLES[table]}").read_bytes()
    return (gzip.decompress(body) if TABLES[table].endswith(".gz") else body).decode()


def _scattered(scatter: random.Random) -> Callable[[re.Match[str]], str]:
    """A figure with as many digits as it had."""
    return lambda figure: f"{float(figure[0]) * (1 + SCATTER * scatter.gauss(0, 1)):.{len(figure[1])}f}"
