"""The judge has nothing against the courses of a sound product, and objects to each defect of the list in them."""

from __future__ import annotations

import copy
import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from faults import courses
from faults.courses import Recorded
from faults.defects import CUT, DEFECTS, EXPECTING, PUBLIC, STOPPED, STOPPED_PAIR, THROTTLED, TWO, UNEQUAL, Defect
from faults.figures import CONTENTION
from faults.planted import PLANT
from faults.stored import Object
from lab.runner.paths import REPOSITORY

PLAIN = "nothing happens/a pair"
ONE = "p0001-m01"
RECORDED = courses.read()
Change = Callable[[Recorded], None]


def course_of(kind: str) -> Recorded:
    """Returns a recorded course, on a machine that had time for it."""
    recorded = copy.deepcopy(RECORDED[kind])
    for row in recorded.course.store.rows["measurements"]:
        row["witnesses"] = [one for one in row.get("witnesses") or [] if one["name"] != CONTENTION]
    return recorded


def rows_of(recorded: Recorded, table: str) -> list[Object]:
    return recorded.course.store.rows[table]


def each(table: str, **values: Any) -> Change:
    def change(recorded: Recorded) -> None:
        for row in rows_of(recorded, table):
            row |= values

    return change


def scaled(table: str, column: str, factor: float, metric: str | None = None) -> Change:
    def change(recorded: Recorded) -> None:
        for row in rows_of(recorded, table):
            if row.get(column) and metric in (None, row.get("metric")):
                row[column] *= factor

    return change


def without(table: str, **values: Any) -> Change:
    def change(recorded: Recorded) -> None:
        rows = rows_of(recorded, table)
        rows[:] = [row for row in rows if not all(row.get(name) == value for name, value in values.items())]

    return change


def summary_of(recorded: Recorded) -> Object:
    assert recorded.course.summary is not None
    return recorded.course.summary


def last_removal_later(recorded: Recorded) -> None:
    """Has the second host ended by the reaper's next look."""
    first, *_ = recorded.removals
    names = [one.name for one in recorded.resources if one.name in first["request"]]
    recorded.removals[:] = [
        first | {"at": first["at"] + 6 * at, "request": f"Action=TerminateInstances&InstanceId.1={name}"}
        for at, name in enumerate(names)
    ]


def last_chunk_again(recorded: Recorded) -> None:
    each("measurements", warnings=["client: the file holds 2 tests"])(recorded)


def unequal(recorded: Recorded) -> None:
    for one in recorded.resources:
        one.instance_type = recorded.fault.instance_types["server" if one.role == "client" else "client"]


def group_left(recorded: Recorded) -> None:
    host = recorded.resources[0]
    left = replace(host, kind="securityGroups", name="sg-1", last_seen=(recorded.course.ended or 0) + 30)
    recorded.resources.append(left)


def summary_short(recorded: Recorded) -> None:
    summary_of(recorded)["measurements"].pop()


def report_of_another(recorded: Recorded) -> None:
    recorded.course.report = (recorded.course.report or "").replace(recorded.course.run_id, "f9999")


def not_salvaged(recorded: Recorded) -> None:
    recorded.course.store.documents["summary"] = recorded.course.report = None


def row_twice(recorded: Recorded) -> None:
    rows_of(recorded, "measurements").append(rows_of(recorded, "measurements")[0])


def live_row_left(recorded: Recorded) -> None:
    rows_of(recorded, "live_measurements").append(rows_of(recorded, "measurements")[0])


def always_met(recorded: Recorded) -> None:
    summary_of(recorded)["expectations"]["outcome"] = "met"


def tags_lost(recorded: Recorded) -> None:
    for one in recorded.resources:
        one.tags = {key: value for key, value in one.tags.items() if key.startswith("network-benchmark:")}


def cards_swapped(recorded: Recorded) -> None:
    report = (recorded.course.report or "").replace('<div id="p0001', '<div id="p0003')
    recorded.course.report = report.replace('<div id="p0002', '<div id="p0001').replace(
        '<div id="p0003', '<div id="p0002'
    )


def open_to_everybody(recorded: Recorded) -> None:
    recorded.resources[0].admits = ["10.0.0.4/32", "0.0.0.0/0"]


RATE = "throughput_bits_per_second"
# What each defect leaves, in a course of this kind; what somebody else has is no part of a course.
LEAVES: dict[str, tuple[str, Change]] = {
    "the reaper ends one host of two": (STOPPED_PAIR, last_removal_later),
    "every sample is doubled": (PLAIN, scaled("samples", RATE, 2)),
    "the last chunk counts twice": (PLAIN, last_chunk_again),
    "every verdict is a drop by credits": (
        PLAIN,
        each("measurements", verdict_kind="drop", verdict_cause="network_credits"),
    ),
    "a host costs nothing": (PLAIN, scaled("pairs", "cost_instances_usd", 0.5)),
    "live rates are halved": (PLAIN, scaled("live_samples", RATE, 0.5)),
    "client and server have each other's type": (UNEQUAL, unequal),
    "teardown leaves a security group": (PUBLIC, group_left),
    "prices are another Region's": (PLAIN, scaled("pairs", "client_hourly_usd", 1.15)),
    "the onset is a minute late": (THROTTLED, each("measurements", onset_seconds=73.4)),
    "the server's allowance counters are missing": (PLAIN, without("samples", metric="allowance", host_role="server")),
    "warnings are swallowed": (CUT, each("measurements", warnings=[])),
    "rows have another run's id": (PLAIN, each("samples", run_id="f9999")),
    "a row of a table is there twice": (PLAIN, row_twice),
    "the summary is complete without a measurement": (TWO, summary_short),
    "the report is of an earlier run": (PLAIN, report_of_another),
    "nobody salvages what was measured": (STOPPED, not_salvaged),
    "live rows of ended measurements stay": (PLAIN, live_row_left),
    "expectations are always met": (EXPECTING, always_met),
    "tags are lost": (PLAIN, tags_lost),
    "retransmits are dropped": (PLAIN, each("samples", retransmits=None)),
    "sent bytes are taken for bits": (PLAIN, scaled("samples", "sent_bits_per_second", 1 / 8)),
    "the 95th percentile is the greatest value": (
        THROTTLED,
        lambda recorded: each(
            "measurements",
            throughput_p95_bits_per_second=rows_of(recorded, "measurements")[0]["throughput_max_bits_per_second"],
        )(recorded),
    ),
    "each card has another measurement's figures": (TWO, cards_swapped),
    "state transitions are free": (PLAIN, scaled("pairs", "expected_step_functions_usd", 0)),
    "a pair's group lets everybody in": (PUBLIC, open_to_everybody),
}
NO_COURSE = {"the sweeper takes another stack's host"}


