"""Step Functions: nested executions that the parent waits for (`startExecution.sync` and `.sync:2`). StartExecution
starts the child, whose record is polled until the child or the parent has ended.
"""

import json
from collections.abc import Callable
from typing import Any

from lab.aws import embedded
from lab.aws.upstream_fixes.stepfunctions_integrations import error_name, pascal
from lab.aws.upstream_fixes.stepfunctions_stopping import StoppedError
from lab.aws.wire import AwsError

FIELDS = ("executionArn", "input", "name", "startDate", "stateMachineArn", "status", "stopDate")
PREFIX = "arn:aws:states:::states:startExecution.sync"
POLL_SECONDS = 0.1


@embedded.fix("stepfunctions._invoke_resource")
def _nested(original: Callable[[str, Any], Any], resource: str, arguments: Any) -> Any:
    if not resource.startswith(PREFIX):
        return original(resource, arguments)
    return _run(arguments, with_parsed_output=resource.endswith(".sync:2"))


def _run(arguments: dict[str, Any], with_parsed_output: bool) -> dict[str, Any]:
    """Runs a child; raises StoppedError if the parent ends first, and stops the child if the parent was stopped."""
    child = embedded.STATES_EXECUTIONS.value[_start(arguments)]
    try:
        while child["status"] == "RUNNING":
            embedded.STATES_SLEEP.value(POLL_SECONDS)
    except StoppedError as stopped:
        if stopped.status == "ABORTED" and child["status"] == "RUNNING":
            embedded.call("stepfunctions", "StopExecution", executionArn=child["executionArn"])
        raise
    details = {"InputDetails": {"Included": True}, "OutputDetails": {"Included": True}}
    result = dict(sorted(({pascal(field): child[field] for field in FIELDS} | details).items()))
    if child["status"] != "SUCCEEDED":
        result |= {key: child[field] for key, field in (("Error", "error"), ("Cause", "cause")) if child.get(field)}
        raise embedded.STATES_ERROR.value("States.TaskFailed", json.dumps(result))
    output = child["output"]
    return result | {"Output": json.loads(output) if with_parsed_output else output}


def _start(arguments: dict[str, Any]) -> str:
    child_input = arguments.get("Input", {})
    request = {
        "stateMachineArn": arguments["StateMachineArn"],
        "input": child_input if isinstance(child_input, str) else json.dumps(child_input),
    }
    if arguments.get("Name"):
        request["name"] = arguments["Name"]
    try:
        return str(embedded.call("stepfunctions", "StartExecution", **request)["executionArn"])
    except AwsError as error:
        raise embedded.STATES_ERROR.value(error_name("stepfunctions", error.code), error.message) from error
