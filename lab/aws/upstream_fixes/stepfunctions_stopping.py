"""Step Functions: executions that are stopped or run into the machine's time limit.

MiniStack: a stopped execution goes on with its Map items, branches and waits, and a task that fails afterwards turns
ABORTED into FAILED; the machine's TimeoutSeconds is ignored.
AWS: StopExecution ends the execution (https://docs.aws.amazon.com/step-functions/latest/apireference/API_StopExecution.html).
At TimeoutSeconds it ends as TIMED_OUT with the error States.Timeout
(https://docs.aws.amazon.com/step-functions/latest/dg/statemachine-structure.html), which is also an event.
Fix: no task begins and no wait goes on once the execution is over, and a timer watches the limit.
"""

import contextvars
import datetime
import json
import threading
import time
from collections.abc import Callable
from typing import Any

from lab.aws import embedded
from lab.aws.wire import timestamp

POLL_SECONDS = 0.1
_execution: contextvars.ContextVar[dict[str, Any] | None] = contextvars.ContextVar("lab_execution", default=None)


class StoppedError(SystemExit):
    """Ends the threads of an execution that is over: no Catch takes it, and `threading` does not report it."""

    def __init__(self, status: str) -> None:
        super().__init__()
        self.status = status


def install() -> None:
    embedded.STATES_RUN.wrap(_with_time_limit)
    embedded.STATES_FAIL.wrap(_unless_over)
    embedded.STATES_SLEEP.replace(_sleep)
    embedded.STATES_TASK.wrap(_unless_stopped)


def current_execution_name() -> str | None:
    """Returns the name of the execution that this code serves; None outside of all executions."""
    execution = _execution.get()
    return None if execution is None else str(execution["name"])


def time_out(execution_arn: str) -> None:
    """Ends an execution as its machine's TimeoutSeconds does; one that is over stays as it is."""
    _time_out(embedded.STATES_EXECUTIONS.value[execution_arn])


def _require_running() -> None:
    execution = _execution.get()
    if execution is not None and execution["status"] != "RUNNING":
        raise StoppedError(execution["status"])


def _with_time_limit(original: Callable[[str], None]) -> Callable[[str], None]:
    """Runs an execution whose threads know that they serve it, and ends it at the machine's TimeoutSeconds."""

    def run(execution_arn: str) -> None:
        execution: dict[str, Any] = embedded.STATES_EXECUTIONS.value[execution_arn]
        _execution.set(execution)
        machine = embedded.call("stepfunctions", "DescribeStateMachine", stateMachineArn=execution["stateMachineArn"])
        limit = json.loads(machine["definition"]).get("TimeoutSeconds")
        timer = None
        if limit is not None:
            context = contextvars.copy_context()
            timer = threading.Timer(float(limit), lambda: context.run(_time_out, execution))
            timer.daemon = True
            timer.start()
        try:
            original(execution_arn)
        except StoppedError:
            pass
        finally:
            if timer is not None:
                timer.cancel()

    return run


def _time_out(execution: dict[str, Any]) -> None:
    if execution["status"] != "RUNNING":
        return
    now = timestamp(datetime.datetime.now(datetime.UTC))
    execution.update(status="TIMED_OUT", stopDate=now, error="States.Timeout", cause="State Machine Timed Out")
    details = {"error": "States.Timeout"}
    event = {"id": len(execution["events"]) + 1, "type": "ExecutionTimedOut", "timestamp": now}
    execution["events"].append(event | {"executionTimedOutEventDetails": details})
    embedded.STATES_EMIT_STATUS.value(execution)


def _unless_over(original: Callable[..., None]) -> Callable[..., None]:
    """A stopped execution stays ABORTED, whatever happens to its last task."""

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
