"""What a year of thousands of runs costs in questions, the atlas and the look backs: `bench:store -- --runs-a-year N`.

The runs are copies of a small store's (grown_store.py). They are asked with an object per run, in months that the
product has closed (close-store.ts), and in one more layout that the writers of the project did not make
(parquet_months.py).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from bench_figures import CPU_SECONDS, QUERIES, SECONDS, Figure, Measure, at_most, with_parameters
from benched_store import MEGABYTE, TODAY, YEAR_DAYS, Bench, Size, opened_bench, report
from grown_store import TABLES, grow
from parquet_months import Columns, close_months

from lab.runner.paths import REPOSITORY

# The store that is copied: 80 runs of 38 measurements.
COPIED = Size(days=9, run_count=20, pair_count=38, duration_seconds=120, running_pair_count=1)
# By the days of a question: GETs, MB, seconds of CPU.
QUESTION_LIMITS = {90: (60, 8, 2), YEAR_DAYS: (120, 30, 6)}


def questions(bench: Bench) -> Iterator[Figure]:
    for days, (gets, megabytes, cpu_seconds) in QUESTION_LIMITS.items():
        name = f"a question over {days} days"
        asked = bench.ask(name, with_parameters("comparison-of-instance-types", days=str(days)))
        yield at_most(name, asked, asked.requests.get_count, gets, "GETs")
        yield at_most(name, asked, asked.requests.byte_count / MEGABYTE, megabytes, "MB")
        yield at_most(name, asked, asked.cpu_seconds, cpu_seconds, CPU_SECONDS)


def atlas(bench: Bench) -> Iterator[Figure]:
    asked = bench.ask("atlas", QUERIES["atlas"])
    yield at_most("atlas", asked, asked.peak_memory_bytes / MEGABYTE, 300, "MB of memory")
    yield at_most("atlas", asked, asked.cpu_seconds, 5, CPU_SECONDS)


def look_backs(bench: Bench) -> Iterator[Figure]:
    """The time is the median of five answers, because Trino compiles a query's operators while it answers the first."""
    for handler, sql in bench.facts["lookBacks"].items():
        name = f"look back of {handler}"
        answers = sorted((bench.ask(name, sql) for _ in range(5)), key=lambda asked: asked.elapsed_seconds)
        asked = answers[2]
        yield at_most(name, asked, asked.requests.get_count, 50, "GETs")
        yield at_most(name, asked, asked.cpu_seconds, 2, CPU_SECONDS)
        yield at_most(name, asked, asked.elapsed_seconds, 2, SECONDS)


MEASURES: tuple[Measure, ...] = (questions, atlas, look_backs)

# Closes the days until yesterday of a folder's store, for tables of these columns.
Close = Callable[[Path, dict[str, Columns]], None]


def _by_the_product(folder: Path, _: dict[str, Columns]) -> None:
    command = ["node_modules/.bin/tsx", "test/athena/close-store.ts", str(folder), TODAY.isoformat()]
    subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL, check=True)


def _by_another_writer(folder: Path, columns: dict[str, Columns]) -> None:
    close_months(folder, columns, TODAY - timedelta(days=1))


LAYOUTS: dict[str, Close | None] = {
    "an object per run": None,
    "closed by the product": _by_the_product,
    "closed by another writer": _by_another_writer,
}


def figures_of_a_year(run_count: int, work_dir: Path, store_dir: Path | None) -> Iterator[Figure]:
    copied = store_dir or work_dir / "copied"
    for layout in LAYOUTS:

        def remade(objects: Path, glue: Any, database: str, layout: str = layout) -> Path:
            return year_of(layout, copied, run_count, glue, database)

        with opened_bench(COPIED, work_dir / layout, copied, remade) as bench:
            (counted,) = bench.ask("all rows", "SELECT count(*) AS row_count FROM measurements").rows
            if counted["row_count"] != run_count * COPIED.pair_count:
                raise SystemExit(
                    f"{layout}: {counted} in measurements, which has {run_count} runs of {COPIED.pair_count}"
                )
            for measure in MEASURES:
                for figure in measure(bench):
                    yield replace(figure, measure=f"{layout}: {figure.measure}")


def year_of(layout: str, copied: Path, run_count: int, glue: Any, database: str) -> Path:
    """The objects of a year in one of the layouts, made of the store's in `copied`."""
    folder, close = copied / f"open-{run_count}", LAYOUTS[layout]
    _made(folder, lambda made: grow(copied / "objects", made, run_count, TODAY, YEAR_DAYS))
    if close is None:
        return folder
    closed = copied / f"{layout.replace(' ', '-')}-{run_count}"
    _made(closed, lambda made: close(_linked(folder, made), _columns(glue, database)))
    return closed


def _made(folder: Path, make: Callable[[Path], None]) -> None:
    """Makes a folder unless it is there, whole or not at all."""
    if folder.exists():
        return
    report(f"making {folder.name}")
    unfinished = folder.with_suffix(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    make(unfinished)
    unfinished.rename(folder)


def _linked(store: Path, folder: Path) -> Path:
    """Objects are added to the folder and deleted from it, and never changed."""
    shutil.copytree(store, folder, copy_function=os.link)
    return folder


def _columns(glue: Any, database: str) -> dict[str, Columns]:
    """The Hive types of the columns of the open rows, by the prefix of their objects."""
    pages = glue.get_paginator("get_tables").paginate(DatabaseName=database)
    declared = {table["Name"]: table for page in pages for table in page["TableList"]}
    return {
        name: {
            column["Name"]: column["Type"]
            for column in declared.get(f"open_{name}", declared[name])["StorageDescriptor"]["Columns"]
        }
        for name in TABLES
    }
