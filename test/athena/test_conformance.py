"""Every named query on real Trino, which Athena engine 3 is built on, and on the lab's Athena: the same rows."""

from __future__ import annotations

import pytest
from engines import ROW_DAY, Answer, Engines, differences
from screen_score import benchmark_truth, score
from trino.exceptions import TrinoUserError

from lab.runner import LabError
from lab.runner.paths import REPOSITORY

QUERIES = {path.stem: path.read_text() for path in sorted((REPOSITORY / "queries").glob("*.sql"))}
TABLES = ["live_measurements", "live_samples", "measurements", "pairs", "runs", "samples"]


def test_it_is_trino_that_answers(engines: Engines) -> None:
    assert engines.ask_trino("SELECT version()")[0].rows == [["476"]]


def test_the_named_queries_are_the_deployed_ones(engines: Engines) -> None:
    athena = engines.aws.athena
    ids = athena.list_named_queries(WorkGroup=engines.deployment.workgroup)["NamedQueryIds"]
    deployed = [athena.get_named_query(NamedQueryId=query_id)["NamedQuery"] for query_id in ids]
    assert {query["Name"]: query["QueryString"] for query in deployed} == QUERIES


@pytest.mark.parametrize("table", TABLES)
def test_both_read_all_rows_of_a_table(engines: Engines, table: str) -> None:
    recent = "day >= current_date - interval '2' day"
    # A query on live samples must name its runs.
    runs_named = "AND run_id IN ('burst-of-c5-20261120', 'none')" if table == "live_samples" else ""
    sql = f"SELECT day, run_id, count(*) AS n FROM {table} WHERE {recent} {runs_named} GROUP BY 1, 2 ORDER BY 1, 2"
    answer, differing = ask_both(engines, sql)
    assert differing == []
    runs = {row["run_id"]: row["n"] for row in answer.as_dicts()}
    if table == "live_measurements":
        # The other runs have ended, which removes their rows here.
        assert runs == {"still-running": 1}
        return
    assert "burst-of-c5-20261120" in runs
    if table == "live_samples":
        assert set(runs) == {"burst-of-c5-20261120"}
        return
    assert any(run.startswith("lab-") for run in runs)
    if table == "measurements":
        assert runs["detection-benchmark"] == 222


@pytest.mark.parametrize("name", QUERIES)
def test_a_named_query_gives_the_same_rows(engines: Engines, name: str) -> None:
    # One of them looks back one day, and after midnight the made-up rows are of the day before yesterday.
    sql = QUERIES[name].replace(" 1 AS days", " 2 AS days")
    sql = sql.replace("'name-of-your-run' AS run_id", "'burst-of-c5-20261120' AS run_id")
    answer, differing = ask_both(engines, sql)
    assert differing == []
    assert answer.rows


def test_the_screen_reaches_its_figures_on_the_benchmark(engines: Engines) -> None:
    answer, _ = engines.ask_trino(QUERIES["throttle-screen"])
    rows = [row for row in answer.as_dicts() if row["run_id"] == "detection-benchmark"]
    screened = {row["measurement_id"]: row for row in rows}
    assert len(screened) == len(rows) == 222
    reached = score(screened, benchmark_truth())
    assert reached.f1 >= 0.95
    assert reached.f1_placed >= 0.95


@pytest.mark.parametrize("seconds", [0.1, 1.0])
def test_the_screen_takes_a_series_of_more_samples_than_a_sequence(engines: Engines, seconds: float) -> None:
    made_up = f"""
        WITH samples AS (
          SELECT 'r' AS run_id, 'm' AS measurement_id, 'forward' AS direction, 'throughput' AS metric, 'sum' AS stream,
            current_date AS day, {seconds}e0 AS length_seconds, {seconds}e0 * (100 * t.x + u.x) AS start_seconds,
            CASE WHEN t.x < 60 THEN 5e9 ELSE 1e9 END AS throughput_bits_per_second
          FROM UNNEST(sequence(0, 119)) AS t (x)
          CROSS JOIN UNNEST(sequence(0, 99)) AS u (x)
        ),
        measurements AS (
          SELECT 'r' AS run_id, 'm' AS measurement_id, 'c5.large' AS client_type, 'c5.large' AS server_type,
            current_date AS day, 'forward' AS verdict_direction, 'steady' AS verdict_kind, NULL AS verdict_cause,
            1e0 AS onset_seconds
        ),
        params AS ("""
    screen = QUERIES["throttle-screen"]
    assert screen.count("WITH params AS (") == 1
    answer, differing = ask_both(engines, screen.replace("WITH params AS (", made_up))
    assert differing == []
    (row,) = answer.as_dicts()
    assert row["measured_seconds"] == 12_000 * seconds
    assert row["onset_seconds"] == pytest.approx(6000 * seconds, abs=0.1)


