"""What `lab athena` adds to Athena's words about a table or column that there is not."""

from __future__ import annotations

import pytest

from lab.runner.query import Relations, meant

RELATIONS: Relations = {
    "measurements": ["client_type", "onset_seconds", "burst_bits_per_second", "day"],
    "pairs": ["client_type", "launch_seconds", "day"],
    "verdicts": ["verdict", "bucket_bits"],
    "wide": [*(f"seventh_of_all_{number}" for number in range(7)), *(f"sixth_of_all_{number}" for number in range(6))],
}


def no_table(name: str) -> str:
    return f"TABLE_NOT_FOUND: line 1:1: Table 'awsdatacatalog.network_benchmark.{name}' does not exist"


def no_column(name: str) -> str:
    return f"COLUMN_NOT_FOUND: line 1:8: Column '{name}' cannot be resolved"


@pytest.mark.parametrize(
    ("reason", "query", "added"),
    [
        (no_table("measurement"), "SELECT 1 FROM measurement", "; did you mean measurements?"),
        (no_table("verdict"), "SELECT 1 FROM verdict", "; did you mean verdicts?"),
        (no_table("xyzzy"), "SELECT 1 FROM xyzzy", "; there are measurements, pairs, verdicts, wide"),
        (no_column("clint_type"), "SELECT clint_type FROM measurements", "; did you mean client_type?"),
        (no_column("m.onset_second"), "SELECT m.onset_second FROM Measurements m", "; did you mean onset_seconds?"),
        (no_column("onset"), "SELECT onset FROM measurements", "; did you mean onset_seconds?"),
        (
            no_column("ts"),
            "SELECT ts FROM measurements",
            "; docs/reference/columns.md lists the columns of measurements",
        ),
        (no_column("sec"), "SELECT sec FROM measurements", "; did you mean burst_bits_per_second or onset_seconds?"),
        (no_column("on"), "SELECT on FROM pairs", "; docs/reference/columns.md lists the columns of pairs"),
        # More than six names are no help.
        (no_column("eve"), "SELECT eve FROM wide", "; docs/reference/columns.md lists the columns of wide"),
        (
            no_column("six"),
            "SELECT six FROM wide",
            f"; did you mean {' or '.join(f'sixth_of_all_{number}' for number in range(6))}?",
        ),
        # The column is one of another table, which the query does not name.
        (
            no_column("bucket_bit"),
            "SELECT bucket_bit FROM pairs",
            "; docs/reference/columns.md lists the columns of pairs",
        ),
        (no_column("bucket_bit"), "SELECT bucket_bit FROM verdicts", "; did you mean bucket_bits?"),
        (
            no_column("xyzzy"),
            "SELECT xyzzy FROM measurements JOIN pairs USING (client_type)",
            "; docs/reference/columns.md lists the columns of measurements, pairs",
        ),
    ],
)
def test_an_unknown_name_gets_the_nearest_ones(reason: str, query: str, added: str) -> None:
    assert meant(reason, query, lambda: RELATIONS) == added


@pytest.mark.parametrize("reason", ["SYNTAX_ERROR: mismatched input", "CANCELLED", "INVALID_VIEW: " + no_table("pair")])
def test_of_any_other_reason_nothing_is_asked_and_nothing_said(reason: str) -> None:
    def relations() -> Relations:
        raise AssertionError("relations: must not be asked for")

    assert meant(reason, "SELECT 1", relations) == ""
