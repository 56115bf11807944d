"""What `lab athena` says of a query that gave no row: with which parameters, and how it is asked with others."""

from __future__ import annotations

import re
import subprocess

import pytest

from lab.command import parse_arguments, print_result
from lab.runner.athena import QueryResult
from lab.runner.paths import REPOSITORY
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


def test_a_query_of_a_run_comes_with_the_command_for_the_newest_one(capfd: pytest.CaptureFixture[str]) -> None:
    print_result(EMPTY, None, "live-throughput", "lab-20261122", "lab-20261123")
    command = re.search(r'npm run --silent lab -- athena "\$\((sed .*)\)"', capfd.readouterr().err)
    assert command is not None
    sql = subprocess.run(["bash", "-c", command[1]], cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
    assert "'lab-20261123' AS run_id" in sql
    assert sql.replace("lab-20261123", "burst-of-c5-20261120") == named_queries()["live-throughput"].read_text()


@pytest.mark.parametrize(("name", "run_ids"), [("live-throughput", []), ("series-of-one-measurement", ["lab-1"])])
def test_it_does_not_without_a_run_or_where_more_must_be_named(
    capfd: pytest.CaptureFixture[str], name: str, run_ids: list[str]
) -> None:
    print_result(EMPTY, None, name, *run_ids)
    assert "To ask about the newest run" not in capfd.readouterr().err


@pytest.mark.parametrize("name", named_queries())
def test_each_named_query_has_parameters_to_show_and_its_text_is_taken_as_sql(name: str) -> None:
    assert " AS day" in no_row_hint(name)
    # It begins with a comment, whose dashes are no option.
    text = named_queries()[name].read_text()
    assert parse_arguments(["athena", text]).query == text
