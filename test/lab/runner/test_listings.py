"""What the lab lists and deletes without starting anything, and which queries it refuses."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from kept_store import kept_store, put_object

from lab.hosts.profiles import Profiles
from lab.runner import LabError
from lab.runner.listings import clean, queries_table, runs_table, types_table, what_labs_left
from lab.runner.paths import REPOSITORY, FolderLock, LabPaths
from lab.runner.query import require_query, run_beside
from lab.runner.store import Copies, Store, without_console_links


def store_in(folder: Path) -> tuple[LabPaths, Store]:
    paths = LabPaths(folder)
    return paths, kept_store(paths)


def document(store: Store, run_id: str, name: str, content: str) -> None:
    put_object(store, f"reports/{run_id}/{name}", content)


def planned(store: Store, run_id: str) -> None:
    document(store, run_id, "plan.json", json.dumps({"createdAt": "2026-11-23T04:41:58.1Z", "plan": {"name": "Plan"}}))


def verdict_of(kind: str | tuple[str, str] | None) -> object:
    """Returns a verdict of this kind, with a cause or without one."""
    if kind is None:
        return None
    return {"kind": kind, "cause": None} if isinstance(kind, str) else {"kind": kind[0], "cause": kind[1]}


def summarised(store: Store, run_id: str, *kinds: str | tuple[str, str] | None) -> None:
    measurements = [{"verdict": verdict_of(kind)} for kind in kinds]
    summary = {"createdAt": "2026-11-23T04:41:58.1Z", "planName": "Plan", "outcome": "complete"}
    document(store, run_id, "summary.json", json.dumps({**summary, "measurements": measurements}))


def test_every_type_is_listed_with_the_figures_of_its_profile() -> None:
    (headings, *rows), scale = types_table(None)
    by_type = {row[0]: dict(zip(headings, row, strict=True)) for row in rows}
    assert set(by_type) == set(Profiles.load().instance_types)
    assert by_type["c5.xlarge"] == {
        "type": "c5.xlarge",
        "burst Gbit/s": "1",
        "baseline Gbit/s": "0.125",
        "bucket Gbit": "22.2",
        "full burst s": "25",
        "zones": "a, b, c",
        "figures": "recorded",
    }
    assert by_type["m4.xlarge"]["bucket Gbit"] == by_type["m4.xlarge"]["full burst s"] == ""
    assert scale.startswith(
        "Rates are those of EC2 divided by 10, and a burst at full rate ends 20 times sooner than on EC2 "
        "(--time-divisor). One flow carries at most 0.5 Gbit/s.\nrecorded: bucket and baseline from the public"
    )


def test_types_are_listed_at_another_scale_of_time() -> None:
    (_, *rows), scale = types_table(1)
    assert next(row for row in rows if row[0] == "c5.xlarge")[4] == "508"
    assert "1 times sooner" in scale


def test_every_named_query_is_listed_with_its_question() -> None:
    _, *rows = queries_table()
    assert [row[0] for row in rows] == sorted(file.stem for file in (REPOSITORY / "queries").glob("*.sql"))
    assert [row for row in rows if not row[1].endswith(("?", "."))] == []
    assert ["failed-measurements", "What was not measured completely, and why?"] in rows


def test_runs_are_listed_with_their_reports(tmp_path: Path) -> None:
    paths, store = store_in(tmp_path)
    for run_id in ("r1", "r2"):
        planned(store, run_id)
    summarised(store, "r1", "steady", None, "steady", ("drop", "packet_loss"))
    document(store, "r1", "report.html", "the report")
    for name in ("p0001-m01.csv", "p0001-m01.ndjson", "p0001-m01.csv.meta.json"):
        document(store, "r1", f"series/{name}", name)
    _, *rows = runs_table(paths, None)
    report = tmp_path / "reports" / "r1" / "report.html"
    at = "2026-11-23 04:41 UTC"
    assert sorted(rows) == [
        ["r1", at, "Plan", "complete", "1 drop (packet_loss), 2 steady", str(report)],
        ["r2", at, "Plan", "interrupted", "", ""],
    ]
    assert report.read_text() == "the report"
    series = {file.name: file.read_text() for file in (report.parent / "series").iterdir()}
    assert series == {name: name for name in ("p0001-m01.csv", "p0001-m01.ndjson")}


@pytest.mark.parametrize(
    ("lab_since", "outcome"),
    [("2026-11-23T04:41:58.1Z", "running"), ("2026-11-23T04:41:59Z", "interrupted"), (None, "interrupted")],
)
def test_a_run_without_a_summary_runs_only_in_the_lab_that_planned_it(
    tmp_path: Path, lab_since: str | None, outcome: str
) -> None:
    paths, store = store_in(tmp_path)
    planned(store, "r1")
    began = None if lab_since is None else datetime.fromisoformat(lab_since)
    assert [row[3] for row in runs_table(paths, began)[1:]] == [outcome]


REPORT_LINK = '<a href="reports/r1/report.html" aria-label="report of r1">report</a>'
CONSOLE_LINK = """<a
              href="https://us-east-1.console.aws.amazon.com/s3/object/b?region=us-east-1&amp;prefix=index.html"
              aria-label="report of r1 in the console"
             >in the console</a
           >"""
DOCUMENTATION = '<a href="https://docs.aws.amazon.com/ec2/">EC2 guide</a>'


def test_links_to_the_console_are_left_out_and_all_others_stay() -> None:
    row = f"<td>{REPORT_LINK} <small> {CONSOLE_LINK} </small></td><p>{DOCUMENTATION}, {CONSOLE_LINK}</p>"
    assert without_console_links(row) == f"<td>{REPORT_LINK} </td><p>{DOCUMENTATION}, </p>"


def test_a_copy_is_made_of_what_there_is_and_renewed_by_a_later_version_only(tmp_path: Path) -> None:
    paths, store = store_in(tmp_path)
    copies = Copies(paths, store.objects())
    assert (copies.report("r1"), copies.index()) == (None, None)
    put_object(store, "index.html", CONSOLE_LINK)
    put_object(store, "reports/r1/plan.json", "one")
    index, folder = copies.index(), copies.forecast("r1")
    assert (index, folder) == (tmp_path / "index.html", tmp_path / "reports/r1")
    assert index.read_text() == ""

    stored = store.objects() / "reports/r1/plan.json"
    copied_at = (folder / "plan.json").stat().st_mtime
    stored.write_text("two")
    for stored_at, text in ((copied_at - 1, "one"), (copied_at + 1, "two")):
        os.utime(stored, (stored_at, stored_at))
        assert copies.document("r1", "plan.json").read_text() == text


def test_a_refused_plan_is_a_run_without_a_plan(tmp_path: Path) -> None:
    paths, store = store_in(tmp_path)
    summarised(store, "refused")
    assert [row[0] for row in runs_table(paths, None)[1:]] == ["refused"]
    assert store.planned_run_ids() == []


def test_cleaning_deletes_what_it_names_and_leaves_what_is_not_the_lab_s(tmp_path: Path) -> None:
    paths, store = store_in(tmp_path)
    planned(store, "r1")
    (tmp_path / "notes.txt").write_text("the user's own")
    document(store, "r1", "large", "x" * 2_000_000)
    left = what_labs_left(paths)
    assert left is not None
    assert left.startswith("1 run; store 2.0 MB")
    assert left.endswith("2.0 MB in all")
    clean(paths)
    assert [entry.name for entry in tmp_path.iterdir()] == ["notes.txt"]
    assert what_labs_left(paths) is None


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("", "must be SQL or the name of a query, got nothing; npm run lab -- queries lists the named queries"),
        (" \n", "got nothing"),
        ("throttle-onset", "got throttle-onset; did you mean throttle-onsets or"),
        ("xyzzy", "got xyzzy; npm run lab -- queries"),
    ],
)
def test_what_is_neither_sql_nor_a_named_query_is_refused(query: str, sentence: str) -> None:
    with pytest.raises(LabError) as refused:
        require_query(query)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("query", ["throttle-onsets", "SELECT 1", "WITH a AS (SELECT 1) SELECT * FROM a"])
def test_sql_and_named_queries_are_let_pass(query: str) -> None:
    require_query(query)


@pytest.fixture
def lab_folder() -> Iterator[Path]:
    """A folder in the checkout: the tests' own folder may be on a file system of the namespace, where no lab may be."""
    (REPOSITORY / ".cache").mkdir(exist_ok=True)
    with TemporaryDirectory(dir=REPOSITORY / ".cache") as folder:
        yield Path(folder)


def test_who_holds_the_lock_tells_how_to_reach_its_lab(lab_folder: Path) -> None:
    paths = LabPaths(lab_folder)
    holder, other = FolderLock(paths), FolderLock(paths)
    # That of an earlier holder.
    os.utime(paths.lock, (0, 0))
    # The kernel's clock for files goes in steps of some milliseconds.
    before = time.time() - 1
    assert holder.take()
    assert other.held_since().timestamp() >= before
    assert not other.take()
    assert other.process_id() is None
    holder.tell_process(4711)
    assert other.process_id() == 4711
    assert before <= other.held_since().timestamp() <= time.time()
    with pytest.raises(LabError, match="another lab or query is running in"):
        other.require()


def test_a_query_takes_the_lock_that_nobody_holds(lab_folder: Path) -> None:
    paths = LabPaths(lab_folder)
    lock = FolderLock(paths)
    assert run_beside(lock, paths, "SELECT 1") is None
    assert not FolderLock(paths).take()
