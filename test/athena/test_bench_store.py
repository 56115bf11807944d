"""The benchmark of the store judges what it is there to judge, and writes the store that it says it writes."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from bench_store import (
    HOST_COUNTERS,
    MEASURES,
    Measure,
    at_most,
    live_throughput,
    look_backs,
    queries_on_measurements,
    series_of_one_measurement,
    tables_by_run,
    throttle_screen_of_all_days,
    throttle_screen_of_three_days,
    with_parameters,
)
from benched_store import Asked, Bench, Size, opened_bench, written_store
from counting_store import Requests

SMALL = Size(days=10, run_count=5, pair_count=3, duration_seconds=120, running_pair_count=2, folded_pair_count=20)


def answer(rows: list[dict[str, Any]], gets: int = 0, byte_count: float = 0, **more: Any) -> Asked:
    requests = Requests(gets=Counter(samples=gets), bytes=Counter(samples=int(byte_count)))
    facts = {"elapsed_seconds": 1, "cpu_seconds": 1, "peak_memory_bytes": 1, "error": None} | more
    return Asked(requests=requests, rows=rows, **facts)


class AnsweringBench(Bench):
    """Gives the answers that it was made with, in turn, and the last one from then on."""

    def __init__(self, *answers: Asked) -> None:
        self.size = Size()
        self.facts = {
            "series": {"runId": "r-1", "measurementId": "p0001-m01", "day": "2026-11-22"},
            "runningRunId": "r-2",
            "lookBacks": {"plan-run": "SELECT 1", "summarise-run": "SELECT 2"},
        }
        self.keys = ["live_samples/day=2026-11-22/run_id=r-2/p0001-m01.client.000000.ndjson.gz"]
        self._answers = list(answers)
        self.asked: list[str] = []

    def ask(self, what: str, sql: str) -> Asked:
        self.asked.append(sql)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


def counted(second: int, shaped: int | None) -> dict[str, Any]:
    return {"second": second} | dict.fromkeys(HOST_COUNTERS, 0) | {"client_bw_out_allowance_exceeded": shaped}


def test_a_figure_over_its_limit_is_not_met() -> None:
    assert at_most("GETs", answer([], gets=200), 200, 200, "GETs").is_met
    assert not at_most("GETs", answer([], gets=201), 201, 200, "GETs").is_met


def test_a_query_that_failed_is_not_met() -> None:
    figure = at_most("memory", answer([], error="EXCEEDED_LOCAL_MEMORY_LIMIT: 2GB"), 0, 1000, "MB")
    assert figure.cells() == ("memory", "EXCEEDED_LOCAL_MEMORY_LIMIT: 2GB", "1,000 MB", "no")


@pytest.mark.parametrize(
    ("measure", "asked"),
    [
        (queries_on_measurements, answer([], gets=7280, byte_count=26e6)),
        (tables_by_run, answer([], gets=29_200, byte_count=104e6)),
        (look_backs, answer([], gets=7280, elapsed_seconds=30)),
        (series_of_one_measurement, answer([], gets=59, byte_count=18e6)),
        (live_throughput, answer([], gets=14_400)),
        (throttle_screen_of_three_days, answer([], gets=1308, byte_count=331e6, cpu_seconds=70)),
        (throttle_screen_of_all_days, answer([], peak_memory_bytes=6.5e9)),
    ],
)
def test_what_single_objects_of_all_metrics_took_is_over_each_limit(measure: Measure, asked: Asked) -> None:
    figures = list(measure(AnsweringBench(asked)))
    assert figures
    assert [figure for figure in figures if figure.is_met and "wrong counters" not in figure.unit] == []


def test_a_counter_one_second_early_is_seen() -> None:
    truth = answer([counted(9, 0), counted(10, 0), counted(11, 1478)])
    early = answer([counted(9, 0), counted(10, 1478), counted(11, 0)])
    *_, wrong = series_of_one_measurement(AnsweringBench(early, truth))
    assert (wrong.value, wrong.unit, wrong.is_met) == (2, "seconds of 3 with wrong counters", False)
    *_, none_wrong = series_of_one_measurement(AnsweringBench(truth, truth))
    assert none_wrong.is_met


def test_the_named_queries_have_the_parameters_that_are_set() -> None:
    bench = AnsweringBench(answer([]), answer([]), answer([]))
    assert len(list(series_of_one_measurement(bench))) == 3
    assert len(list(throttle_screen_of_three_days(bench))) == 3
    series, _, screen = bench.asked
    assert "'r-1' AS run_id" in series
    assert "'p0001-m01' AS measurement_id" in series
    assert "date '2026-11-22' AS day" in series
    assert "2 AS days" in screen


def test_a_parameter_that_a_query_does_not_have_is_named() -> None:
    with pytest.raises(ValueError, match=r"queries/cost-of-runs\.sql: params must have hours once"):
        with_parameters("cost-of-runs", hours="3")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("store")
    written_store(SMALL, folder)
    return folder


def test_a_store_of_another_size_is_not_used(store: Path) -> None:
    with pytest.raises(SystemExit, match="must be a store of .*; delete it"):
        written_store(Size(), store)


def test_the_store_has_the_rows_of_its_size(store: Path) -> None:
    rows = Counter(table_of(file, store) for file in (store / "objects").rglob("*.ndjson*") for _ in lines_of(file))
    assert rows["runs"] == 5 * 4
    assert rows["measurements"] == 5 * 4 * 3
    assert rows["samples"] > 5 * 3 * 120
    assert rows["pairs"] == 5 * 4 * 3
    assert rows["live_samples"] > 2 * 2 * 120


def test_the_rows_have_prices(store: Path) -> None:
    for table in ("measurements", "pairs", "runs"):
        files = (store / "objects" / table).rglob("*.ndjson*")
        for row in (json.loads(line) for file in files for line in lines_of(file)):
            assert row["cost_usd"] > 0
            assert row["expected_usd"] > 0


def test_the_samples_are_those_of_a_lab_run(store: Path) -> None:
    facts = json.loads((store / "facts.json").read_text())["series"]
    mine = samples_by_metric(store, facts["runId"], facts["measurementId"])
    assert set(mine) == {
        "throughput", "sent_throughput", "stream_throughput", "interface", "allowance", "round_trip", "tool_cpu",
    }  # fmt: skip
    counters = [row for metric in ("interface", "allowance", "tool_cpu") for row in mine[metric]]
    early = [row for row in counters if row["start_seconds"] % 1 > 0.9]
    assert len(early) > 0.9 * len(counters)
    assert len(counters) > 0.6 * sum(len(rows) for rows in mine.values())
    assert any(row.get("bw_out_allowance_exceeded", 0) > 0 for row in mine["allowance"])


def samples_by_metric(store: Path, run_id: str, measurement_id: str) -> dict[str, list[dict[str, Any]]]:
    """The samples of a measurement, and nothing else, by the metric in the key of their object."""
    found = {}
    for folder in (store / "objects/samples").iterdir():
        rows = [json.loads(line) for file in folder.rglob("*.ndjson.gz") for line in lines_of(file)]
        found[folder.name.removeprefix("metric=")] = [
            row for row in rows if (row["run_id"], row["measurement_id"]) == (run_id, measurement_id)
        ]
    return found


def test_a_small_store_keeps_the_limits_of_its_size(store: Path, tmp_path: Path) -> None:
    """Those of time apart: the machine may be busy."""
    with opened_bench(SMALL, tmp_path, store) as bench:
        figures = [figure for measure in MEASURES for figure in measure(bench)]
    assert [figure.cells() for figure in figures if not (figure.is_met or figure.is_of_time)] == []


def table_of(file: Path, store: Path) -> str:
    return file.relative_to(store / "objects").parts[0]


def lines_of(file: Path) -> list[bytes]:
    body = file.read_bytes()
    return (gzip.decompress(body) if file.suffix == ".gz" else body).splitlines()
