"""Open rows, closed rows of several generations and late ones: both engines see each run once, and read what they need.

| run   | open object | closed rows                            | counts                              |
| ----- | ----------- | -------------------------------------- | ----------------------------------- |
| jan-1 | none        | January's generation                   | the closed row                      |
| sep-1 | none        | September's generation                 | the closed row                      |
| sep-2 | of nothing  | September's generation                 | the closed row, until the next one  |
| oct-1 | not removed | superseded, valid and next generation  | the row of the valid one            |
| oct-2 | later       | superseded, valid and next generation  | the row of the valid one            |
| oct-3 | yes         | next generation                        | the open row: October is open       |
|       |             |                                        | from the 31st                       |
| oct-9 | none        | a generation that was never announced  | none                                |
| nov-1 | yes         | none                                   | the open row                        |
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest
from benched_store import deployed_paths, reach_back_a_year
from counting_store import CountingStore
from engines import Answer, Engines, differences
from trino_distribution import fetch
from trino_server import TrinoServer

from lab.aws.athena.tables import declared_columns, duckdb_type
from lab.runner.deployment import deploy, describe_deployment
from lab.runner.embedded_aws import embedded_aws

TABLES = ("runs", "pairs", "measurements")
# How far runs look back: domain/tables/query-text.ts.
LOOK_BACK_DAYS = 178
MONTHS = [
    {"month": "2026-01", "generation": "a", "until": "2026-01-31", "valid_from": "2026-02-01T00:10:00.000Z"},
    {"month": "2026-09", "generation": "a", "until": "2026-09-30", "valid_from": "2026-10-01T00:10:00.000Z"},
    {
        "month": "2026-10",
        "generation": "b",
        "until": "2026-10-29",
        "valid_from": "2026-10-30T00:10:00.000Z",
        "valid_to": "2026-10-31T00:10:00.000Z",
    },
    {
        "month": "2026-10",
        "generation": "c",
        "until": "2026-10-30",
        "valid_from": "2026-10-31T00:10:00.000Z",
        "valid_to": "2999-01-01T00:10:00.000Z",
    },
    {"month": "2026-10", "generation": "d", "until": "2026-10-31", "valid_from": "2999-01-01T00:10:00.000Z"},
]
DAYS = {
    "jan-1": 115,
    "sep-1": 905,
    "sep-2": 920,
    "oct-1": 1005,
    "oct-2": 1020,
    "oct-3": 1031,
    "oct-9": 1009,
    "nov-1": 1110,
}
# A generation has two objects for its month, as one with many rows.
CLOSED = {
    "2026-01": {"a": (["jan-1"],)},
    "2026-09": {"a": (["sep-1"], ["sep-2"])},
    "2026-10": {
        "b": (["oct-1"], ["oct-2"]),
        "c": (["oct-1"], ["oct-2"]),
        "d": (["oct-1", "oct-2"], ["oct-3"]),
        "never": (["oct-9"], ["oct-1"]),
    },
}
OPEN = ["oct-1", "oct-2", "oct-3", "nov-1"]
EXPECTED = [
    *(["jan-1", "a"], ["nov-1", "open"], ["oct-1", "c"], ["oct-2", "c"], ["oct-3", "open"]),
    *(["sep-1", "a"], ["sep-2", "a"]),
]


def day_of(run_id: str) -> date:
    return date(2026, DAYS[run_id] // 100, DAYS[run_id] % 100)


def row_of(run_id: str, origin: str) -> dict[str, Any]:
    """Where the row is from is in a column that all three tables have."""
    row = {"run_id": run_id, "plan_name": origin, "pair_id": "p0001", "measurement_id": "p0001-m01"}
    witnesses = [{"name": "series", "agrees": True, "detail": run_id}, {"name": "counters", "agrees": False}]
    return row | {"witnesses": witnesses, "stream_bits_per_second": [1.5, 2.5], "warnings": ["a", "b"]}


@dataclass(frozen=True)
class Store:
    engines: Engines
    objects: CountingStore


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with embedded_aws(deployed_paths(tmp_path_factory.mktemp("lab")), with_hosts=False) as aws:
        deploy(aws)
        deployment = describe_deployment(aws)
        folder = tmp_path_factory.mktemp("objects")
        glue = aws.session.client("glue", endpoint_url=aws.endpoint_url)
        # The first projected year is found whatever the steps to the next ones are, so the rows must be of another one.
        reach_back_a_year(glue, deployment.database)
        for table in TABLES:
            definition = glue.get_table(DatabaseName=deployment.database, Name=f"closed_{table}")["Table"]
            write_table(folder, table, definition)
        write_lines(folder / "closed_months/months.ndjson", MONTHS)
        for file in sorted(folder.rglob("*.*")):
            aws.s3.put_object(Bucket=deployment.bucket, Key=str(file.relative_to(folder)), Body=file.read_bytes())
        with (
            CountingStore(folder, deployment.bucket) as objects,
            TrinoServer(fetch(), tmp_path_factory.mktemp("trino"), aws, deployment, store_url=objects.url) as trino,
        ):
            yield Store(Engines(aws, deployment, trino), objects)


def write_table(folder: Path, table: str, closed: dict[str, Any]) -> None:
    suffix = ".ndjson" if table == "runs" else ".ndjson.gz"
    columns = {name: kind for name, kind in declared_columns(closed).items() if name not in ("year", "month_of_year")}
    kept = lambda row: {name: value for name, value in row.items() if name in columns}  # noqa: E731
    for run_id in OPEN:
        write_lines(folder / f"{table}/day={day_of(run_id)}/{run_id}{suffix}", [kept(row_of(run_id, "open"))])
    write_lines(folder / f"{table}/day={day_of('sep-2')}/sep-2{suffix}", [])
    for month, generations in CLOSED.items():
        for generation, pieces in generations.items():
            for piece, run_ids in enumerate(pieces):
                facts = {"generation": generation}
                rows = [row_of(one, generation) | facts | {"day": str(day_of(one))} for one in run_ids]
                file = folder / f"closed/{table}/month={month}/{generation}.{piece:04d}.parquet"
                write_parquet(file, [kept(row) for row in rows], columns)


def write_lines(file: Path, rows: list[dict[str, Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    file.write_bytes(gzip.compress(lines) if file.suffix == ".gz" else lines)


def write_parquet(file: Path, rows: list[dict[str, Any]], columns: dict[str, str]) -> None:
    lines = file.with_suffix(".json")
    write_lines(lines, rows)
    types = ", ".join(f"'{name}': '{duckdb_type(kind)}'" for name, kind in columns.items())
    source = f"read_json('{lines}', format = 'newline_delimited', columns = {{{types}}})"
    duckdb.execute(f"COPY (SELECT * FROM {source}) TO '{file}' (FORMAT parquet)")
    lines.unlink()


def ask_both(store: Store, sql: str) -> Answer:
    answer, types = store.engines.ask_trino(sql)
    assert differences(answer, store.engines.ask_lab(sql, types)) == []
    return answer


@pytest.mark.parametrize("table", [*TABLES, "verdicts"])
def test_each_run_is_seen_once(store: Store, table: str) -> None:
    assert ask_both(store, f"SELECT run_id, plan_name FROM {table} ORDER BY 1, 2").rows == EXPECTED
    days = ask_both(store, f"SELECT run_id, day FROM {table} ORDER BY 1").rows
    assert days == [[run_id, day_of(run_id)] for run_id, _ in EXPECTED]


def test_arrays_are_the_same_from_lines_and_from_parquet(store: Store) -> None:
    sql = (
        "SELECT run_id, array_join(transform(witnesses, w -> w.name), ' ') AS names, "
        "cardinality(filter(witnesses, w -> w.agrees)) AS agreeing, stream_bits_per_second[2] AS second_stream, "
        "warnings[2] AS second_warning FROM measurements ORDER BY 1"
    )
    assert ask_both(store, sql).rows == [[run_id, "series counters", 1, 2.5, "b"] for run_id, _ in EXPECTED]


@pytest.mark.parametrize(
    ("condition", "found", "open_days"),
    [
        ("day = date '2026-11-10'", ["nov-1"], {"2026-11-10"}),
        ("day >= date '2026-11-01'", ["nov-1"], {"2026-11-10"}),
        ("day BETWEEN date '2026-09-01' AND date '2026-09-10'", ["sep-1"], set()),
        ("day BETWEEN date '2026-09-30' AND date '2026-10-05'", ["oct-1"], {"2026-10-05"}),
        ("day >= date '2026-11-10' - interval '1' day * 20", ["nov-1", "oct-3"], {"2026-10-31", "2026-11-10"}),
    ],
)
@pytest.mark.parametrize("table", TABLES)
def test_a_question_reads_the_open_rows_of_its_days_and_each_closed_object_at_most_once(
    store: Store, table: str, condition: str, found: list[str], open_days: set[str]
) -> None:
    sql = f"SELECT run_id FROM {table} WHERE {condition} ORDER BY 1"
    with store.objects.counted() as requests:
        answer, _ = store.engines.ask_trino(sql)
    assert [run_id for (run_id,) in answer.rows] == found
    assert {key.split("/")[1] for key in requests.keys if key.startswith(f"{table}/")} == {
        f"day={day}" for day in open_days
    }
    assert {key.split("/")[0] for key in requests.keys} <= {table, "closed", "closed_months"}
    assert requests.gets["closed"] <= sum(key.startswith(f"closed/{table}/") for key in store.objects.keys)
    assert requests.gets["closed_months"] <= 2


@pytest.mark.parametrize("days", [1, 90, LOOK_BACK_DAYS])
@pytest.mark.parametrize("table", TABLES)
def test_a_question_on_the_last_days_does_not_even_list_what_is_older(store: Store, table: str, days: int) -> None:
    """January is older than that, whenever this runs."""
    asked = (
        f"WITH params AS (SELECT CAST({days} AS integer) AS days) SELECT run_id FROM {table} CROSS JOIN params AS p "
    )
    with store.objects.counted() as requests:
        store.engines.ask_trino(f"{asked} WHERE day >= current_date - interval '1' day * p.days")
    assert not any("month=2026-01" in key for key in requests.keys)
    # A day of open rows each, and at most seven months.
    assert requests.lists <= days + 1 + 7 + 1
    with store.objects.counted() as requests:
        answer, _ = store.engines.ask_trino(f"{asked} WHERE day >= date '2026-01-01' AND p.days = {days} ORDER BY 1")
    assert [run_id for (run_id,) in answer.rows] == [run_id for run_id, _ in EXPECTED]
    assert any("month=2026-01" in key for key in requests.keys)


@pytest.mark.parametrize("view", [*TABLES, "verdicts", "series"])
def test_a_view_runs_with_the_permissions_of_whoever_asks(store: Store, view: str) -> None:
    """A stock Trino refuses a view that is to run with those of its owner, and has none."""
    ((created,),) = store.engines.ask_trino(f"SHOW CREATE VIEW {view}")[0].rows
    assert "SECURITY INVOKER" in created
