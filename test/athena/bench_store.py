"""Measures what the named queries and the look backs at earlier runs cost (`npm run bench:store`).

The store is generated, and written by the product's own writers (write-store.ts). Trino reads it through the deployed
Glue tables, from an object store that counts the requests. The table at the end has one line per figure with its limit;
the exit code is 1 when a limit is passed.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from counting_store import CountingStore, Requests
from trino.exceptions import TrinoQueryError
from trino_distribution import default_cache, fetch
from trino_server import Machine, TrinoServer

from lab.runner.deployment import deploy, describe_deployment
from lab.runner.embedded_aws import EmbeddedAws, embedded_aws
from lab.runner.environment import forget_the_callers_account
from lab.runner.paths import REPOSITORY, LabPaths

QUERIES = {path.stem: path.read_text() for path in sorted((REPOSITORY / "queries").glob("*.sql"))}
# These have measures of their own; all other named queries are measured as they are.
OF_SAMPLES = ("live-throughput", "series-of-one-measurement", "throttle-screen")
# A query may hold 2 GB, twice its limit, so that a figure over the limit can still be seen.
MACHINE = Machine(heap_gigabytes=3, query_gigabytes=2, compiles_twice=True)
MEGABYTE = 1e6


@dataclass(frozen=True)
class Size:
    """How large the store is. The default is the size that the limits are for."""

    days: int = 90
    run_count: int = 200
    # Ten pairs with three measurements each, every one on a fresh pair.
    pair_count: int = 30
    duration_seconds: int = 1800
    running_pair_count: int = 40

    @property
    def run_share(self) -> float:
        return self.run_count / Size.run_count

    @property
    def pair_share(self) -> float:
        return self.pair_count / Size.pair_count


# As many runs per day as in the whole store, so that three days of it are as many runs.
SHORT = Size(days=9, run_count=20, pair_count=6, running_pair_count=4)
# The days of which the samples are read with all their metrics.
WHOLE_DAYS = 3
# The runs of a year for each run of 90 days.
YEAR = 4


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    measure: str
    figure: str
    limit: str
    is_met: bool


@dataclass(frozen=True)
class Asked:
    """A query's cost, and its rows by column; with `error`, what it took until it failed."""

    requests: Requests
    elapsed_seconds: float
    cpu_seconds: float
    peak_memory_bytes: float
    rows: list[dict[str, Any]]
    error: str | None


class Bench:
    """The store, and Trino over it."""

    def __init__(self, size: Size, store: CountingStore, trino: TrinoServer, facts: dict[str, Any]) -> None:
        self.size = size
        self.store = store
        self.facts = facts
        self._trino = trino

    def ask(self, what: str, sql: str) -> Asked:
        cursor = self._trino.connection().cursor()
        error, rows = None, []
        started = time.monotonic()
        with self.store.counted() as requests:
            try:
                cursor.execute(sql)
                rows = cursor.fetchall()
            except TrinoQueryError as refused:
                # What follows in brackets are the operators that held the memory.
                error = f"{refused.error_name}: {refused.message}".partition(" [")[0]
        elapsed_seconds = time.monotonic() - started
        stats = cursor.stats or {}
        asked = Asked(
            requests,
            elapsed_seconds,
            stats.get("cpuTimeMillis", 0) / 1000,
            stats.get("peakMemoryBytes", 0),
            [dict(zip([column[0] for column in cursor.description or []], row, strict=True)) for row in rows],
            error,
        )
        report(
            f"{what}: {len(rows)} rows, {requests.lists} LISTs, GETs {dict(requests.gets)}, "
            f"{requests.byte_count / MEGABYTE:.2f} MB, {elapsed_seconds:.1f} s, CPU {asked.cpu_seconds:.1f} s, "
            f"{asked.peak_memory_bytes / MEGABYTE:.0f} MB of memory{'' if error is None else f', {error}'}"
        )
        return asked


def report(line: str) -> None:
    print(f"bench: {line}", file=sys.stderr, flush=True)


def at_most(measure: str, asked: Asked, value: float, limit: float, unit: str) -> Figure:
    """A query that failed has no figure, and so is not within its limit."""
    limit_text = f"{limit:,.3g} {unit}" if limit < 100 else f"{limit:,.0f} {unit}"
    if asked.error is not None:
        return Figure(measure, asked.error, limit_text, False)
    return Figure(
        measure, f"{value:,.2f} {unit}" if isinstance(value, float) else f"{value:,} {unit}", limit_text, value <= limit
    )


