"""Logs the calls to the embedded AWS with their callers, as CloudTrail does for an account.

The log is off until a test switches it on, because polling would fill it. The tests check each call's permissions.
"""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qs

from lab.aws import embedded
from lab.aws.upstream_fixes.stepfunctions_stopping import current_execution

Call = dict[str, Any]
KEPT_HEADERS = ("authorization", "content-type", "host", "x-amz-security-token", "x-amz-target")
# An object's content is not kept, because permissions do not depend on it.
KEPT_BODIES = ("application/x-www-form-urlencoded", "application/x-amz-json", "application/xml")
# Most answers are long and polled. Kept are those that name a new resource, or one found again after a lost answer.
NAMING = (b"Action=Create", b"Action=Run", b"Action=DescribeSecurityGroups")


class CallLog:
    """Logs every request over HTTP, and every call that a state of a state machine makes."""

    def __init__(self) -> None:
        self._calls: list[Call] | None = None

    def start(self) -> None:
        self._calls = []

    def calls(self) -> list[Call]:
        """Returns the calls since the start, with the answers to those that create something."""
        if self._calls is None:
            raise ValueError("calls: must be recorded first, by POST /_lab/calls")
        return list(self._calls)

    def follow_state_machines(self) -> None:
        embedded.STATES_INVOKE.wrap(self._record_state)

    async def serve(self, scope: Any, receive: Any, send: Any) -> None:
        if self._calls is None:
            await embedded.application(scope, receive, send)
            return
        request, answer = bytearray(), bytearray()
        status = 0

        async def receive_and_keep() -> Any:
            message = await receive()
            request.extend(message.get("body", b""))
            return message

        async def send_and_keep(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            answer.extend(message.get("body", b""))
            await send(message)

        await embedded.application(scope, receive_and_keep, send_and_keep)
        headers = {name.decode().lower(): value.decode() for name, value in scope["headers"]}
        has_kept_body = headers.get("content-type", "").startswith(KEPT_BODIES)
        is_answer_kept = has_kept_body and any(action in request for action in NAMING)
        self._calls.append(
            {
                "method": scope["method"],
                "path": scope["path"],
                "query": parse_qs(scope["query_string"].decode(), keep_blank_values=True),
                "headers": {name: headers[name] for name in KEPT_HEADERS if name in headers},
                "body": request.decode() if has_kept_body else None,
                "status": status,
                "answer": answer.decode() if is_answer_kept else None,
            }
        )

    def _record_state(self, original: Callable[[str, Any], Any], resource: str, arguments: Mapping[str, Any]) -> Any:
        execution = current_execution()
        if self._calls is not None and execution is not None:
            machine_arn = execution["stateMachineArn"]
            self._calls.append({"stateMachineArn": machine_arn, "resource": resource, "arguments": arguments})
        return original(resource, arguments)
