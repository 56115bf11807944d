"""Invocations of functions and deliveries of events that go wrong, because a test asked for it.

| action                | code              | what happens                                                             |
| --------------------- | ----------------- | ------------------------------------------------------------------------ |
| `function:<name>`     | Runtime.ExitError | the function's process ends, before its work or after it                 |
| `function:<name>`     | Sandbox.Timedout  | the function is out of time, before its work or after it                 |
| `function:<name>`     | Doubled           | the function runs a second time at the same moment, with the same event  |
| `event:<detail type>` | Lost              | one target of the event, a function or a queue, never gets it            |
| `event:<detail type>` | Doubled           | it gets the event twice                                                  |
| `event:<detail type>` | Late              | it gets the event after `delay_seconds`                                  |
| `lambda:Invoke`       | an error's name   | a state machine's invocation is refused, as one over HTTP is             |

A function's name is the physical one. The facts of an invocation, refused or not, are the fields of its event; those of
an event are the fields of its detail, with a dot between levels (`object.key`), its `source` and the `target`'s name.
"""

import json
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from lab.aws import embedded
from lab.aws.faults import Fault, Faults
from lab.aws.faulty_apis import CONNECTION_LOST
from lab.aws.upstream_fixes.stepfunctions_integrations import error_name

DOUBLED, LATE, LOST = "Doubled", "Late", "Lost"
MESSAGES = {
    "Runtime.ExitError": "Error: Runtime exited with error: exit status 1",
    "Sandbox.Timedout": "Error: Task timed out after {timeout:.2f} seconds",
}


def install(faults: Faults) -> None:
    """Adds faults to function invocations, including those by state machines, and to event deliveries."""

    def dispatch(
        original: Callable[..., Any], func: Any, config: dict[str, Any], event: Any, request_id: str, started: float
    ) -> Any:
        action, facts = f"function:{config['FunctionName']}", dict(_flat(event))
        before = faults.take(action, facts, after=False)
        if before is not None and before.code == DOUBLED:
            embedded.in_background(original, func, config, event, str(uuid.uuid4()), started)
        elif before is not None:
            return _failure(before, config, request_id)
        result = original(func, config, event, request_id, started)
        after = faults.take(action, facts, after=True)
        return result if after is None else _failure(after, config, request_id)

    def raise_taken(function: str, event: Any, *, after: bool) -> None:
        facts = {**dict(_flat(event)), "FunctionName": function, "caller": "states"}
        fault = faults.take("lambda:Invoke", facts, after=after)
        if fault is not None:
            code = embedded.CONNECTION_CUT_CODE if fault.code == CONNECTION_LOST else fault.code
            raise embedded.STATES_ERROR.value(error_name("lambda", code), fault.error().message)

    def call(original: Callable[[str, Any], Any], function: str, event: Any) -> Any:
        """Covers a state machine's invocations, which reach no other fault because they bypass Lambda's API."""
        raise_taken(function, event, after=False)
        result = original(function, event)
        raise_taken(function, event, after=True)
        return result

    def deliver(original: Callable[..., None], target: dict[str, Any], event: dict[str, Any], *rest: Any) -> None:
        facts = dict(_flat(json.loads(event["Detail"])))
        facts |= {"source": event["Source"], "target": target["Arn"].rpartition(":")[2]}
        fault = faults.take(f"event:{event['DetailType']}", facts, after=False)
        if fault is None or fault.code == DOUBLED:
            original(target, event, *rest)
        if fault is not None and fault.code in (DOUBLED, LATE):
            embedded.in_background(_deliver_late, original, fault.delay_seconds, target, event, *rest)

    embedded.LAMBDA_DISPATCH.wrap(dispatch)
    embedded.STATES_LAMBDA.wrap(call)
    embedded.EVENTS_TARGET.wrap(deliver)


def _failure(fault: Fault, config: dict[str, Any], request_id: str) -> dict[str, Any]:
    time.sleep(fault.delay_seconds)
    message = fault.message or MESSAGES.get(fault.code, fault.code).format(timeout=float(config["Timeout"]))
    body = {"errorType": fault.code, "errorMessage": f"RequestId: {request_id} {message}"}
    return {"error": True, "body": body, "log": ""}


def _deliver_late(original: Callable[..., None], delay_seconds: float, *delivery: Any) -> None:
    time.sleep(delay_seconds)
    original(*delivery)


def _flat(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, item in value.items() if isinstance(value, dict) else ():
        if isinstance(item, dict):
            yield from _flat(item, f"{prefix}{name}.")
        else:
            yield prefix + name, item
