"""The comparison of two answers sees what it is there to see."""

from __future__ import annotations

import pytest
from engines import Answer, differences

COLUMNS = ["type", "rate", "count"]


def answer(*rows: list) -> Answer:
    return Answer(COLUMNS, list(rows))


FIRST, SECOND = ["c5.large", 0.994, 3], ["c5.xlarge", None, 1]


def test_equal_answers_have_no_differences() -> None:
    nearly = ["c5.large", 0.994 * (1 + 1e-12), 3]
    assert differences(answer(FIRST, SECOND), answer(nearly, SECOND)) == []


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (answer(SECOND, FIRST), "row 0, type"),
        (answer(FIRST), "rows: 2"),
        (answer(FIRST, ["c5.xlarge", 0.0, 1]), "row 1, rate"),
        (answer(FIRST, ["c5.xlarge", None, 1.0]), "row 1, count"),
        (answer(["c5.large", 0.995, 3], SECOND), "row 0, rate"),
        (Answer(["type", "speed", "count"], [FIRST, SECOND]), "columns: "),
    ],
    ids=["order", "missing row", "NULL and 0", "type", "number", "column"],
)
def test_a_difference_is_named(other: Answer, named: str) -> None:
    assert differences(answer(FIRST, SECOND), other)[0].startswith(named)
