"""The real AWS CLI, except that no request leaves it: every operation is answered by a sample of its own answer.

It runs in the environment of the AWS CLI, where aws_server.py calls it. The CLI parses its arguments, checks and
serialises the parameters as it always does. The answer has every field that botocore's model of the operation knows.
The expression of `--query` is checked against that model too, because JMESPath answers null to a field that does not
exist. Each line of the log is a JSON object with the arguments, the operation and the problem, if any.
"""

import datetime
import io
import json
import sys
from pathlib import Path
from typing import Any

import awscli.clidriver
import botocore.endpoint
import botocore.response
import botocore.waiter
import jmespath


class NoSuchField(Exception):
    """An expression asks for something that the answer never has."""


class Anything:
    """The shape of what botocore's model says nothing about."""

    type_name = "anything"


class ListOf:
    type_name = "list"

    def __init__(self, member: Any) -> None:
        self.member = member


class Query:
    """Checks a JMESPath expression against the shape of an answer.

    `equalities` collects what fields are compared with, so that the sample can have an element that a filter lets pass.
    """

    def __init__(self) -> None:
        self.equalities: dict[str, str] = {}

    def shape(self, node: dict[str, Any], shape: Any) -> Any:
        """Returns the shape of the expression's value."""
        return getattr(self, f"_{node['type']}")(node, shape)

    def _identity(self, _: dict[str, Any], shape: Any) -> Any:
        return shape

    _current = _identity

    def _literal(self, node: dict[str, Any], _: Any) -> Any:
        return Anything()

    def _field(self, node: dict[str, Any], shape: Any) -> Any:
        if shape.type_name == "anything":
            return shape
        if shape.type_name == "map":
            return shape.value
        if shape.type_name != "structure":
            raise NoSuchField(f"{node['value']}: a {shape.type_name} has no fields")
        if node["value"] not in shape.members:
            raise NoSuchField(f"{node['value']}: must be one of {', '.join(shape.members)}")
        return shape.members[node["value"]]

    def _subexpression(self, node: dict[str, Any], shape: Any) -> Any:
        for child in node["children"]:
            shape = self.shape(child, shape)
        return shape

    _index_expression = _subexpression
    _pipe = _subexpression

    def _index(self, _: dict[str, Any], shape: Any) -> Any:
        return self._member(shape)

    def _slice(self, _: dict[str, Any], shape: Any) -> Any:
        return ListOf(self._member(shape))

    def _member(self, shape: Any) -> Any:
        if shape.type_name == "anything":
            return shape
        if shape.type_name != "list":
            raise NoSuchField(f"[…]: a {shape.type_name} has no elements")
        return shape.member

    def _projection(self, node: dict[str, Any], shape: Any) -> Any:
        return ListOf(self.shape(node["children"][1], self._member(self.shape(node["children"][0], shape))))

    def _filter_projection(self, node: dict[str, Any], shape: Any) -> Any:
        member = self._member(self.shape(node["children"][0], shape))
        self.shape(node["children"][2], member)
        return ListOf(self.shape(node["children"][1], member))

    def _flatten(self, node: dict[str, Any], shape: Any) -> Any:
        member = self._member(self.shape(node["children"][0], shape))
        return ListOf(member.member if member.type_name == "list" else member)

    def _comparator(self, node: dict[str, Any], shape: Any) -> Any:
        field, literal = node["children"]
        compared = self.shape(field, shape)
        self.shape(literal, shape)
        if literal["type"] == "literal" and field["type"] == "field":
            allowed = getattr(compared, "enum", [])
            if allowed and literal["value"] not in allowed:
                raise NoSuchField(f"{literal['value']}: must be one of {', '.join(allowed)}")
            self.equalities[field["value"]] = literal["value"]
        return Anything()

    def _function_expression(self, node: dict[str, Any], shape: Any) -> Any:
        for child in node["children"]:
            self.shape(child, shape)
        if node["value"] in ("starts_with", "contains") and node["children"][0]["type"] == "field":
            self.equalities[node["children"][0]["value"]] = node["children"][1]["value"]
        return Anything()

    def _all_children(self, node: dict[str, Any], shape: Any) -> Any:
        for child in node["children"]:
            self.shape(child, shape)
        return Anything()

    _and_expression = _or_expression = _not_expression = _multi_select_list = _multi_select_dict = _all_children
    _key_val_pair = _all_children


# A token would make the CLI ask for a next page, for ever.
PAGE_TOKENS = {
    "NextToken",
    "nextToken",
    "NextMarker",
    "Marker",
    "NextPageToken",
    "ContinuationToken",
    "PaginationToken",
}


def stream() -> Any:
    return botocore.response.StreamingBody(io.BytesIO(b""), 0)


def sample_of(shape: Any, equalities: dict[str, str], name: str = "", parents: tuple[str, ...] = ()) -> Any:
    """Returns an answer with every field; a string is the name of its field, at least as long as it must be."""
    if shape.name in parents:
        return None
    inside = (*parents, shape.name)
    match shape.type_name:
        case "structure":
            return {
                key: stream()
                if key == shape.serialization.get("payload") and member.type_name == "blob"
                else equalities.get(key) or sample_of(member, equalities, key, inside)
                for key, member in shape.members.items()
                if key not in PAGE_TOKENS
            }
        case "list":
            return [sample_of(shape.member, equalities, name, inside)]
        case "map":
            return {"key": sample_of(shape.value, equalities, name, inside)}
        case "string":
            return shape.enum[0] if shape.enum else (name or shape.name).ljust(shape.metadata.get("min", 0), "x")
        case "boolean":
            return False
        case "timestamp":
            return datetime.datetime(2026, 11, 28, tzinfo=datetime.UTC)
        case "blob":
            return stream() if shape.serialization.get("streaming") else b""
        case _:
            return 1


class Answered:
    status_code = 200
    headers: dict[str, str] = {}


def argument_of(name: str, arguments: list[str]) -> str | None:
    for index, argument in enumerate(arguments):
        if argument == name:
            return arguments[index + 1]
        if argument.startswith(f"{name}="):
            return argument.removeprefix(f"{name}=")
    return None


def run(log: Path, arguments: list[str]) -> int:
    """Runs `aws ARGUMENTS` in this process, which must not run another one, and returns its exit code."""
    entry: dict[str, Any] = {"arguments": arguments, "operation": None, "parameters": None, "problem": None}

    def make_request(_: Any, operation: Any, request: dict[str, Any]) -> tuple[Answered, Any]:
        entry["operation"] = f"{operation.service_model.service_name}:{operation.name}"
        entry["parameters"] = str(request["body"])
        query, expression = Query(), argument_of("--query", arguments)
        if expression is not None:
            query.shape(jmespath.compile(expression).parsed, operation.output_shape)
        return Answered(), sample_of(operation.output_shape, query.equalities) if operation.output_shape else {}

    botocore.endpoint.Endpoint.make_request = make_request
    # A sample never has the state that is waited for, so a waiter asks once.
    botocore.waiter.Waiter.wait = lambda waiter, **parameters: waiter._operation_method(**parameters)
    sys.argv = ["aws", *arguments]
    try:
        status = awscli.clidriver.main()
    except SystemExit as end:
        status = end.code
    if status != 0 or entry["operation"] is None:
        entry["problem"] = f"exit code {status}"
    with log.open("a") as file:
        file.write(json.dumps(entry) + "\n")
    return int(status or 0)
