"""Policies with one planted defect each: a permission that is missing, and a limit that is gone."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .simulator import Policy

Statement = dict[str, Any]


@dataclass(frozen=True)
class Mutant:
    what: str
    statement: Statement
    """As it was."""
    policies: tuple[Policy, ...]


def narrower(policies: tuple[Policy, ...]) -> Iterator[Mutant]:
    """Without one action, resource or value of a condition."""
    for policy, index, statement in _statements(policies):
        for part in ("Action", "Resource"):
            for one in as_list(statement[part]):
                rest = [other for other in as_list(statement[part]) if other != one]
                changed = [statement | {part: rest}] if rest else []
                yield Mutant(f"without {one}", statement, _replaced(policies, policy, index, changed))
        for operator, key, values in _conditions(statement):
            for value in values if len(values) > 1 else []:
                changed_condition = copy.deepcopy(statement["Condition"])
                changed_condition[operator][key] = [other for other in values if other != value]
                changed = [statement | {"Condition": changed_condition}]
                yield Mutant(f"without {key} {value}", statement, _replaced(policies, policy, index, changed))


def wider(policies: tuple[Policy, ...]) -> Iterator[Mutant]:
    """Without one key of a condition, or with every resource of a kind in place of one."""
    for policy, index, statement in _statements(policies):
        for operator, key, _ in _conditions(statement):
            changed = copy.deepcopy(statement)
            del changed["Condition"][operator][key]
            yield Mutant(f"without the condition {key}", statement, _replaced(policies, policy, index, [changed]))
        for one in as_list(statement["Resource"]):
            every = _every_of_its_kind(one)
            if every != one:
                changed = statement | {"Resource": [every]}
                yield Mutant(f"{every} for {one}", statement, _replaced(policies, policy, index, [changed]))


def _every_of_its_kind(arn: str) -> str:
    """Such as `arn:aws:ec2:eu-west-1:123456789012:subnet/*` for the ARN of one subnet."""
    if arn == "*":
        return arn
    head, resource = ":".join(arn.split(":", 5)[:5]), arn.split(":", 5)[5]
    for separator in ("/", ":"):
        kind, found, _ = resource.partition(separator)
        if found:
            return f"{head}:{kind}{separator}*"
    return f"{head}:*"


def _statements(policies: tuple[Policy, ...]) -> Iterator[tuple[int, int, Statement]]:
    for number, policy in enumerate(policies):
        for index, statement in enumerate(policy["Statement"]):
            yield number, index, statement


def _conditions(statement: Statement) -> Iterator[tuple[str, str, list[str]]]:
    for operator, keys in statement.get("Condition", {}).items():
        for key, values in keys.items():
            yield operator, key, as_list(values)


def _replaced(policies: tuple[Policy, ...], number: int, index: int, by: list[Statement]) -> tuple[Policy, ...]:
    statements = policies[number]["Statement"]
    changed = policies[number] | {"Statement": [*statements[:index], *by, *statements[index + 1 :]]}
    return (*policies[:number], changed, *policies[number + 1 :])


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
