"""Step Functions: what MiniStack's interpreter of JSONata machines leaves out.

Stopping and time limits, nested executions as executions of their own (with their events), error names as AWS's service
integrations give them, and the fields of states that it does not look at.
"""

from __future__ import annotations

import contextvars
import json
import threading
import time
from collections.abc import Callable
from typing import Any

from ministack.core.responses import now_iso
from ministack.services import stepfunctions as sfn

from lab.aws import patching
from lab.aws.sdk_integrations import call_ec2, error_name

POLL_SECONDS = 0.1
USED = (
    "_ExecutionError",
    "_executions",
    "_state_machines",
    "_start_execution",
    "_nested_start_execution_request",
    "_add_event",
    "_emit_execution_status_event",
    "_apply_jsonata_template",
    "_apply_jsonata_output",
    "_apply_state_assign",
    "_apply_jsonata_arguments",
)
OVER = ("SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED")
_execution: contextvars.ContextVar[dict[str, Any] | None] = contextvars.ContextVar("lab_execution", default=None)


class _Stopped(SystemExit):
    """The execution is over and its threads end: no Catch takes it, and `threading` ends a thread on it quietly."""


def install() -> None:
    for name in USED:
        patching.require(sfn, name)
    patching.wrap(sfn, "_run_execution", _with_time_limit)
    patching.wrap(sfn, "_fail_execution", _unless_over)
    patching.replace(sfn, "_scaled_sleep", _sleep)
    patching.wrap(sfn, "_execute_task", _prepared_task)
    for name in ("_execute_pass", "_execute_choice", "_execute_wait"):
        patching.wrap(sfn, name, _unless_stopped)
    patching.wrap(sfn, "_apply_output_path", _succeed_output)
    patching.wrap(sfn, "_run_parallel_branches", _jsonata_parallel)
    patching.wrap(sfn, "_state_query_language", _language_of_parts)
    patching.replace(sfn, "_invoke_nested_start_execution_sync", _run_nested)
    patching.replace(sfn, "_prefix_sdk_error", error_name)
    patching.wrap(sfn, "_dispatch_aws_sdk_query", _ec2_by_its_model)


def _require_running() -> None:
    execution = _execution.get()
    if execution is not None and execution["status"] != "RUNNING":
        raise _Stopped


def _with_time_limit(original: Callable[[str], None]) -> Callable[[str], None]:
    """Ends the execution as TIMED_OUT at the machine's TimeoutSeconds; its threads know which execution they serve."""

    def run(execution_arn: str) -> None:
        execution = sfn._executions.get(execution_arn)
        machine = sfn._state_machines.get(execution["stateMachineArn"]) if execution else None
        if machine is None:
            original(execution_arn)
            return
        _execution.set(execution)
        limit = json.loads(machine["definition"]).get("TimeoutSeconds")
        timer = None
        if limit is not None:
            context = contextvars.copy_context()
            timer = threading.Timer(float(limit), lambda: context.run(_time_out, execution))
            timer.daemon = True
            timer.start()
        try:
            original(execution_arn)
        except _Stopped:
            pass
        finally:
            if timer is not None:
                timer.cancel()

    return run


def _time_out(execution: dict[str, Any]) -> None:
    if execution["status"] != "RUNNING":
        return
    execution.update(status="TIMED_OUT", stopDate=now_iso(), error="States.Timeout", cause="State Machine Timed Out")
    sfn._add_event(execution, "ExecutionTimedOut", {"executionTimedOutEventDetails": {"error": "States.Timeout"}})
    sfn._emit_execution_status_event(execution)


def _unless_over(original: Callable[..., None]) -> Callable[..., None]:
    """A stopped execution stays ABORTED, whatever its last task came to."""

    def fail(execution: dict[str, Any], error: str, cause: str) -> None:
        if execution["status"] == "RUNNING":
            original(execution, error, cause)

    return fail


def _sleep(seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        _require_running()
        left = deadline - time.monotonic()
        if left <= 0:
            return
        time.sleep(min(POLL_SECONDS, left))


def _unless_stopped(original: Callable[..., Any]) -> Callable[..., Any]:
    def execute(*arguments: Any) -> Any:
        _require_running()
        return original(*arguments)

    return execute


def _prepared_task(original: Callable[..., Any]) -> Callable[..., Any]:
    """A task of a stopped execution does not begin; time limits may be expressions."""

    def execute(state: dict[str, Any], raw_input: Any, execution: Any, context: dict[str, Any]) -> Any:
        _require_running()
        for name in ("TimeoutSeconds", "HeartbeatSeconds"):
            if isinstance(state.get(name), str):
                state = state | {name: sfn._apply_jsonata_template(state[name], raw_input, context)}
        return original(state, raw_input, execution, context)

    return execute


def _is_jsonata(state: dict[str, Any], context: Any) -> bool:
    return sfn._state_query_language(state, context) == "JSONata"


def _succeed_output(original: Callable[..., Any]) -> Callable[..., Any]:
    def apply(state: dict[str, Any], value: Any, context: Any = None) -> Any:
        if state.get("Type") == "Succeed" and _is_jsonata(state, context):
            return sfn._apply_jsonata_output(state, value, context, default=value)
        return original(state, value, context)

    return apply


def _jsonata_parallel(original: Callable[..., Any]) -> Callable[..., Any]:
    """Arguments, Output and Assign of a Parallel state; its branches' variables stay their own, as on AWS."""

    def run(state: dict[str, Any], raw_input: Any, execution: Any, context: dict[str, Any]) -> Any:
        if not _is_jsonata(state, context):
            return original(state, raw_input, execution, context)
        branch_input = sfn._apply_jsonata_arguments(state, raw_input, context)
        branch_context = context | {"variables": dict(context.get("variables", {}))}
        results, following = original(state, branch_input, execution, branch_context)
        output = sfn._apply_jsonata_output(state, raw_input, context, result=results, default=results)
        sfn._apply_state_assign(state, raw_input, context, result=results)
        return output, following

    return run


def _language_of_parts(original: Callable[..., str]) -> Callable[..., str]:
    """A catcher or a choice carries no QueryLanguage of its own: Output and Assign exist in JSONata only."""

    def language(state: dict[str, Any], context: Any = None) -> str:
        if "Type" not in state and ("Output" in state or "Assign" in state):
            return "JSONata"
        return original(state, context)

    return language


def _run_nested(resource: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """`startExecution.sync`: a standard execution of its own. It outlives a stop of its parent, as on AWS."""
    status, _, body = sfn._start_execution(sfn._nested_start_execution_request(arguments))
    answer = json.loads(body)
    if status >= 400:
        name = answer.get("__type", "StepFunctionsException").removesuffix("Exception")
        raise sfn._ExecutionError(f"StepFunctions.{name}Exception", answer.get("message", ""))
    child = sfn._executions[answer["executionArn"]]
    while child["status"] not in OVER:
        _require_running()
        time.sleep(POLL_SECONDS)
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
        raise sfn._ExecutionError("States.TaskFailed", json.dumps(result))
    output = child["output"]
    return result | {"Output": json.loads(output) if resource.endswith(".sync:2") else output}


def _ec2_by_its_model(original: Callable[..., Any]) -> Callable[..., Any]:
    def dispatch(service_info: Any, service_name: str, action: str, arguments: dict[str, Any]) -> Any:
        if service_name == "ec2":
            return call_ec2(action, arguments)
        return original(service_info, service_name, action, arguments)

    return dispatch
