"""Names of errors that retries, catches and handlers decide on, against AWS's own models.

Handlers can compare no other names than those of lambdas/errors/aws-errors.ts, and the state machines none but
those in their definitions, so that every name is seen here. What no model has is in unmodelled-error-names.json, with
the page or the list that has it.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_sdk_arguments import all_states, flatten

from lab.aws.wire import service_model

HERE = Path(__file__).parent
# Step Functions' name of a service, to botocore's.
SERVICES = {"Ssm": "ssm", "Ec2": "ec2", "Lambda": "lambda", "StepFunctions": "stepfunctions"}
COMPARED = re.compile(r'Error\s*(?:=|!=|in)\s*(\[[^\]]*\]|"[^"]*")')


@pytest.fixture(scope="session")
def names() -> dict:
    printed = subprocess.run(
        ["node_modules/.bin/tsx", "test/support/print-error-names.ts"],
        cwd=HERE.parents[1],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(printed.stdout)


@pytest.fixture(scope="session")
def unmodelled() -> dict[str, set[str]]:
    """Returns the documented names by service; each has its source."""
    listed = json.loads((HERE / "unmodelled-error-names.json").read_text())
    for service, entry in listed.items():
        assert entry["source"], service
        assert entry["names"] == sorted(entry["names"]), service
    return {service: set(entry["names"]) for service, entry in listed.items()}


@pytest.fixture(scope="session")
def decided(template: dict) -> set[str]:
    """Returns the names that the two state machines match or compare."""
    found = set()
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::StepFunctions::StateMachine":
            definition = flatten(resource["Properties"]["DefinitionString"])
            found |= set(names_in(definition))
    return found


def names_in(definition: str) -> Iterator[str]:
    for state in all_states(json.loads(definition)).values():
        for rule in [*state.get("Retry", []), *state.get("Catch", [])]:
            yield from rule["ErrorEquals"]
        for comparison in COMPARED.findall(json.dumps(state).replace('\\"', '"')):
            yield from re.findall(r'"([^"]*)"', comparison)


def modelled_names(service: str) -> set[str]:
    """Returns the names as the SDK for JavaScript has them: those of the classes."""
    return {shape.name for shape in service_model(service).error_shapes}


def modelled_in_java(service: str) -> set[str]:
    """Returns the names as Step Functions has them: those of the Java SDK's classes, and their base class."""
    prefix = next(name for name, botocore_name in SERVICES.items() if botocore_name == service)
    shapes = {name.removesuffix("Exception").removesuffix("Fault") for name in modelled_names(service)}
    return {f"{prefix}.{name}Exception" for name in shapes | {prefix}}


def unknown_to_aws(handlers: dict[str, list[str]], unmodelled: dict[str, set[str]]) -> list[str]:
    return [
        f"{service}: {name}"
        for service, used in handlers.items()
        for name in used
        if name not in modelled_names(service) | unmodelled.get(service, set())
    ]


def unknown_to_states(decided: set[str], own: list[str], unmodelled: dict[str, set[str]]) -> list[str]:
    known = {*own}.union(*unmodelled.values(), *(modelled_in_java(service) for service in SERVICES.values()))
    return sorted(decided - known)


def test_handlers_decide_on_names_that_aws_has(names: dict, unmodelled: dict[str, set[str]]) -> None:
    assert sum(len(used) for used in names["handlers"].values()) > 20
    assert unknown_to_aws(names["handlers"], unmodelled) == []


def test_state_machines_decide_on_names_that_aws_or_a_handler_has(
    decided: set[str], names: dict, unmodelled: dict[str, set[str]]
) -> None:
    assert {"States.ALL", "Lambda.TooManyRequestsException", "Ssm.SsmException"} <= decided
    assert unknown_to_states(decided, names["own"], unmodelled) == []


def test_a_documented_name_is_in_no_model(unmodelled: dict[str, set[str]]) -> None:
    """Otherwise the model is the better witness, and the entry hides a name that goes out of it."""
    for service in ("ec2", "s3"):
        assert unmodelled[service] & modelled_names(service) == set()
    for service in ("lambda", "stepfunctions"):
        assert unmodelled[service] & modelled_in_java(service) <= {"Lambda.ServiceException"}


def test_wrong_names_are_found(names: dict, unmodelled: dict[str, set[str]]) -> None:
    handlers = {
        "ec2": ["InvalidGroup.NotFuond", "InvalidPlacementGroup.NotFound"],
        "elbv2": ["LoadBalancerNotFound"],
        "ssm": ["InvalidInstanceIdException"],
    }
    assert len(unknown_to_aws(handlers, unmodelled)) == 4
    state = {
        "Type": "Task",
        "Retry": [{"ErrorEquals": ["Lambda.TooManyRequestException", "Ssm.InvalidInstanceId"]}],
        "Catch": [{"ErrorEquals": ["States.All", "IncompleteSeries"]}],
        "Output": '{% $states.errorOutput.Error = "Ec2.InvalidInstanceID" or $e.Error in ["States.Timeout"] %}',
    }
    found = set(names_in(json.dumps({"States": {"S": state}})))
    assert unknown_to_states(found, names["own"], unmodelled) == sorted(found - {"States.Timeout"})
    assert len(found) == 6
