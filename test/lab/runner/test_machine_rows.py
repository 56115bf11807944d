"""`lab athena --csv` and `--json`: what a program reads is what Athena wrote, and NULL is not an empty text."""

from __future__ import annotations

import csv
import json

import pytest

from lab.runner import LabError
from lab.runner.athena import QueryResult
from lab.runner.output import csv_lines, ndjson_lines

RESULT = QueryResult(
    names=["a text", "rate", "count", "is it", "witnesses", "sum"],
    types=["varchar", "double", "bigint", "boolean", "array", "decimal(38,0)"],
    rows=[
        [
            'say "5, 6"\nand ä',
            "9.932123456789012E8",
            "9007199254740993",
            "true",
            "[{name=a}]",
            "18446744073709551616",
        ],
        ["", "NaN", "-1", "false", None, "0"],
        [None, None, None, None, None, None],
    ],
)


def test_csv_keeps_each_value_and_tells_null_from_an_empty_text() -> None:
    text = "\n".join(csv_lines(RESULT)) + "\n"
    read = list(csv.reader(text.splitlines(keepends=True)))
    assert read == [RESULT.names, *[[value or "" for value in row] for row in RESULT.rows]]
    assert text.splitlines()[-2:] == ['"",NaN,-1,false,,0', ",,,,,"]


def test_ndjson_has_an_object_per_row_with_every_digit() -> None:
    lines = list(ndjson_lines(RESULT))
    first, second, third = [json.loads(line, parse_float=str) for line in lines]
    assert list(first) == RESULT.names
    assert list(first.values()) == [
        'say "5, 6"\nand ä',
        "9.932123456789012E8",
        9007199254740993,
        True,
        "[{name=a}]",
        18446744073709551616,
    ]
    assert list(second.values()) == ["", "NaN", -1, False, None, 0]
    assert list(third.values()) == [None] * 6
    assert [line.count("\n") for line in lines] == [0, 0, 0]


def test_a_text_of_digits_stays_a_text() -> None:
    assert list(ndjson_lines(QueryResult(["run"], ["varchar"], [["007"], ["7"]]))) == ['{"run": "007"}', '{"run": "7"}']


def test_no_rows_are_a_header_or_nothing() -> None:
    empty = QueryResult(["a", "b"], ["bigint", "double"], [])
    assert list(csv_lines(empty)) == ["a,b"]
    assert list(ndjson_lines(empty)) == []


def test_an_object_with_one_name_twice_is_refused() -> None:
    with pytest.raises(LabError, match="each column must have a name of its own, got n twice; name it with AS"):
        list(ndjson_lines(QueryResult(["n", "n"], ["bigint", "bigint"], [["1", "2"]])))
