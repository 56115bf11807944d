"""Step Functions: nested executions that are waited for (`startExecution.sync` and `.sync:2`).

MiniStack: the child runs inside its parent as an express execution. It has no events and can't be stopped by itself,
and its failure reaches the parent under the child's own error name.
AWS: the child is a standard execution of its own; a child that fails is States.TaskFailed in the parent, with the
child's description as the cause (https://docs.aws.amazon.com/step-functions/latest/dg/connect-stepfunctions.html). When
the parent is stopped, Step Functions makes a best-effort attempt to stop the child, by StopExecution
(https://docs.aws.amazon.com/step-functions/latest/dg/connect-to-resource.html#connect-sync).
Fix: the child is started by StartExecution, and its record is watched until it is over or the parent is stopped.
"""

import json
from collections.abc import Callable
from typing import Any

from lab.aws import embedded
from lab.aws.upstream_fixes.stepfunctions_integrations import error_name
from lab.aws.upstream_fixes.stepfunctions_stopping import StoppedError
from lab.aws.wire import AwsError

PREFIX = "arn:aws:states:::states:startExecution.sync"
POLL_SECONDS = 0.1


def install() -> None:
    embedded.STATES_INVOKE.wrap(_nested)


def _nested(original: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    def invoke(resource: str, arguments: Any) -> Any:
        if not resource.startswith(PREFIX):
            return original(resource, arguments)
        return _run(arguments, with_parsed_output=resource.endswith(".sync:2"))

    return invoke


def _run(arguments: dict[str, Any], with_parsed_output: bool) -> dict[str, Any]:
    child = embedded.STATES_EXECUTIONS.value[_start(arguments)]
    try:
        while child["status"] == "RUNNING":
            embedded.STATES_SLEEP.value(POLL_SECONDS)
    except StoppedError as stopped:
        if stopped.status == "ABORTED" and child["status"] == "RUNNING":
            embedded.call("stepfunctions", "StopExecution", executionArn=child["executionArn"])
        raise
    result = {
        "ExecutionArn": child["executionArn"],
        "Input": child["input"],
        "InputDetails": {"Included": True},
        "Name": child["name"],
        "OutputDetails": {"Included": True},
        "StartDate": child["startDate"],
        "StateMachineArn": child["stateMachineArn"],
        "Status": child["status"],
        "StopDate": child["stopDate"],
    }
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
