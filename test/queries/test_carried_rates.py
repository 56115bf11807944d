"""Report, row, expectation and query say the same of the rates that the recorded instance types carry."""

from __future__ import annotations

import json

import duckdb
import pytest
from query_runner import Row, Tables, database_of, run, written_by

Said = dict[str, object]

# What an expectation of at least a little less, and of at least a little more, comes to.
STATUSES = {
    "always": ["met", "met"],
    "for": ["met", "not_met"],
    "at_least": ["met", "undecided"],
    "never": ["not_met", "not_met"],
    None: ["not_measured", "not_measured"],
}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> list[Said]:
    path = tmp_path_factory.mktemp("recorded") / "said.json"
    written_by("write-recorded-types.ts", path)
    return json.loads(path.read_text())


def test_the_row_and_the_expectation_say_what_the_report_says(recorded: list[Said]) -> None:
    assert len(recorded) == 17
    for measured in recorded:
        row = measured["row"]
        for said in measured["said"]:
            column = f"held_{said['rate']}_gbit"
            assert said["report"] == {"kind": row.get(column), "seconds": row.get(f"{column}_seconds")}
            statuses = [expected["status"] for expected in said["expected"]]
            assert statuses == STATUSES[said["report"]["kind"]], (row["measurement_id"], said)
        sustained = {"value": row.get("sustained_bits_per_second"), "bound": row.get("sustained_bound")}
        assert measured["sustained"] == sustained


@pytest.fixture(scope="module")
def database(recorded: list[Said], tables: Tables) -> duckdb.DuckDBPyConnection:
    """Each measurement is a cell of its own, so that a query says of each what it says of a type."""
    return database_of(tables, {"measurements": [own_cell(measured["row"]) for measured in recorded]})


def test_the_query_finds_a_type_as_long_as_the_report_says_that_it_holds_the_rate(
    recorded: list[Said], database: duckdb.DuckDBPyConnection
) -> None:
    for measured in recorded:
        for said in measured["said"]:
            for expected in said["expected"]:
                rate, minutes = f"{said['rate']} AS gbits", f"{expected['min'] / 60!r} AS minutes"
                edits = (("1 AS gbits", rate), ("3 AS minutes", minutes))
                found = [row["cell"] for row in run(database, "cheapest-type-that-holds-a-rate", *edits)]
                is_found = measured["row"]["measurement_id"] in found
                assert is_found == (expected["status"] == "met"), (measured["row"]["measurement_id"], said)


def test_the_query_ranks_by_the_sustained_rate_of_the_report(
    recorded: list[Said], database: duckdb.DuckDBPyConnection
) -> None:
    found = run(database, "sustained-throughput-per-dollar-by-type")
    assert {row["cell"]: row["sustained_gbits_per_second"] for row in found} == {
        measured["row"]["measurement_id"]: round(measured["sustained"]["value"] / 1e9, 3)
        for measured in recorded
        if measured["sustained"]["bound"] == "measured"
    }


def test_ten_gigabits_are_held_by_the_types_whose_peak_they_are(recorded: list[Said]) -> None:
    """The tools count no headers, so that a card of 10 Gbit/s shows 9.4 to 9.9."""
    held = [said["report"] for measured in recorded for said in measured["said"] if said["rate"] == 10]
    seconds = sorted(report["seconds"] for report in held if report["kind"] == "for")
    assert len(seconds) >= 12
    assert 250 < seconds[0] < seconds[-1] < 2500


def own_cell(row: Row) -> Row:
    cells = {name: json.dumps(cell) if isinstance(cell, dict) else cell for name, cell in row.items() if name != "day"}
    return cells | {"cell": row["measurement_id"]}
