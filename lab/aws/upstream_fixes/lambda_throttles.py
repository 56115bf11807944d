"""Lambda: throttles invocations beyond the account's concurrency quota, and retries those of events and messages.

Events use asynchronous invocation; both events and queue messages are retried for as long as on AWS.
"""

import contextvars
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from lab.aws import embedded

EVENT_AGE_SECONDS = 6 * 3600.0
LONGEST_PAUSE_SECONDS = 300.0
THROTTLED = "TooManyRequestsException"
_patient_until: contextvars.ContextVar[float] = contextvars.ContextVar("lab_patient_until", default=0.0)
_call = embedded.ministack("lambda")


@embedded.fix("eventbridge._dispatch_to_lambda")
def _deliver(original: Callable[..., None], arn: str, payload: str) -> None:
    embedded.in_background(_invoke_asynchronously, arn, payload)


def _invoke_asynchronously(arn: str, payload: str) -> None:
    _call("Invoke", FunctionName=arn, InvocationType="Event", Payload=payload.encode())


@embedded.fix("stepfunctions._call_lambda")
def _named(original: Callable[[str, Any], Any], function: str, event: Any) -> Any:
    error = embedded.STATES_ERROR.value
    try:
        return original(function, event)
    except error as caught:
        cause = json.loads(caught.cause) if caught.cause.startswith("{") else {}
        if cause.get("__type") != THROTTLED:
            raise
        message = f"{cause['message']} (Service: Lambda, Status Code: 429)"
        raise error(f"Lambda.{THROTTLED}", message) from caught


@embedded.fix("lambda_svc._execute_function")
def _patient(original: Callable[..., dict[str, Any]], func: Any, event: Any) -> dict[str, Any]:
    """Repeats a throttled invocation until its event or message expires."""
    func = _with_reserved_executions(func)
    pause = 1.0
    while True:
        result = original(func, event)
        if not result.get("throttle") or time.time() + pause > _patient_until.get():
            return result
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


def _with_reserved_executions(func: Any) -> Any:
    """A version shares the executions that are reserved for its function; those of MiniStack have none."""
    if func["config"]["Version"] == "$LATEST":
        return func
    found = _call("GetFunctionConcurrency", FunctionName=func["config"]["FunctionName"])
    return {**func, "concurrency": found.get("ReservedConcurrentExecutions")}


@embedded.fix("lambda_svc.invoke_async_with_retry")
def _wait_with_event(original: Callable[..., None], func: Any, event: Any) -> None:
    # The thread that delivers the event inherits a copy of this context.
    with _patience(EVENT_AGE_SECONDS):
        original(func, event)


@embedded.fix("lambda_svc._run_sqs_batch")
def _wait_with_messages(
    original: Callable[..., None], mapping: Any, func: Any, event: Any, batch: Any, queue_url: str, queue_name: str
) -> None:
    names = ["VisibilityTimeout"]
    found = embedded.call("sqs", "GetQueueAttributes", QueueUrl=queue_url, AttributeNames=names)["Attributes"]
    with _patience(float(found["VisibilityTimeout"])):
        original(mapping, func, event, batch, queue_url, queue_name)


@contextmanager
def _patience(seconds: float) -> Iterator[None]:
    token = _patient_until.set(time.time() + seconds)
    try:
        yield
    finally:
        _patient_until.reset(token)
