"""The protocols of the services that the lab answers: how a request is read and how a result or an error is written.

EC2 and Elastic Load Balancing speak two dialects of the Query protocol (forms and XML), the others JSON.
"""

from __future__ import annotations

import datetime
import json
import re
import uuid
from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import parse_qs
from xml.sax.saxutils import escape

Request = dict[str, Any]
Result = Mapping[str, Any]
Response = tuple[int, dict[str, str], bytes]
XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'


class AwsError(Exception):
    """An error as the service reports it to its caller."""

    def __init__(self, code: str, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status


class WireProtocol(Protocol):
    """How one service's requests and responses are written."""

    unknown_action_code: str

    def read(self, headers: Mapping[str, str], body: bytes | str, query: Mapping[str, Any]) -> tuple[str, Request]: ...
    def write(self, action: str, result: Result) -> Response: ...
    def write_error(self, error: AwsError) -> Response: ...


class Ec2Query:
    """EC2's dialect: lists are numbered in requests and `<item>`s in responses."""

    unknown_action_code = "InvalidAction"

    def read(self, headers: Mapping[str, str], body: bytes | str, query: Mapping[str, Any]) -> tuple[str, Request]:
        request = nest({**query, **_form(body)})
        return str(request.get("Action", "")), request

    def write(self, action: str, result: Result) -> Response:
        body = (
            f'{XML_DECLARATION}<{action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">'
            f"<requestId>{uuid.uuid4()}</requestId>{to_xml(result)}</{action}Response>"
        )
        return 200, {"Content-Type": "application/xml"}, body.encode()

    def write_error(self, error: AwsError) -> Response:
        body = (
            f"{XML_DECLARATION}<Response><Errors><Error>"
            f"<Code>{error.code}</Code><Message>{escape(error.message)}</Message>"
            f"</Error></Errors><RequestID>{uuid.uuid4()}</RequestID></Response>"
        )
        return error.status, {"Content-Type": "application/xml"}, body.encode()


class ElbQuery:
    """Elastic Load Balancing's dialect: lists are `member`s, and a result has an element of its own."""

    unknown_action_code = "InvalidAction"
    namespace = "http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/"

    def read(self, headers: Mapping[str, str], body: bytes | str, query: Mapping[str, Any]) -> tuple[str, Request]:
        nested = nest({**query, **_form(body)})
        request = {key: _without_members(value) for key, value in nested.items() if key != "Version"}
        return str(request.pop("Action", "")), request

    def write(self, action: str, result: Result) -> Response:
        body = (
            f'{XML_DECLARATION}<{action}Response xmlns="{self.namespace}">'
            f"<{action}Result>{to_xml(result, 'member')}</{action}Result>"
            f"<ResponseMetadata><RequestId>{uuid.uuid4()}</RequestId></ResponseMetadata></{action}Response>"
        )
        return 200, {"Content-Type": "text/xml"}, body.encode()

    def write_error(self, error: AwsError) -> Response:
        kind = "Sender" if error.status < 500 else "Receiver"
        body = (
            f'<ErrorResponse xmlns="{self.namespace}"><Error><Type>{kind}</Type><Code>{error.code}</Code>'
            f"<Message>{escape(error.message)}</Message></Error><RequestId>{uuid.uuid4()}</RequestId></ErrorResponse>"
        )
        return error.status, {"Content-Type": "text/xml"}, body.encode()


class Json:
    """JSON in both directions; the action is the last part of the header X-Amz-Target."""

    unknown_action_code = "UnknownOperationException"
    headers = {"Content-Type": "application/x-amz-json-1.1"}

    def read(self, headers: Mapping[str, str], body: bytes | str, query: Mapping[str, Any]) -> tuple[str, Request]:
        request: Request = json.loads(body or "{}")
        return headers.get("x-amz-target", "").rpartition(".")[2], request

    def write(self, action: str, result: Result) -> Response:
        return 200, dict(self.headers), json.dumps(result).encode()

    def write_error(self, error: AwsError) -> Response:
        return error.status, dict(self.headers), json.dumps({"__type": error.code, "message": error.message}).encode()


def nest(parameters: Mapping[str, Any]) -> Request:
    """Turns `{'Filter.1.Name': ['x']}` into `{'Filter': [{'Name': 'x'}]}`: numbered parts become lists."""
    root: Request = {}
    for key, value in parameters.items():
        parts = key.split(".")
        node = root
        for part in parts[:-1]:
            node = node.setdefault(part, {})
            if not isinstance(node, dict):
                raise AwsError(
                    "InvalidParameterCombination", f"The parameter {key} is given as a value and as a structure"
                )
        node[parts[-1]] = value[0] if isinstance(value, list) else value
    return {key: _lists(value) for key, value in root.items()}


def to_xml(value: Any, item_tag: str = "item") -> str:
    """Writes a structure as XML. Lists become elements named `item_tag`; absent (None) values are omitted."""
    if isinstance(value, Mapping):
        return "".join(f"<{key}>{to_xml(item, item_tag)}</{key}>" for key, item in value.items() if item is not None)
    if isinstance(value, (list, tuple)):
        return "".join(f"<{item_tag}>{to_xml(item, item_tag)}</{item_tag}>" for item in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return escape(str(value))


def timestamp(moment: datetime.datetime) -> str:
    """A time as AWS's APIs write it."""
    return moment.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _form(body: bytes | str) -> dict[str, list[str]]:
    text = body if isinstance(body, str) else (body or b"").decode()
    return parse_qs(text, keep_blank_values=True)


def _lists(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    if node and all(re.fullmatch("[0-9]+", key) for key in node):
        return [_lists(node[key]) for key in sorted(node, key=int)]
    return {key: _lists(value) for key, value in node.items()}


def _without_members(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_members(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"member"}:
        return _without_members(value["member"])
    return {key: _without_members(item) for key, item in value.items()}