def edited(name: str, *edits: tuple[str, str]) -> str:
    """A named query with other parameters. A parameter that the query does not have is an error."""
    sql = QUERIES[name]
    for before, after in edits:
        if before not in sql:
            raise ValueError(f"queries/{name}.sql: must have {before!r}, which the benchmark sets")
        sql = sql.replace(before, after)
    return sql


def queries_on_measurements(bench: Bench) -> Iterator[Figure]:
    """Each as it is: its days are the last 90."""
    for name in QUERIES:
        if name in OF_SAMPLES:
            continue
        asked = bench.ask(name, QUERIES[name])
        share = bench.size.run_share
        yield at_most(name, asked, asked.requests.get_count, 200 * share, "GETs")
        yield at_most(name, asked, asked.requests.byte_count / MEGABYTE, 3 * share * bench.size.pair_share, "MB")


def throttle_screen_of_three_days(bench: Bench) -> Iterator[Figure]:
    name = "throttle-screen of three days"
    asked = bench.ask(name, edited("throttle-screen", ("interval '90' day", "interval '2' day")))
    yield at_most(name, asked, asked.requests.byte_count / MEGABYTE, 15 * bench.size.pair_share, "MB")
    yield at_most(name, asked, asked.requests.get_count, 60, "GETs")
    yield at_most(name, asked, asked.cpu_seconds, 15, "s of CPU")


def throttle_screen_of_all_days(bench: Bench) -> Iterator[Figure]:
    name = f"throttle-screen of {bench.size.days} days"
    asked = bench.ask(name, QUERIES["throttle-screen"])
    # A small store has buffers that do not shrink with it.
    limit = max(100, 1000 * bench.size.run_share * bench.size.pair_share)
    yield at_most(name, asked, asked.peak_memory_bytes / MEGABYTE, limit, "MB of memory")


def series_of_one_measurement(bench: Bench) -> Iterator[Figure]:
    """With its day given; then whether each second has the counters whose interval's middle lies in it."""
    run_id, measurement_id, day = (bench.facts["series"][key] for key in ("runId", "measurementId", "day"))
    sql = edited(
        "series-of-one-measurement",
        ("CAST(NULL AS varchar) AS run_id", f"'{run_id}' AS run_id"),
        ("CAST(NULL AS varchar) AS measurement_id", f"'{measurement_id}' AS measurement_id"),
        ("m.day >= CAST(current_date - interval '90' day AS varchar)", f"m.day = '{day}'"),
    )
    name = "series-of-one-measurement, its day given"
    asked = bench.ask(name, sql)
    yield at_most(name, asked, asked.requests.get_count, 6, "GETs")
    yield at_most(name, asked, asked.requests.byte_count / MEGABYTE, 0.5, "MB")

    counters = [f"{each}_allowance_exceeded" for each in ("bw_in", "bw_out", "pps")]
    sums = ", ".join(f"sum({counter}) AS {counter}" for counter in counters)
    truth = bench.ask(
        "the counters of each second",
        f"SELECT floor(start_seconds + length_seconds / 2) AS second, {sums} FROM samples WHERE metric = 'allowance' "
        f"AND day = '{day}' AND run_id = '{run_id}' AND measurement_id = '{measurement_id}' GROUP BY 1",
    )
    true_counters = {row["second"]: [row[counter] for counter in counters] for row in truth.rows}
    none_read = [None] * len(counters)
    wrong = sum(
        [row[counter] for counter in counters]
        != true_counters.get(math.floor(row["start_seconds"] + row["length_seconds"] / 2), none_read)
        for row in asked.rows
    )
    yield at_most("series-of-one-measurement", asked, wrong, 0, f"seconds of {len(asked.rows):,} with wrong counters")


def live_throughput(bench: Bench) -> Iterator[Figure]:
    """The running run's own objects are the limit."""
    run_id = bench.facts["runningRunId"]
    own = sum(key.startswith("live_samples/") and run_id in key for key in bench.store.keys)
    asked = bench.ask("live-throughput", QUERIES["live-throughput"])
    yield at_most("live-throughput of one run", asked, asked.requests.get_count, own, "GETs")


