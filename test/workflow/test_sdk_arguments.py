"""Checks what every SDK integration of the two definitions sends and reads, against the model of the AWS API.

Step Functions takes the name of an action with a small first letter, and the names of members as the API spells them.
It rejects an unknown member when the state machine is created, but a path that the response does not have fails only at
run time. Both faults show here.
"""

from __future__ import annotations

import json
import re

import botocore.session
import pytest
from botocore.model import ListShape, MapShape, OperationModel, Shape, StructureShape

SDK_RESOURCE = re.compile(r"^arn:aws:states:::aws-sdk:(\w+):(\w+)$")
OPTIMISED = {
    "arn:aws:states:::lambda:invoke": ("lambda", "Invoke"),
    "arn:aws:states:::states:startExecution.sync:2": ("stepfunctions", "StartExecution"),
}
SCALARS = {
    "string": str,
    "integer": int,
    "long": int,
    "boolean": bool,
    "float": float,
    "double": float,
    "timestamp": str,
}


def is_expression(value: object) -> bool:
    return isinstance(value, str) and value.startswith("{%") and value.endswith("%}")


def argument_problems(shape: Shape, value: object, path: str = "") -> list[str]:
    """Returns what does not match the shape. An expression always matches: its value is known only at run time."""
    if is_expression(value):
        return []
    if isinstance(shape, StructureShape):
        if not isinstance(value, dict):
            return [f"{path}: must be an object, got {value!r}"]
        problems = [f"{path}.{name}: is not in the API" for name in value if name not in shape.members]
        problems += [f"{path}.{name}: is required" for name in shape.required_members if name not in value]
        for name, member in value.items():
            if name in shape.members:
                problems += argument_problems(shape.members[name], member, f"{path}.{name}")
        return problems
    if isinstance(shape, ListShape):
        if not isinstance(value, list):
            return [f"{path}: must be a list, got {value!r}"]
        return [p for i, item in enumerate(value) for p in argument_problems(shape.member, item, f"{path}[{i}]")]
    if isinstance(shape, MapShape):
        return [p for key, item in value.items() for p in argument_problems(shape.value, item, f"{path}.{key}")]
    expected = SCALARS[shape.type_name]
    if not isinstance(value, expected) or (expected is int and isinstance(value, bool)):
        return [f"{path}: must be {shape.type_name}, got {value!r}"]
    if getattr(shape, "enum", None) and value not in shape.enum:
        return [f"{path}: must be one of {shape.enum}, got {value!r}"]
    minimum, maximum = shape.metadata.get("min"), shape.metadata.get("max")
    size = len(value) if isinstance(value, str) else value
    if minimum is not None and size < minimum or maximum is not None and size > maximum:
        return [f"{path}: must be {minimum} to {maximum}, got {value!r}"]
    return []


def element(shape: Shape) -> Shape:
    """Returns the shape of a list's elements, because a JSONata path looks into lists."""
    while isinstance(shape, ListShape):
        shape = shape.member
    return shape


def closing(expression: str, start: int) -> int:
    """Returns the index of the bracket that closes the one at `start`."""
    depth = 0
    for index in range(start, len(expression)):
        depth += expression[index] in "([{"
        depth -= expression[index] in ")]}"
        if depth == 0:
            return index
    raise ValueError(f"expression: must have its brackets closed, got {expression!r}")


def without_texts(expression: str) -> str:
    """Returns the expression without its string and regular expression literals, so that all letters left are names."""
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', re.sub(r"/[^/\s][^/]*\([^/]*/", "//", expression))


def relative_problems(shape: Shape, expression: str) -> list[str]:
    """Checks the paths inside a predicate or block that begin with a member, or with `$invocation`, an element."""
    problems = []
    for path in re.findall(r"(?:(?<![\w.$])|\$invocation\.)([A-Z]\w*(?:\.[A-Z]\w*)*)", expression):
        current = shape
        for name in path.split("."):
            current = element(current)
            if not isinstance(current, StructureShape) or name not in current.members:
                problems.append(f"{path}: is not in {shape.name}")
                break
            current = current.members[name]
    return problems


def output_problems(output: Shape, expression: str) -> list[str]:
    problems = []
    bare = without_texts(expression)
    for match in re.finditer(r"\$states\.result", bare):
        shape, position = output, match.end()
        while position < len(bare):
            if step := re.match(r"\.([A-Z]\w*)", bare[position:]):
                shape = element(shape)
                if not isinstance(shape, StructureShape) or step[1] not in shape.members:
                    problems.append(f"{step[1]}: is not in {shape.name}")
                    break
                shape = shape.members[step[1]]
                position += step.end()
            elif block := re.match(r"\.?[\[({]", bare[position:]):
                start = position + block.end() - 1
                end = closing(bare, start)
                problems += relative_problems(element(shape), bare[start + 1 : end])
                position = end + 1
            else:
                break
    return problems


def strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for child in children for text in strings(child)]


def flatten(value: object) -> str:
    if isinstance(value, str):
        return value
    ((name, argument),) = value.items()
    if name == "Fn::Join":
        return argument[0].join(flatten(part) for part in argument[1])
    return (
        "aws" if argument == "AWS::Partition" else f"<{argument if isinstance(argument, str) else '.'.join(argument)}>"
    )


def all_states(definition: dict) -> dict[str, dict]:
    states = dict(definition["States"])
    for state in definition["States"].values():
        if "ItemProcessor" in state:
            states |= all_states(state["ItemProcessor"])
    return states


@pytest.fixture(scope="session")
def integrations(template: dict) -> dict[str, tuple[OperationModel, dict]]:
    """Returns each state that calls an API, with the model of the call."""
    session = botocore.session.get_session()
    found = {}
    for resource in template["Resources"].values():
        if resource["Type"] != "AWS::StepFunctions::StateMachine":
            continue
        definition = json.loads(flatten(resource["Properties"]["DefinitionString"]))
        for name, state in all_states(definition).items():
            if state["Type"] != "Task":
                continue
            if match := SDK_RESOURCE.match(state["Resource"]):
                service, operation = match[1], match[2][0].upper() + match[2][1:]
            else:
                service, operation = OPTIMISED[state["Resource"]]
            found[name] = (session.get_service_model(service).operation_model(operation), state)
    return found


def test_all_integrations_are_found(integrations: dict) -> None:
    called = {(model.service_model.service_name, model.name) for model, _ in integrations.values()}
    assert called == {
        ("lambda", "Invoke"),
        ("stepfunctions", "StartExecution"),
        ("ssm", "SendCommand"),
        ("ssm", "ListCommandInvocations"),
        ("ssm", "CancelCommand"),
        ("ssm", "DescribeInstanceInformation"),
        ("ec2", "DescribeInstances"),
        ("ec2", "TerminateInstances"),
        ("ec2", "DescribePlacementGroups"),
        ("ec2", "DeletePlacementGroup"),
    }


def test_arguments_match_the_api(integrations: dict) -> None:
    problems = []
    for name, (model, state) in integrations.items():
        if state["Resource"] not in OPTIMISED:
            problems += [f"{name}: {p}" for p in argument_problems(model.input_shape, state["Arguments"])]
            continue
        # An optimised integration takes an object where the API takes JSON text, and its names begin with a capital.
        members = {member[0].upper() + member[1:] for member in model.input_shape.members}
        problems += [f"{name}: {key}: is not in the API" for key in state["Arguments"] if key not in members]
    assert problems == []


def test_responses_have_every_path_that_a_state_reads(integrations: dict) -> None:
    problems = []
    read = 0
    for name, (model, state) in integrations.items():
        if state["Resource"] in OPTIMISED:
            continue
        for expression in strings([state.get("Assign"), state.get("Output")]):
            read += "$states.result" in expression
            problems += [f"{name}: {p}" for p in output_problems(model.output_shape, expression)]
    assert read > 10
    assert problems == []


def test_a_wrong_argument_and_a_wrong_path_are_found() -> None:
    model = botocore.session.get_session().get_service_model("ssm").operation_model("SendCommand")
    assert argument_problems(model.input_shape, {"DocumentName": "x", "InstanceId": ["i-1"], "TimeoutSeconds": 5}) == [
        ".InstanceId: is not in the API",
        ".TimeoutSeconds: must be 30 to 2592000, got 5",
    ]
    assert argument_problems(model.input_shape, {}) == [".DocumentName: is required"]
    assert output_problems(model.output_shape, "{% $states.result.Command.Id %}") == ["Id: is not in Command"]
    listing = botocore.session.get_session().get_service_model("ssm").operation_model("ListCommandInvocations")
    assert output_problems(listing.output_shape, '$count($states.result.CommandInvocations[State = "Success"])') == [
        "State: is not in CommandInvocation"
    ]
    assert output_problems(listing.output_shape, '[$states.result.CommandInvocations.{"Id": InstanceIds}]') == [
        "InstanceIds: is not in CommandInvocation"
    ]
