"""The agent on a real host: each rule that was observed on the real agent."""

from __future__ import annotations

import time
from typing import Any

import pytest
from agent_support import HOST, make_document, make_step, outcomes, run, send, wait
from host_support import RunOnHost, wait_for

from lab.agent.agent import Agent
from lab.hosts.fleet import HostFleet


def test_runs_a_script_as_root_with_the_agents_environment(agent: Agent) -> None:
    done = run(
        agent, make_step(["#!/bin/bash", "set -euo pipefail", 'echo "$(id -u) $(pwd) $BASH_VERSION" >&2', "env"])
    )

    environment = dict(line.split("=", 1) for line in done.plugins[0].standard_output.splitlines())
    assert (done.status, done.response_code) == ("Success", 0)
    assert done.plugins[0].standard_error.startswith("0 /usr/bin 5.")
    assert environment.keys() >= {"AWS_SSM_REGION_NAME", "AWS_SSM_PLATFORM_NAME", "AWS_SSM_PLATFORM_VERSION", "LANG"}
    assert environment["AWS_SSM_INSTANCE_ID"] == HOST
    assert environment["SSM_COMMAND_ID"] == done.command_id
    assert environment["AWS_REGION"] == "us-east-1"
    assert environment["PATH"] == "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/snap/bin"
    assert "HOME" not in environment
    assert "USER" not in environment


def test_without_a_shebang_sh_runs_it_and_only_the_last_command_counts(agent: Agent) -> None:
    assert run(agent, make_step(["false", "echo ${BASH_VERSION:-none}"])).plugins[0].standard_output == "none\n"


HOSTILE = [
    "$(touch /tmp/hacked)",
    "`touch /tmp/hacked`",
    "'; touch /tmp/hacked; '",
    '"; touch /tmp/hacked; "',
    "a\nb",
    "$HOME {{ Word }}",
    "-n",
    "",
]


@pytest.mark.parametrize("value", HOSTILE)
def test_an_environment_variable_carries_any_value_as_text(agent: Agent, run_on_host: RunOnHost, value: str) -> None:
    word = {"type": "String", "interpolationType": "ENV_VAR"}
    document = make_document(
        make_step(['if [ -z "${SSM_Word+x}" ]; then export SSM_Word="{{Word}}"; fi', "printf '<%s>' \"$SSM_Word\""]),
        Word=word,
    )

    done = wait(agent, send(agent, document, {"Word": [value]}))

    assert done.plugins[0].standard_output == f"<{value}>"
    assert run_on_host(HOST, "ls /tmp/hacked").returncode != 0


def test_an_old_agent_pastes_the_value_instead(agent: Agent, fleet: HostFleet) -> None:
    old = Agent(fleet, "us-east-1", sets_environment_variables=False)
    word = {"type": "String", "interpolationType": "ENV_VAR"}
    document = make_document(
        make_step('if [ -z "${SSM_Word+x}" ]; then export SSM_Word="{{Word}}"; fi; echo "$SSM_Word"'), Word=word
    )

    assert wait(old, send(old, document, {"Word": ["value"]})).plugins[0].standard_output == "value\n"


def test_a_value_that_does_not_match_its_pattern_is_rejected_before_anything_runs(agent: Agent) -> None:
    word = {"type": "String", "allowedPattern": "^[a-z]+$"}

    done = wait(agent, send(agent, make_document(make_step("echo {{Word}}"), Word=word), {"Word": ["abc\n"]}))

    assert done.status == "Failed"
    assert "parameters.Word: must match" in done.plugins[0].standard_error


# Killed processes take a moment to vanish.
AFTERWARDS = "ls /opt; for i in $(seq 50); do [ $(pgrep -c sleep) = {count} ] && break; sleep 0.1; done; pgrep -c sleep"


