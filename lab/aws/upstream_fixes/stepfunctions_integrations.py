"""Step Functions: results and errors of the AWS SDK integrations (`arn:aws:states:::aws-sdk:…`).

MiniStack: results are guessed from the XML or JSON, and errors are named `<Service>.<code>`, such as
Ec2.InvalidInstanceID.NotFound or Ssm.InvocationDoesNotExist.
AWS: parameters and results follow the API's model, in Pascal case; errors have the names of the Java SDK's classes:
`<Service>.<Name>Exception` if the API models the error, else `<Service>.<Service>Exception`
(https://docs.aws.amazon.com/step-functions/latest/dg/supported-services-awssdk.html). EC2 models no errors, so that all
of them are Ec2.Ec2Exception.
Fix: the call is serialised and parsed by botocore's model of the service.
"""

import datetime
from collections.abc import Callable
from typing import Any

from lab.aws import embedded
from lab.aws.wire import AwsError, service_model, timestamp

PREFIX = "arn:aws:states:::aws-sdk:"
# Where botocore names a service otherwise than Step Functions does.
BOTOCORE_NAMES = {"sfn": "stepfunctions", "cloudwatchlogs": "logs", "eventbridge": "events"}
# Where the Java SDK's class is not the capitalised name.
CLASS_NAMES = {
    "cloudwatchlogs": "CloudWatchLogs",
    "dynamodb": "DynamoDb",
    "eventbridge": "EventBridge",
    "stepfunctions": "StepFunctions",
}

# Where the base of a service's exceptions in the Java SDK is not the class's name with `Exception`.
BASE_EXCEPTIONS = {"lambda": "AWSLambdaException", "stepfunctions": "AWSStepFunctionsException"}


def install() -> None:
    embedded.STATES_INVOKE.wrap(_sdk_calls)


def _sdk_calls(original: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    def invoke(resource: str, arguments: Any) -> Any:
        if not resource.startswith(PREFIX):
            return original(resource, arguments)
        service, _, action = resource.removeprefix(PREFIX).partition(":")
        return _call(service, action[0].upper() + action[1:], arguments or {})

    return invoke


def _call(service: str, operation: str, arguments: dict[str, Any]) -> Any:
    name = BOTOCORE_NAMES.get(service, service)
    model = service_model(name).operation_model(operation)
    try:
        result = embedded.call(name, operation, **_for_api(arguments, model.input_shape))
    except AwsError as error:
        identity = f"Service: {_class_name(service)}, Status Code: {error.status}"
        raise embedded.STATES_ERROR.value(error_name(service, error.code), f"{error.message} ({identity})") from error
    return _for_states(result, model.output_shape)


def error_name(service: str, code: str) -> str:
    """The name under which Retry and Catch see an error of a service."""
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


def _for_api(value: Any, shape: Any) -> Any:
    """Parameters with the API's names, of which some services begin with a small letter."""
    if shape is None:
        return value
    if shape.type_name == "structure" and isinstance(value, dict):
        names = {name[0].upper() + name[1:]: name for name in shape.members}
        return {
            names.get(key, key): _for_api(item, shape.members.get(names.get(key, key))) for key, item in value.items()
        }
    if shape.type_name == "list" and isinstance(value, list):
        return [_for_api(item, shape.member) for item in value]
    if shape.type_name == "map" and isinstance(value, dict):
        return {key: _for_api(item, shape.value) for key, item in value.items()}
    return value


def _for_states(value: Any, shape: Any) -> Any:
    """A result as JSON with names in Pascal case; the keys of maps are data and stay."""
    kind = None if shape is None else shape.type_name
    if kind == "structure" and isinstance(value, dict):
        return {key[0].upper() + key[1:]: _for_states(item, shape.members.get(key)) for key, item in value.items()}
    if kind == "list" and isinstance(value, list):
        return [_for_states(item, shape.member) for item in value]
    if kind == "map" and isinstance(value, dict):
        return {key: _for_states(item, shape.value) for key, item in value.items()}
    return timestamp(value) if isinstance(value, datetime.datetime) else value
