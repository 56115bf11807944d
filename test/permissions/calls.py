"""Calls to AWS as the lab's embedded AWS logs them: who calls what, with which parameters, and what was answered."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import botocore.parsers

from lab.aws.wire import protocol_of, service_model

# The name of a service in a request's signature, where botocore names the service otherwise.
SERVICES = {"states": "stepfunctions", "servicequotas": "service-quotas", "elasticloadbalancing": "elbv2"}
# The two integrations that Step Functions makes its own, with the API's action behind each.
OPTIMISED = {"lambda:invoke": ("lambda", "Invoke"), "states:startExecution.sync:2": ("stepfunctions", "StartExecution")}
REST = {
    ("s3", "GET", "object"): "GetObject",
    ("s3", "PUT", "object"): "PutObject",
    ("s3", "GET", "bucket"): "ListObjectsV2",
    ("s3", "POST", "bucket"): "DeleteObjects",
    ("s3", "DELETE", "object"): "DeleteObject",
}
CREDENTIAL = re.compile(r"(?:^|Credential=)(?P<key>\w+)/\d+/[\w-]+/(?P<service>\w+)/aws4_request")
Object = dict[str, Any]


@dataclass(frozen=True)
class Caller:
    """A state machine by its ARN, a function by its name, a host by its access key, or the lab's own runner."""

    kind: str
    name: str


@dataclass(frozen=True)
class Call:
    caller: Caller
    service: str
    """As botocore names it."""
    operation: str
    parameters: Object
    result: Object
    """What was answered; empty unless the call names what it created or found."""


def calls_of(log: Iterable[Object]) -> list[Call]:
    """Returns the calls of the stack's parts, and those with which a test changes something in EC2."""
    return [call for entry in log if (call := _call_of(entry)) is not None]


def _call_of(entry: Object) -> Call | None:
    if "stateMachineArn" in entry:
        return _call_of_state(entry)
    headers, query = entry["headers"], {name: values[0] for name, values in entry["query"].items()}
    credential = CREDENTIAL.search(headers.get("authorization") or query["X-Amz-Credential"])
    assert credential is not None, entry
    token = headers.get("x-amz-security-token") or query.get("X-Amz-Security-Token")
    # The token of a function's session is its name, and that of a host's is a digest.
    if token is None:
        caller = Caller("runner", credential["key"])
    else:
        is_host = re.fullmatch("[0-9a-f]{64}", token) is not None
        caller = Caller("host", credential["key"]) if is_host else Caller("function", token)
    service = SERVICES.get(credential["service"], credential["service"])
    if caller.kind == "runner" and service != "ec2":
        return None
    if service in ("s3", "lambda"):
        return Call(caller, service, *_rest_call(service, entry, query), {})
    protocol = protocol_of(service)
    operation = protocol.action(headers, entry["body"], {})
    result: Object = {}
    if entry["answer"] is not None and entry["status"] == 200:
        model = service_model(service)
        parser = botocore.parsers.create_parser(model.metadata["protocol"])
        answer = {"status_code": 200, "headers": {}, "body": entry["answer"].encode()}
        result = parser.parse(answer, model.operation_model(operation).output_shape)
    return Call(caller, service, operation, protocol.read(operation, entry["body"], {}), result)


def _call_of_state(entry: Object) -> Call:
    caller = Caller("state machine", entry["stateMachineArn"])
    integration = entry["resource"].split(":::")[1]
    if integration in OPTIMISED:
        return Call(caller, *OPTIMISED[integration], entry["arguments"], {})
    _, service, action = integration.split(":")
    return Call(caller, service, action[0].upper() + action[1:], entry["arguments"], {})


def _rest_call(service: str, entry: Object, query: Object) -> tuple[str, Object]:
    method, path = entry["method"], entry["path"]
    if service == "lambda":
        function = re.fullmatch(r"/2015-03-31/functions/([^/]+)/invocations", unquote(path))
        assert function is not None and method == "POST", f"{method} {path}: must be an invocation"
        return "Invoke", {"FunctionName": function[1]}
    bucket, _, key = unquote(path).removeprefix("/").partition("/")
    operation = REST[service, method, "object" if key else "bucket"]
    if operation == "DeleteObjects":
        return operation, {"Bucket": bucket, "Keys": re.findall(r"<Key>([^<]+)</Key>", entry["body"])}
    if not key:
        return operation, {"Bucket": bucket, "Prefix": query.get("prefix", "")}
    return operation, {"Bucket": bucket, "Key": key}
