"""The screen's score, on rows whose figures are known."""

from __future__ import annotations

import pytest
from screen_score import benchmark_truth, score

THROTTLED = {"throttled": True, "onset_s": 100.0}
TRUTH = {"a": THROTTLED, "b": THROTTLED | {"gap_at_onset_s": 20.0}, "c": {"throttled": False}, "d": THROTTLED}


def row(is_throttled: bool, onset_seconds: float | None = None) -> dict:
    return {"is_throttled": is_throttled, "onset_seconds": onset_seconds}


def test_right_everywhere_is_one() -> None:
    rows = {"a": row(True, 100), "b": row(True, 134), "c": row(False), "d": row(True, 86)}
    assert score(rows, TRUTH).f1 == score(rows, TRUTH).f1_placed == 1


def test_a_miss_a_false_alarm_and_a_wrong_place_cost() -> None:
    rows = {"a": row(True, 116), "b": row(True, 100), "c": row(True, 50), "d": row(False)}
    assert score(rows, TRUTH).f1 == pytest.approx(2 * 2 / (2 * 2 + 1 + 1))
    assert score(rows, TRUTH).f1_placed == pytest.approx(2 * 1 / (2 * 1 + 2 + 2))


def test_a_measurement_without_a_row_is_an_error() -> None:
    with pytest.raises(KeyError):
        score({}, TRUTH)


def test_the_benchmark_has_both_kinds() -> None:
    throttled = [fact["throttled"] for fact in benchmark_truth().values()]
    assert len(throttled) == 222
    assert 50 < sum(throttled) < 200
