"""The saved query and the page over all runs show the same atlas, over the same runs."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import duckdb
import pytest
from query_runner import TODAY, Row, Tables, measurements_below, run, written_by

# The unit of the figures that have another than their column.
UNITS = {
    "_bits_per_second": "_gbits_per_second",
    "bucket_bits": "bucket_gbits",
    "_packets_per_second": "_kilopackets_per_second",
}
# The query rounds to so many places.
PLACES = {"_gbits_per_second": 3, "bucket_gbits": 2, "_kilopackets_per_second": 2}
COPIED = ["setting", "mode_count", "repetition_count", "contended_count", "run_count", "last_run_id"]
ANOTHER_PAIR = ["another_pair_low", "another_pair_high"]
ROUNDED = ["median", "median_low", "median_high", *ANOTHER_PAIR, "lowest_mode", "highest_mode", "lowest", "highest"]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("atlas")
    written_by("write-atlas.ts", folder, TODAY)
    return folder


@pytest.fixture(scope="module")
def page(written: Path) -> list[Row]:
    """What the page has: a row for each figure of each cell."""
    return json.loads((written / "atlas.json").read_text())


@pytest.fixture(scope="module")
def stored(written: Path, tables: Tables) -> duckdb.DuckDBPyConnection:
    return measurements_below(written, tables)


def in_unit(column: str) -> str:
    """`burst_gbits_per_second` for `burst_bits_per_second`."""
    for unit, shown in UNITS.items():
        if column.endswith(unit):
            return column.removesuffix(unit) + shown
    return column


def test_the_query_has_every_figure_of_the_page_and_no_other(
    stored: duckdb.DuckDBPyConnection, page: list[Row]
) -> None:
    found = {(row["cell"], row["figure"]): row for row in run(stored, "atlas")}
    assert set(found) == {(row["cell"], in_unit(str(row["column"]))) for row in page}
    assert len({figure for _, figure in found}) == 16
    for expected in page:
        figure = in_unit(str(expected["column"]))
        row = found[expected["cell"], figure]
        places = next((places for unit, places in PLACES.items() if figure.endswith(unit)), 1)
        assert {name: row[name] for name in COPIED} == {name: expected[name] for name in COPIED}, row
        for name in ROUNDED:
            rounded = (
                None if expected[name] is None else pytest.approx(expected[name], rel=1e-9, abs=0.51 * 10**-places)
            )
            assert row[name] == rounded, (name, row)
        for which in ("baseline", "peak"):
            bits = expected[f"published_{which}"]
            gigabits = row[f"published_{which}_gbits_per_second"]
            assert gigabits == (None if bits is None else pytest.approx(float(str(bits)) / 1e9, abs=5e-4)), row


def test_the_runs_have_what_the_two_could_disagree_about(page: list[Row]) -> None:
    modes = Counter(row["mode_count"] for row in page)
    assert min(modes[1], modes[2], modes[3], modes[4]) >= 3
    counts = {row["repetition_count"] for row in page if row["median_low"] is not None}
    assert len(counts) > 10
    assert {row["column"] for row in page if row["mode_count"] > 1} > {"rtt_p99_micros", "burst_bits_per_second"}
    buckets = [row for row in page if row["column"] == "bucket_bits"]
    of_another = [row for row in buckets if row["another_pair_low"] is not None]
    assert len({row["repetition_count"] for row in of_another}) > 2
    assert {row["mode_count"] == 1 for row in buckets} == {True, False}
    # The ends are those of the factor in some, and those of the repetitions in others.
    for end, most in (("another_pair_low", "lowest"), ("another_pair_high", "highest")):
        assert {row[end] == row[most] for row in of_another} == {True, False}
    assert {5, 6} <= {row["repetition_count"] for row in page}
    assert any(row["lowest"] == 0 for row in page)
    contended = [(row["contended_count"], row["repetition_count"]) for row in page]
    assert {0 if count == 0 else 2 if count == of else 1 for count, of in contended} == {0, 1, 2}
    assert len({row["published_peak"] for row in page}) > 2


def test_only_the_newest_runs_of_a_cell_count_as_soon_as_they_have_enough_repetitions(page: list[Row]) -> None:
    many = [row for row in page if row["column"] == "throughput_mean_bits_per_second" and row["run_count"] == 4]
    # Which of the two runs of one day counts is in the values, and the query has the same ones.
    assert [row["repetition_count"] for row in many if row["repetition_count"] > 1000] == [4 * 260]
