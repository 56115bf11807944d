"""The Query protocol as Elastic Load Balancing speaks it: lists are `member`s, and results stand in an element of their
own."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs
from xml.sax.saxutils import escape

from lab.aws.query import AwsError, Response, nest, to_xml

NAMESPACE = "http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/"
HEADERS = {"Content-Type": "text/xml"}


def read_request(body: Any, query: Mapping[str, list[str]]) -> dict[str, Any]:
    """A request's parameters, nested, without action and version."""
    text = body if isinstance(body, str) else (body or b"").decode()
    nested = nest({**query, **parse_qs(text, keep_blank_values=True)})
    return {key: _without_members(value) for key, value in nested.items() if key != "Version"}


def _without_members(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_members(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"member"}:
        return _without_members(value["member"])
    return {key: _without_members(item) for key, item in value.items()}


def check_parameters(request: dict[str, Any], required: set[str], optional: set[str]) -> None:
    """Refuses what is missing, and what the lab would have to ignore."""
    for name in sorted(required - set(request)):
        raise AwsError("ValidationError", f"'{name}' must be specified")
    unknown = sorted(set(request) - required - optional)
    if unknown:
        raise AwsError("ValidationError", f"The lab's load balancing does not know {', '.join(unknown)}")


def answer(action: str, value: Mapping[str, Any]) -> Response:
    result = to_xml(value, "member")
    body = (
        f'<?xml version="1.0" encoding="UTF-8"?><{action}Response xmlns="{NAMESPACE}">'
        f"<{action}Result>{result}</{action}Result>"
        f"<ResponseMetadata><RequestId>{uuid.uuid4()}</RequestId></ResponseMetadata></{action}Response>"
    )
    return 200, dict(HEADERS), body.encode()


def answer_error(error: AwsError) -> Response:
    kind = "Sender" if error.status < 500 else "Receiver"
    body = (
        f'<ErrorResponse xmlns="{NAMESPACE}"><Error><Type>{kind}</Type><Code>{error.code}</Code>'
        f"<Message>{escape(error.message)}</Message></Error><RequestId>{uuid.uuid4()}</RequestId></ErrorResponse>"
    )
    return error.status, dict(HEADERS), body.encode()
