"""EventBridge Scheduler: targets that are any call of the API, and what becomes of a call that fails.

MiniStack: a schedule with such a target (`arn:aws:scheduler:::aws-sdk:sfn:startExecution`) logs a warning and does
nothing; the words `<aws.scheduler.execution-id>` stay in the input; no failed delivery reaches a dead-letter queue.
AWS: the input has the parameters of the call, context attributes are replaced, and an event that can't be delivered
goes to the queue with the error in its attributes
(https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-universal.html,
https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html,
https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html).
Fix: the call is made, once. AWS repeats it as RetryPolicy says before the event goes to the queue.
"""

import datetime
import json
import re
import secrets
from collections.abc import Callable
from typing import Any

from lab.aws import embedded
from lab.aws.wire import AwsError, service_model

TARGET = re.compile(r"^arn:aws:scheduler:::aws-sdk:(?P<service>\w+):(?P<operation>\w+)$")
# Where AWS's name of a service in such an ARN differs from botocore's.
SERVICES = {"sfn": "stepfunctions"}


def install() -> None:
    embedded.EVENTS_TARGET.wrap(_with_universal_targets)


def _with_universal_targets(original: Callable[..., None]) -> Callable[..., None]:
    def deliver(target: dict[str, Any], event: dict[str, Any], rule: dict[str, Any], *rest: Any) -> None:
        match = TARGET.match(target.get("Arn", ""))
        if match is None:
            original(target, event, rule, *rest)
            return
        text = _with_context(target.get("Input", "{}"), event, rule)
        service = SERVICES.get(match["service"], match["service"])
        operation = match["operation"][0].upper() + match["operation"][1:]
        try:
            embedded.call(service, operation, **_parameters(service, operation, text))
        except AwsError as error:
            _keep_undelivered(target, text, error)

    return deliver


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
    """The parameters under the names of the service's own API, which begins some with a small letter."""
    shape = service_model(service).operation_model(operation).input_shape
    names = {name[0].upper() + name[1:]: name for name in shape.members}
    given: dict[str, Any] = json.loads(text)
    unknown = given.keys() - names.keys()
    if unknown:
        raise AwsError("ValidationException", f"{operation} has no parameters {sorted(unknown)}")
    return {names[name]: value for name, value in given.items()}


def _keep_undelivered(target: dict[str, Any], text: str, error: AwsError) -> None:
    queue = target.get("DeadLetterConfig", {}).get("Arn")
    if queue is None:
        return
    facts = {"ERROR_CODE": error.code, "ERROR_MESSAGE": error.message, "TARGET_ARN": target["Arn"]}
    embedded.call(
        "sqs",
        "SendMessage",
        QueueUrl=embedded.call("sqs", "GetQueueUrl", QueueName=queue.rpartition(":")[2])["QueueUrl"],
        MessageBody=text,
        MessageAttributes={
            name: {"DataType": "String", "StringValue": value or "none"} for name, value in facts.items()
        },
    )