def look_backs(bench: Bench) -> Iterator[Figure]:
    for handler, sql in bench.facts["lookBacks"].items():
        name = f"look back of {handler}"
        asked = bench.ask(name, sql)
        yield at_most(name, asked, asked.requests.get_count, 400 * bench.size.run_share, "GETs")
        yield at_most(name, asked, asked.elapsed_seconds, 5, "s")


# The folding of a run of 1,000 pairs (30 s, the function's memory) comes here when runs are folded.
MEASURES: tuple[Callable[[Bench], Iterator[Figure]], ...] = (
    queries_on_measurements,
    look_backs,
    series_of_one_measurement,
    live_throughput,
    throttle_screen_of_three_days,
    throttle_screen_of_all_days,
)


@contextmanager
def opened_bench(size: Size, work_dir: Path, store_dir: Path | None) -> Iterator[Bench]:
    """Deploys the tables, writes the store unless it is there, and starts Trino over it."""
    with embedded_aws(deployed_paths(work_dir), with_hosts=False) as aws:
        report("deploying the tables")
        deploy(aws)
        deployment = describe_deployment(aws)
        folder = store_dir or work_dir / "store"
        facts = written_store(size, folder, first_day(aws, deployment.database))
        distribution = fetch(default_cache())
        with (
            CountingStore(folder / "objects", deployment.bucket) as store,
            TrinoServer(
                distribution, work_dir / "trino", aws, deployment, store_url=store.url, machine=MACHINE
            ) as trino,
        ):
            yield Bench(size, store, trino, facts)


def deployed_paths(work_dir: Path) -> LabPaths:
    paths = LabPaths(work_dir / "lab")
    paths.renew()
    return paths


def first_day(aws: EmbeddedAws, database: str) -> str:
    """The day with which the deployed table's partitions begin."""
    glue = aws.session.client("glue", endpoint_url=aws.endpoint_url)
    table = glue.get_table(DatabaseName=database, Name="measurements")["Table"]
    first, _, _ = table["Parameters"]["projection.day.range"].partition(",")
    return str(first)


def written_store(size: Size, folder: Path, first: str) -> dict[str, Any]:
    """The facts of the store in the folder, which is written unless it is there."""
    options = {
        "today": datetime.now(UTC).date().isoformat(),
        "firstDay": first,
        "days": size.days,
        "runCount": size.run_count,
        "earlierRunCount": size.run_count * (YEAR - 1),
        "pairCount": size.pair_count,
        "durationSeconds": size.duration_seconds,
        "wholeDays": WHOLE_DAYS,
        "runningPairCount": size.running_pair_count,
    }
    file = folder / "facts.json"
    if not file.exists():
        report(f"writing the store: {json.dumps(options)}")
        started = time.monotonic()
        command = ["node_modules/.bin/tsx", "test/athena/write-store.ts", str(folder), json.dumps(options)]
        subprocess.run(command, cwd=REPOSITORY, check=True)
        report(f"written in {time.monotonic() - started:.0f} s")
    facts: dict[str, Any] = json.loads(file.read_text())
    if facts["options"] != options:
        raise SystemExit(f"{folder}: must be a store of {options}, is one of {facts['options']}; delete it")
    return facts


def table(figures: list[Figure]) -> str:
    rows = [("measure", "figure", "must", "met")]
    rows += [(each.measure, each.figure, each.limit, "yes" if each.is_met else "no") for each in figures]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    rows.insert(1, tuple("-" * width for width in widths))  # type: ignore[arg-type]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="a fiftieth of the store, with its limits in proportion")
    parser.add_argument("--store", type=Path, help="a folder for the store; one that is there already is used again")
    names = [measure.__name__ for measure in MEASURES]
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="MEASURE", help=", ".join(names))
    for name, default in asdict(Size()).items():
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(option, type=int, metavar="N", help=f"{default} unless told otherwise")
    options = parser.parse_args()
    chosen = {name: getattr(options, name) for name in asdict(Size()) if getattr(options, name) is not None}
    size = Size(**(asdict(SHORT if options.short else Size()) | chosen))
    measures = [measure for measure in MEASURES if measure.__name__ in options.only]

    forget_the_callers_account()
    cache = REPOSITORY / ".cache"
    with (
        tempfile.TemporaryDirectory(prefix="bench-store-", dir=cache) as work_dir,
        opened_bench(size, Path(work_dir), options.store) as bench,
    ):
        figures = [figure for measure in measures for figure in measure(bench)]
    print(table(figures))
    return 0 if all(figure.is_met for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
