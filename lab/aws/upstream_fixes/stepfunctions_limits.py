"""Step Functions: limits of an execution, and its delays before retries.

The greatest depth of an evaluation is not documented, but was measured (https://github.com/floci-io/floci/pull/2783).
Each task has a further event TaskStarted, which counts towards the limit.
"""

import json
import random
from collections.abc import Callable
from typing import Any

from lab.aws import embedded
from lab.aws.wire import AwsError, protocol_of

MAX_PAYLOAD_BYTES = 256 * 1024
MAX_CAUSE_CHARACTERS = 32_768
MAX_EVENTS = 25_000
MAX_EVALUATION_DEPTH = 100
# MiniStack allows a second by the clock, which an evaluation on a busy machine may wait for the processor alone.
MAX_EVALUATION_MILLISECONDS = 60_000
TERMINAL_ERRORS = ("States.DataLimitExceeded", "States.Runtime")

State = dict[str, Any]


@embedded.fix("stepfunctions.jsonata.Jsonata.jsonata")
def _expression(original: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    return original(*arguments, **keywords | {"timeout": MAX_EVALUATION_MILLISECONDS, "stack": MAX_EVALUATION_DEPTH})


@embedded.fix("stepfunctions._evaluate_jsonata_choice_rule")
def _condition(original: Callable[..., bool], rule: State, raw_input: Any, context: dict[str, Any]) -> bool:
    value = embedded.STATES_TEMPLATE.value(rule["Condition"], raw_input, context)
    if not isinstance(value, bool):
        raise embedded.STATES_ERROR.value(
            "States.QueryEvaluationError",
            f"The JSONata expression '{rule['Condition']}' specified for the field 'Condition' returned an unexpected "
            f"result type. Expected 'boolean', but was {json.dumps(value)}",
        )
    return value


@embedded.fix("stepfunctions._apply_state_assign")
def _assign(
    original: Callable[..., None], state: State, raw_input: Any, context: dict[str, Any] | None, **results: Any
) -> None:
    if context is None or "Assign" not in state:
        return
    evaluate = embedded.STATES_TEMPLATE.value
    assigned = {name: evaluate(value, raw_input, context, **results) for name, value in state["Assign"].items()}
    for name, value in assigned.items():
        _require_size(json.dumps(value), f"the variable '{name}'")
    context.setdefault("variables", {}).update(assigned)


def _require_size(text: str, what: str) -> None:
    size = len(text.encode())
    if size > MAX_PAYLOAD_BYTES:
        raise embedded.STATES_ERROR.value(
            "States.DataLimitExceeded",
            f"{what} has {size} bytes, which exceeds the maximum of {MAX_PAYLOAD_BYTES} bytes",
        )


@embedded.fix("stepfunctions._add_event")
def _add_event(
    original: Callable[..., Any], execution: dict[str, Any], kind: str, details: dict[str, Any] | None = None
) -> Any:
    if not kind.startswith("Execution"):
        # The last event reports this error, which no Retry or Catch handles.
        if len(execution["events"]) >= MAX_EVENTS - 1:
            raise RuntimeError(f"The execution reached the maximum number of history events ({MAX_EVENTS}).")
        for detail in (details or {}).values():
            if "output" in detail:
                _require_size(detail["output"], "the state/task's output")
    event = original(execution, kind, details)
    if kind == "TaskScheduled":
        _add_event(original, execution, "TaskStarted")
    return event


@embedded.fix("stepfunctions._start_execution")
def _start(original: Callable[..., Any], request: dict[str, Any]) -> Any:
    size = len(request.get("input", "").encode())
    if size > MAX_PAYLOAD_BYTES:
        message = f"input: must have at most {MAX_PAYLOAD_BYTES} bytes, got {size}"
        return protocol_of("stepfunctions").write_error(AwsError("ValidationException", message))
    return original(request)


@embedded.fix("stepfunctions._error_matches")
def _matches(original: Callable[..., bool], names: list[str], error: str) -> bool:
    return error in names if error in TERMINAL_ERRORS else original(names, error)


@embedded.fix("stepfunctions._find_matching_retrier")
def _retrier(
    original: Callable[..., Any], retriers: list[State], error: str, counts: dict[int, int]
) -> tuple[State | None, int]:
    retrier, index = original(retriers, error, counts)
    if retrier is None:
        return retrier, index
    delay = retrier.get("IntervalSeconds", 1) * retrier.get("BackoffRate", 2) ** counts.get(index, 0)
    delay = min(delay, retrier.get("MaxDelaySeconds", delay))
    if retrier.get("JitterStrategy") == "FULL":
        delay = random.uniform(0, delay)
    # The caller multiplies the interval by BackoffRate, so the computed delay goes with a rate of 1.
    return retrier | {"IntervalSeconds": delay, "BackoffRate": 1}, index


@embedded.fix("stepfunctions._ExecutionError.__init__")
def _error(original: Callable[..., None], self: Any, error: str, cause: str) -> None:
    original(self, error, cause[:MAX_CAUSE_CHARACTERS])
