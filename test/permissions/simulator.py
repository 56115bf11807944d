"""Asks the policy simulator of test/witnesses/iam-simulator, which runs in a process of its own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).parents[1] / "witnesses/iam-simulator/simulate.mjs"
Policy = dict[str, Any]
Context = dict[str, str | list[str]]


@dataclass(frozen=True)
class Principal:
    """Who makes a call: a role with its policies, or a service."""

    arn: str
    """As `aws:PrincipalArn` of a session, or the name of a service such as `events.amazonaws.com`."""
    policies: tuple[Policy, ...] = ()
    boundary: Policy | None = None
    session: Context = field(default_factory=dict)
    """Facts of the session that conditions and variables see in every request, such as `aws:userid`."""


@dataclass(frozen=True)
class Access:
    """One action on one resource, which AWS allows or denies. A call may need several."""

    action: str
    resource: str
    context: Context = field(default_factory=dict)
    resource_policy: Policy | None = None


def decisions(asked: Sequence[tuple[Principal, Access]], account_id: str) -> list[str]:
    """Returns `Allowed`, `ImplicitlyDenied` or `ExplicitlyDenied` for each.

    Raises ValueError when a request is not one that AWS could be asked: an unknown action, or a resource or a condition
    key that the action does not have.
    """
    answers = _ask([_request(principal, access, account_id) for principal, access in asked])
    problems = []
    for (_, access), answer in zip(asked, answers, strict=True):
        if "error" in answer:
            problems.append(f"{access}: {json.dumps(answer['error'])}")
        elif answer["ignoredContextKeys"]:
            problems.append(f"{access}: {access.action} has no {answer['ignoredContextKeys']}")
    if problems:
        raise ValueError("\n".join(problems))
    return [answer["decision"] for answer in answers]


def are_possible(asked: Sequence[tuple[Principal, Access]], account_id: str) -> list[bool]:
    """Returns for each whether it is a request that AWS could be asked."""
    answers = _ask([_request(principal, access, account_id) for principal, access in asked])
    return ["error" not in answer and not answer["ignoredContextKeys"] for answer in answers]


def resource_types(accesses: Sequence[Access], account_id: str) -> list[str | None]:
    """Returns the type of each resource by AWS's published names; None for an action that accepts no resource."""
    nobody = Principal(f"arn:aws:iam::{account_id}:role/nobody")
    return [answer["resourceType"] for answer in _ask([_request(nobody, access, account_id) for access in accesses])]


def published(actions: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Returns what AWS publishes of each action: whether it accepts no resource, and the types that it requires."""
    names = sorted(set(actions))
    return dict(zip(names, _ask([{"describe": name} for name in names]), strict=True))


def _request(principal: Principal, access: Access, account_id: str) -> dict[str, Any]:
    boundary = {"name": "boundary", "policy": principal.boundary}
    return {
        "request": {
            "principal": principal.arn,
            "action": access.action,
            "resource": {"resource": access.resource, "accountId": account_id},
            "contextVariables": {**principal.session, **access.context},
        },
        "identityPolicies": [{"name": f"policy {i}", "policy": p} for i, p in enumerate(principal.policies)],
        **({} if access.resource_policy is None else {"resourcePolicy": access.resource_policy}),
        **({} if principal.boundary is None else {"permissionBoundaryPolicies": [boundary]}),
    }


def _ask(requests: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    done = subprocess.run(
        ["node", str(SCRIPT)],
        input="".join(json.dumps(request) + "\n" for request in requests),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{SCRIPT}: ended with {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]
