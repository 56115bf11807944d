"""A run in flight calls with the roles of the last deployment, while its definition and its handlers are older ones."""

from __future__ import annotations

import functools
import gzip
import json
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from .deployed import ACCOUNT_ID, STACK_NAME, DeployedStack
from .mutants import as_list
from .simulator import Access, Policy, Principal, are_possible, decisions

RELEASES = Path(__file__).parents[1] / "fixtures/releases"
VERSIONS = sorted(folder.name for folder in RELEASES.iterdir() if folder.name[0].isdigit())
ALLOWED = "Allowed"
RoleAccess = tuple[str, Access]
Question = tuple[Principal, Access]
# Of the hosts, whose policy has a variable; AWS gives every session such a fact.
SESSION = {"aws:userid": "AROAHOST:i-0own"}
# What can stand for a wildcard: a name; one with an id, as of a target group, or with two; a stream of a log.
NAMES = ("x", "x/1", "x/1/2", "log-stream:x")


@pytest.fixture(scope="module")
def today(print_template: Callable[..., Path]) -> DeployedStack:
    context = json.loads((RELEASES / "variants.json").read_text())["every-option"]
    return DeployedStack(json.loads(print_template(context).read_text()), "aws")


def released(version: str) -> DeployedStack:
    packed = (RELEASES / version / "every-option.template.json.gz").read_bytes()
    return DeployedStack(json.loads(gzip.decompress(packed)), "aws")


def references_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from [item] if key == "Ref" else item[:1] if key == "Fn::GetAtt" else references_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from references_in(item)


def roles_of_runs(stack: DeployedStack) -> list[str]:
    """The roles of the hosts, of the state machines, and of the handlers that these call by version: a handler that is
    called without one is today's.
    """
    found = {stack.logical_id("AWS::IAM::Role", "TestHosts")}
    for machine in (one["Properties"] for one in stack.resources.values() if one["Type"].endswith("::StateMachine")):
        found |= set(references_in(machine["RoleArn"]))
        for name in references_in([machine.get("DefinitionString"), machine.get("DefinitionSubstitutions")]):
            called = stack.resources.get(name)
            if called is not None and called["Type"] == "AWS::Lambda::Version":
                found |= set(
                    references_in(stack.resources[called["Properties"]["FunctionName"]["Ref"]]["Properties"]["Role"])
                )
    return sorted(found)


def accesses_of(policies: tuple[Policy, ...]) -> Iterator[Access]:
    """Examples of everything that the policies allow, also with resources that an action has not."""
    for statement in (one for policy in policies for one in policy["Statement"]):
        limits = [
            [(key, _example(value)) for value in as_list(values)]
            for keys in statement.get("Condition", {}).values()
            for key, values in keys.items()
        ]
        for action, resource, *facts in product(as_list(statement["Action"]), as_list(statement["Resource"]), *limits):
            names = {resource} if resource == "*" else {_example(resource, name) for name in NAMES}
            yield from (Access(action, name, dict(facts)) for name in sorted(names))


def _example(pattern: str, name: str = "x") -> str:
    return pattern.replace("${aws:userid}", SESSION["aws:userid"]).replace("*", name)


def asked_of(policies_by_role: dict[str, tuple[Policy, ...]], accesses: list[RoleAccess]) -> list[Question]:
    arn = f"arn:aws:sts::{ACCOUNT_ID}:assumed-role/{STACK_NAME}-{{}}/session"
    return [(Principal(arn.format(role), policies_by_role[role], session=SESSION), access) for role, access in accesses]


@functools.cache
def called_by_runs(stack: DeployedStack) -> list[RoleAccess]:
    """What the roles of a version's runs are allowed, by examples."""
    policies = {role: stack.policies_of(role) for role in roles_of_runs(stack)}
    accesses = [(role, access) for role in policies for access in accesses_of(policies[role])]
    possible = are_possible(asked_of(policies, accesses), ACCOUNT_ID)
    kept = [one for one, is_possible in zip(accesses, possible, strict=True) if is_possible]
    assert {(role, one.action) for role, one in kept} == {(role, one.action) for role, one in accesses}
    assert set(decisions(asked_of(policies, kept), ACCOUNT_ID)) == {ALLOWED}
    return kept


def denied(before: DeployedStack, policies_of: Callable[[str], tuple[Policy, ...]]) -> set[str]:
    """What a version's runs call, and these policies do not allow: "role: action on resource"."""
    called = called_by_runs(before)
    asked = asked_of({role: policies_of(role) for role, _ in called}, called)
    return {
        f"{role}: {access.action} on {access.resource}"
        for (role, access), decision in zip(called, decisions(asked, ACCOUNT_ID), strict=True)
        if decision != ALLOWED
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_what_runs_of_a_released_version_call_is_allowed_to_today_s_roles(version: str, today: DeployedStack) -> None:
    assert denied(released(version), today.policies_of) == set()


@pytest.mark.parametrize(
    ("role", "action"),
    [
        ("NetworkBenchmarkRole", "states:StartExecution"),
        ("PairBenchmarkRole", "ssm:SendCommand"),
        ("FunctionsLaunchPairRole", "ec2:RunInstances"),
        ("FunctionsSummariseRunRole", "athena:StartQueryExecution"),
        ("TestHostsHostRole", "s3:PutObject"),
    ],
)
def test_a_permission_that_is_gone_after_today_s_version_is_named(role: str, action: str, today: DeployedStack) -> None:
    def without(one: str) -> tuple[Policy, ...]:
        policies = today.policies_of(one)
        if not one.startswith(role):
            return policies
        return tuple(
            {**policy, "Statement": [{**each, "Action": _without(action, each)} for each in policy["Statement"]]}
            for policy in policies
        )

    named = denied(today, without)
    assert named
    assert {(name.startswith(role), name.split(": ")[1].split(" on ")[0]) for name in named} == {(True, action)}


def _without(action: str, statement: Policy) -> list[str]:
    # A statement must have an action; nothing of a run calls this one.
    return [one for one in as_list(statement["Action"]) if one != action] or ["iam:ListUsers"]
