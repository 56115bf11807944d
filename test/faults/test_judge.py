"""Every invariant of the fault campaign objects to the defect that it is for, and to nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from faults.conduct import Course
from faults.fault import Fault
from faults.judge import Verdict, judge
from faults.stored import Stored
from faults.table import Record
from faults.witness import Resource, Tool

START, END, ALLOWED_SECONDS = 1_000.0, 1_100.0, 90.0
KILLED = Fault(
    0, "host killed while it measures", "red", "measuring", 8, "the client dies", {"roles": ["client"]}, 24, 1
)
PLAIN = replace(KILLED, kind="API throttled", outcome="green", details={}, measurement_seconds=6)
WHY = "host client i-1 is no longer running (shutting-down); intervals cover 15.0 of 24 s"
REASON = f"p0001-m01: {WHY}"
# As in the report, in which the id of a measurement is a link wherever it stands, and a unit stays with its figure.
REPORTED = f'<p><a href="#p0001-m01">p0001-m01</a>: {WHY.replace("24 s", "24&nbsp;s")}</p>'


@pytest.fixture(autouse=True)
def figures_are_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """These courses have no figures; test_recorded_courses.py has some with all that a run leaves."""
    monkeypatch.setattr("faults.judge._measured", lambda *_: [])


def course_of(fault: Fault, **changes: Any) -> Course:
    is_green = fault.outcome == "green"
    summary = {
        "outcome": "complete" if is_green else "incomplete",
        "interruptedReason": None,
        "pairs": [{"reason": None if is_green else REASON}],
        "measurements": [{"measurementId": "p0001-m01", "reason": None}],
    }
    left: dict[str, Any] = {
        "summary": summary,
        "stored": {"p0001-m01": set(range(fault.measurement_seconds if is_green else 15))},
        "live": [],
        "measurements": ["p0001-m01"],
        "live_measurements": [],
    }
    left |= {name: changes.pop(name) for name in [*left] if name in changes}
    course = Course("f0000", START, START + 40, None, END, END + 1, "SUCCEEDED" if is_green else "FAILED")
    course.report = REPORTED
    samples = [
        {"measurement_id": one, "metric": "throughput", "host_role": "server", "start_seconds": second}
        for one, seconds in left["stored"].items()
        for second in seconds
    ]
    rows = {name: [{"measurement_id": one} for one in left[name]] for name in ("measurements", "live_measurements")}
    course.store = Stored(
        {"plan": {"pairs": []}, "summary": left["summary"]}, {**rows, "samples": samples, "live_samples": left["live"]}
    )
    course.store.printed = {one: {} for one in left["stored"]}
    for name, value in changes.items():
        setattr(course, name, value)
    return course


def live_rows(*starts: float, metric: str = "throughput", host_role: str = "server") -> list[dict[str, Any]]:
    row = {"measurement_id": "p0001-m01", "host_role": host_role, "metric": metric, "stream": "sum"}
    return [row | {"start_seconds": start} for start in starts]


def host(last_seen: float = END - 5, is_gone: bool = True) -> Resource:
    return Resource("instances", "i-1", "f0000", "p0001", "client", START + 5, last_seen, "running", is_gone)


SERVER = Resource("instances", "i-2", "f0000", "p0001", "server", START + 5, END - 5, "running", True)


def verdict_of(fault: Fault, course: Course, resource: Resource | None = None, tool_seconds: float = 20) -> Verdict:
    tool = Tool("i-1", START + 20, START + 20 + tool_seconds, True)
    request = "Action=TerminateInstances&InstanceId.1=i-1&InstanceId.2=i-2"
    removals = [{"at": END - 6, "author": "state machine", "request": request}]
    loses = replace(fault, loses_seconds=True)
    # Of a red run, one host is enough to judge.
    hosts = [resource or host(), *([SERVER] if course.status == "SUCCEEDED" else [])]
    return judge(loses, course, hosts, [tool], removals, ALLOWED_SECONDS)


@pytest.mark.parametrize("fault", [KILLED, PLAIN])
def test_a_run_that_ends_as_it_must_breaks_nothing(fault: Fault) -> None:
    verdict = verdict_of(fault, course_of(fault))
    assert verdict.broken == []
    assert {(one.line, one.seconds_after_end) for one in verdict.removed} == {("teardown", -5.0)}


def test_the_record_of_a_fault_says_how_many_rows_its_tables_have() -> None:
    record = Record(KILLED, course_of(KILLED), verdict_of(KILLED, course_of(KILLED)), 12.34)
    assert json.loads(record.as_json())["course"]["store"]["samples"] == 15


def test_lost_seconds_are_those_that_the_tool_had_finished_and_the_store_lacks() -> None:
    assert verdict_of(KILLED, course_of(KILLED), tool_seconds=20.9).lost_seconds == 5
    (broken,) = verdict_of(KILLED, course_of(KILLED, stored={"p0001-m01": set(range(9))}), tool_seconds=20).broken
    assert broken == "at most 10 s may be lost before a kill, lost 11 s"


@pytest.mark.parametrize(
    ("fault", "changes", "resource", "broken"),
    [
        (KILLED, {"status": "SUCCEEDED"}, host(), "must be red, is green"),
        (PLAIN, {"status": "FAILED", "error": "RunFailed"}, host(), "must be green, is red"),
        (PLAIN, {"ended": None}, host(), "the run must end, and still runs"),
        (PLAIN, {}, host(is_gone=False), "nothing must be left, still there: i-1"),
        (KILLED, {}, host(last_seen=END + ALLOWED_SECONDS + 9), "must be gone within 90 s, stayed longer: i-1 for 9 s"),
        (PLAIN, {}, host(last_seen=END + 20), "is green, but at its end there still were i-1"),
        (
            PLAIN,
            {"live": live_rows(0.0, 1.0, 1.0, 2.0)},
            host(),
            "p0001-m01 must have each live row once, has those of [1.0] s more often",
        ),
        (PLAIN, {"measurements": []}, host(), "measurements must have p0001-m01 once, has it 0 times"),
        (
            PLAIN,
            {"measurements": ["p0001-m01", "p0001-m01"]},
            host(),
            "measurements must have p0001-m01 once, has it 2 times",
        ),
        (
            PLAIN,
            {"measurements": ["p0001-m01", "p0002-m01"]},
            host(),
            "measurements must have p0002-m01 once, has it 1 times",
        ),
        (
            PLAIN,
            {"live_measurements": ["p0001-m01"]},
            host(),
            "live_measurements must have no row of an ended run, has p0001-m01",
        ),
        (PLAIN, {"stored": {"p0001-m01": {0, 1, 2, 4, 5}}}, host(), "is green, but p0001-m01 lacks seconds [3]"),
        (
            KILLED,
            {"stored": {"p0001-m01": set(range(15)), "p0002-m01": {0}}},
            host(),
            "p0002-m01 had no fault and lacks seconds",
        ),
        (KILLED, {"summary": None}, host(), "must have a summary, has none"),
        (KILLED, {"report": None}, host(), "must have a report, has none"),
        (KILLED, {"report": "<p>all is well</p>"}, host(), "is red, and its report gives none of the reasons"),
        (
            KILLED,
            {"summary": {"outcome": "incomplete", "pairs": [], "measurements": []}, "measurements": []},
            host(),
            "is red, and its summary gives no reason",
        ),
        (
            KILLED,
            {"summary": {"outcome": "complete", "pairs": [{"reason": REASON}]}, "measurements": []},
            host(),
            "is red, but its summary says complete",
        ),
    ],
)
def test_every_defect_is_objected_to(fault: Fault, changes: dict[str, Any], resource: Resource, broken: str) -> None:
    assert any(one.startswith(broken) for one in verdict_of(fault, course_of(fault, **changes), resource).broken)


BOOT_DEATH = replace(KILLED, kind="host dies while it boots", details={"says": "Server.InternalError: Internal error"})
OUTAGE = replace(KILLED, kind="API out until the deadline", details={"keeps_seconds": True}, measurement_seconds=15)
SLOW_METAL = replace(PLAIN, details={"slow": {"start_seconds": 25, "stop_seconds": 15}})
CHUNK_EVENT = replace(PLAIN, details={"live_may_lack_seconds": 2})
ONLY_SWEEPER = replace(KILLED, details={"taken_by": ["sweeper", "reaper"]})


@pytest.mark.parametrize(
    ("fault", "changes", "broken"),
    [
        (BOOT_DEATH, {}, "a reason must quote 'Server.InternalError: Internal error', none does"),
        (OUTAGE, {"stored": {"p0001-m01": set(range(14))}}, "nothing of what the hosts measured may be lost, lost 1 s"),
        (
            SLOW_METAL,
            {"facts": {"metalSeconds": [20.0]}},
            "the bare-metal hosts must have taken 46 s from start to end",
        ),
        (SLOW_METAL, {}, "the bare-metal hosts must have taken 46 s from start to end, took []"),
        (ONLY_SWEEPER, {}, "i-1 must be taken by sweeper or reaper, not teardown"),
        (
            CHUNK_EVENT,
            {"live": live_rows(3.0, 4.0, 5.0)},
            "p0001-m01 may lack the live rows of 2 s, lacks those of [0, 1, 2]",
        ),
    ],
)
def test_an_invariant_of_one_kind_objects_to_its_defect(fault: Fault, changes: dict[str, Any], broken: str) -> None:
    (found,) = verdict_of(fault, course_of(fault, **changes)).broken
    assert found.startswith(broken)
    planned = set(range(fault.measurement_seconds))
    # Where the fault met nothing, the run was a plain one; slow hosts and live rows are judged all the same.
    plain = course_of(replace(fault, outcome="green"), **changes | {"struck": None, "stored": {"p0001-m01": planned}})
    assert fault in (SLOW_METAL, CHUNK_EVENT) or verdict_of(fault, plain).broken == []


def test_an_invariant_of_one_kind_is_content_with_a_run_that_keeps_to_it() -> None:
    words = f"host server i-1 is no longer running (terminated: {BOOT_DEATH.details['says']})"
    summary = {"outcome": "incomplete", "pairs": [{"reason": words}], "measurements": [{"measurementId": "p0001-m01"}]}
    sound: list[tuple[Fault, dict[str, Any]]] = [
        (BOOT_DEATH, {"summary": summary, "report": f"<p>{words}</p>"}),
        (OUTAGE, {}),
        (
            CHUNK_EVENT,
            {"live": [*live_rows(2.0, 3.0, 4.0, 5.01), *live_rows(3.0, metric="sent_throughput", host_role="client")]},
        ),
        (SLOW_METAL, {"facts": {"metalSeconds": [61.5]}}),
    ]
    assert [verdict_of(fault, course_of(fault, **changes)).broken for fault, changes in sound] == [[]] * 4


def test_a_green_run_that_launched_a_host_twice_is_objected_to() -> None:
    thrice = [host(), SERVER, replace(SERVER, name="i-3")]
    (broken,) = judge(PLAIN, course_of(PLAIN), thrice, [], [], ALLOWED_SECONDS).broken
    assert broken == "is green, and must have launched 2 hosts, launched i-1, i-2, i-3"
    two_pairs = replace(PLAIN, pair_count=2)
    assert judge(two_pairs, course_of(PLAIN), [*thrice, SERVER], [], [], ALLOWED_SECONDS).broken == []
    assert judge(KILLED, course_of(KILLED), thrice, [], [], ALLOWED_SECONDS).broken == []


def test_what_is_refused_for_a_while_may_stay_as_long_after_that() -> None:
    late = host(last_seen=END + 120)
    assert verdict_of(KILLED, course_of(KILLED, lifted=END + 40), late).broken == []
    assert verdict_of(KILLED, course_of(KILLED, lifted=END + 10), late).broken != []