def test_a_timeout_kills_the_group_and_the_next_step_runs(agent: Agent) -> None:
    done = run(
        agent,
        make_step(
            "trap 'touch /opt/trapped' EXIT TERM; setsid sleep 600 & sleep 600", timeoutSeconds="5", onFailure="exit"
        ),
        make_step(AFTERWARDS.format(count=2), name="after"),
    )

    assert (done.status, done.status_details) == ("TimedOut", "ExecutionTimedOut")
    # The child that left the group survives, beside process 1; no trap has run.
    assert outcomes(done) == [("TimedOut", 137), ("Success", 0)]
    assert done.plugins[1].standard_output == "2\n"
    run(agent, make_step("pkill -f 'sleep 600'"))


@pytest.mark.parametrize(
    ("steps", "status", "expected"),
    [
        ([make_step("exit 3"), make_step("true", name="next")], "Failed", [("Failed", 3), ("Success", 0)]),
        (
            [make_step("exit 3", onFailure="exit"), make_step("exit 4", name="next")],
            "Failed",
            [("Failed", 3), ("Success", 0)],
        ),
        (
            [make_step("true", onSuccess="exit"), make_step("exit 4", name="next")],
            "Success",
            [("Success", 0), ("Success", 0)],
        ),
        (
            [
                make_step("exit 3", onFailure="exit"),
                make_step("exit 4", name="next"),
                make_step("exit 5", name="finally", finallyStep=True),
            ],
            "Failed",
            [("Failed", 3), ("Success", 0), ("Failed", 5)],
        ),
        ([make_step("exit 168"), make_step("exit 4", name="next")], "Success", [("Success", 168), ("Success", 0)]),
        ([make_step("exit 169"), make_step("exit 4", name="next")], "Failed", [("Failed", 169), ("Success", 0)]),
        ([make_step("exit 137")], "TimedOut", [("TimedOut", 137)]),
        ([make_step("kill -9 $$")], "TimedOut", [("TimedOut", 137)]),
        # The shell that runs the script is itself killed, which the agent does not take for its own signal.
        ([make_step(["#!/bin/bash", "kill -9 $PPID; sleep 1"])], "Failed", [("Failed", -1)]),
        ([make_step("exit 194")], "Failed", [("Failed", 194)]),
        ([make_step("true", workingDirectory="/nowhere")], "Failed", [("Failed", 1)]),
    ],
)
def test_exit_codes_decide_which_steps_follow(
    agent: Agent, steps: list[dict[str, Any]], status: str, expected: list[tuple[str, int]]
) -> None:
    done = run(agent, *steps)

    assert (done.status, outcomes(done)) == (status, expected)


def test_an_unmet_precondition_skips_the_step_with_a_reason(agent: Agent) -> None:
    step = make_step("exit 4") | {"precondition": {"StringEquals": ["platformType", "Windows"]}}
    linux = make_step("true", name="on-linux") | {"precondition": {"StringEquals": ["platformType", "Linux"]}}

    done = run(agent, step, linux)

    assert done.status == "Success"
    assert "unsatisfied preconditions" in done.plugins[0].standard_output
    assert done.plugins[1].standard_output == ""


def test_output_is_cut_as_the_agent_and_the_api_cut_it(agent: Agent) -> None:
    plugin = run(
        agent, make_step("head -c 60000 /dev/zero | tr '\\0' a; head -c 20000 /dev/zero | tr '\\0' b >&2")
    ).plugins[0]

    assert (len(plugin.standard_output), len(plugin.standard_error), len(plugin.output)) == (24_000, 8_000, 2_500)
    assert plugin.standard_output.endswith("a--output truncated--")
    assert plugin.standard_error == "b" * 8000
    assert "a\n---Output truncated---\n----------ERROR-------\nb" in plugin.output
    assert plugin.output.endswith("b\n---Error truncated----")


def test_a_script_that_is_no_list_fails_without_being_run(agent: Agent) -> None:
    step = make_step("true")
    step["inputs"]["runCommand"] = "true"

    done = run(agent, step, make_step("true", name="next"))

    assert (done.status, outcomes(done)) == ("Failed", [("Failed", 1), ("Success", 0)])
    assert done.plugins[0].standard_error.startswith("Invalid format in plugin properties")


def test_a_failed_step_ends_its_errors_with_the_exit_status(agent: Agent) -> None:
    assert run(agent, make_step("echo why >&2; exit 3")).plugins[0].standard_error == (
        "why\nfailed to run commands: exit status 3"
    )
    assert run(agent, make_step("echo fine >&2")).plugins[0].standard_error == "fine\n"


