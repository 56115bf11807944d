"""The lab's agent held against what was observed on the real one: the cases, and what takes more than their steps.

What the observations leave open is taken from the agent's source, and the test says so.
"""

from __future__ import annotations

import time
from typing import Any

import pytest
from agent_support import HOST, make_document, make_step, outcomes, run, send, wait
from host_support import Fleet, wait_for
from observed_cases import CASES, DONE, SKIPPED, Case

from lab.agent.agent import Agent


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.observation)
def test_as_observed(agent: Agent, case: Case) -> None:
    done = wait(agent, send(agent, make_document(*case.steps, **case.parameters), case.given))

    assert (done.status, outcomes(done)) == (case.status, case.outcomes)
    said = {plugin.name: plugin.standard_output or plugin.standard_error for plugin in done.plugins}
    assert {name: said[name].replace(done.command_id, "COMMAND") for name in case.says} == case.says


@pytest.mark.parametrize(
    ("observation", "parameter", "given", "problem"),
    [
        (
            "allowedPattern is checked for every element of a list",
            {"type": "StringList", "allowedPattern": "^[a-z]$"},
            ["a", "B"],
            "parameters.Word: must match ^[a-z]$, got 'B'",
        ),
        (
            "allowedPattern is checked on the resolved value, the default too",
            {"type": "String", "allowedPattern": "^[a-z]$", "default": "B"},
            None,
            "parameters.Word: must match ^[a-z]$, got 'B'",
        ),
        ("without anchors it is searched for", {"type": "String", "allowedPattern": "[a-z]"}, ["Bb"], None),
        ("allowedValues are the service's job", {"type": "String", "allowedValues": ["a"]}, ["b"], None),
        ("so are lengths", {"type": "String", "maxChars": 1}, ["bb"], None),
        ("and numbers of items", {"type": "StringList", "maxItems": 1}, ["a", "b"], None),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)
def test_values_are_checked_as_observed(
    agent: Agent, observation: str, parameter: dict[str, Any], given: list[str] | None, problem: str | None
) -> None:
    document = make_document(make_step("true"), Word=parameter)

    done = wait(agent, send(agent, document, {} if given is None else {"Word": given}))

    assert (done.status, done.plugins[0].standard_error) == (("Failed", problem) if problem else ("Success", "")), (
        observation
    )


def test_the_agent_runs_finally_step_after_a_timeout_and_ends_the_step_of_a_detached_child(agent: Agent) -> None:
    """timeoutSeconds: SIGKILL to the group, no TERM, no EXIT trap; a `setsid` child survives; the next step runs.

    The child has the step's output open, as a job in the background that delays a step has. By the source the agent
    does not wait for it past the limit. It stops reading: the child's first write past the limit is lost, and then
    SIGPIPE ends it.
    """
    writing = "until [ -e /opt/past ]; do sleep 0.1; done; for i in $(seq 300); do echo lost; sleep 0.1; done"
    done = run(
        agent,
        make_step(
            [
                "trap 'echo trapped' EXIT TERM",
                f"setsid sh -c '{writing}; touch /opt/outlived' &",
                "setsid sh -c 'echo $$ >/opt/silent; exec sleep 612' &",
                "echo before; sleep 600",
            ],
            timeoutSeconds="10",
            onFailure="exit",
        ),
        make_step(["kill -0 $(cat /opt/silent) && echo survived", "kill $(cat /opt/silent)"], name="next"),
        make_step(
            ["touch /opt/past", "while pgrep -f '^sh -c until'; do sleep 0.1; done", "ls /opt/outlived || echo ended"],
            name="cleans",
            finallyStep=True,
        ),
    )

    assert (done.status, done.status_details) == ("TimedOut", "ExecutionTimedOut")
    assert outcomes(done) == [("TimedOut", 137), DONE, DONE]
    assert [plugin.standard_output.splitlines()[-1] for plugin in done.plugins] == ["before", "survived", "ended"]


def test_a_step_whose_script_has_ended_fails_at_the_limit_when_only_a_detached_child_is_left(agent: Agent) -> None:
    """Background job with inherited output: the step lasts until the job ends. By the source, the limit ends it, too.

    There is then no process group left to kill, which the agent reports as a failure: onFailure reacts to it.
    """
    done = run(
        agent,
        make_step("setsid sleep 613 & echo before", timeoutSeconds=10, onFailure="exit"),
        make_step("exit 4", name="skipped"),
        make_step("pkill -f '^sleep 613'", name="cleans", finallyStep=True),
    )

    assert (done.status, outcomes(done)) == ("Failed", [("Failed", 1), SKIPPED, DONE])
    assert done.plugins[0].standard_output == "before\n"
    assert done.plugins[0].standard_error == "failed to run commands: no such process"


def test_a_step_whose_script_has_ended_times_out_with_its_job_in_the_background(agent: Agent) -> None:
    done = run(agent, make_step("sleep 614 &", timeoutSeconds=5), make_step("! pgrep -f '^sleep 614'", name="after"))

    assert outcomes(done) == [("TimedOut", 137), DONE]


def test_finally_step_does_not_run_after_a_cancel(agent: Agent, fleet: Fleet) -> None:
    """CancelCommand: SIGKILL to the group at once, 137 Cancelled; all later steps, finallyStep too, Cancelled 1."""
    steps = [make_step("trap 'touch /opt/trapped' EXIT; setsid sleep 615 & sleep 616"), make_step("true", name="next")]
    steps.append(make_step("touch /opt/cleaned", name="cleans", finallyStep=True))
    command_id = send(agent, make_document(*steps))
    wait_for("the script", lambda: fleet.run(HOST, "pgrep -f '^sleep 616'").returncode == 0)

    agent.cancel(command_id, HOST)
    done = wait(agent, command_id)

    assert (done.status, outcomes(done)) == ("Cancelled", [("Cancelled", 137), ("Cancelled", 1), ("Cancelled", 1)])
    assert fleet.run(HOST, "ls /opt/trapped /opt/cleaned").stdout == ""
    wait_for("the end of the group", lambda: fleet.run(HOST, "pgrep -f '^sleep 616'").returncode != 0)
    # The child that has left the group survives, and holds the step's output open.
    assert fleet.run(HOST, "pkill -f '^sleep 615'").returncode == 0


def test_a_step_has_its_own_limit(agent: Agent) -> None:
    """timeoutSeconds is per step, not per document."""
    done = run(agent, *(make_step("sleep 8", name=name, timeoutSeconds=15) for name in ("first", "second")))

    assert outcomes(done) == [DONE, DONE]


WAIT_DIVISOR = 30


def test_a_killed_document_worker_leaves_its_script_and_fails_the_document_after_a_minute(
    fleet: Fleet, agent: Agent
) -> None:
    """`kill -9` of ssm-document-worker: the script is orphaned; after 60 s Failed, "document process failed
    unexpectedly". By the source that is the Output of the first step, which has nothing else.
    """
    patient = Agent(fleet, "us-east-1", wait_divisor=WAIT_DIVISOR)
    steps = [make_step("echo before; sleep 617", timeoutSeconds=300), make_step("touch /opt/next", name="next")]
    command_id = send(patient, make_document(*steps))
    wait_for("the script", lambda: fleet.run(HOST, "pgrep -f '^sleep 617'").returncode == 0)
    script = "pgrep -f '^/bin/sh -c .*_script.sh|^sh -c .*_script.sh'"
    parent = f"ps -o ppid= -p $({script} | head -n 1)"
    assert int(fleet.run(HOST, parent).stdout) > 1

    killed_at_seconds = time.monotonic()
    assert fleet.run(HOST, "pkill -KILL -f '[s]sm-document-worker'").returncode == 0
    done = wait(patient, command_id)

    assert time.monotonic() - killed_at_seconds > 60 / WAIT_DIVISOR
    assert (done.status, done.status_details) == ("Failed", "Failed")
    assert outcomes(done)[0] == ("Failed", 0)
    assert done.plugins[0].output.startswith("document process failed unexpectedly: ")
    assert done.plugins[0].standard_output == done.plugins[0].standard_error == ""
    # The script goes on as an orphan, and no later step runs.
    assert int(fleet.run(HOST, parent).stdout) == 1
    assert fleet.run(HOST, "ls /opt/next").returncode != 0
    assert fleet.run(HOST, "pkill -f '^sleep 617'").returncode == 0
    # The document's place is free again.
    assert run(patient, make_step("true")).status == "Success"
