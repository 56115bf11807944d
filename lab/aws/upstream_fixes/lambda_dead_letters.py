"""Lambda: a function of a template has its dead-letter queue, and a message in it is the event as it was."""

import json
import uuid
from collections.abc import Callable
from typing import Any

from lab.aws import embedded

Properties = dict[str, Any]


@embedded.fix_resource("AWS::Lambda::Function", "create")
def _create(original: Callable[..., Any], logical_id: str, properties: Properties, *arguments: Any) -> Any:
    return _with_queue(original(logical_id, properties, *arguments), properties)


@embedded.fix_resource("AWS::Lambda::Function", "update")
def _update(original: Callable[..., Any], name: str, old: Properties, new: Properties, *arguments: Any) -> Any:
    return _with_queue(original(name, old, new, *arguments), new)


def _with_queue(made: Any, properties: Properties) -> Any:
    config = properties.get("DeadLetterConfig")
    if config is not None:
        embedded.call("lambda", "UpdateFunctionConfiguration", FunctionName=made[0], DeadLetterConfig=config)
    return made


@embedded.fix("lambda_svc._route_async_failure")
def _keep(original: Callable[..., None], target: str, function: str, event: Any, result: Properties) -> None:
    config = embedded.call("lambda", "GetFunctionConfiguration", FunctionName=function)
    if config.get("DeadLetterConfig", {}).get("TargetArn") != target or ":sqs:" not in target:
        original(target, function, event, result)
        return
    said = result["body"]["errorMessage"]
    facts = {"RequestID": str(uuid.uuid4()), "ErrorCode": "200", "ErrorMessage": said}
    embedded.send_to_queue(target, json.dumps(event), facts)
