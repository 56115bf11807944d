"""Reads requests and writes results in the protocols of the services that the lab answers, by botocore's models.

Requests and results have the names and types of the API. EC2 and Elastic Load Balancing use two dialects of the Query
protocol (forms and XML); the other services use JSON.
"""

import datetime
import functools
import json
import uuid
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qs
from xml.sax.saxutils import escape

import botocore.loaders
import botocore.model
import botocore.validate

Request = dict[str, Any]
Result = dict[str, Any]
Response = tuple[int, dict[str, str], bytes]


class HttpRequest(NamedTuple):
    """A request to a service, in the form that MiniStack's handlers get."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes | str
    query: Mapping[str, Any]

    def header(self, wanted: str) -> str:
        """Returns a header's value by its lower-case name; empty if there is none."""
        return next((value for name, value in self.headers.items() if name.lower() == wanted), "")


CUT_HEADER = "x-lab-connection"
CUT: Response = (503, {CUT_HEADER: "cut"}, b"")
"""Stands for an answer that never arrives: whoever passes it on cuts the connection instead."""


class AwsError(Exception):
    def __init__(self, code: str, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status


class Query:
    """The Query protocol: forms and XML.

    EC2's dialect numbers the elements of a list in requests, and calls them `item` in responses. The other dialect
    calls them `member` in both, and wraps each result in an element.
    """

    unknown_action_code = "InvalidAction"

    def __init__(self, model: Any) -> None:
        self._model = model
        self._is_ec2 = model.metadata["protocol"] == "ec2"
        self.invalid_code = "MissingParameter" if self._is_ec2 else "ValidationError"
        self.unknown_parameter_code = "UnknownParameter" if self._is_ec2 else "ValidationError"

    def action(self, headers: Mapping[str, str], body: bytes | str, query: Mapping[str, Any]) -> str:
        return str(flat_parameters(body, query).get("Action", ""))

    def read(self, action: str, body: bytes | str, query: Mapping[str, Any]) -> Request:
        shape = self._model.operation_model(action).input_shape
        given = _nested(flat_parameters(body, query))
        request: Request = self._typed({key: given[key] for key in given if key not in ("Action", "Version")}, shape)
        return _checked(request, shape, self.invalid_code)

    def write(self, action: str, result: Result) -> Response:
        content = _xml(result, self._model.operation_model(action).output_shape)
        if self._is_ec2:
            content = f"<requestId>{uuid.uuid4()}</requestId>{content}"
        else:
            metadata = f"<ResponseMetadata><RequestId>{uuid.uuid4()}</RequestId></ResponseMetadata>"
            content = f"<{action}Result>{content}</{action}Result>{metadata}"
        return self._response(200, f"{action}Response", content)

    def write_error(self, error: AwsError) -> Response:
        kind = "Sender" if error.status < 500 else "Receiver"
        code = f"<Code>{error.code}</Code><Message>{escape(error.message)}</Message>"
        if self._is_ec2:
            content = f"<Errors><Error>{code}</Error></Errors><RequestID>{uuid.uuid4()}</RequestID>"
            return self._response(error.status, "Response", content)
        content = f"<Error><Type>{kind}</Type>{code}</Error><RequestId>{uuid.uuid4()}</RequestId>"
        return self._response(error.status, "ErrorResponse", content)

    def _response(self, status: int, element: str, content: str) -> Response:
        namespace = self._model.metadata["xmlNamespace"]
        body = f'<?xml version="1.0" encoding="UTF-8"?><{element} xmlns="{namespace}">{content}</{element}>'
        return status, {"Content-Type": "text/xml"}, body.encode()

    def _typed(self, node: Any, shape: Any) -> Any:
        match shape.type_name:
            case "structure":
                names = {self._parameter_name(name, member): name for name, member in shape.members.items()}
                for key in node:
                    if key not in names:
                        raise AwsError(self.unknown_parameter_code, f"The parameter {key} is not recognized")
                return {names[key]: self._typed(value, shape.members[names[key]]) for key, value in node.items()}
            case "list":
                numbered = node if self._is_ec2 else node and node["member"]
                return [self._typed(numbered[key], shape.member) for key in sorted(numbered, key=int)]
            case "integer" | "long":
                return int(node)
            case "boolean":
                return node.lower() == "true"
        return node

    def _parameter_name(self, name: str, shape: Any) -> str:
        name = shape.serialization.get("name", name)
        return str(shape.serialization.get("queryName", name[0].upper() + name[1:])) if self._is_ec2 else name


class Json:
    """JSON in both directions; the action is the last part of the header X-Amz-Target."""

    unknown_action_code = "UnknownOperationException"
    invalid_code = unknown_parameter_code = "ValidationException"

    def __init__(self, model: Any) -> None:
        self._model = model

    def action(self, headers: Mapping[str, str], body: bytes | str, query: Mapping[str, Any]) -> str:
        return headers.get("x-amz-target", "").rpartition(".")[2]

    @staticmethod
    def parse(body: bytes | str) -> Request:
        request: Request = json.loads(body or "{}")
        return request

    def read(self, action: str, body: bytes | str, query: Mapping[str, Any]) -> Request:
        return _checked(self.parse(body), self._model.operation_model(action).input_shape, self.invalid_code)

    def write(self, action: str, result: Result) -> Response:
        return self._response(200, result)

    def write_error(self, error: AwsError) -> Response:
        return self._response(error.status, {"__type": error.code, "message": error.message})

    def _response(self, status: int, content: Result) -> Response:
        text = json.dumps(content, default=datetime.datetime.timestamp)
        return status, {"Content-Type": "application/x-amz-json-1.1"}, text.encode()


@functools.cache
def service_model(service: str) -> Any:
    """Returns botocore's model of a service."""
    return botocore.model.ServiceModel(botocore.loaders.Loader().load_service_model(service, "service-2"))


@functools.cache
def _paginators(service: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, dict[str, str]]] = botocore.loaders.Loader().load_service_model(service, "paginators-1")
    return found["pagination"]


