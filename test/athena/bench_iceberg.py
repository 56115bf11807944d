"""What `measurements` costs as a table of Iceberg, beside the same year with closed months (`npm run bench:iceberg`).

The runs of a year are inserted day by day into a table that is partitioned by month, which is then compacted and
vacuumed as by Athena's OPTIMIZE and VACUUM. The question is asked of what is over, with today's open rows, and has its
least processor time of three. Prices are those of us-east-1; Athena counts at least 10 MB a statement.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from bench_figures import with_parameters
from bench_year import COPIED, year_of
from benched_store import MEGABYTE, TODAY, YEAR_DAYS, Asked, Bench, opened_bench
from iceberg_trino import IcebergTrino
from trino.exceptions import TrinoQueryError
from writable_store import WRITABLE, WritableStore

from lab.runner.environment import forget_the_callers_account
from lab.runner.paths import REPOSITORY

USD_PER_BYTE, LEAST_BYTES = 5 / 1e12, 10e6
USD_PER_GET, USD_PER_PUT_OR_LIST = 0.0004 / 1000, 0.005 / 1000
ASKED_TIMES = 3
LEAST_RUN_COUNT = 2 * YEAR_DAYS
LATE_DAYS, MONTH_DAYS = 45, 30
EXPIRE = "expire_snapshots(retention_threshold => '0s')"


@dataclass(frozen=True)
class Step:
    name: str
    asked: Asked
    writes: Counter[str]

    @property
    def usd(self) -> float:
        requests = self.asked.requests
        scanned = max(requests.byte_count, LEAST_BYTES) * USD_PER_BYTE
        paid = USD_PER_GET * (requests.get_count + requests.heads)
        return scanned + paid + USD_PER_PUT_OR_LIST * (requests.lists + self.writes["PUTs"])

    def line(self) -> str:
        asked, requests = self.asked, self.asked.requests
        return (
            f"{self.name:42} {asked.elapsed_seconds:7.1f} {asked.cpu_seconds:7.1f} {requests.get_count:6,} "
            f"{requests.heads:6,} {requests.lists:6,} {requests.byte_count / MEGABYTE:8.2f} {self.writes['PUTs']:6,} "
            f"{self.writes['bytes'] / MEGABYTE:8.2f} {self.writes['deleted']:8,} {self.usd:10.6f}"
        )


HEADING = f"{'step':42}       s   CPU s   GETs  HEADs  LISTs  MB read   PUTs   MB put  deleted        USD"


class Year:
    """The bench, and what each step took."""

    def __init__(self, bench: Bench, store: WritableStore) -> None:
        self.bench, self.store = bench, store
        self.lines: list[str] = []
        (schema,) = bench.ask("database", "SELECT current_schema AS name").rows
        self.table = f"iceberg.{schema['name']}.iceberg_measurements"
        self.columns = [row["Column"] for row in bench.ask("columns", "DESCRIBE measurements").rows]
        self.names = ", ".join(self.columns)
        # Of each day, what is in the table and what only the open rows have.
        self.both = (
            f"(SELECT {self.names} FROM {self.table} WHERE day < current_date UNION ALL "
            f"SELECT {self.names} FROM open_measurements WHERE day = current_date)"
        )

    def step(self, name: str, sql: str) -> Step:
        self.store.writes.clear()
        step = Step(name, self.bench.ask(name, sql), self.store.writes.copy())
        if step.asked.error is not None:
            raise SystemExit(f"{name}: {step.asked.error}")
        return step

    def note(self, name: str, sql: str) -> None:
        self.lines.append(self.step(name, sql).line())

    def alter(self, what: str) -> None:
        self.note(what, f"ALTER TABLE {self.table} EXECUTE {what}")

    def question(self, state: str, rows: str) -> None:
        for days in (90, YEAR_DAYS):
            sql = with_parameters("comparison-of-instance-types", days=str(days))
            sql = sql.replace("FROM measurements AS m", f"FROM {rows} AS m")
            steps = [self.step(f"{state}: question over {days} days", sql) for _ in range(ASKED_TIMES)]
            self.lines.append(min(steps, key=lambda step: step.asked.cpu_seconds).line())

    def stored(self, what: str, prefix: str) -> None:
        sizes = [size for key, size in self.store.sizes.items() if key.startswith(prefix)]
        self.lines.append(f"{what}: {len(sizes):,} objects, {sum(sizes) / MEGABYTE:.2f} MB")

    def stored_table(self, state: str) -> None:
        for part in ("data", "metadata"):
            self.stored(f"{state}: {part}", f"{WRITABLE}measurements/{part}/")

    def fill(self) -> None:
        """As a function would do once a day, which forgets the earlier snapshots once a month."""
        options = f"partitioning = ARRAY['month(day)'], location = 's3://{self.store.bucket}/{WRITABLE}measurements'"
        self.step(
            "CREATE TABLE",
            f"CREATE TABLE {self.table} WITH ({options}) AS SELECT * FROM measurements WITH NO DATA",
        )
        steps: list[Step] = []
        for ago in range(YEAR_DAYS - 1, 0, -1):
            day = TODAY - timedelta(days=ago)
            sql = f"INSERT INTO {self.table} SELECT {self.names} FROM open_measurements WHERE day = date '{day}'"
            steps.append(self.step(f"INSERT of {day}", sql))
            if ago % MONTH_DAYS == 0:
                self.step("expire_snapshots", f"ALTER TABLE {self.table} EXECUTE {EXPIRE}")
        by_time = sorted(steps, key=lambda step: step.asked.elapsed_seconds)
        self.lines += [f"{len(steps)} INSERTs: {sum(step.usd for step in steps):.4f} USD; the one of median time:"]
        self.lines += [by_time[len(steps) // 2].line()]

    def merge(self, number: int) -> str:
        """Of the rows of one run, as after a late analysis."""
        day = TODAY - timedelta(days=LATE_DAYS)
        keys = [key for key in self.store.keys if key.startswith(f"measurements/day={day}/")]
        run_id = Path(keys[number]).name.partition(".")[0]
        return (
            f"MERGE INTO {self.table} AS t USING (SELECT {self.names} FROM open_measurements WHERE day = date '{day}' "
            f"AND run_id = '{run_id}') AS s ON t.day = date '{day}' AND t.run_id = s.run_id "
            "AND t.measurement_id = s.measurement_id WHEN MATCHED THEN UPDATE SET "
            f"{', '.join(f'{name} = s.{name}' for name in self.columns)} WHEN NOT MATCHED THEN INSERT ({self.names}) "
            f"VALUES ({', '.join(f's.{name}' for name in self.columns)})"
        )

    def at_once(self, name: str, *statements: str) -> None:
        """Statements that begin together; what became of each."""
        ends: list[str] = []

        def run(sql: str) -> None:
            try:
                self.bench.trino.connection().cursor().execute(sql).fetchall()
                ends.append("done")
            except TrinoQueryError as refused:
                ends.append(f"{refused.error_name}: {refused.message[:90]}")

        threads = [threading.Thread(target=run, args=(sql,)) for sql in statements]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.lines.append(f"{name} at once: {'; '.join(sorted(ends))}")

    def close(self, closed: Path) -> None:
        """The same bucket with closed months instead of the open rows of the days that are over."""
        for key in [key for key in self.store.keys if key.startswith("measurements/") and f"={TODAY}/" not in key]:
            self.store.delete(key)
        for file in (file for part in ("closed", "closed_months") for file in (closed / part).rglob("*.*")):
            self.store.put(str(file.relative_to(closed)), file.read_bytes())


def measure(year: Year, closed: Path, run_count: int) -> None:
    year.question("open", "measurements")
    year.fill()
    year.stored_table("inserted")
    year.question("inserted", year.both)
    year.alter("optimize")
    year.stored_table("optimized")
    year.alter(EXPIRE)
    year.alter("remove_orphan_files(retention_threshold => '0s')")
    year.stored_table("vacuumed")
    year.question("vacuumed", year.both)
    year.note("MERGE of one late run", year.merge(0))
    year.question("merged", year.both)
    month = TODAY - timedelta(days=LATE_DAYS)
    optimize_month = f"ALTER TABLE {year.table} EXECUTE optimize WHERE day >= date '{month:%Y-%m}-01'"
    year.note("optimize since that month", optimize_month)
    year.at_once("two MERGEs", year.merge(0), year.merge(1))
    year.at_once("a MERGE and an optimize", year.merge(0), optimize_month)
    (counted,) = year.bench.ask(
        "all rows", f"SELECT count(*) AS rows, count(DISTINCT run_id) AS runs FROM {year.both}"
    ).rows
    if counted != {"rows": run_count * COPIED.pair_count, "runs": run_count}:
        raise SystemExit(f"{counted} in the table, which must have {run_count} runs of {COPIED.pair_count}")
    year.close(closed)
    year.stored("closed months", "closed/measurements/")
    year.question("closed", "measurements")


def main() -> int:
    run_count = int(sys.argv[1])
    if run_count < LEAST_RUN_COUNT:
        raise SystemExit(f"RUNS_A_YEAR: must be at least {LEAST_RUN_COUNT}, because two runs of a day are merged")
    store_dir = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    forget_the_callers_account()
    with tempfile.TemporaryDirectory(prefix="bench-iceberg-", dir=REPOSITORY / ".cache") as work_dir:
        copied = store_dir or Path(work_dir) / "copied"
        folders = []

        def remade(_: Path, glue: Any, database: str) -> Path:
            folders.append(year_of("closed by the product", copied, run_count, glue, database))
            opened = year_of("an object per run", copied, run_count, glue, database)
            linked = copied / "iceberg"
            shutil.rmtree(linked, ignore_errors=True)
            return Path(shutil.copytree(opened, linked, copy_function=os.link))

        with opened_bench(COPIED, Path(work_dir) / "aws", copied, remade, WritableStore, IcebergTrino) as bench:
            year = Year(bench, bench.store)
            try:
                measure(year, folders[0], run_count)
            finally:
                print("\n".join([HEADING, *year.lines]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
