"""What the parameters of the named queries do on both engines, and which days Trino plans to read of each table."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from bench_store import with_parameters
from engines import Engines, differences
from test_conformance import QUERIES
from trino.exceptions import TrinoQueryError, TrinoUserError

from lab.runner import LabError

EXAMPLE_RUN = "'name-of-your-run' AS run_id"
LIMIT = "r.day >= current_date - interval '1' day * p.days"


def unlimited_scans(engines: Engines, sql: str, days: int) -> list[str]:
    """The table of each scan that reads a day before the last `days`, or any day, as Trino has planned the query."""
    answer, _ = engines.ask_trino(f"EXPLAIN (TYPE IO, FORMAT JSON) {sql}")
    scans = json.loads(answer.rows[0][0])["inputTableColumnInfos"]
    assert scans
    # A query must name one measurement of the first, and the second has a row for a month: neither has days.
    undated = {"measurement_samples", "closed_months"}
    scans = [scan for scan in scans if scan["table"]["schemaTable"]["table"] not in undated]
    # One day more, in case midnight is between the plan and this line.
    first_day = datetime.now(UTC).date() - timedelta(days=days + 1)
    return [scan["table"]["schemaTable"]["table"] for scan in scans if not _begins_at(scan["constraint"], first_day)]


def _begins_at(constraint: dict[str, Any], first_day: date) -> bool:
    """A scan of which no row can pass has the constraint `none`."""
    ranges = [
        each
        for column in constraint["columnConstraints"]
        if column["columnName"] == "day"
        for each in column["domain"]["ranges"]
    ]
    lows = [each["low"].get("value") for each in ranges]
    return constraint["none"] or (bool(lows) and all(low and date.fromisoformat(low) >= first_day for low in lows))


def days_of(sql: str) -> int:
    found = re.search(r"^ +(\d+) AS days", sql, re.MULTILINE)
    return int(found[1]) if found else 90


@pytest.mark.parametrize("name", QUERIES)
def test_each_scan_of_a_query_is_of_its_days(engines: Engines, name: str) -> None:
    assert unlimited_scans(engines, QUERIES[name], days_of(QUERIES[name])) == []


def test_an_unlimited_table_beside_a_limited_one_is_caught(engines: Engines) -> None:
    sql = QUERIES["cost-of-runs"]
    assert sql.count(LIMIT) == 2
    of_pairs, of_runs, rest = sql.split(LIMIT)
    unlimited = unlimited_scans(engines, f"{of_pairs}{LIMIT}{of_runs}TRUE{rest}", 28)
    assert set(unlimited) == {"closed_runs", "open_runs"}
    # Trino infers the days of `pairs` from those of `runs` where both are joined by day.
    unrelated = f"{of_pairs}TRUE{of_runs}{LIMIT}{rest}".replace("AND s.day = r.day", "")
    assert set(unlimited_scans(engines, unrelated, 28)) == {"closed_pairs", "open_pairs"}


@pytest.mark.parametrize("name", [name for name in QUERIES if "'%' AS " in QUERIES[name]])
def test_an_unknown_type_or_plan_gives_no_rows(engines: Engines, name: str) -> None:
    sql = re.sub(r"'%' AS (\w+_pattern)", r"'z9.huge' AS \1", QUERIES[name])
    answer, types = engines.ask_trino(sql)
    assert answer.rows == []
    assert differences(answer, engines.ask_lab(sql, types)) == []


@pytest.mark.parametrize("name", [name for name in QUERIES if " AS days" in QUERIES[name]])
@pytest.mark.parametrize(("value", "shown"), [("90.7", "90.7"), ("-1", "-1"), ("NULL", "NULL"), ("'ninety'", "ninety")])
def test_a_parameter_that_is_out_of_range_is_named(engines: Engines, name: str, value: str, shown: str) -> None:
    # Trino evaluates a parameter only where there are rows to which it applies.
    asked = QUERIES[name].replace(EXAMPLE_RUN, "'burst-of-c5-20261120' AS run_id")
    sql = re.sub(r"^( +)\d+ AS days", rf"\g<1>{value} AS days", asked, count=1, flags=re.MULTILINE)
    assert sql != asked
    said = re.escape(f"'days: must be a whole number, got {shown}'")
    with pytest.raises(TrinoUserError, match=f"Cannot cast {said} to INT"):
        engines.ask_trino(sql)
    with pytest.raises(LabError, match=f"INVALID_CAST_ARGUMENT: .*{said}"):
        engines.ask_lab(sql, [])


OF_HOLDING = "cheapest-type-that-holds-a-rate"


@pytest.mark.parametrize(
    ("parameter", "value", "error"),
    [
        ("gbits_per_second", "0", "gbits_per_second: must be above 0 and at most 10, got 0"),
        ("gbits_per_second", "10.5", "gbits_per_second: must be above 0 and at most 10, got 10.5"),
        ("gbits_per_second", "NULL", "gbits_per_second: must be above 0 and at most 10, got NULL"),
        ("minutes", "-3", "minutes: must be above 0, got -3"),
        ("minutes", "NULL", "minutes: must be above 0, got NULL"),
    ],
)
def test_a_rate_or_time_that_no_row_answers_is_named(engines: Engines, parameter: str, value: str, error: str) -> None:
    sql = with_parameters(OF_HOLDING, **{parameter: value})
    for ask, refusal in ((engines.ask_trino, TrinoUserError), (lambda sql: engines.ask_lab(sql, []), LabError)):
        with pytest.raises(refusal, match=re.escape(error)):
            ask(sql)


def test_only_the_percent_sign_of_a_plan_s_name_stands_for_anything(engines: Engines) -> None:
    """The lab's plan is called Conformance."""
    for pattern, is_found in (("Conform%", True), ("Conformance", True), ("C_nf_rm%", False), ("Conformanc_", False)):
        sql = with_parameters("cost-of-runs", plan_pattern=f"'{pattern}'")
        answer, types = engines.ask_trino(sql)
        assert differences(answer, engines.ask_lab(sql, types)) == []
        assert bool(answer.rows) is is_found, pattern


def test_live_throughput_of_an_unknown_run_gives_no_rows(engines: Engines) -> None:
    assert EXAMPLE_RUN in QUERIES["live-throughput"]
    for value in ("'no-such-run'", "CAST(NULL AS varchar)"):
        sql = QUERIES["live-throughput"].replace(EXAMPLE_RUN, f"{value} AS run_id")
        answer, types = engines.ask_trino(sql)
        assert answer.rows == engines.ask_lab(sql, types).rows == []


def test_live_throughput_is_of_a_run_that_is_named(engines: Engines) -> None:
    of_lab = engines.ask_trino(
        "SELECT run_id FROM runs WHERE run_id LIKE 'lab-%' AND day >= current_date - interval '1' day"
    )
    ((run_id,),) = of_lab[0].rows
    sql = QUERIES["live-throughput"].replace(EXAMPLE_RUN, f"'{run_id}' AS run_id")
    answer, types = engines.ask_trino(sql)
    assert differences(answer, engines.ask_lab(sql, types)) == []
    assert {row["run_id"] for row in answer.as_dicts()} == {run_id}


def test_live_samples_without_a_run_are_refused(engines: Engines) -> None:
    sql = "SELECT count(*) FROM live_samples WHERE day >= current_date - interval '1' day"
    with pytest.raises(TrinoQueryError, match="Injected projection requires single predicate"):
        engines.ask_trino(sql)
    with pytest.raises(LabError, match="CONSTRAINT_VIOLATION: For the injected projected partition column run_id"):
        engines.ask_lab(sql, ["bigint"])
