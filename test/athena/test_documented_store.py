"""A store that is written with the documents alone, and what the saved queries answer over it on both engines."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from bench_store import QUERIES, with_parameters
from benched_store import TODAY, deployed_paths
from documented_answers import ANSWERS, chosen_series
from documented_schema import documented_tables
from documented_store import FALL_SECOND, RUNS, Store, generated_store
from engines import Answer, Engines, differences
from trino_distribution import fetch
from trino_server import TrinoServer

from lab.runner.deployment import deploy, describe_deployment
from lab.runner.embedded_aws import embedded_aws


@pytest.fixture(scope="module")
def store() -> Store:
    return generated_store(TODAY)


@pytest.fixture(scope="module")
def both(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engines]:
    """The engines over the generated objects, in the deployed tables."""
    work_dir = tmp_path_factory.mktemp("documented")
    with embedded_aws(deployed_paths(work_dir), with_hosts=False) as aws:
        deploy(aws)
        deployment = describe_deployment(aws)
        for key, body in store.objects().items():
            aws.s3.put_object(Bucket=deployment.bucket, Key=key, Body=body)
        with TrinoServer(fetch(), work_dir / "trino", aws, deployment) as trino:
            yield Engines(aws, deployment, trino)


def over_the_store(store: Store, name: str) -> str:
    """The query with the parameters that name something of the store."""
    chosen = chosen_series(store)
    values = {
        "series-of-one-measurement": {
            "day": f"date '{chosen['day']}'",
            "run_id": f"'{chosen['run_id']}'",
            "measurement_id": f"'{chosen['measurement_id']}'",
        },
        "live-throughput": {"run_id": "'written-now'", "days": "2"},
    }
    return with_parameters(name, **values.get(name, {}))


def ask_both(both: Engines, sql: str) -> Answer:
    answer, types = both.ask_trino(sql)
    assert differences(answer, both.ask_lab(sql, types)) == []
    return answer


def test_every_saved_query_has_an_answer_that_was_computed_without_it() -> None:
    assert set(ANSWERS) == set(QUERIES)


@pytest.mark.parametrize("name", QUERIES)
def test_a_saved_query_is_right_over_a_store_that_the_documents_describe(
    both: Engines, store: Store, name: str
) -> None:
    expected = ANSWERS[name](store)
    rows = of_figure(ask_both(both, over_the_store(store, name)).as_dicts(), expected.figures)
    found = {tuple(row[column] for column in expected.key): row for row in rows}
    assert len(found) == len(rows)
    assert set(found) == set(expected.figures) != set()
    for key, figures in expected.figures.items():
        assert {column: found[key][column] for column in figures} == pytest.approx(figures), key
    if name == "throttle-screen":
        assert all(abs(row["onset_seconds"] - FALL_SECOND) <= 1.5 for row in rows if row["is_throttled"])


def of_figure(rows: list[dict[str, Any]], figures: dict[tuple[object, ...], Any]) -> list[dict[str, Any]]:
    """The atlas has a row for each figure, of which one is computed."""
    names = {name for key in figures for name in key if isinstance(name, str) and name.endswith("_per_second")}
    return [row for row in rows if row.get("figure") in names] if rows and "figure" in rows[0] else rows


def test_the_lab_reads_one_object_for_the_series_of_one_measurement(both: Engines, store: Store) -> None:
    chosen = chosen_series(store)
    named = f"run_id = '{chosen['run_id']}' AND measurement_id = '{chosen['measurement_id']}'"
    of_one = bytes_read_in_the_lab(both, f"SELECT * FROM measurement_series WHERE {named}")
    (size,) = (
        len(body)
        for key, body in store.objects().items()
        if key == store.tables["measurement_samples"].object_of(chosen)
    )
    assert of_one == size
    assert bytes_read_in_the_lab(both, f"SELECT * FROM series WHERE day = date '{chosen['day']}' AND {named}") > size


def bytes_read_in_the_lab(both: Engines, sql: str) -> int:
    athena, deployment = both.aws.athena, both.deployment
    execution = athena.start_query_execution(
        QueryString=sql, QueryExecutionContext={"Database": deployment.database}, WorkGroup=deployment.workgroup
    )
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        found = athena.get_query_execution(QueryExecutionId=execution["QueryExecutionId"])["QueryExecution"]
        if found["Status"]["State"] == "SUCCEEDED":
            scanned: int = found["Statistics"]["DataScannedInBytes"]
            return scanned
        assert found["Status"]["State"] in ("QUEUED", "RUNNING"), found["Status"]
        time.sleep(0.1)
    raise TimeoutError(sql)


@pytest.mark.parametrize("table", ["measurements", "pairs", "runs", "samples", "live_measurements"])
def test_no_row_is_lost(both: Engines, store: Store, table: str) -> None:
    answer = ask_both(
        both, f"SELECT count(*) AS n FROM {table} WHERE day >= date '{TODAY}' - interval '{3 * RUNS}' day"
    )
    stored = table if table in store.rows else f"open_{table}"
    assert answer.rows == [[len(store.rows[stored])]]


def test_the_keys_of_the_document_are_unique(store: Store) -> None:
    for name, rows in store.rows.items():
        key = documented_tables()[name].key
        assert len({tuple(row.get(column) for column in key) for row in rows}) == len(rows), name


@pytest.mark.parametrize(
    ("row", "error"),
    [
        ({"verdict_kind": "sudden"}, "measurements.verdict_kind: must be one of steady, .*, got 'sudden'"),
        ({"client_tpye": "c5.large"}, "must have documented columns only, got client_tpye"),
        ({"onset_seconds": "30"}, "measurements.onset_seconds: must be a double, got '30'"),
        ({"witnesses": [{"name": "series", "agrees": 1}]}, "measurements.witnesses.agrees: must be a boolean, got 1"),
    ],
)
def test_a_row_that_is_not_as_documented_is_refused(row: dict[str, Any], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        documented_tables()["measurements"].stored(row)


def test_the_document_lists_all_tables_and_views(both: Engines) -> None:
    glue = both.aws.session.client("glue", endpoint_url=both.aws.endpoint_url)
    tables = glue.get_tables(DatabaseName=both.deployment.database)["TableList"]
    documented = documented_tables()
    assert {table["Name"] for table in tables} == set(documented)
    for table in tables:
        declared = [*table.get("PartitionKeys", []), *table["StorageDescriptor"]["Columns"]]
        found = {column["Name"]: column["Type"] for column in declared}
        assert found == {column.name: column.type for column in documented[table["Name"]].columns.values()}
        location = re.sub(r"\$\{(\w+)\}", r"<\1>", table.get("Parameters", {}).get("storage.location.template", ""))
        assert documented[table["Name"]].objects.startswith(location.partition(f"{both.deployment.bucket}/")[2])