def protocol_of(service: str) -> Query | Json:
    model = service_model(service)
    return Json(model) if model.metadata["protocol"] == "json" else Query(model)


def page(service: str, action: str, request: Request, result: Result, default_size: int) -> Result:
    """Returns the requested page of a result, with the next page's token, if the action is paginated."""
    paginator = _paginators(service).get(action)
    if paginator is None:
        return result
    *path, key = paginator["result_key"].split(".")
    holder = functools.reduce(lambda part, name: part[name], path, result)
    start = int(request.get(paginator["input_token"]) or 0)
    end = start + int(request.get(paginator["limit_key"]) or default_size)
    if end < len(holder[key]):
        result[paginator["output_token"]] = str(end)
    holder[key] = holder[key][start:end]
    return result


def timestamp(moment: datetime.datetime) -> str:
    return moment.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _checked(request: Request, shape: Any, error_code: str) -> Request:
    report = botocore.validate.ParamValidator().validate(request, shape)
    if report.has_errors():
        raise AwsError(error_code, report.generate_report())
    return request


def flat_parameters(body: bytes | str, query: Mapping[str, Any]) -> dict[str, str]:
    """Returns the parameters of a form, such as `Filter.1.Name`."""
    text = body if isinstance(body, str) else (body or b"").decode()
    given = {**query, **parse_qs(text, keep_blank_values=True)}
    return {key: value[0] if isinstance(value, list) else value for key, value in given.items()}


def _nested(parameters: Mapping[str, str]) -> dict[str, Any]:
    """Turns `{'Filter.1.Name': 'x'}` into `{'Filter': {'1': {'Name': 'x'}}}`."""
    root: dict[str, Any] = {}
    for key, value in parameters.items():
        *path, last = key.split(".")
        node = root
        for part in path:
            node = node.setdefault(part, {})
            if not isinstance(node, dict):
                raise AwsError(
                    "InvalidParameterCombination", f"The parameter {key} is given as a value and as a structure"
                )
        node[last] = value
    return root


def _xml(value: Any, shape: Any) -> str:
    """Writes a value as XML. It omits members that are None, and raises KeyError for an unknown name."""
    if isinstance(value, Mapping):
        members = [(item, shape.members[name], name) for name, item in value.items() if item is not None]
        tagged = [(member.serialization.get("name", name), _xml(item, member)) for item, member, name in members]
        return "".join(f"<{tag}>{text}</{tag}>" for tag, text in tagged)
    if isinstance(value, (list, tuple)):
        tag = shape.member.serialization.get("name", "member")
        return "".join(f"<{tag}>{_xml(item, shape.member)}</{tag}>" for item in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return escape(timestamp(value) if isinstance(value, datetime.datetime) else str(value))
