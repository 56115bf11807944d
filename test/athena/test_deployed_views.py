"""The deployed views on real Trino and on the lab's Athena: the same rows, the declared types, and few reads."""

from __future__ import annotations

import json
import math

import pytest
from engines import ROW_DAY, Engines
from questions import questions
from test_conformance import ask_both, series_of_one

from lab.runner.paths import REPOSITORY

VIEWS = {path.stem: path.read_text() for path in sorted((REPOSITORY / "views").glob("*.sql"))}
RECENT = "day >= current_date - interval '2' day"
IN_ORDER = {
    "verdicts": f"SELECT * FROM verdicts WHERE {RECENT} ORDER BY run_id, measurement_id",
    # Half a million seconds of the benchmark would go through the lab's API page by page.
    "series": f"SELECT * FROM series WHERE {RECENT} AND run_id <> 'detection-benchmark' "
    "ORDER BY run_id, measurement_id, direction, second",
}
# The metric of a measurement's own series, of which each measurement has one.
MEASURED = ("throughput", "packets")
OF_ONE = f"day = date '{ROW_DAY}' AND run_id = 'burst-of-c5-20261120' AND measurement_id = 'p0001-m02'"


@pytest.mark.parametrize("name", IN_ORDER)
def test_a_view_gives_the_same_rows(engines: Engines, name: str) -> None:
    answer, differing = ask_both(engines, IN_ORDER[name])
    assert differing == []
    runs = {row["run_id"] for row in answer.as_dicts()}
    assert "burst-of-c5-20261120" in runs
    assert any(run.startswith("lab-") for run in runs)


def test_the_benchmark_s_series_have_the_same_sums(engines: Engines) -> None:
    sql = f"""
        SELECT measurement_id, count(*) AS seconds, round(sum(throughput_bits_per_second)) AS bits, max(second) AS last
        FROM series WHERE {RECENT} AND run_id = 'detection-benchmark' GROUP BY 1 ORDER BY 1
    """
    answer, differing = ask_both(engines, sql)
    assert differing == []
    assert len(answer.rows) == 222


@pytest.mark.parametrize("name", VIEWS)
def test_the_columns_are_declared_with_the_types_that_trino_gives_them(engines: Engines, name: str) -> None:
    declared = engines.ask_trino(f"SELECT * FROM {name} LIMIT 0")
    found = engines.ask_trino(f"SELECT * FROM ({VIEWS[name]}) LIMIT 0")
    assert list(zip(declared[0].columns, declared[1], strict=True)) == list(
        zip(found[0].columns, found[1], strict=True)
    )


def test_every_question_of_the_data_model_is_a_few_lines_and_gives_the_same_rows(engines: Engines) -> None:
    asked = questions()
    assert len(asked) == 10
    for question, sql in asked.items():
        assert len(sql.strip().splitlines()) <= 5, question
        answer, differing = ask_both(engines, sql)
        assert differing == [], question
        assert answer.rows, question


def test_no_counter_of_the_lab_run_is_in_a_wrong_second(engines: Engines) -> None:
    run = f"{RECENT} AND run_id LIKE 'lab-%'"
    counted, _ = engines.ask_trino(
        "SELECT measurement_id, host_role, start_seconds, length_seconds, sent_bits_per_second FROM samples "
        f"WHERE {run} AND metric = 'interface' ORDER BY start_seconds"
    )
    series, _ = engines.ask_trino(
        "SELECT measurement_id, second, client_sent_bits_per_second AS client, server_sent_bits_per_second AS server "
        f"FROM series WHERE {run} ORDER BY second"
    )
    expected: dict[tuple[str, int, str], list[float]] = {}
    for row in counted.as_dicts():
        second = math.floor(row["start_seconds"] + row["length_seconds"] / 2)
        expected.setdefault((row["measurement_id"], second, row["host_role"]), []).append(row["sent_bits_per_second"])
    wrong = [
        (row, role)
        for row in series.as_dicts()
        for role in ("client", "server")
        if row[role] != pytest.approx(mean(expected.get((row["measurement_id"], row["second"], role))))
    ]
    assert wrong == []
    assert len(series.rows) >= 45


def mean(values: list[float] | None) -> float | None:
    return None if values is None else sum(values) / len(values)


@pytest.mark.parametrize(
    ("columns", "metrics"),
    [
        ("second, throughput_bits_per_second", {*MEASURED}),
        ("second, retransmits", {*MEASURED, "sent_throughput"}),
        ("second, client_bw_out_allowance_exceeded", {*MEASURED, "allowance"}),
        ("second, client_cpu_pressure_percent, server_steal_cpu_percent", {*MEASURED, "tool_cpu"}),
        ("at, server_user_cpu_percent, rtt_max_micros", {"open_measurements", *MEASURED, "tool_cpu", "round_trip"}),
        ("client_sent_bits_per_second", {*MEASURED, "interface"}),
    ],
)
def test_a_query_on_the_series_reads_one_day_of_the_metrics_that_it_shows(
    engines: Engines, columns: str, metrics: set[str]
) -> None:
    reads = planned_reads(engines, f"SELECT {columns} FROM series WHERE {OF_ONE}")
    assert {name for table, found, _ in reads for name in found or [table]} == metrics
    assert {day for _, _, day in reads} == {(str(ROW_DAY), str(ROW_DAY))}
    # Both metrics of which a measurement has one are read together.
    assert len(reads) == len(metrics) - 1


def test_the_named_query_reads_one_measurement_s_samples_and_one_day(engines: Engines) -> None:
    reads = planned_reads(engines, series_of_one("burst-of-c5-20261120", "p0001-m02"))
    assert sorted(table for table, _, _ in reads) == ["measurement_samples", "open_measurements"]
    assert [day is None for _, _, day in sorted(reads)] == [True, False]


def test_a_query_on_the_verdicts_reads_each_table_once(engines: Engines) -> None:
    reads = planned_reads(engines, f"SELECT * FROM verdicts WHERE {RECENT}")
    assert sorted(table for table, _, _ in reads) in (
        ["live_measurements", "open_measurements"],
        ["open_measurements"],
    )
    assert all(day is not None for _, _, day in reads)


def planned_reads(engines: Engines, sql: str) -> list[tuple[str, list[str], tuple[str, str] | None]]:
    """Table, metrics where they are a partition, and first and last day of everything that Trino would read besides the
    closed months, of which there are none.
    """
    ((plan,),) = engines.ask_trino(f"EXPLAIN (TYPE IO, FORMAT JSON) {sql}")[0].rows
    reads = []
    for table in json.loads(plan)["inputTableColumnInfos"]:
        ranges = {
            column["columnName"]: column["domain"]["ranges"] for column in table["constraint"]["columnConstraints"]
        }
        name = table["table"]["schemaTable"]["table"]
        if name.startswith("closed_"):
            continue
        metrics = [each["low"]["value"] for each in ranges.get("metric", [])] if name == "samples" else []
        days = ranges.get("day")
        reads.append(
            (
                name,
                metrics,
                (days[0]["low"]["value"], days[-1]["high"]["value"]) if days else None,
            )
        )
    return reads
