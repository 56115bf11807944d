"""Step Functions: results and errors of AWS SDK integrations (`arn:aws:states:::aws-sdk:…`), by botocore's models."""

import datetime
from collections.abc import Callable
from typing import Any

from lab.aws import embedded
from lab.aws.wire import AwsError, service_model, timestamp

PREFIX = "arn:aws:states:::aws-sdk:"
# botocore's names of services, by Step Functions' names, where they differ.
BOTOCORE_NAMES = {"sfn": "stepfunctions", "cloudwatchlogs": "logs", "eventbridge": "events"}
# Class names of the Java SDK that are not the capitalised name of the service.
CLASS_NAMES = {
    "cloudwatchlogs": "CloudWatchLogs",
    "dynamodb": "DynamoDb",
    "eventbridge": "EventBridge",
    "stepfunctions": "StepFunctions",
}

# Base exceptions of the Java SDK that are not the class name with `Exception` appended.
BASE_EXCEPTIONS = {"lambda": "AWSLambdaException", "stepfunctions": "AWSStepFunctionsException"}


@embedded.fix("stepfunctions._invoke_resource")
def _invoke(original: Callable[[str, Any], Any], resource: str, arguments: Any) -> Any:
    if not resource.startswith(PREFIX):
        return original(resource, arguments)
    service, _, action = resource.removeprefix(PREFIX).partition(":")
    return _call(service, pascal(action), arguments or {})


def _call(service: str, operation: str, arguments: dict[str, Any]) -> Any:
    name = BOTOCORE_NAMES.get(service, service)
    model = service_model(name).operation_model(operation)
    try:
        result = embedded.call(name, operation, **for_api(arguments, model.input_shape))
    except AwsError as error:
        identity = f"Service: {_class_name(service)}, Status Code: {error.status}"
        raise embedded.STATES_ERROR.value(error_name(service, error.code), f"{error.message} ({identity})") from error
    return _converted(result, model.output_shape, pascal)


def error_name(service: str, code: str) -> str:
    """Returns the name by which Retry and Catch match a service's error."""
    prefix = _class_name(service)
    if code == embedded.CONNECTION_CUT_CODE:
        return f"{prefix}.{code}"
    modelled: dict[str, str] = {}
    for shape in service_model(BOTOCORE_NAMES.get(service, service)).error_shapes:
        modelled[shape.metadata.get("error", {}).get("code", shape.name)] = modelled[shape.name] = shape.name
    if code not in modelled:
        return f"{prefix}.{BASE_EXCEPTIONS.get(service, f'{prefix}Exception')}"
    return f"{prefix}.{modelled[code].removesuffix('Exception').removesuffix('Fault')}Exception"


def _class_name(service: str) -> str:
    return CLASS_NAMES.get(service, service.capitalize())


def for_api(parameters: dict[str, Any], shape: Any) -> dict[str, Any]:
    """Renames parameters to the API's names, which begin with a small letter in some services."""
    converted: dict[str, Any] = _converted(parameters, shape, str)
    return converted


def _converted(value: Any, shape: Any, shown: Callable[[str], str]) -> Any:
    """Returns an API value as JSON with names written by `shown`; the keys of maps are data and stay unchanged."""
    kind = None if shape is None else shape.type_name
    if kind == "structure" and isinstance(value, dict):
        names: dict[str, str] = {pascal(name): name for name in shape.members}
        named = {names.get(pascal(key), str(key)): item for key, item in value.items()}
        return {shown(name): _converted(item, shape.members.get(name), shown) for name, item in named.items()}
    if kind == "list" and isinstance(value, list):
        return [_converted(item, shape.member, shown) for item in value]
    if kind == "map" and isinstance(value, dict):
        return {key: _converted(item, shape.value, shown) for key, item in value.items()}
    return timestamp(value) if isinstance(value, datetime.datetime) else value


def pascal(name: str) -> str:
    return name[0].upper() + name[1:]
