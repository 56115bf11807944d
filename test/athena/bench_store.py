"""Measures what the named queries and the look backs at earlier runs cost (`npm run bench:store`).

The store is generated, and written by the product's own writers (write-store.ts). Trino reads it through the deployed
Glue tables, from an object store that counts the requests. The table at the end has one line per figure with its limit;
the exit code is 1 when a limit is passed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from bench_figures import CPU_SECONDS, QUERIES, SECONDS, Figure, Measure, at_most, table_of, with_parameters
from bench_year import figures_of_a_year
from benched_store import MEGABYTE, SHORT, WHOLE_DAYS, YEAR, YEAR_DAYS, Bench, Size, opened_bench

from lab.runner.environment import forget_the_callers_account
from lab.runner.paths import REPOSITORY

# These have measures of their own; all other named queries are measured as they are.
OF_SAMPLES = ("live-throughput", "series-of-one-measurement", "throttle-screen")
# Of the ENA driver, and how `series` names them of each host.
COUNTERS = [f"{each}_allowance_exceeded" for each in ("bw_in", "bw_out", "pps")]
HOST_COUNTERS = [f"{host}_{counter}" for host in ("client", "server") for counter in COUNTERS]


def queries_on_measurements(bench: Bench) -> Iterator[Figure]:
    """Each as it is; the days of most are the last 90, and of the atlas all that there are."""
    for name in QUERIES:
        if name in OF_SAMPLES:
            continue
        asked = bench.ask(name, QUERIES[name])
        # This one is on `pairs` and `runs`, an object per run each.
        tables = 2 if name == "cost-of-runs" else 1
        # This one is on all runs, and the store has those of a year.
        times = YEAR if name == "atlas" else 1
        yield at_most(name, asked, asked.requests.get_count, 200 * tables * times * bench.size.run_share, "GETs")
        yield at_most(name, asked, asked.requests.byte_count / MEGABYTE, megabytes_of_runs(bench.size) * times, "MB")


def tables_by_run(bench: Bench) -> Iterator[Figure]:
    """What every query on these tables reads: an object per run."""
    for table in ("measurements", "pairs", "runs"):
        for days, times in ((90, 1), (YEAR_DAYS, YEAR)):
            name = f"{table}, {days} days"
            asked = bench.ask(name, f"SELECT count(*) FROM {table} WHERE day > current_date - interval '{days}' day")
            yield at_most(name, asked, asked.requests.get_count, bench.size.run_count * times, "GETs")
            megabytes = asked.requests.byte_count / MEGABYTE
            yield at_most(name, asked, megabytes, megabytes_of_runs(bench.size) * times, "MB")


def megabytes_of_runs(size: Size) -> float:
    """The limit for 90 days. Of an object with few rows, a third of that of a whole run's does not shrink with them."""
    return 3 * size.run_share * max(size.pair_share, 1 / 3)


def throttle_screen_of_three_days(bench: Bench) -> Iterator[Figure]:
    name = "throttle-screen of three days"
    asked = bench.ask(name, with_parameters("throttle-screen", days=str(WHOLE_DAYS - 1)))
    yield at_most(name, asked, asked.requests.byte_count / MEGABYTE, 15 * bench.size.pair_share, "MB")
    yield at_most(name, asked, asked.requests.get_count, 60, "GETs")
    yield at_most(name, asked, asked.cpu_seconds, 15, CPU_SECONDS)


def throttle_screen_of_all_days(bench: Bench) -> Iterator[Figure]:
    name = f"throttle-screen of {bench.size.days} days"
    asked = bench.ask(name, QUERIES["throttle-screen"])
    # A small store has buffers that do not shrink with it.
    limit = max(100, 1000 * bench.size.run_share * bench.size.pair_share)
    yield at_most(name, asked, asked.peak_memory_bytes / MEGABYTE, limit, "MB of memory")


