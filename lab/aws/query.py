"""The Query protocol of EC2: numbered parameters to nested values, and values to XML."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import escape

Response = tuple[int, dict[str, str], bytes]


class AwsError(Exception):
    """An error as the service answers it."""

    def __init__(self, code: str, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status


def nest(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """`{'Filter.1.Name': ['x']}` becomes `{'Filter': [{'Name': 'x'}]}`: numbered parts are lists, the rest nested."""
    root: dict[str, Any] = {}
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
    return _lists(root)


def _lists(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    if node and all(re.fullmatch("[0-9]+", key) for key in node):
        return [_lists(node[key]) for key in sorted(node, key=int)]
    return {key: _lists(value) for key, value in node.items()}


def to_xml(value: Any, item_tag: str = "item") -> str:
    """Values as EC2 writes them: lists as `<item>`s, absent (None) values left out."""
    if isinstance(value, Mapping):
        return "".join(f"<{key}>{to_xml(item, item_tag)}</{key}>" for key, item in value.items() if item is not None)
    if isinstance(value, (list, tuple)):
        return "".join(f"<{item_tag}>{to_xml(item, item_tag)}</{item_tag}>" for item in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return escape(str(value))


def answer(action: str, value: Mapping[str, Any]) -> Response:
    body = (
        f'<?xml version="1.0" encoding="UTF-8"?><{action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">'
        f"<requestId>{uuid.uuid4()}</requestId>{to_xml(value)}</{action}Response>"
    )
    return 200, {"Content-Type": "application/xml"}, body.encode()


def answer_error(error: AwsError) -> Response:
    body = (
        '<?xml version="1.0" encoding="UTF-8"?><Response><Errors><Error>'
        f"<Code>{error.code}</Code><Message>{escape(error.message)}</Message>"
        f"</Error></Errors><RequestID>{uuid.uuid4()}</RequestID></Response>"
    )
    return error.status, {"Content-Type": "application/xml"}, body.encode()
