"""The throttle screen over the public benchmark and over series with known answers, by research/score-screen.py."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import Counter
from datetime import timedelta
from pathlib import Path
from types import ModuleType

import duckdb
import pytest
import sqlglot
from query_runner import QUERIES, REPOSITORY, TODAY, Row, Tables, database_of, run
from sqlglot import exp

SCREEN = QUERIES["throttle-screen"]


def load(path: str) -> ModuleType:
    """A module by its file: scripts have hyphens in their names, and the scorer lies beside the tests on Trino."""
    name = Path(path).stem.replace("-", "_")
    spec = importlib.util.spec_from_file_location(name, REPOSITORY / path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


score_screen = load("research/score-screen.py")
screen_score = load("test/athena/screen_score.py")


def screen(folder: Path, t: list[float], bps: list[float], dt: float = 1) -> dict:
    file = folder / "series.jsonl"
    file.write_text(json.dumps({"id": "s", "dt": dt, "t": t, "bps": bps}))
    (prediction,) = score_screen.predictions([str(file)])
    return prediction


def steps(*levels: tuple[float, float]) -> list[float]:
    """Seconds at each level, with a scatter of one percent; a part of a second is averaged into its second."""
    rates: list[float] = []
    carried = weight = 0.0
    for seconds, rate in levels:
        left = seconds
        if weight:
            part = 1 - weight
            rates.append(carried + part * rate)
            left -= part
        rates += [rate] * int(left + 1e-9)
        weight = left - int(left + 1e-9)
        carried = weight * rate
    return [rate * (1 + 0.01 * ((i * 7919) % 13 - 6) / 6) for i, rate in enumerate(rates)]


def screened(folder: Path, *levels: tuple[float, float]) -> dict:
    rates = steps(*levels)
    return screen(folder, seconds_of(rates), rates)


def seconds_of(rates: list[float]) -> list[float]:
    return [float(second) for second in range(len(rates))]


def test_the_public_benchmark() -> None:
    rows = {
        f"{prediction['id']}-m01": {
            "is_throttled": prediction["throttled"],
            "onset_seconds": prediction.get("onset_s"),
        }
        for prediction in score_screen.predictions([str(screen_score.BENCHMARK)])
    }
    reached = screen_score.score(rows, screen_score.benchmark_truth())
    assert reached.f1 >= 0.95
    assert reached.f1_placed >= 0.95


@pytest.mark.parametrize("length", [60, 90, 180, 1800])
def test_a_burst_of_six_seconds_and_more(tmp_path: Path, length: int) -> None:
    onset = max(6.3, length / 9.7)
    found = screened(tmp_path, (onset, 2e9), (length - onset, 0.5e9))
    assert found["verdict"] == "burst_then_throttle"
    assert found["onset_s"] == pytest.approx(onset, abs=0.1)
    assert found["burst_bps"] == pytest.approx(2e9, rel=0.01)
    assert found["baseline_bps"] == pytest.approx(0.5e9, rel=0.01)
    assert found["capacity_bits"] == pytest.approx(1.5e9 * onset, rel=0.03)


@pytest.mark.parametrize(
    "levels",
    [
        [(90, 2e9)],
        [(40, 2e9), (12, 1e9), (60, 2e9)],
        [(60, 1e9), (60, 2e9)],
        [(1, 2e9 - 5e6 * second) for second in range(170)],
        # The fall is at the very end: nobody knows whether it lasts.
        [(56, 2e9), (4, 0.5e9)],
        # Two thirds in 24 seconds, and no second in which it falls.
        [(50, 2e9), *[(1, 2e9 - 50e6 * second) for second in range(24)], (46, 0.8e9)],
        # Nothing is sent any more: the flow has ended.
        [(60, 2e9), (60, 0)],
        [(120, 0)],
    ],
    ids=["steady", "dip", "step_up", "ramp", "late_dip", "slope", "ended", "zeros"],
)
def test_no_throttle(tmp_path: Path, levels: list[tuple[float, float]]) -> None:
    found = screened(tmp_path, *levels)
    assert (found["verdict"], found["throttled"]) == ("steady", False)


@pytest.mark.parametrize(
    ("levels", "onset"),
    [
        # The first of several steps.
        ([(40.5, 10e9), (60, 8e9), (80, 1e9)], 40.5),
        ([(30, 10e9), (8, 4e9), (40, 10e9), (102, 1e9)], 78),
        ([(10, 10e9), (8, 5.5e9), (24, 10e9), (78, 3.3e9)], 42),
    ],
)
def test_the_first_step_and_no_dip_before_it_is_the_fall(
    tmp_path: Path, levels: list[tuple[float, float]], onset: float
) -> None:
    assert screened(tmp_path, *levels)["onset_s"] == pytest.approx(onset, abs=0.2)


def test_a_periodic_recharge_is_a_throttle_from_its_first_fall(tmp_path: Path) -> None:
    found = screened(tmp_path, (50, 10e9), *[(20, 1e9), (10, 10e9)] * 4)
    assert found["verdict"] == "periodic_recharge"
    assert found["onset_s"] == pytest.approx(50, abs=0.2)
    assert found["baseline_bps"] == pytest.approx(1e9, rel=0.02)


@pytest.mark.parametrize(("length", "shape", "onset"), [(44, "insufficient", None), (45, "fall", 20)])
def test_a_series_under_45_seconds_gets_no_answer(tables: Tables, length: int, shape: str, onset: float | None) -> None:
    ids: Row = {"run_id": "r", "measurement_id": "p0001-m01"}
    rates = steps((20, 2e9), (length - 20, 0.5e9))
    samples = [
        ids
        | {"metric": "throughput", "stream": "sum", "direction": "reverse", "length_seconds": 1}
        | {"start_seconds": second, "throughput_bits_per_second": rate}
        for second, rate in enumerate(rates)
    ]
    measurement = ids | {"client_type": "c5.large", "server_type": "c5.large", "verdict_direction": "forward"}
    database = database_of(tables, {"samples": samples, "measurements": [measurement | {"verdict_kind": "steady"}]})
    (row,) = run(database, "throttle-screen")
    assert (row["is_throttled"], row["shape"]) == (None if onset is None else True, shape)
    assert row["onset_seconds"] == (None if onset is None else pytest.approx(onset, abs=0.1))
    # The verdict is on the other direction.
    assert (row["verdict_kind"], row["both_agree"]) == (None, None)


def test_order_and_duplicates_do_not_matter(tmp_path: Path) -> None:
    rates = steps((40.25, 2e9), (80, 0.5e9))
    plain = screen(tmp_path, seconds_of(rates), rates)
    twice = [*reversed(seconds_of(rates)), *seconds_of(rates)]
    again = screen(tmp_path, twice, [*reversed(rates), *rates])
    assert {**again, "ms": 0} == {**plain, "ms": 0}
    assert plain["onset_s"] == pytest.approx(40.25, abs=0.1)


def test_tenths_of_a_second_are_averaged(tmp_path: Path) -> None:
    rates = steps((403, 2e9), (797, 0.5e9))
    found = screen(tmp_path, [number * 0.1 for number in range(len(rates))], rates, dt=0.1)
    assert found["onset_s"] == pytest.approx(40.3, abs=0.1)


def test_an_onset_within_a_gap_is_at_its_middle(tmp_path: Path) -> None:
    rates = steps((50, 2e9), (70, 0.5e9))
    kept = [second for second in range(120) if not 44 <= second < 60]
    found = screen(tmp_path, [float(second) for second in kept], [rates[second] for second in kept])
    assert found["onset_s"] == pytest.approx(52, abs=0.01)


def test_the_verdict_is_beside_the_answer(database: duckdb.DuckDBPyConnection) -> None:
    (row,) = run(database, "throttle-screen")
    assert (row["client_type"], row["server_type"], row["direction"]) == ("c5.xlarge", "c5.9xlarge", "forward")
    assert row["verdict_kind"] == "drop"
    assert row["verdict_onset_seconds"] == 60.4
    assert row["onset_seconds"] == pytest.approx(60.4, abs=0.1)
    assert row["both_agree"] is True
    assert row["measured_seconds"] == 180


def test_days_and_types_are_parameters(tables: Tables) -> None:
    types = [("c7g.large", "c5.large"), ("m5.large", "c7g.large"), ("m5.large", "m5.large")]
    ids = [{"measurement_id": f"p{index:04}-m01"} for index in range(len(types))]
    days = [{"run_id": f"{age}-days", "day": TODAY - timedelta(days=age)} for age in (0, 3, 91)]
    sample = {"metric": "throughput", "stream": "sum", "direction": "forward", "length_seconds": 1}
    database = database_of(
        tables,
        {
            "samples": [
                sample | day | each | {"start_seconds": 0, "throughput_bits_per_second": 1e9}
                for day in days
                for each in ids
            ],
            "measurements": [
                day | each | {"client_type": client, "server_type": server}
                for day in days
                for each, (client, server) in zip(ids, types, strict=True)
            ],
        },
    )

    def found(*edits: tuple[str, str]) -> list[tuple[object, object]]:
        return [(row["run_id"], row["measurement_id"]) for row in run(database, "throttle-screen", *edits)]

    of_today = [("0-days", each["measurement_id"]) for each in ids]
    assert found() == [*of_today, *[("3-days", measurement) for _, measurement in of_today]]
    assert found(("90 AS days", "2 AS days")) == of_today
    assert found(("90 AS days", "0 AS days"), ("'%' AS", "'c7g.%' AS")) == of_today[:2]


def test_nothing_is_read_twice() -> None:
    """Trino plans a common table expression, and reads its tables, as often as it is named."""
    named = Counter(table.name for table in sqlglot.parse_one(SCREEN, read="trino").find_all(exp.Table))
    # The parameters are constants, which read nothing.
    assert [name for name, count in named.items() if count > 1] == ["checked"]
    assert {"samples", "measurements"} <= set(named)


def test_no_function_of_reduce_uses_a_column() -> None:
    """DuckDB 1.5 gives such a function the column of another row, where the rows' arrays differ in length."""
    assert columns_in_reductions(SCREEN) == set()
    other = "SELECT reduce(x, 0, (s, e) -> s + transform(ARRAY[e], y -> y + k)[1], s -> s)"
    assert columns_in_reductions(other) == {"k"}


def columns_in_reductions(sql: str) -> set[str]:
    """What the functions given to `reduce` name besides their own parameters."""
    reductions = list(sqlglot.parse_one(sql, read="trino").find_all(exp.Reduce))
    assert reductions
    functions = [each.args[part] for each in reductions for part in ("merge", "finish")]
    return {
        column.name
        for function in functions
        for column in function.find_all(exp.Column)
        if column.name not in {name.name for inner in function.find_all(exp.Lambda) for name in inner.expressions}
    }
