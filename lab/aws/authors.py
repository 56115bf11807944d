"""Finds out who makes a request and for which run, so that a fault can strike one run and a removal has an author.

Handlers send the trace id of their invocation with every request, as on AWS; the lab looks up the function and its
event by it. A state machine's own calls carry the name of its execution.
"""

import json
import re
import secrets
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

from lab.aws import embedded
from lab.aws.ec2.records import Records
from lab.aws.faults import REQUEST_TEXT
from lab.aws.upstream_fixes.stepfunctions_stopping import current_execution
from lab.aws.wire import HttpRequest, Response

TRACE_HEADER = "x-amzn-trace-id"
SERVICES = ("ec2", "elbv2", "ssm", "stepfunctions", "s3", "lambda", "athena")
REMOVAL = re.compile(r"\bAction=(?:TerminateInstances|Delete\w+)")
# The run is named in a request's path, its parameters or the beginning of its body; uploaded chunks are not text.
INSTANCE = re.compile(r"\bi-[0-9a-f]{17}\b")
READ_BYTES = 20_000


Removal = dict[str, Any]
"""A granted request to remove something: `at` (Unix time in seconds), `request`, and its `author`, which is
`state machine`, the name of a function, or `outside`."""


class Authors:
    """The invocations that are running, and the author of each removal."""

    def __init__(self, ec2: Records) -> None:
        self._ec2 = ec2
        self._lock = threading.Lock()
        self._invocations: dict[str, tuple[str, str]] = {}
        self._removals: list[Removal] = []

    def install(self) -> None:
        """Installs this layer in front of everything else that answers these services."""
        embedded.WORKER_INVOKE.wrap(self._with_trace_id)
        for service in SERVICES:
            embedded.put_in_front(service, self._watch)

    def removals(self) -> list[Removal]:
        with self._lock:
            return list(self._removals)

    def _with_trace_id(
        self, original: Callable[..., dict[str, Any]], worker: Any, event: Any, *arguments: Any, **keywords: Any
    ) -> dict[str, Any]:
        trace_id = f"Root=1-{int(time.time()):08x}-{secrets.token_hex(12)}"
        with self._lock:
            self._invocations[trace_id] = (worker.func_name, json.dumps(event))
        try:
            return original(worker, event, *arguments, **keywords | {"trace_id": trace_id})
        finally:
            with self._lock:
                del self._invocations[trace_id]

    async def _watch(self, request: HttpRequest, pass_on: Callable[[], Awaitable[Response]]) -> Response:
        author, subject = self._author(request)
        said = [request.path, json.dumps(request.query, default=str), _text(request.body)]
        text = " ".join([*said, request.header("x-amz-target")])
        named = [self._ec2.instances.get(instance_id) for instance_id in set(INSTANCE.findall(text))]
        runs = [json.dumps(instance.launch.tags) for instance in named if instance is not None]
        token = REQUEST_TEXT.set(" ".join([subject, text, *runs]))
        try:
            response = await pass_on()
        finally:
            REQUEST_TEXT.reset(token)
        if response[0] < 300 and REMOVAL.search(text):
            with self._lock:
                self._removals.append({"at": time.time(), "author": author, "request": text})
        return response

    def _author(self, request: HttpRequest) -> tuple[str, str]:
        execution = current_execution()
        if execution is not None:
            return "state machine", execution["name"]
        with self._lock:
            return self._invocations.get(request.header(TRACE_HEADER), ("outside", ""))


def _text(body: bytes | str) -> str:
    return body[:READ_BYTES] if isinstance(body, str) else body[:READ_BYTES].decode("utf-8", "replace")
