"""The form of all named queries: first comment, parameters, and the days that each of their tables is limited to."""

from __future__ import annotations

import re

import pytest
import sqlglot
from query_runner import QUERIES
from sqlglot import exp

# A parameter has a line of its own: a value, a name and what it means.
PARAMETER_LINE = re.compile(r" {4}(?:'[^']*'|\d+|CAST\(NULL AS date\)) AS (\w+),? +-- \S.*")


def parameters(sql: str) -> list[str]:
    """The names of a query's parameters. Raises ValueError where they are not written as they must be."""
    block = re.search(r"^WITH params AS \(\n  SELECT\n(.+?)\n\)[,\n]", sql, re.MULTILINE | re.DOTALL)
    if block is None:
        raise ValueError("WITH params AS ( must follow the first comment, and SELECT must have a line of its own")
    found = []
    for line in block[1].splitlines():
        matched = PARAMETER_LINE.fullmatch(line)
        if matched is None:
            raise ValueError(f"must be a value AS name, and a comment, got {line}")
        found.append(matched[1])
    return found


def unlimited_tables(sql: str, stored: set[str]) -> list[str]:
    """The uses of tables and views by a query that read every day: `table AS alias`, once for each use."""
    statement = sqlglot.parse_one(sql, read="trino")
    return [
        use.sql()
        for use in statement.find_all(exp.Table)
        if use.name in stored and not any(_limits(condition, use) for condition in _conditions(use))
    ]


def _conditions(use: exp.Table) -> list[exp.Expression]:
    """What must hold of every row of the table: its SELECT's WHERE, and the ON with which it is joined."""
    select = use.find_ancestor(exp.Select)
    assert select is not None
    where = select.args.get("where")
    joined_on = use.parent.args.get("on") if isinstance(use.parent, exp.Join) else None
    clauses = [clause for clause in (where and where.this, joined_on) if clause is not None]
    return [each for clause in clauses for each in (clause.flatten() if isinstance(clause, exp.And) else [clause])]


def _limits(condition: exp.Expression, use: exp.Table) -> bool:
    """Whether it is `alias.day >= current_date - …`, by the parameter `days`, or `alias.day = p.day`."""
    if isinstance(condition, exp.EQ):
        return condition.sql() == f"{use.alias}.day = p.day"
    if not (isinstance(condition, exp.GTE) and isinstance(condition.left, exp.Column)):
        return False
    column, first_day = condition.left, condition.right
    names_days = any(each.name == "days" for each in first_day.find_all(exp.Column))
    return (column.name, column.table) == ("day", use.alias) and bool(first_day.find(exp.CurrentDate)) and names_days


@pytest.mark.parametrize("name", QUERIES)
def test_parameters_are_written_in_the_same_way_and_days_is_one_of_them(name: str) -> None:
    found = parameters(QUERIES[name])
    assert found[0] == ("day" if name == "series-of-one-measurement" else "days")
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("name", QUERIES)
def test_every_parameter_is_used(name: str) -> None:
    body = QUERIES[name].partition("\n)")[2]
    assert [each for each in parameters(QUERIES[name]) if not re.search(rf"\bp\.{each}\b", body)] == []


@pytest.mark.parametrize(
    "block",
    [
        "WITH params AS (SELECT 90 AS days)\nSELECT 1",
        "WITH params AS (\n  SELECT\n    CAST(90 AS integer) AS days  -- a type that would round\n)\nSELECT 1",
        "WITH params AS (\n  SELECT\n    90 AS days\n)\nSELECT 1",
        "SELECT 1",
    ],
)
def test_another_form_is_refused(block: str) -> None:
    with pytest.raises(ValueError, match="must"):
        parameters(block)


@pytest.mark.parametrize("name", QUERIES)
def test_each_table_of_a_query_is_limited_by_day(name: str, tables: dict, views: dict) -> None:
    # A query must name one measurement of these, which have no days.
    stored = {*tables, *views} - {"measurement_samples", "measurement_series"}
    assert any(table.name in stored for table in sqlglot.parse_one(QUERIES[name], read="trino").find_all(exp.Table))
    assert unlimited_tables(QUERIES[name], stored) == []


TWO_TABLES = (
    "WITH params AS (SELECT 90 AS days) SELECT * FROM pairs AS r CROSS JOIN params AS p {join} "
    "WHERE r.day >= current_date - interval '1' day * p.days {where}"
)


@pytest.mark.parametrize(
    ("join", "where", "unlimited"),
    [
        ("LEFT JOIN runs AS s ON s.day = r.day", "", ["runs AS s"]),
        ("JOIN runs AS s ON s.run_id = r.run_id", "OR s.day >= current_date - interval '1' day * p.days",
         ["pairs AS r", "runs AS s"]),
        ("JOIN runs AS s ON s.run_id = r.run_id", "AND s.day >= date '1999-01-01'", ["runs AS s"]),
        ("JOIN runs AS s ON s.run_id = r.run_id", "AND s.day >= current_date - interval '1' day * p.days", []),
        ("JOIN runs AS s ON s.run_id = r.run_id AND s.day >= current_date - interval '1' day * p.days", "", []),
    ],
)  # fmt: skip
def test_one_unlimited_table_of_two_is_caught(join: str, where: str, unlimited: list[str]) -> None:
    assert unlimited_tables(TWO_TABLES.format(join=join, where=where), {"pairs", "runs"}) == unlimited