@pytest.mark.parametrize("kind", RECORDED)
def test_a_course_of_a_sound_product_breaks_nothing(kind: str) -> None:
    assert RECORDED[kind].verdict().broken == []


@pytest.mark.parametrize("name", LEAVES)
def test_the_judge_objects_to_what_a_defect_leaves(name: str) -> None:
    (defect,) = [one for one in DEFECTS if one.name == name]
    kind, change = LEAVES[name]
    recorded = course_of(kind)
    sound = set(recorded.verdict().broken)
    change(recorded)
    broken = [one for one in recorded.verdict().broken if one not in sound]
    assert any(re.search(defect.objection, one) for one in broken), broken


def test_the_list_has_a_course_for_each_defect_of_twenty() -> None:
    assert {one.name for one in DEFECTS} == {*LEAVES} | NO_COURSE
    assert len(DEFECTS) >= 20
    assert all(kind in RECORDED for one in DEFECTS for kind in one.kinds)


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        (scaled("measurements", "throughput_mean_bits_per_second", 1.1), "must have throughput_mean_bits_per_second"),
        (scaled("runs", "cost_usd", 2), "the run must cost what its pairs do"),
        (scaled("pairs", "host_seconds", 3), "p0001 must be billed for"),
        (each("measurements", server_zone="us-east-1f"), "must be in us-east-1"),
        (each("measurements", published_client_peak_bits_per_second=1), "published of the client"),
        (each("measurements", client_kernel=None), "measurements must have client_kernel a value"),
        (each("runs", complete_count=0), "the run's row must count 1 complete"),
        (each("measurements", started_at="2020-01-01T00:00:00Z"), "must have the tool's started_at"),
        (without("stream", stream="5"), "must be the sum of its streams"),
        (scaled("pairs", "cost_step_functions_usd", 0), "USD of step_functions"),
        (each("runs", report_uri="s3://bucket/reports/f9999/report.html"), "must name its report"),
        (each("measurements", onset_seconds=2.5, burst_bits_per_second=9e8), "must have its burst of 9e+08 bit/s"),
    ],
)
def test_the_judge_objects_to_a_wrong_figure(change: Change, broken: str) -> None:
    recorded = course_of(PLAIN)
    rows_of(recorded, "samples")
    recorded.course.store.rows["stream"] = recorded.course.store.rows["samples"]
    change(recorded)
    assert any(broken in one for one in recorded.verdict().broken), recorded.verdict().broken


def test_a_busy_machine_holds_no_low_rate_against_a_run_and_too_high_a_rate_all_the_same() -> None:
    recorded = course_of(PLAIN)
    row = rows_of(recorded, "measurements")[0]
    row["witnesses"] = [*row["witnesses"], {"name": CONTENTION, "agrees": None, "detail": ""}]
    each("measurements", verdict_kind="outage")(recorded)
    summary_of(recorded)["measurements"][0]["verdict"]["kind"] = "outage"
    recorded.course.store.history[0]["verdictCounts"][0]["kind"] = "outage"
    verdict = recorded.verdict()
    assert (verdict.not_judged, verdict.broken) == ("other work kept the processors", [])
    scaled("samples", RATE, 1.5)(recorded)
    assert any("as its card does" in one for one in recorded.verdict().broken)


def test_a_campaign_that_lost_its_patience_on_a_busy_machine_calls_nothing_broken() -> None:
    recorded = course_of(STOPPED)
    recorded.resources[0].is_gone = False
    assert any(one.startswith("nothing must be left") for one in recorded.verdict().broken)
    recorded.course.was_busy = True
    verdict = recorded.verdict()
    assert verdict.broken == []
    assert (verdict.not_judged or "").startswith("not settled yet, on a busy machine: nothing must be left")


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda one: one.name)
def test_what_a_defect_replaces_stands_once_in_its_source(defect: Defect) -> None:
    for patch in defect.patches:
        assert (REPOSITORY / patch.file).read_text().count(patch.old) == 1


def test_a_defect_whose_text_is_not_there_is_no_planted_one(tmp_path: Path) -> None:
    asked = {"out": str(tmp_path), "patches": [{"file": DEFECTS[0].patches[0].file, "from": "no such text", "to": ""}]}
    node = subprocess.run(["node", str(PLANT)], input=json.dumps(asked), capture_output=True, text=True, cwd=REPOSITORY)
    assert node.returncode != 0
    assert 'must contain "no such text" once, contains it 0 times' in node.stderr
    assert list(tmp_path.iterdir()) == []
