"""What the product's own closing writes, real Trino and the lab read as they read the lines that it was made of.

Each table has three rows twice: in runs of a day that is closed, and in open ones of today. One has a value in each
column, one is NULL in all that may be, and one has empty arrays. Of `runs` there is also a closed row of a version that
did not have the answer yet.
"""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from benched_store import TODAY, deployed_paths, reach_back_a_year
from counting_store import CountingStore
from documented_schema import fields_of
from engines import Answer, Engines, differences
from trino_distribution import fetch
from trino_server import TrinoServer

from lab.aws.athena.tables import declared_columns
from lab.runner.deployment import deploy, describe_deployment
from lab.runner.embedded_aws import embedded_aws
from lab.runner.paths import REPOSITORY

TABLES = {"runs": ".ndjson", "pairs": ".ndjson.gz", "measurements": ".ndjson.gz"}
# Closed at the begin of yesterday: a generation counts ten minutes after it was listed, also soon after midnight.
CLOSED_ON = TODAY - timedelta(days=1)
DAYS = {"closed": TODAY - timedelta(days=2), "open": TODAY}
OLDER = "d-older"
SCALARS = {"string": "straße, 'a'\n", "bigint": 9_007_199_254_740_991, "double": 0.1, "boolean": False}


def value_of(kind: str) -> Any:
    """A value of a Hive type; a struct comes twice in its array, the second time with its first field alone."""
    if not kind.startswith("array<"):
        return SCALARS[kind]
    content = kind.removeprefix("array<")[:-1]
    if not content.startswith("struct<"):
        return [SCALARS[content], SCALARS[content]]
    whole = {name: value_of(of) for name, of in fields_of(content).items()}
    return [whole, dict(list(whole.items())[:1])]


def rows_of(columns: dict[str, str]) -> dict[str, dict[str, Any]]:
    """By the end of their run's name."""
    return {
        "a-full": {name: value_of(kind) for name, kind in columns.items()},
        "b-null": {},
        "c-empty": {name: [] for name, kind in columns.items() if kind.startswith("array<")},
    }


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engines, dict[str, dict[str, str]]]]:
    with embedded_aws(deployed_paths(tmp_path_factory.mktemp("lab")), with_hosts=False) as aws:
        deploy(aws)
        deployment = describe_deployment(aws)
        glue = aws.session.client("glue", endpoint_url=aws.endpoint_url)
        reach_back_a_year(glue, deployment.database)
        folder = tmp_path_factory.mktemp("objects")
        columns = {}
        for table, suffix in TABLES.items():
            definition = glue.get_table(DatabaseName=deployment.database, Name=f"open_{table}")["Table"]
            columns[table] = {name: kind for name, kind in declared_columns(definition).items() if name != "day"}
            for state, day in DAYS.items():
                for name, row in rows_of(columns[table]).items():
                    write_row(folder / table / f"day={day}" / f"{name}-{state}{suffix}", row | {"run_id": name})
        command = ["node_modules/.bin/tsx", "test/athena/close-store.ts", str(folder), CLOSED_ON.isoformat()]
        subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL, check=True)
        assert not any(folder.glob(f"*/day={DAYS['closed']}/*"))
        add_older_row(folder)
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            aws.s3.put_object(Bucket=deployment.bucket, Key=str(file.relative_to(folder)), Body=file.read_bytes())
        with (
            CountingStore(folder, deployment.bucket) as objects,
            TrinoServer(fetch(), tmp_path_factory.mktemp("trino"), aws, deployment, store_url=objects.url) as trino,
        ):
            yield Engines(aws, deployment, trino), columns


def add_older_row(folder: Path) -> None:
    """A run whose closed object lacks the column of the answer."""
    (newer,) = folder.glob("closed/runs/month=*/*.parquet")
    older = f"SELECT * EXCLUDE (answers) REPLACE ('{OLDER}' AS run_id) FROM '{newer}' WHERE run_id = 'a-full'"
    duckdb.execute(f"COPY ({older}) TO '{newer.with_name('older.parquet')}' (FORMAT parquet)")


def ask_both(engines: Engines, sql: str) -> Answer:
    answer, types = engines.ask_trino(sql)
    assert differences(answer, engines.ask_lab(sql, types)) == []
    return answer


def write_row(file: Path, row: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    line = f"{json.dumps(row)}\n".encode()
    file.write_bytes(gzip.compress(line) if file.suffix == ".gz" else line)


@pytest.mark.parametrize("table", TABLES)
def test_closed_rows_are_the_open_ones_in_every_column(
    closed: tuple[Engines, dict[str, dict[str, str]]], table: str
) -> None:
    engines, columns = closed
    arrays = [name for name, kind in columns[table].items() if kind.startswith("array<")]
    rows = {}
    for state, day in DAYS.items():
        asked = f"FROM {table} WHERE day = date '{day}' AND run_id <> '{OLDER}' ORDER BY run_id"
        rows[state] = engines.ask_trino(f"SELECT {', '.join(columns[table])} {asked}")[0].as_dicts()
        # The lab shows arrays as text, as Athena does, so that they are compared by their parts.
        plain = [name for name in columns[table] if name not in arrays]
        parts = [*plain, *(f"cardinality({name}) AS {name}" for name in arrays)]
        ask_both(engines, f"SELECT {', '.join(parts)} {asked}")
    assert rows["closed"] == rows["open"]
    full, null, empty = rows["closed"]
    assert [name for name, value in full.items() if value is None] == []
    assert [name for name, value in null.items() if value is not None] == ["run_id"]
    found = {name: value for name, value in empty.items() if value is not None}
    assert found == {name: [] for name in arrays} | {"run_id": "c-empty"}


@pytest.mark.parametrize("table", TABLES)
def test_the_closed_day_is_a_date(closed: tuple[Engines, dict[str, dict[str, str]]], table: str) -> None:
    engines, _ = closed
    days = ask_both(engines, f"SELECT DISTINCT day FROM {table} ORDER BY day").rows
    assert days == [[DAYS["closed"]], [DAYS["open"]]]


def test_a_run_without_an_answer_has_no_row_of_answers(closed: tuple[Engines, dict[str, dict[str, str]]]) -> None:
    engines, _ = closed
    asked = "SELECT run_id, answers IS NULL AS is_missing FROM runs WHERE run_id <> 'a-full' ORDER BY run_id, day"
    of_both_days = [[name, is_missing] for name, is_missing in (("b-null", True), ("c-empty", False)) for _ in DAYS]
    assert ask_both(engines, asked).rows == [*of_both_days, [OLDER, True]]
    rows = ask_both(engines, "SELECT run_id, day, position, question, label FROM answers ORDER BY day, position").rows
    text = SCALARS["string"]
    # The second struct of an array has its first field alone.
    of_a_run = [(1, text, text), (2, text, None)]
    assert rows == [["a-full", day, *of_row] for day in DAYS.values() for of_row in of_a_run]
