"""The agent on a real host: values, outputs, limits and lost hosts; test_observations.py has what steps come to."""

from __future__ import annotations

import time

import pytest
from agent_support import HOST, make_document, make_step, run, send, wait
from host_support import Fleet, wait_for

from lab.agent.agent import Agent


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


COMMANDS = ("$(touch /tmp/hacked)", "`touch /tmp/hacked`", "'; touch /tmp/hacked; '", '"; touch /tmp/hacked; "')


@pytest.mark.parametrize("value", [*COMMANDS, "a\nb", "$HOME {{ Word }}", "-n", ""])
def test_an_environment_variable_carries_any_value_as_text(agent: Agent, fleet: Fleet, value: str) -> None:
    word = {"type": "String", "interpolationType": "ENV_VAR"}
    document = make_document(
        make_step(['if [ -z "${SSM_Word+x}" ]; then export SSM_Word="{{Word}}"; fi', "printf '<%s>' \"$SSM_Word\""]),
        Word=word,
    )

    done = wait(agent, send(agent, document, {"Word": [value]}))

    assert done.plugins[0].standard_output == f"<{value}>"
    assert fleet.run(HOST, "ls /tmp/hacked").returncode != 0


def test_output_is_cut_as_the_agent_and_the_api_cut_it(agent: Agent) -> None:
    plugin = run(
        agent, make_step("head -c 60000 /dev/zero | tr '\\0' a; head -c 20000 /dev/zero | tr '\\0' b >&2")
    ).plugins[0]

    assert (len(plugin.standard_output), len(plugin.standard_error), len(plugin.output)) == (24_000, 8_000, 2_500)
    assert plugin.standard_output.endswith("a--output truncated--")
    assert plugin.standard_error == "b" * 8000
    assert "a\n---Output truncated---\n----------ERROR-------\nb" in plugin.output
    assert plugin.output.endswith("b\n---Error truncated----")


def test_a_lot_of_output_delays_the_script(agent: Agent) -> None:
    started_seconds = time.monotonic()
    run(agent, make_step("head -c 1000000 /dev/zero | tr '\\0' a"))

    assert time.monotonic() - started_seconds > 2


def test_control_characters_lose_the_reply(agent: Agent) -> None:
    command_id = send(agent, make_document(make_step("head -c 30000 /dev/zero", timeoutSeconds="10")), delivery=10)

    done = wait(agent, command_id)

    # The script succeeded, but the service has no result of the step and gives up.
    assert done.status_details == "ExecutionTimedOut"
    assert done.plugins[0].status == "InProgress"


def test_a_background_job_delays_the_step_only_by_its_output(agent: Agent) -> None:
    started_seconds = time.monotonic()
    run(agent, make_step("sleep 2 &"))

    assert time.monotonic() - started_seconds >= 2


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


def test_a_lost_host_never_replies(fleet: Fleet, agent: Agent) -> None:
    fleet.create_host("i-lost", "steady", "us-east-1a", "10.4.0.9", {})
    running = send(agent, make_document(make_step("sleep 600", timeoutSeconds=20)), host="i-lost", delivery=10)
    wait_for("the script", lambda: fleet.run("i-lost", "pgrep -f '^sleep 600'").returncode == 0)
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
