"""What the series of one measurement costs and shows, over a store with as many runs a day as the benchmark's."""

from __future__ import annotations

import gzip
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bench_store import with_parameters
from benched_store import Asked, Bench, Size, opened_bench

SIZE = Size(days=2, run_count=5, pair_count=3, duration_seconds=1800, running_pair_count=1)
COUNTERS = [f"{each}_allowance_exceeded" for each in ("bw_in", "bw_out", "pps")]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def bench(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with opened_bench(SIZE, tmp_path_factory.mktemp("bench"), store) as opened:
        yield opened


def series(bench: Bench, run_id: str, measurement_id: str) -> Asked:
    day = bench.facts["series"]["day"]
    values = {"day": f"date '{day}'", "run_id": f"'{run_id}'", "measurement_id": f"'{measurement_id}'"}
    asked = bench.ask(f"series of {run_id} {measurement_id}", with_parameters("series-of-one-measurement", **values))
    assert asked.error is None
    return asked


# The second of them has eight streams.
@pytest.mark.parametrize("measurement_id", ["p0001-m01", "p0002-m01", "p0003-m01"])
def test_it_reads_one_object_of_samples_and_the_measurements_of_a_day(bench: Bench, measurement_id: str) -> None:
    asked = series(bench, bench.facts["series"]["runId"], measurement_id)
    assert len(asked.rows) == SIZE.duration_seconds
    assert asked.requests.gets == {"measurement_samples": 1, "measurements": 3}
    assert asked.requests.get_count <= 6
    assert asked.requests.byte_count <= 500_000


def of_view(bench: Bench, view: str, measurement_id: str) -> Asked:
    facts = bench.facts["series"]
    day = f"day = date '{facts['day']}' AND " if view == "series" else ""
    named = f"{day}run_id = '{facts['runId']}' AND measurement_id = '{measurement_id}'"
    asked = bench.ask(f"{view} {measurement_id}", f"SELECT * FROM {view} WHERE {named} ORDER BY direction, second")
    assert asked.error is None
    return asked


@pytest.mark.parametrize("measurement_id", ["p0001-m01", "p0002-m01", "p0003-m01"])
def test_the_view_of_one_measurement_reads_its_object_of_samples_alone(bench: Bench, measurement_id: str) -> None:
    asked = of_view(bench, "measurement_series", measurement_id)
    assert asked.requests.gets == {"measurement_samples": 1}
    assert asked.requests.byte_count <= 500_000
    assert len(asked.rows) == SIZE.duration_seconds


def test_it_has_the_rows_of_the_view_of_all_which_reads_the_day(bench: Bench) -> None:
    of_one, of_all = (of_view(bench, view, "p0002-m01") for view in ("measurement_series", "series"))
    assert of_all.requests.byte_count > 500_000
    for row, expected in zip(of_one.rows, of_all.rows, strict=True):
        assert row == pytest.approx({name: expected[name] for name in row})


@pytest.mark.parametrize(("run_id", "measurement_id"), [("nosuch", "p0001-m01"), ("canary-0001", "p9999-m01")])
def test_of_an_unknown_measurement_it_reads_no_samples(bench: Bench, run_id: str, measurement_id: str) -> None:
    asked = series(bench, run_id, measurement_id)
    assert asked.rows == []
    assert asked.requests.gets == {"measurements": 3}


def test_no_counter_is_in_a_wrong_second(bench: Bench, store: Path) -> None:
    """The rows against the object's own lines."""
    run_id, measurement_id = (bench.facts["series"][key] for key in ("runId", "measurementId"))
    (file,) = store.glob(f"objects/measurement_samples/run_id={run_id}/measurement_id={measurement_id}/*")
    expected = counters_by_second(file)
    rows = series(bench, run_id, measurement_id).rows
    wrong = [
        row["second"]
        for row in rows
        for role in ("client", "server")
        for counter in COUNTERS
        if row[f"{role}_{counter}"] != expected[row["second"]].get((role, counter))
    ]
    assert wrong == []
    assert sum(row["client_bw_out_allowance_exceeded"] > 0 for row in rows) > 100


def counters_by_second(file: Path) -> dict[int, Counter[tuple[str, str]]]:
    found: dict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
    for line in gzip.decompress(file.read_bytes()).splitlines():
        sample: dict[str, Any] = json.loads(line)
        if sample["metric"] == "allowance":
            second = math.floor(sample["start_seconds"] + sample["length_seconds"] / 2)
            for counter in COUNTERS:
                found[second][sample["host_role"], counter] += sample[counter]
    return found