def test_a_lot_of_output_delays_the_script(agent: Agent) -> None:
    started_seconds = time.monotonic()
    run(agent, make_step("head -c 1000000 /dev/zero | tr '\\0' a"))

    assert time.monotonic() - started_seconds > 2


def test_control_characters_lose_the_reply(agent: Agent) -> None:
    command_id = send(agent, make_document(make_step("head -c 30000 /dev/zero", timeoutSeconds="5")), delivery=3)

    done = wait(agent, command_id)

    # The script succeeded, but the service has no result of the step and gives up.
    assert done.status_details == "ExecutionTimedOut"
    assert done.plugins[0].status == "InProgress"


def test_a_background_job_delays_the_step_only_by_its_output(agent: Agent) -> None:
    assert run(agent, make_step("sleep 600 >/dev/null 2>&1 </dev/null &")).status == "Success"
    # The job still runs, so the step did not wait for it.
    assert run(agent, make_step("pkill -f 'sleep 600'")).status == "Success"

    started_seconds = time.monotonic()
    run(agent, make_step("sleep 2 &"))

    assert time.monotonic() - started_seconds >= 2


def is_sleeping(run_on_host: RunOnHost, host: str = HOST) -> bool:
    return run_on_host(host, "pgrep -f '^sleep 600'").returncode == 0


def test_cancel_kills_the_group_and_runs_no_other_step(agent: Agent, run_on_host: RunOnHost) -> None:
    finally_step = make_step("touch /opt/finally", name="finally", finallyStep="true")
    command_id = send(agent, make_document(make_step("sleep 600"), make_step("true", name="next"), finally_step))
    wait_for("the script", lambda: is_sleeping(run_on_host))

    agent.cancel(command_id, HOST)
    done = wait(agent, command_id)

    assert outcomes(done) == [("Cancelled", 137), ("Cancelled", 1), ("Cancelled", 1)]
    assert run(agent, make_step(AFTERWARDS.format(count=1))).plugins[0].standard_output == "1\n"


def test_five_run_five_wait_and_the_rest_is_refused(agent: Agent) -> None:
    sent = [send(agent, make_document(make_step("sleep 600"))) for _ in range(13)]
    for command_id in sent[:5]:
        wait(agent, command_id, until=lambda i: i.status == "InProgress")

    statuses = [str(agent.invocation(command_id, HOST).status) for command_id in sent]
    for command_id in reversed(sent):
        agent.cancel(command_id, HOST)

    assert statuses == ["InProgress"] * 5 + ["Pending"] * 5 + ["Failed"] * 3
    assert "ProcessorBufferFull" in agent.invocation(sent[-1], HOST).plugins[0].standard_error
    assert {wait(agent, command_id).status for command_id in sent[:10]} == {"Cancelled"}
    assert run(agent, make_step("echo free")).status == "Success"


def test_a_lost_host_never_replies(fleet: HostFleet, agent: Agent, run_on_host: RunOnHost) -> None:
    fleet.create_host("i-lost", "steady", "us-east-1a", "10.4.0.9", {})
    running = send(agent, make_document(make_step("sleep 600", timeoutSeconds=5)), host="i-lost", delivery=5)
    wait_for("the script", lambda: is_sleeping(run_on_host, "i-lost"))
    fleet.kill_host("i-lost")
    late = send(agent, make_document(make_step("true")), host="i-lost", delivery=5)

    assert wait(agent, late, "i-lost").status_details == "DeliveryTimedOut"
    given_up = wait(agent, running, "i-lost")
    assert given_up.status_details == "ExecutionTimedOut"
    # The service has no result of the step.
    assert given_up.plugins[0].status == "InProgress"


def test_an_unreadable_document_fails_loudly(agent: Agent) -> None:
    done = run(agent, make_step("true") | {"action": "aws:downloadContent"})

    assert done.status == "Failed"
    assert "action: must be aws:runShellScript" in done.plugins[0].standard_error
