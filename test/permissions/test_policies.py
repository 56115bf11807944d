"""The policies of the template, judged by a policy simulator that was written elsewhere.

What a part of the stack does is allowed, and its neighbours are denied. Each statement of a policy is needed for an
example, and each of its limits for a neighbour: every weaker and every wider policy is noticed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import pytest

from .builders import USER_TAG, Example
from .deployed import ACCOUNT_ID, DeployedStack
from .examples import Examples
from .mutants import Mutant, as_list, narrower, wider
from .simulator import Access, Policy, Principal, decisions, published, resource_types

ALLOWED = "Allowed"
Question = tuple[Principal, Access]


@pytest.fixture(params=["aws", "aws-cn"])
def examples(request: pytest.FixtureRequest, template: dict) -> Examples:
    return Examples(DeployedStack(template, request.param))


def test_what_every_part_does_is_allowed(examples: Examples) -> None:
    asked = [(examples.principal(one), access) for one in examples.all() for access in one.own]
    denied = [
        f"{principal.arn}: {access.action} on {access.resource}"
        for (principal, access), decision in zip(asked, decisions(asked, ACCOUNT_ID), strict=True)
        if decision != ALLOWED
    ]
    assert denied == []


def test_every_neighbour_is_denied(examples: Examples) -> None:
    """One denied access is enough: the call as a whole fails then."""
    neighbours = [
        (examples.principal(one), f"{one.principal}: {one.what}: {name}", accesses)
        for one in examples.all()
        for name, accesses in one.neighbours.items()
    ]
    found = iter(decisions([(who, access) for who, _, theirs in neighbours for access in theirs], ACCOUNT_ID))
    allowed = [name for _, name, accesses in neighbours if all([next(found) == ALLOWED for _ in accesses])]
    assert len(neighbours) > 150
    assert allowed == []


def test_a_boundary_limits_every_role(template: dict) -> None:
    examples = Examples(DeployedStack(template, "aws"))
    everything = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    no_launch = {"Effect": "Deny", "Action": "ec2:RunInstances", "Resource": "*"}
    boundary = {"Version": "2012-10-17", "Statement": [everything, no_launch]}
    asked = [
        (replace(examples.principal(one), boundary=boundary), access)
        for one in examples.all()
        for access in one.own
        if "." not in one.principal
    ]
    denied = {
        access.action
        for (_, access), decision in zip(asked, decisions(asked, ACCOUNT_ID), strict=True)
        if decision != ALLOWED
    }
    assert denied == {"ec2:RunInstances"}


# What a policy of an organisation can require tags on, of all that a run makes.
CREATIONS = {
    "ec2:RunInstances": ["instance", "volume", "network-interface"],
    "ec2:CreatePlacementGroup": ["placement-group"],
    "ec2:CreateSecurityGroup": ["security-group"],
    "elasticloadbalancing:CreateLoadBalancer": ["loadbalancer"],
    "elasticloadbalancing:CreateTargetGroup": ["targetgroup"],
    "elasticloadbalancing:CreateListener": ["listener"],
}


def requiring(tag: str) -> Policy:
    """A policy of the organisation: nothing is created without a tag of this key."""
    denials = [
        {
            "Effect": "Deny",
            "Action": action,
            "Resource": [f"arn:aws:{action.split(':')[0]}:*:*:{kind}/*" for kind in kinds],
            "Condition": {"Null": {f"aws:RequestTag/{tag}": "true"}},
        }
        for action, kinds in CREATIONS.items()
    ]
    return {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}, *denials]}


def test_an_organisation_may_require_a_tag_that_the_plan_or_the_deployment_gives(template: dict) -> None:
    examples = Examples(DeployedStack(template, "aws"))

    def denied_where_required(tag: str) -> set[str]:
        asked = [
            (replace(examples.principal(one), boundary=requiring(tag)), access)
            for one in examples.all()
            for access in one.own
            if "." not in one.principal
        ]
        found = zip(asked, decisions(asked, ACCOUNT_ID), strict=True)
        return {access.action for (_, access), decision in found if decision != ALLOWED}

    assert denied_where_required(USER_TAG) == set()
    # A listener is checked on its load balancer, which is there already, and so is never denied here.
    assert denied_where_required("Project") == set(CREATIONS) - {"elasticloadbalancing:CreateListener"}


def roles(examples: Examples) -> dict[str, list[Example]]:
    found: dict[str, list[Example]] = {}
    for example in examples.all():
        if "." not in example.principal:
            found.setdefault(example.principal, []).append(example)
    return found


def unnoticed(examples: Examples, make: Callable[[tuple[Policy, ...]], Iterator[Mutant]], is_wider: bool) -> list[str]:
    """Returns the planted defects that change no decision."""
    asked: list[Question] = []
    mutants: list[tuple[str, list[list[int]]]] = []
    for role, own in roles(examples).items():
        principal = examples.principal(own[0])
        used = [[access] for access in _distinct(access for one in own for access in one.own)]
        for mutant in make(principal.policies):
            actions = mutant.statement["Action"]
            groups = [theirs for one in own for theirs in one.neighbours.values()] if is_wider else used
            concerned = [group for group in groups if any(access.action in actions for access in group)]
            places = []
            for group in concerned:
                places.append(list(range(len(asked), len(asked) + len(group))))
                asked += [(replace(principal, policies=mutant.policies), access) for access in group]
            mutants.append((f"{role}: {mutant.what} ({actions})", places))
    found = decisions(asked, ACCOUNT_ID)
    survivors = []
    for name, places in mutants:
        allowed = [all(found[place] == ALLOWED for place in group) for group in places]
        if not (any(allowed) if is_wider else not all(allowed)):
            survivors.append(name)
    assert len(mutants) > 100
    return survivors


def _distinct(accesses: Iterable[Access]) -> list[Access]:
    found: list[Access] = []
    for access in accesses:
        if access not in found:
            found.append(access)
    return found


def test_every_missing_permission_is_noticed(examples: Examples) -> None:
    assert unnoticed(examples, narrower, is_wider=False) == []


def test_every_limit_that_is_gone_is_noticed(examples: Examples) -> None:
    assert unnoticed(examples, wider, is_wider=True) == []


# AWS's own policies for Elastic Load Balancing and for the SSM agent allow these calls on everything, too.
ON_EVERYTHING = {"ec2:GetSecurityGroupsForVpc", "ssm:UpdateInstanceInformation"}


def test_only_calls_that_accept_no_resource_are_allowed_on_everything(examples: Examples) -> None:
    actions = {
        action
        for own in roles(examples).values()
        for policy in examples.principal(own[0]).policies
        for statement in policy["Statement"]
        if "*" in as_list(statement["Resource"])
        for action in as_list(statement["Action"])
    }
    assert len(actions) >= 40
    assert {name for name, facts in published(actions).items() if not facts["isWildcardOnly"]} == ON_EVERYTHING


# Where AWS names several types of which a call has one, the one that our calls have.
ONE_OF = {
    "elasticloadbalancing:AddTags": set(),
    "elasticloadbalancing:ModifyListenerAttributes": {"listener/net"},
    "states:DescribeExecution": {"execution"},
    "states:ListExecutions": {"statemachine"},
}


def test_every_call_is_asked_about_every_resource_that_aws_checks(examples: Examples) -> None:
    accesses = _distinct(access for own in roles(examples).values() for one in own for access in one.own)
    found: dict[str, set[str | None]] = {}
    for access, kind in zip(accesses, resource_types(accesses, ACCOUNT_ID), strict=True):
        found.setdefault(access.action, set()).add(kind)
    missing = {
        action: sorted(required - found[action])
        for action, facts in published(found).items()
        if (required := ONE_OF.get(action, set(facts["required"]))) - found[action]
    }
    assert missing == {"ec2:GetSecurityGroupsForVpc": ["vpc"]}