@pytest.mark.parametrize(
    ("run_id", "measurement_id", "row_count"),
    [("burst-of-c5-20261120", "p0001-m02", 180), ("detection-benchmark", "p0000-m01", 1796)],
)
def test_a_chosen_series_is_the_same(engines: Engines, run_id: str, measurement_id: str, row_count: int) -> None:
    answer, differing = ask_both(engines, series_of_one(run_id, measurement_id))
    assert differing == []
    assert len(answer.rows) == row_count
    columns = ["throughput_bits_per_second", *answer.columns]
    shown = ", ".join(name for name in columns if name not in ("throughput_gbits_per_second", "level"))
    of_view, differing = ask_both(
        engines,
        f"SELECT {shown} FROM series WHERE day = date '{ROW_DAY}' AND run_id = '{run_id}' "
        f"AND measurement_id = '{measurement_id}' ORDER BY direction, second",
    )
    assert differing == []
    for row, expected in zip(answer.as_dicts(), of_view.as_dicts(), strict=True):
        assert row.pop("level") in ("burst", "baseline")
        assert row.pop("throughput_gbits_per_second") == round(expected["throughput_bits_per_second"] / 1e9, 4)
        assert row == {name: expected[name] for name in row}


@pytest.mark.parametrize(("run_id", "measurement_id"), [("nosuch", "p0001-m02"), ("burst-of-c5-20261120", "p9999-m01")])
def test_an_unknown_measurement_has_no_series(engines: Engines, run_id: str, measurement_id: str) -> None:
    answer, differing = ask_both(engines, series_of_one(run_id, measurement_id))
    assert (answer.rows, differing) == ([], [])


@pytest.mark.parametrize("condition", ["", "WHERE run_id = 'burst-of-c5-20261120'"])
def test_both_refuse_a_query_that_names_no_measurement(engines: Engines, condition: str) -> None:
    sql = f"SELECT count(*) FROM measurement_samples {condition}"
    with pytest.raises(TrinoUserError, match="Injected projection requires single predicate"):
        engines.ask_trino(sql)
    with pytest.raises(LabError, match="CONSTRAINT_VIOLATION: For the injected projected partition column"):
        engines.ask_lab(sql, [])


def series_of_one(run_id: str, measurement_id: str) -> str:
    sql = QUERIES["series-of-one-measurement"]
    values = {
        "CAST(NULL AS date) AS day": f"date '{ROW_DAY}' AS day",
        "'burst-of-c5-20261120' AS run_id": f"'{run_id}' AS run_id",
        "'p0001-m02' AS measurement_id": f"'{measurement_id}' AS measurement_id",
    }
    for default, value in values.items():
        assert default in sql
        sql = sql.replace(default, value)
    return sql


def test_the_lab_run_is_among_the_onsets(engines: Engines) -> None:
    answer, _ = ask_both(engines, QUERIES["throttle-onsets"])
    (row,) = [row for row in answer.as_dicts() if row["run_id"].startswith("lab-")]
    assert row["client_type"] == "c5.large"
    assert row["onset_seconds"] == pytest.approx(13.4, abs=2)


def test_a_query_that_trino_refuses_fails(engines: Engines) -> None:
    with pytest.raises(TrinoUserError, match="Column 'onset_minutes' cannot be resolved"):
        engines.ask_trino("SELECT onset_minutes FROM measurements")


def ask_both(engines: Engines, sql: str) -> tuple[Answer, list[str]]:
    """Trino's answer, and in what the lab's differs from it."""
    answer, types = engines.ask_trino(sql)
    return answer, differences(answer, engines.ask_lab(sql, types))
