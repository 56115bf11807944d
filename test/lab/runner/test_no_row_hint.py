"""What `lab athena` says of a query that gave no row: with which parameters, and how it is asked with others."""

from __future__ import annotations

import pytest

from lab.command import parse_arguments, print_result
from lab.runner.athena import QueryResult
from lab.runner.query import named_queries, no_row_hint

EMPTY = QueryResult(names=["instance_type"], types=["varchar"], rows=[])
NAME = "cheapest-type-that-holds-a-rate"


def test_an_empty_table_of_a_named_query_is_followed_by_its_parameters(capfd: pytest.CaptureFixture[str]) -> None:
    print_result(EMPTY, None, NAME)
    printed = capfd.readouterr()
    assert "instance_type" in printed.out
    assert "no row" in printed.err
    assert "CAST(3 AS double) AS minutes,           -- for how long" in printed.err
    assert f"cp queries/{NAME}.sql my-query.sql" in printed.err


def test_sql_of_one_s_own_without_rows_is_said_to_have_none(capfd: pytest.CaptureFixture[str]) -> None:
    print_result(EMPTY, None, "SELECT instance_type FROM measurements")
    assert capfd.readouterr().err == "no row\n"


@pytest.mark.parametrize(("form", "rows"), [("csv", []), ("json", []), (None, [["c5.large"]])])
def test_programs_and_tables_with_rows_get_no_hint(
    capfd: pytest.CaptureFixture[str], form: str | None, rows: list[list[str | None]]
) -> None:
    print_result(QueryResult(EMPTY.names, EMPTY.types, rows), form, NAME)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", named_queries())
def test_a_query_of_one_run_says_where_the_ids_of_runs_are(name: str) -> None:
    is_of_one_run = name in ("live-throughput", "series-of-one-measurement")
    assert ("`npm run --silent lab -- runs` lists the ids of the runs" in no_row_hint(name)) == is_of_one_run


@pytest.mark.parametrize("name", named_queries())
def test_each_named_query_has_parameters_to_show_and_its_text_is_taken_as_sql(name: str) -> None:
    assert " AS day" in no_row_hint(name)
    # It begins with a comment, whose dashes are no option.
    text = named_queries()[name].read_text()
    assert parse_arguments(["athena", text]).query == text
