"""The store that the benchmark asks: its size, how it is written, and Trino over it with its requests counted."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from counting_store import CountingStore, Requests
from trino.exceptions import TrinoQueryError
from trino_distribution import fetch
from trino_server import Machine, TrinoServer

from lab.runner.deployment import deploy, describe_deployment
from lab.runner.embedded_aws import embedded_aws
from lab.runner.paths import REPOSITORY, LabPaths

# Decided once, so that a store is still of today where midnight is between writing and opening it.
TODAY = datetime.now(UTC).date()
MEGABYTE = 1e6
# A query may hold 2 GB, twice its limit, so that a figure over the limit can still be seen.
MACHINE = Machine(heap_gigabytes=3, query_gigabytes=2, compiles_twice=True)


@dataclass(frozen=True)
class Size:
    """How large the store is. The default is the size that the limits are for."""

    days: int = 90
    run_count: int = 200
    # Ten pairs with three measurements each, every one on a fresh pair.
    pair_count: int = 30
    duration_seconds: int = 1800
    running_pair_count: int = 40
    # Each with three measurements.
    folded_pair_count: int = 1000

    @property
    def run_share(self) -> float:
        return self.run_count / Size.run_count

    @property
    def pair_share(self) -> float:
        return self.pair_count / Size.pair_count


# As many runs per day as in the whole store, so that three days of it are as many runs.
SHORT = Size(days=9, run_count=20, pair_count=6, running_pair_count=4, folded_pair_count=50)
# The days of which the samples are read with all their metrics.
WHOLE_DAYS = 3
# The runs of a year for each run of 90 days.
YEAR = 4
YEAR_DAYS = 365


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
        self.keys = store.keys
        self.store = store
        self.facts = facts
        self.trino = trino

    def ask(self, what: str, sql: str) -> Asked:
        cursor = self.trino.connection().cursor()
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


# Makes other objects of those of the written store, for the tables of Glue's database, and says where they are.
Remake = Callable[[Path, Any, str], Path]


@contextmanager
def opened_bench(
    size: Size,
    work_dir: Path,
    store_dir: Path | None,
    remake: Remake = lambda objects, *_: objects,
    store_type: type[CountingStore] = CountingStore,
    trino_type: type[TrinoServer] = TrinoServer,
) -> Iterator[Bench]:
    """Deploys the tables, writes the store unless it is there, and starts Trino over it."""
    with embedded_aws(deployed_paths(work_dir), with_hosts=False) as aws:
        report("deploying the tables")
        deploy(aws)
        deployment = describe_deployment(aws)
        folder = store_dir or work_dir / "store"
        facts = written_store(size, folder)
        glue = aws.session.client("glue", endpoint_url=aws.endpoint_url)
        reach_back_a_year(glue, deployment.database)
        objects = remake(folder / "objects", glue, deployment.database)
        distribution = fetch()
        with (
            store_type(objects, deployment.bucket) as store,
            trino_type(
                distribution, work_dir / "trino", aws, deployment, store_url=store.url, machine=MACHINE
            ) as trino,
        ):
            yield Bench(size, store, trino, facts)


def deployed_paths(work_dir: Path) -> LabPaths:
    paths = LabPaths(work_dir / "lab")
    paths.renew()
    return paths


def reach_back_a_year(glue: Any, database: str) -> None:
    """The deployed tables begin with the project's first day, which may be less than a year ago."""
    begins = TODAY - timedelta(days=YEAR_DAYS)
    firsts = {"projection.day.range": begins.isoformat(), "projection.year.range": f"{begins:%Y}"}
    for table in glue.get_tables(DatabaseName=database)["TableList"]:
        parameters = table.get("Parameters", {})
        ranges = {
            key: f"{first},{parameters[key].partition(',')[2]}" for key, first in firsts.items() if key in parameters
        }
        if ranges:
            parameters |= ranges
            names = ("Name", "TableType", "PartitionKeys", "Parameters", "StorageDescriptor")
            glue.update_table(DatabaseName=database, TableInput={name: table[name] for name in names})


def written_store(size: Size, folder: Path) -> dict[str, Any]:
    """The facts of the store in the folder, which is written unless it is there."""
    options = {
        "today": TODAY.isoformat(),
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
