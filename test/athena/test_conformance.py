"""Every named query on real Trino, which Athena engine 3 is built on, and on the lab's Athena: the same rows."""

from __future__ import annotations

import pytest
from engines import Answer, Engines, differences

from lab.runner.paths import REPOSITORY

QUERIES = {path.stem: path.read_text() for path in sorted((REPOSITORY / "queries").glob("*.sql"))}
TABLES = ["live_samples", "measurements", "runs", "samples"]


def test_it_is_trino_that_answers(engines: Engines) -> None:
    assert engines.ask_trino("SELECT version()")[0].rows == [["476"]]


def test_the_named_queries_are_the_deployed_ones(engines: Engines) -> None:
    athena = engines.aws.client("athena")
    ids = athena.list_named_queries(WorkGroup=engines.deployment.workgroup)["NamedQueryIds"]
    deployed = [athena.get_named_query(NamedQueryId=query_id)["NamedQuery"] for query_id in ids]
    assert {query["Name"]: query["QueryString"] for query in deployed} == QUERIES


@pytest.mark.parametrize("table", TABLES)
def test_both_read_all_rows_of_a_table(engines: Engines, table: str) -> None:
    answer, differing = ask_both(engines, f"SELECT day, run_id, count(*) AS n FROM {table} GROUP BY 1, 2 ORDER BY 1, 2")
    assert differing == []
    runs = {row["run_id"]: row["n"] for row in answer.as_dicts()}
    assert "burst-of-c5-20261120" in runs
    assert any(run.startswith("lab-") for run in runs)
    if table == "measurements":
        assert runs["detection-benchmark"] == 222


@pytest.mark.parametrize("name", QUERIES)
def test_a_named_query_gives_the_same_rows(engines: Engines, name: str) -> None:
    answer, differing = ask_both(engines, QUERIES[name])
    assert differing == []
    assert answer.rows


def ask_both(engines: Engines, sql: str) -> tuple[Answer, list[str]]:
    """Trino's answer, and in what the lab's differs from it."""
    answer, types = engines.ask_trino(sql)
    return answer, differences(answer, engines.ask_lab(sql, types))
