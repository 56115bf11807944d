"""Step Functions: a repeated StartExecution gets the same answer as the first while its execution runs."""

import re
from collections.abc import Callable
from typing import Any

from lab.aws import embedded
from lab.aws.wire import Response, protocol_of


@embedded.fix("stepfunctions._start_execution")
def _start(original: Callable[[dict[str, Any]], Response], request: dict[str, Any]) -> Response:
    without_version = re.sub(r":\d+$", "", request.get("stateMachineArn", ""))
    arn = f"{without_version.replace(':stateMachine:', ':execution:')}:{request.get('name', '')}"
    running = embedded.STATES_EXECUTIONS.value.get(arn)
    if running is None or running["status"] != "RUNNING" or running["input"] != request.get("input", "{}"):
        return original(request)
    answer = {"executionArn": arn, "startDate": running["startDate"]}
    return protocol_of("stepfunctions").write("StartExecution", answer)
