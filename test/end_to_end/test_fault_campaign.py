"""The fault campaign in its short form; then defects are planted in the stack, to which it must object."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from faults.campaign import campaign_in
from faults.defects import DEFECTS
from faults.fault import Fault, draw_fault
from faults.planted import Machines, objections
from faults.subject import Lab
from faults.table import Record, table

from .shared_lab import SharedLab

SEED = 11
# What a run meets most, from each part of the service; none of these waits for long.
SHORT_FORM = [
    "host killed while it measures",
    "host dies while it boots",
    "execution stopped",
    "API refused for good",
    "function not invoked",
    "chunk damaged",
]
AT_ONCE = 6
# `npm run faults -- --planted` plants all of them.
PLANTED_IN_SOURCES = ("every sample is doubled", "a host costs nothing")


def fault_of(kind: str, start: int = 0, placement: str | None = None, words: str = "", **details: Any) -> Fault:
    """Returns the seed's first fault of a kind from this number on, with these words, placement and details."""
    faults = (draw_fault(SEED, number) for number in range(start, start + 10_000))
    return next(
        one
        for one in faults
        if one.kind == kind
        and words in one.words
        and placement in (None, one.placement)
        and details.items() <= one.details.items()
    )


def reachable(name: str, states: dict[str, Any]) -> dict[str, Any]:
    """Returns the states that a machine still enters; AWS refuses a definition with others."""
    found: dict[str, Any] = {}
    waiting = [name]
    while waiting:
        name = waiting.pop()
        if name not in found:
            state = found[name] = states[name]
            ways = [state, *state.get("Choices", []), *state.get("Catch", [])]
            waiting += [way[field] for way in ways for field in ("Next", "Default") if field in way]
    return found


def without_retries_of_invocations(states: dict[str, Any]) -> None:
    for state in states.values():
        retriers = state.pop("Retry", [])
        kept = [one for one in retriers if "Lambda.TooManyRequestsException" not in one["ErrorEquals"]]
        if kept:
            state["Retry"] = kept


def plant_defects(lab: Lab) -> None:
    """Switches the reaper's rule off, and takes teardown, summary and some retries out of the state machines."""
    events = lab.aws.session.client("events", endpoint_url=lab.aws.endpoint_url)
    (rule,) = [one["Name"] for one in events.list_rules()["Rules"] if "ExecutionEndedBadly" in one["Name"]]
    events.disable_rule(Name=rule)

    def skip_teardown(states: dict[str, Any]) -> None:
        states["Tear down pair"]["Next"] = "Measured everything?"

    def skip_summary(states: dict[str, Any]) -> None:
        output = {"outcome": "complete"}
        states["Summarise run"] = {"Type": "Pass", "Output": output, "Next": states["Summarise run"]["Next"]}

    def changed(machine: str, change: Callable[[dict[str, Any]], None]) -> str:
        definition = json.loads(machine)
        change(definition["States"])
        without_retries_of_invocations(definition["States"])
        definition["States"] = reachable(definition["StartAt"], definition["States"])
        return json.dumps(definition)

    machines = Machines(lab)
    machines.deploy(changed(machines.pair, skip_teardown), changed(machines.run, skip_summary))


def test_faults_break_no_invariant_and_planted_defects_do(shared_lab: SharedLab, tmp_path: Path) -> None:
    shared_lab.end()
    sound = [fault_of(kind, **({"what": "run"} if kind == "execution stopped" else {})) for kind in SHORT_FORM]
    # A fault's number names its run, so that these have others.
    defective = [
        # EC2 lets go of a placement group after its hosts, when the reaper that the sweeper starts may take it.
        fault_of("execution stopped", 1_000, placement="none", what="run"),
        fault_of("API throttled", 1_000),
        fault_of("host killed while it measures", 1_000),
        # The planted machine of a run hides what becomes of its pairs, and not that its plan was never made.
        fault_of("function not invoked", 1_000, words="invoke PlanRun"),
    ]

    # A deployment costs most of a campaign's time, so that all parts share it.
    with campaign_in(tmp_path / "campaign") as campaign:
        campaign.add_foreign(["f1000", "f2000"])
        # The reaper's later looks at sound runs must not meet a defect.
        records = campaign.judge_at_last(campaign.run(sound, AT_ONCE))
        planted = objections(campaign, tmp_path / "planted", [one for one in DEFECTS if one.name in PLANTED_IN_SOURCES])
        plant_defects(campaign.lab)
        found = campaign.judge_at_last(campaign.run(defective, AT_ONCE))
        foreign = campaign.foreign_changes()

    assert foreign == []
    assert [one.line() for one in planted if not one.is_seen] == []
    assert len(planted) == len(PLANTED_IN_SOURCES)
    # Where other work delays the reaper, the sweeper may be first; the longer campaign, alone on its machine, objects.
    broken = [one for record in records for one in record.verdict.broken if not one.endswith("not sweeper")]
    assert broken == [], table(records)
    assert {record.verdict.outcome for record in records} == {"red", "green"}
    # A resource whose remover is unknown would be one that nobody is responsible for.
    lines = {one.line for record in records for one in record.verdict.removed}
    assert {"teardown", "reaper"} <= lines <= {"teardown", "reaper", "sweeper", "launch", "died"}
    assert_that_defects_are_objected_to(*found)


def assert_that_defects_are_objected_to(stopped: Record, plain: Record, killed: Record, refused: Record) -> None:
    assert any(one.startswith("must be green, is red") for one in refused.verdict.broken), refused.line()
    for record in (plain, killed):
        summary = ("must have a summary, has none", "is green, but its summary says incomplete")
        assert any(one.startswith(summary) for one in record.verdict.broken), record.line()
    assert any(one.startswith("must be red, is green") for one in killed.verdict.broken), killed.line()
    left = "is green, but at its end there still were i-"
    assert any(one.startswith(left) for record in (plain, killed) for one in record.verdict.broken)
    # Without the reaper's rule, the sweeper alone removes what is left and has the run summarised.
    assert {one.line for one in stopped.verdict.removed} == {"sweeper"}, stopped.line()
    assert any("must be taken by reaper, not sweeper" in one for one in stopped.verdict.broken), stopped.line()
