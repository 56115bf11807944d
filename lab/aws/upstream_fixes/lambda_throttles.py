"""Lambda: invocations beyond the account's quota of concurrent executions, and events that a function failed to take.

MiniStack: a throttled invocation is `Lambda.Unknown` in a state machine; an event from EventBridge gets one attempt,
and a throttle ends it as an error of the function would; a poller of a queue gives a throttled message back at once.
AWS: a state machine sees `Lambda.TooManyRequestsException`
(https://docs.aws.amazon.com/step-functions/latest/dg/bp-lambda-serviceexception.html). An event waits in Lambda's
queue: it is tried again for up to six hours after a throttle, with pauses from 1 second to 5 minutes, and twice after
an error of the function, 1 and 2 minutes later
(https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html). A poller tries a throttled message
again until its visibility time-out has passed
(https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html).
Fix: events pass through the asynchronous invocation, and both wait as long as AWS does.
"""

import contextvars
import json
import time
from collections.abc import Callable
from typing import Any

from lab.aws import embedded

EVENT_AGE_SECONDS = 6 * 3600.0
LONGEST_PAUSE_SECONDS = 300.0
THROTTLED = "TooManyRequestsException"
_patient_until: contextvars.ContextVar[float] = contextvars.ContextVar("lab_patient_until", default=0.0)


def install() -> None:
    embedded.STATES_LAMBDA.wrap(_named)
    embedded.LAMBDA_EXECUTION.wrap(_patient)
    embedded.LAMBDA_ASYNCHRONOUS.wrap(_waiting_events)
    embedded.LAMBDA_SQS_BATCH.wrap(_waiting_messages)
    invoke = embedded.ministack("lambda")

    def deliver(arn: str, payload: str) -> None:
        invoke("Invoke", FunctionName=arn, InvocationType="Event", Payload=payload.encode())

    embedded.EVENTS_TO_LAMBDA.replace(lambda *delivery: embedded.in_background(deliver, *delivery))


def _named(original: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    error = embedded.STATES_ERROR.value

    def call(function: str, event: Any) -> Any:
        try:
            return original(function, event)
        except error as caught:
            cause = json.loads(caught.cause) if caught.cause.startswith("{") else {}
            if cause.get("__type") != THROTTLED:
                raise
            message = f"{cause['message']} (Service: Lambda, Status Code: 429)"
            raise error(f"Lambda.{THROTTLED}", message) from caught

    return call


def _patient(original: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """Repeats a throttled invocation for whoever waits, until the end of the wait."""

    def execute(func: Any, event: Any) -> dict[str, Any]:
        pause = 1.0
        while True:
            result = original(func, event)
            if not result.get("throttle") or time.time() + pause > _patient_until.get():
                return result
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    return execute


def _waiting_events(original: Callable[..., None]) -> Callable[..., None]:
    def invoke(func: Any, event: Any) -> None:
        # The thread that delivers the event runs in a copy of this context.
        token = _patient_until.set(time.time() + EVENT_AGE_SECONDS)
        try:
            original(func, event)
        finally:
            _patient_until.reset(token)

    return invoke


def _waiting_messages(original: Callable[..., None]) -> Callable[..., None]:
    def run(mapping: Any, func: Any, event: Any, batch: Any, queue_url: str, queue_name: str) -> None:
        attributes = embedded.call(
            "sqs", "GetQueueAttributes", QueueUrl=queue_url, AttributeNames=["VisibilityTimeout"]
        )
        token = _patient_until.set(time.time() + float(attributes["Attributes"]["VisibilityTimeout"]))
        try:
            original(mapping, func, event, batch, queue_url, queue_name)
        finally:
            _patient_until.reset(token)

    return run
