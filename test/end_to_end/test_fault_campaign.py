"""The fault campaign in its short form, and defects planted in the stack, to which it must object."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lab.campaign.campaign import run_campaign
from lab.campaign.faults import Fault, draw_fault
from lab.campaign.subject import Lab
from lab.campaign.table import table

SEED = 11
SHORT_FORM = [
    "host killed while it measures",
    "both hosts killed",
    "execution stopped",
    "execution timed out",
    "API throttled",
    "API refused for good",
    "API's answer lost",
    "function crashes",
    "chunk damaged",
    "record deleted",
]


def first_of(kind: str, **details: Any) -> Fault:
    """Returns the seed's first fault of a kind, with these of its details."""
    faults = (draw_fault(SEED, number) for number in range(10_000))
    return next(one for one in faults if one.kind == kind and details.items() <= one.details.items())


def test_ten_kinds_of_faults_break_no_invariant(tmp_path: Path) -> None:
    records = run_campaign([first_of(kind) for kind in SHORT_FORM], len(SHORT_FORM), tmp_path / "campaign")

    assert [record.line() for record in records if record.verdict.broken] == [], table(records)
    assert {record.verdict.outcome for record in records} == {"red", "green"}
    # A resource whose remover is unknown would be one that nobody is responsible for.
    lines = {one.line for record in records for one in record.verdict.removed}
    assert {"teardown", "reaper"} <= lines <= {"teardown", "reaper", "sweeper", "launch", "died"}


def without_reaper_teardown_and_summary(lab: Lab) -> None:
    """Switches the reaper's rule off, and takes the teardown and the summary out of the state machines."""
    events = lab.aws.session.client("events", endpoint_url=lab.aws.endpoint_url)
    (rule,) = [one["Name"] for one in events.list_rules()["Rules"] if "ExecutionEndedBadly" in one["Name"]]
    events.disable_rule(Name=rule)

    def skip_teardown(states: dict[str, Any]) -> None:
        states["Tear down pair"]["Next"] = "Measured everything?"

    def skip_summary(states: dict[str, Any]) -> None:
        output = {"outcome": "complete"}
        states["Summarise run"] = {"Type": "Pass", "Output": output, "Next": states["Summarise run"]["Next"]}

    deployment = lab.deployment
    for arn, change in (
        (deployment.pair_state_machine_arn, skip_teardown),
        (deployment.run_state_machine_arn, skip_summary),
    ):
        machine = lab.aws.stepfunctions.describe_state_machine(stateMachineArn=arn)
        definition = json.loads(machine["definition"])
        change(definition["States"])
        lab.aws.stepfunctions.update_state_machine(stateMachineArn=arn, definition=json.dumps(definition))


def test_the_campaign_objects_to_a_stack_without_reaper_teardown_and_summary(tmp_path: Path) -> None:
    faults = [
        first_of("execution stopped", what="run"),
        first_of("API's answer lost"),
        first_of("host killed while it measures"),
    ]

    stopped, plain, killed = run_campaign(faults, 3, tmp_path / "campaign", without_reaper_teardown_and_summary)

    for record in (plain, killed):
        summary = ("must have a summary, has none", "is green, but its summary says incomplete")
        assert any(one.startswith(summary) for one in record.verdict.broken), record.line()
    assert any(one.startswith("must be red, is green") for one in killed.verdict.broken), killed.line()
    left = "is green, but at its end there still were i-"
    assert any(one.startswith(left) for record in (plain, killed) for one in record.verdict.broken)
    # Without the reaper's rule, the sweeper alone removes what is left and has the run summarised.
    assert {one.line for one in stopped.verdict.removed} == {"sweeper"}, stopped.line()
    assert stopped.verdict.broken == []
