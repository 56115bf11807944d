"""The views of open and closed rows: which row counts, by the generation that is valid when the query begins."""

from __future__ import annotations

from datetime import date

import pytest
from query_runner import TODAY, Row, Tables, ask, database_of

DAY = date(1998, 2, 20)
PAST, LATER, FUTURE = "2026-10-21T00:10:00.000Z", "2026-10-22T00:10:00.000Z", "2999-01-01T00:10:00.000Z"
VIEWS = ("runs", "pairs", "measurements")


def generation(name: str, valid_from: str = PAST, valid_to: str | None = None, until: str = "1998-02-20") -> Row:
    return {"month": "1998-02", "generation": name, "until": until, "valid_from": valid_from, "valid_to": valid_to}


def seen(tables: Tables, view: str, months: list[Row], open_days: list[date], closed: list[tuple[str, date]]) -> list:
    """Where the rows that count come from: `open` or a generation, and their days."""
    rows: dict[str, list[Row]] = {
        "closed_months": months,
        f"open_{view}": [{"run_id": "r1", "plan_name": "open", "day": day} for day in open_days],
        f"closed_{view}": [
            {"run_id": "r1", "plan_name": name, "generation": name, "day": day}
            | {"year": f"{day:%Y}", "month_of_year": f"{day:%m}"}
            for name, day in closed
        ],
    }
    found = ask(database_of(tables, rows), f"SELECT plan_name, day FROM {view} ORDER BY 1, 2")
    return [(row["plan_name"], row["day"]) for row in found]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(
    ("months", "counts"),
    [
        ([], "open"),
        ([generation("a")], "a"),
        ([generation("a", valid_from=FUTURE)], "open"),
        ([generation("a", valid_to=LATER), generation("b", valid_from=LATER)], "b"),
        ([generation("a", valid_to=FUTURE), generation("b", valid_from=FUTURE)], "a"),
        ([generation("c")], None),
        ([generation("a", until="1998-02-19")], "open"),
    ],
    ids=["never closed", "closed", "not valid yet", "superseded", "to be superseded", "without the run", "later day"],
)
def test_a_run_counts_once(tables: Tables, view: str, months: list[Row], counts: str | None) -> None:
    closed = [("a", DAY), ("b", DAY)] if months and months[0]["until"] == str(DAY) else []
    assert seen(tables, view, months, [DAY], closed) == ([] if counts is None else [(counts, DAY)])


@pytest.mark.parametrize("view", VIEWS)
def test_a_closed_row_of_any_age_counts_once(tables: Tables, view: str) -> None:
    """At the ends of the ages by which the views read closed months; today is the first of March 1998."""
    days = [date(1990, 1, 1), date(1997, 8, 31), date(1997, 9, 1), date(1997, 10, 31), date(1997, 11, 1), TODAY]
    months = [
        generation("a", until=str(day)) | {"month": f"{day:%Y-%m}", "valid_from": "1998-03-01T00:00:00.000Z"}
        for day in days
    ]
    assert seen(tables, view, months, [], [("a", day) for day in days]) == [("a", day) for day in days]


def test_a_generation_counts_for_its_month_alone(tables: Tables) -> None:
    days = [date(1998, 1, 31), DAY, date(1998, 3, 1)]
    closed = [("a", day) for day in days]
    assert seen(tables, "runs", [generation("a")], days, closed) == [("a", DAY), ("open", days[0]), ("open", days[2])]
