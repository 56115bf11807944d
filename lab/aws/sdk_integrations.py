"""Step Functions' SDK integrations as AWS shows them: results by the API's model, errors by the Java SDK's names."""

from __future__ import annotations

import datetime
import functools
from typing import Any
from urllib.parse import urlencode

import botocore.loaders
import botocore.model
import botocore.parsers
import botocore.serialize
from ministack import app
from ministack.services import stepfunctions as sfn

from lab.aws import patching

# Where the Java SDK's name of a service differs from the capitalised one.
SERVICE_NAMES = {"sfn": "Sfn", "cloudwatchlogs": "CloudWatchLogs", "dynamodb": "DynamoDb", "eventbridge": "EventBridge"}


@functools.cache
def service_model(service: str) -> botocore.model.ServiceModel:
    """The API of a service as botocore describes it."""
    name = {"sfn": "stepfunctions", "cloudwatchlogs": "logs", "eventbridge": "events"}.get(service, service)
    return botocore.model.ServiceModel(botocore.loaders.Loader().load_service_model(name, "service-2"))


def error_name(service: str, code: str) -> str:
    """`<Service>.<Name>Exception` for an error of the service's model, `<Service>.<Service>Exception` for any other.

    EC2 models no errors, so all of them are `Ec2.Ec2Exception`, and only the message tells them apart.
    """
    if code.startswith("States."):
        return code
    prefix = SERVICE_NAMES.get(service, service.capitalize())
    if code.startswith(f"{prefix}."):
        return code
    modelled = {
        shape.metadata.get("error", {}).get("code", shape.name): shape.name
        for shape in service_model(service).error_shapes
    }
    modelled |= {shape.name: shape.name for shape in service_model(service).error_shapes}
    if code not in modelled:
        return f"{prefix}.{prefix}Exception"
    return f"{prefix}.{modelled[code].removesuffix('Exception').removesuffix('Fault')}Exception"


def call_ec2(action: str, arguments: dict[str, Any] | None) -> Any:
    """One EC2 call from a state, through the same handler as a call over HTTP."""
    operation = service_model("ec2").operation_model(action[0].upper() + action[1:])
    request = botocore.serialize.create_serializer("ec2", include_validation=False).serialize_to_request(
        arguments or {}, operation
    )
    handler = patching.require(app, "SERVICE_HANDLERS")["ec2"]
    headers = {"content-type": "application/x-www-form-urlencoded"}
    status, _, body = app.call_service_handler_sync(
        handler, "POST", "/", headers, urlencode(request["body"]).encode(), {}
    )
    parsed = botocore.parsers.create_parser("ec2").parse(
        {"body": body, "headers": {}, "status_code": status}, operation.output_shape
    )
    if status >= 400:
        error = parsed["Error"]
        identity = f"Service: Ec2, Status Code: {status}, Request ID: {parsed['ResponseMetadata'].get('RequestId', '')}"
        raise sfn._ExecutionError(error_name("ec2", error["Code"]), f"{error['Message']} ({identity})")
    parsed.pop("ResponseMetadata", None)
    return _plain(parsed)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
    return value
