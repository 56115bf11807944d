"""EventBridge Scheduler: targets that are any API call, and dead-letter queues. AWS first repeats a failed call as
RetryPolicy says; here it is made once.
"""

import datetime
import json
import re
import secrets
from collections.abc import Callable
from typing import Any

from lab.aws import embedded
from lab.aws.upstream_fixes.stepfunctions_integrations import BOTOCORE_NAMES, for_api
from lab.aws.wire import AwsError, service_model

TARGET = re.compile(r"^arn:aws:scheduler:::aws-sdk:(?P<service>\w+):(?P<operation>\w+)$")


@embedded.fix("eventbridge._invoke_target")
def _deliver(
    original: Callable[..., None], target: dict[str, Any], event: dict[str, Any], rule: dict[str, Any], *rest: Any
) -> None:
    match = TARGET.match(target.get("Arn", ""))
    if match is None:
        original(target, event, rule, *rest)
        return
    text = _with_context(target.get("Input", "{}"), event, rule)
    service = BOTOCORE_NAMES.get(match["service"], match["service"])
    operation = match["operation"][0].upper() + match["operation"][1:]
    try:
        embedded.call(service, operation, **_parameters(service, operation, text))
    except AwsError as error:
        _keep_undelivered(target, text, error)


def _with_context(text: str, event: dict[str, Any], rule: dict[str, Any]) -> str:
    attributes = {
        "schedule-arn": rule["Arn"],
        "scheduled-time": datetime.datetime.fromtimestamp(event["Time"], datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "execution-id": secrets.token_hex(8),
        "attempt-number": "1",
    }
    for name, value in attributes.items():
        text = text.replace(f"<aws.scheduler.{name}>", value)
    return text


def _parameters(service: str, operation: str, text: str) -> dict[str, Any]:
    shape = service_model(service).operation_model(operation).input_shape
    given = for_api(json.loads(text), shape)
    unknown = given.keys() - shape.members.keys()
    if unknown:
        raise AwsError("ValidationException", f"{operation} has no parameters {sorted(unknown)}")
    return given


def _keep_undelivered(target: dict[str, Any], text: str, error: AwsError) -> None:
    queue = target.get("DeadLetterConfig", {}).get("Arn")
    if queue is None:
        return
    facts = {"ERROR_CODE": error.code, "ERROR_MESSAGE": error.message, "TARGET_ARN": target["Arn"]}
    embedded.send_to_queue(queue, text, facts)
