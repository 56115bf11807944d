"""Step Functions: stops executions, and ends them at the machine's time limit; no task or wait then continues."""

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
EMIT_STATUS = embedded.private("stepfunctions._emit_execution_status_event", "fix: stepfunctions_stopping")
_execution: contextvars.ContextVar[dict[str, Any] | None] = contextvars.ContextVar("lab_execution", default=None)


class StoppedError(SystemExit):
    """Ends the threads of an execution that has ended; no Catch handles it, and `threading` does not report it."""

    def __init__(self, status: str) -> None:
        super().__init__()
        self.status = status


def current_execution() -> dict[str, Any] | None:
    """Returns the record of the execution that this thread runs, or None."""
    return _execution.get()


def time_out(execution_arn: str) -> None:
    """Ends an execution as its machine's TimeoutSeconds does; an execution that has ended stays unchanged."""
    _time_out(embedded.STATES_EXECUTIONS.value[execution_arn])


def _require_running() -> None:
    execution = _execution.get()
    if execution is not None and execution["status"] != "RUNNING":
        raise StoppedError(execution["status"])


@embedded.fix("stepfunctions._run_execution")
def _run(original: Callable[[str], None], execution_arn: str) -> None:
    """Runs an execution, makes it known to its threads, and ends it at the machine's TimeoutSeconds."""
    execution: dict[str, Any] = embedded.STATES_EXECUTIONS.value[execution_arn]
    _execution.set(execution)
    machine = embedded.call("stepfunctions", "DescribeStateMachine", stateMachineArn=execution["stateMachineArn"])
    limit = json.loads(machine["definition"]).get("TimeoutSeconds")
    context = contextvars.copy_context()
    timer = threading.Timer(float(limit or 0), lambda: context.run(_time_out, execution))
    timer.daemon = True
    if limit is not None:
        timer.start()
    try:
        original(execution_arn)
    except StoppedError:
        pass
    finally:
        timer.cancel()


def _time_out(execution: dict[str, Any]) -> None:
    if execution["status"] != "RUNNING":
        return
    now = timestamp(datetime.datetime.now(datetime.UTC))
    execution.update(status="TIMED_OUT", stopDate=now, error="States.Timeout", cause="State Machine Timed Out")
    details = {"error": "States.Timeout"}
    event = {"id": len(execution["events"]) + 1, "type": "ExecutionTimedOut", "timestamp": now}
    execution["events"].append(event | {"executionTimedOutEventDetails": details})
    EMIT_STATUS.value(execution)


@embedded.fix("stepfunctions._fail_execution")
def _fail(original: Callable[..., None], execution: dict[str, Any], error: str, cause: str) -> None:
    """Keeps a stopped execution ABORTED, whatever becomes of its last task."""
    if execution["status"] == "RUNNING":
        original(execution, error, cause)


@embedded.fix("stepfunctions._scaled_sleep")
def _sleep(original: Callable[[float], None], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        _require_running()
        left = deadline - time.monotonic()
        if left <= 0:
            return
        time.sleep(min(POLL_SECONDS, left))


@embedded.fix("stepfunctions._execute_task")
def _execute_task(original: Callable[..., Any], *arguments: Any) -> Any:
    _require_running()
    return original(*arguments)
