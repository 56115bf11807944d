"""Documents for the lab's agent, and how a test runs them."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from typing import Any

from lab.agent.agent import Agent
from lab.agent.invocation import Invocation, Status

HOST = "i-agent"
FINAL = {Status.SUCCESS, Status.FAILED, Status.TIMED_OUT, Status.CANCELLED}
_numbers = count(1)


def make_step(script: str | list[str], name: str = "measure", **inputs: Any) -> dict[str, Any]:
    lines = [script] if isinstance(script, str) else script
    return {"action": "aws:runShellScript", "name": name, "inputs": {"runCommand": lines, **inputs}}


def make_document(*steps: dict[str, Any], **parameters: Any) -> dict[str, Any]:
    return {"schemaVersion": "2.2", "parameters": parameters, "mainSteps": list(steps)}


def send(
    agent: Agent,
    document: dict[str, Any],
    parameters: dict[str, list[str]] | None = None,
    host: str = HOST,
    delivery: float = 30,
) -> str:
    command_id = f"command-{next(_numbers)}"
    agent.run_command(command_id, host, document, parameters or {}, delivery)
    return command_id


def wait(
    agent: Agent, command_id: str, host: str = HOST, until: Callable[[Invocation], bool] = lambda i: i.status in FINAL
) -> Invocation:
    deadline_seconds = time.monotonic() + 300
    while not until(invocation := agent.invocation(command_id, host)):
        assert time.monotonic() < deadline_seconds, invocation
        time.sleep(0.01)
    return invocation


def run(agent: Agent, *steps: dict[str, Any]) -> Invocation:
    return wait(agent, send(agent, make_document(*steps)))


def outcomes(invocation: Invocation) -> list[tuple[str, int]]:
    return [(str(plugin.status), plugin.response_code) for plugin in invocation.plugins]
