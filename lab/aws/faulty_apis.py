"""API layer that refuses requests, or loses their answers, as a test has requested.

It covers the lab's services and MiniStack's, for requests over HTTP and those of state machines alike. The error code
`CONNECTION_LOST` cuts the connection.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any
from xml.sax.saxutils import escape

from lab.aws import embedded
from lab.aws.faults import CALLER, Fault, Faults
from lab.aws.upstream_fixes.lambda_role_sessions import is_a_functions_key
from lab.aws.wire import CUT, AwsError, HttpRequest, Json, Query, Response, flat_parameters, protocol_of, service_model

CONNECTION_LOST = "ConnectionLost"
# The lab's runner and the tests sign requests with this key (lab/runner/environment.py).
OPERATORS_KEY = "lab"
# The product's only service whose XML errors do not have the Query protocol's form.
XML_ERRORS = "s3"

Facts = dict[str, Any]
Described = tuple[str, Facts]
Describe = Callable[[HttpRequest], Described]


def cover(faults: Faults, service: str, checks_refusals_itself: frozenset[str] = frozenset()) -> None:
    """Adds the fault layer to a service (botocore's name); `checks_refusals_itself` are actions that raise faults
    themselves.
    """
    name = embedded.HANDLER_NAMES.get(service, service)
    prefix = "" if name == "ec2" else f"{name}:"
    describe, write_error = _reader(service), _error_writer(service)

    async def answer(fault: Fault) -> Response:
        await asyncio.sleep(fault.delay_seconds)
        return CUT if fault.code == CONNECTION_LOST else write_error(fault.error())

    async def handle(request: HttpRequest, pass_on: Callable[[], Awaitable[Response]]) -> Response:
        if not faults:
            return await pass_on()
        action, facts = describe(request)
        # A service that raises faults itself, as RunInstances does, needs to know the caller, too.
        CALLER.set(_caller(request))
        if action not in checks_refusals_itself:
            refusal = faults.take(prefix + action, facts, after=False)
            if refusal is not None:
                return await answer(refusal)
        response = await pass_on()
        loss = faults.take(prefix + action, facts, after=True)
        return response if loss is None else await answer(loss)

    embedded.put_in_front(service, handle)


def _caller(request: HttpRequest) -> str:
    """Returns who sent a request: `function`, `operator` (the lab's runner or a test), `host`, or `states`."""
    key = re.search(r"Credential=([^/]+)/", request.header("authorization"))
    if key is None:
        return "states"
    if key[1] == OPERATORS_KEY:
        return "operator"
    return "function" if is_a_functions_key(key[1]) else "host"


def _reader(service: str) -> Describe:
    if service_model(service).metadata["protocol"] in ("rest-json", "rest-xml"):
        return _rest_reader(service)
    protocol = protocol_of(service)

    def describe(request: HttpRequest) -> Described:
        action = protocol.action(request.headers, request.body, request.query)
        is_form = isinstance(protocol, Query)
        facts = flat_parameters(request.body, request.query) if is_form else Json.parse(request.body)
        return action, {name: value for name, value in facts.items() if not isinstance(value, dict)}

    return describe


def _rest_reader(service: str) -> Describe:
    """Identifies the operation by its method, its path and its required parameters."""
    operations = [_RestOperation(service, name) for name in service_model(service).operation_names]

    def describe(request: HttpRequest) -> Described:
        method, path, headers, _, query = request
        names = {name.lower() for name in headers} | set(query)
        candidates = [one for one in operations if one.matches(method, path, names)]
        if not candidates:
            return "", {}
        best = max(candidates, key=lambda one: len(one.required))
        given = {name: value[0] if isinstance(value, list) else value for name, value in query.items()}
        return best.name, given | best.path_parameters(path)

    return describe


class _RestOperation:
    def __init__(self, service: str, name: str) -> None:
        self.name = name
        model = service_model(service).operation_model(name)
        self._method = model.http["method"]
        path, _, query = model.http["requestUri"].partition("?")
        labels = re.sub(r"\\\{(\w+)(\\\+)?\\\}", lambda m: f"(?P<{m[1]}>{'.+' if m[2] else '[^/]+'})", re.escape(path))
        self._path = re.compile(labels.rstrip("/") + "/?")
        self.required = {part.partition("=")[0] for part in query.split("&") if part}
        shape = model.input_shape
        for member in () if shape is None else shape.required_members:
            serialization = shape.members[member].serialization
            if serialization.get("location") in ("querystring", "header"):
                name_on_the_wire = serialization["name"]
                is_header = serialization["location"] == "header"
                self.required.add(name_on_the_wire.lower() if is_header else name_on_the_wire)

    def matches(self, method: str, path: str, names: set[str]) -> bool:
        return method == self._method and self.required <= names and self._path.fullmatch(path) is not None

    def path_parameters(self, path: str) -> dict[str, str]:
        found = self._path.fullmatch(path)
        return {} if found is None else found.groupdict()


def _error_writer(service: str) -> Callable[[AwsError], Response]:
    if service == XML_ERRORS:
        return _xml_error
    protocol = Json(service_model(service)) if service == "lambda" else protocol_of(service)
    return protocol.write_error


def _xml_error(error: AwsError) -> Response:
    content = f"<Error><Code>{error.code}</Code><Message>{escape(error.message)}</Message></Error>"
    return error.status, {"Content-Type": "application/xml"}, content.encode()
