"""Step Functions: a start that is repeated, because its answer was lost.

MiniStack: refuses every name that is taken.
AWS: StartExecution with the name and the input of an execution that still runs succeeds, and answers as before; once
the execution has ended, or with another input, it is refused as ExecutionAlreadyExists
(https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html).
Fix: the execution that still runs is the answer.
"""

import json
from collections.abc import Callable
from typing import Any

from lab.aws import embedded
from lab.aws.wire import Response


def install() -> None:
    embedded.STATES_START.wrap(_repeatable)


def _repeatable(original: Callable[[dict[str, Any]], Response]) -> Callable[[dict[str, Any]], Response]:
    def start(request: dict[str, Any]) -> Response:
        machine, name = request.get("stateMachineArn", ""), request.get("name", "")
        arn = f"{machine.replace(':stateMachine:', ':execution:')}:{name}"
        running = embedded.STATES_EXECUTIONS.value.get(arn)
        if running is None or running["status"] != "RUNNING" or running["input"] != request.get("input", "{}"):
            return original(request)
        answer = {"executionArn": arn, "startDate": running["startDate"]}
        return 200, {"Content-Type": "application/x-amz-json-1.0"}, json.dumps(answer).encode()

    return start
