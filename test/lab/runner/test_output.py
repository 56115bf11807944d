"""What the lab prints: the end of a run, rows for programs, and what is said of a query without rows."""

from __future__ import annotations

import csv
import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from lab.command import parse_arguments, print_result
from lab.runner import LabError, output
from lab.runner.output import Output, csv_lines, ndjson_lines
from lab.runner.paths import REPOSITORY, LabPaths
from lab.runner.query import QueryResult, named_queries, no_row_hint
from lab.runner.run_plan import RunResult

REFUSED = RunResult(
    run_id="lab-1",
    status="FAILED",
    error="InvalidPlanError",
    cause="plan.name: must be given",
    output=None,
    forecast_folder=None,
    summary_path=None,
    report_path=Path("/lab/reports/lab-1/report.html"),
    index_path=None,
)


PATHS = LabPaths(Path("/my lab"))


def printed(result: RunResult, capsys: pytest.CaptureFixture[str], as_json: bool = False) -> str:
    Output(as_json, PATHS).result(result)
    return capsys.readouterr().out


def test_the_mails_about_a_run_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    mailed = replace(REFUSED, mail_paths=(Path("/lab/mail/one.txt"), Path("/lab/mail/two.txt")))
    assert "\nmail:    /lab/mail/one.txt\nmail:    /lab/mail/two.txt\n" in printed(mailed, capsys)
    assert json.loads(printed(mailed, capsys, as_json=True))["mails"] == ["/lab/mail/one.txt", "/lab/mail/two.txt"]


def test_a_mail_that_was_not_written_is_told_from_none_that_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    lost = replace(REFUSED, mail_paths=())
    assert "mail:    no mail was written; see /my lab/logs/aws.log for the reason" in printed(lost, capsys)
    assert json.loads(printed(lost, capsys, as_json=True))["mails"] == []
    assert "mail:" not in printed(REFUSED, capsys)
    assert json.loads(printed(REFUSED, capsys, as_json=True))["mails"] is None


def test_the_commands_after_a_run_name_the_lab_s_own_folder(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(output, "_program", lambda *command: "the table")
    (tmp_path / "summary.json").write_text('{"measurements": [{}]}')
    measured = replace(REFUSED, error=None, summary_path=tmp_path / "summary.json")
    commands = [line for line in printed(measured, capsys).splitlines() if "npm run" in line]
    assert len(commands) == 2
    assert all(command.endswith("--folder '/my lab'") for command in commands)


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
    with pytest.raises(LabError, match="each column must have its own name, got n twice; rename one with AS"):
        list(ndjson_lines(QueryResult(["n", "n"], ["bigint", "bigint"], [["1", "2"]])))


EMPTY = QueryResult(names=["instance_type"], types=["varchar"], rows=[])
NAME = "cheapest-type-that-holds-a-rate"


def test_an_empty_table_of_a_named_query_is_followed_by_its_parameters(capfd: pytest.CaptureFixture[str]) -> None:
    print_result(LabPaths(), EMPTY, None, NAME)
    printed = capfd.readouterr()
    assert "instance_type" in printed.out
    assert "no row" in printed.err
    assert "3 AS minutes,           -- for how long" in printed.err
    assert f"cp queries/{NAME}.sql my-query.sql" in printed.err


def test_sql_of_one_s_own_without_rows_is_said_to_have_none(capfd: pytest.CaptureFixture[str]) -> None:
    print_result(LabPaths(), EMPTY, None, "SELECT instance_type FROM measurements")
    assert capfd.readouterr().err == "no row\n"


@pytest.mark.parametrize(("form", "rows"), [("csv", []), ("json", []), (None, [["c5.large"]])])
def test_programs_and_tables_with_rows_get_no_hint(
    capfd: pytest.CaptureFixture[str], form: str | None, rows: list[list[str | None]]
) -> None:
    print_result(LabPaths(), QueryResult(EMPTY.names, EMPTY.types, rows), form, NAME)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", named_queries())
def test_a_query_of_one_run_says_where_the_ids_of_runs_are(name: str) -> None:
    is_of_one_run = name in ("live-throughput", "series-of-one-measurement")
    assert (
        "`npm run --silent lab -- runs` lists the ids of the runs" in no_row_hint(LabPaths(), name)
    ) == is_of_one_run


def test_a_query_of_a_run_comes_with_the_command_for_the_newest_one(capfd: pytest.CaptureFixture[str]) -> None:
    print_result(LabPaths(), EMPTY, None, "live-throughput", "lab-20261122", "lab-20261123")
    command = re.search(r'npm run --silent lab -- athena "\$\((sed .*)\)"', capfd.readouterr().err)
    assert command is not None
    sql = subprocess.run(["bash", "-c", command[1]], cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
    assert "'lab-20261123' AS run_id" in sql
    assert sql.replace("lab-20261123", "name-of-your-run") == named_queries()["live-throughput"].read_text()


def test_what_is_said_of_a_query_without_rows_names_the_lab_s_own_folder() -> None:
    hint = no_row_hint(PATHS, "live-throughput", "lab-1")
    commands = [line for line in hint.splitlines() if "npm run" in line]
    assert len(commands) == 3
    assert all("--folder '/my lab'" in command for command in commands)


@pytest.mark.parametrize(("name", "run_ids"), [("live-throughput", []), ("series-of-one-measurement", ["lab-1"])])
def test_it_does_not_without_a_run_or_where_more_must_be_named(
    capfd: pytest.CaptureFixture[str], name: str, run_ids: list[str]
) -> None:
    print_result(LabPaths(), EMPTY, None, name, *run_ids)
    assert "To query the newest run" not in capfd.readouterr().err


@pytest.mark.parametrize("name", named_queries())
def test_each_named_query_has_parameters_to_show_and_its_text_is_taken_as_sql(name: str) -> None:
    assert " AS day" in no_row_hint(LabPaths(), name)
    # It begins with a comment, whose dashes are no option.
    text = named_queries()[name].read_text()
    assert parse_arguments(["athena", text]).query == text