def series_of_one_measurement(bench: Bench) -> Iterator[Figure]:
    """With its day given; then whether each second has the counters whose interval's middle lies in it."""
    run_id, measurement_id, day = (bench.facts["series"][key] for key in ("runId", "measurementId", "day"))
    name = "series-of-one-measurement"
    asked = bench.ask(
        name,
        with_parameters(name, run_id=f"'{run_id}'", measurement_id=f"'{measurement_id}'", day=f"date '{day}'"),
    )
    yield at_most(f"{name}, its day given", asked, asked.requests.get_count, 6, "GETs")
    yield at_most(f"{name}, its day given", asked, asked.requests.byte_count / MEGABYTE, 0.5, "MB")

    sums = ", ".join(
        f"sum({counter}) FILTER (WHERE host_role = '{host}') AS {host}_{counter}"
        for host in ("client", "server")
        for counter in COUNTERS
    )
    truth = bench.ask(
        "the counters of each second",
        f"SELECT floor(start_seconds + length_seconds / 2) AS second, {sums} FROM samples WHERE metric = 'allowance' "
        f"AND day = date '{day}' AND run_id = '{run_id}' AND measurement_id = '{measurement_id}' GROUP BY 1",
    )
    counted = {row["second"]: [row[counter] for counter in HOST_COUNTERS] for row in truth.rows}
    none_read = [None] * len(HOST_COUNTERS)
    wrong = sum(
        [row[counter] for counter in HOST_COUNTERS] != counted.get(row["second"], none_read) for row in asked.rows
    )
    yield at_most(name, asked, wrong, 0, f"seconds of {len(asked.rows):,} with wrong counters")


def live_throughput(bench: Bench) -> Iterator[Figure]:
    """The running run's own objects are the limit."""
    run_id = bench.facts["runningRunId"]
    own = sum(key.startswith("live_samples/") and f"/run_id={run_id}/" in key for key in bench.keys)
    asked = bench.ask("live-throughput", with_parameters("live-throughput", run_id=f"'{run_id}'"))
    yield at_most("live-throughput of one run", asked, asked.requests.get_count, own, "GETs")


def look_backs(bench: Bench) -> Iterator[Figure]:
    for handler, sql in bench.facts["lookBacks"].items():
        name = f"look back of {handler}"
        asked = bench.ask(name, sql)
        yield at_most(name, asked, asked.requests.get_count, 400 * bench.size.run_share, "GETs")
        yield at_most(name, asked, asked.elapsed_seconds, 5, SECONDS)


def fold_of_a_large_run(bench: Bench) -> Iterator[Figure]:
    """By `npm run bench:fold`, which needs no Trino."""
    command = ["node_modules/.bin/tsx", "research/bench-fold.ts", str(bench.size.folded_pair_count)]
    # It ends with 1 when a limit is passed; after an error its last line is none of figures.
    done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=False)
    found = json.loads(done.stdout.splitlines()[-1])
    name = f"fold of {bench.size.folded_pair_count:,} pairs, three measurements each"
    yield Figure(name, found["foldSeconds"], found["limitSeconds"], SECONDS)
    yield Figure(name, found["mebibytes"], found["limitMebibytes"], "MiB of memory")


MEASURES: tuple[Measure, ...] = (
    queries_on_measurements,
    tables_by_run,
    look_backs,
    series_of_one_measurement,
    live_throughput,
    throttle_screen_of_three_days,
    throttle_screen_of_all_days,
    fold_of_a_large_run,
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="a fiftieth of the store, with its limits in proportion")
    parser.add_argument("--store", type=Path, help="a folder for the store; one that is there already is used again")
    names = [measure.__name__ for measure in MEASURES]
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="MEASURE", help=", ".join(names))
    parser.add_argument("--runs-a-year", type=int, metavar="N", help="ask a year of N runs instead (bench_year.py)")
    for name, default in asdict(Size()).items():
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(option, type=int, metavar="N", help=f"{default} unless told otherwise")
    options = parser.parse_args()
    chosen = {name: getattr(options, name) for name in asdict(Size()) if getattr(options, name) is not None}
    size = Size(**(asdict(SHORT if options.short else Size()) | chosen))
    measures = [measure for measure in MEASURES if measure.__name__ in options.only]

    forget_the_callers_account()
    with tempfile.TemporaryDirectory(prefix="bench-store-", dir=REPOSITORY / ".cache") as work_dir:
        if options.runs_a_year is None:
            with opened_bench(size, Path(work_dir), options.store) as bench:
                figures = [figure for measure in measures for figure in measure(bench)]
        else:
            figures = list(figures_of_a_year(options.runs_a_year, Path(work_dir), options.store))
    print(table_of(figures))
    return 0 if all(figure.is_met for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
