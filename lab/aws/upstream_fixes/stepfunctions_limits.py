"""Step Functions: what an execution may not do, and how it waits before a retry.

MiniStack: any value is a condition; a variable of an Assign sees those assigned before it in the same field; states,
variables, causes and histories may have any size, and an expression any depth; States.ALL catches every error;
JitterStrategy and MaxDelaySeconds are ignored.
AWS: a condition is a boolean; all expressions of an Assign see the variables as they were before it
(https://docs.aws.amazon.com/step-functions/latest/dg/workflow-variables.html). A payload and a variable have at most
256 KiB, a history at most 25,000 events (https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html); a
cause has at most 32,768 characters. An evaluation is at most 100 calls deep; AWS does not document it, but it was
measured there (https://github.com/floci-io/floci/pull/2783). States.ALL matches neither States.DataLimitExceeded nor
States.Runtime; with JitterStrategy FULL a retry waits for a random time between nothing and its delay
(https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html).
Fix: each of these. A task also has its event TaskStarted, which counts.
"""

import functools
import json
import random
from collections.abc import Callable
from typing import Any

from lab.aws import embedded

MAX_PAYLOAD_BYTES = 256 * 1024
MAX_CAUSE_CHARACTERS = 32_768
MAX_EVENTS = 25_000
MAX_EVALUATION_DEPTH = 100
TERMINAL_ERRORS = ("States.DataLimitExceeded", "States.Runtime")

State = dict[str, Any]


def install() -> None:
    embedded.STATES_CONDITION.replace(_condition)
    embedded.STATES_ASSIGN.replace(_assign)
    embedded.STATES_JSONATA.replace(
        staticmethod(functools.partial(embedded.STATES_JSONATA.value, stack=MAX_EVALUATION_DEPTH))
    )
    embedded.STATES_EVENT.wrap(_within_limits)
    embedded.STATES_START.wrap(_with_short_input)
    embedded.STATES_MATCH.wrap(_without_terminal_errors)
    embedded.STATES_RETRIER.wrap(_with_jitter)
    error = embedded.STATES_ERROR.value
    error.__init__ = _with_short_cause(error.__init__)


def _condition(rule: State, raw_input: Any, context: dict[str, Any]) -> bool:
    value = embedded.STATES_TEMPLATE.value(rule["Condition"], raw_input, context)
    if not isinstance(value, bool):
        raise embedded.STATES_ERROR.value(
            "States.QueryEvaluationError",
            f"The JSONata expression '{rule['Condition']}' specified for the field 'Condition' returned an unexpected "
            f"result type. Expected 'boolean', but was {json.dumps(value)}",
        )
    return value


def _assign(state: State, raw_input: Any, context: dict[str, Any] | None, **results: Any) -> None:
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


def _within_limits(original: Callable[..., Any]) -> Callable[..., Any]:
    def add(execution: dict[str, Any], kind: str, details: dict[str, Any] | None = None) -> Any:
        if not kind.startswith("Execution"):
            # The event that says so is the last one. No Retry and no Catch takes the error.
            if len(execution["events"]) >= MAX_EVENTS - 1:
                raise RuntimeError(f"The execution reached the maximum number of history events ({MAX_EVENTS}).")
            for detail in (details or {}).values():
                if "output" in detail:
                    _require_size(detail["output"], "the state/task's output")
        event = original(execution, kind, details)
        if kind == "TaskScheduled":
            add(execution, "TaskStarted")
        return event

    return add


def _with_short_input(original: Callable[..., Any]) -> Callable[..., Any]:
    def start(data: dict[str, Any]) -> Any:
        size = len(data.get("input", "").encode())
        if size > MAX_PAYLOAD_BYTES:
            return embedded.STATES_REFUSAL.value(
                "ValidationException", f"input: must have at most {MAX_PAYLOAD_BYTES} bytes, got {size}", 400
            )
        return original(data)

    return start


def _without_terminal_errors(original: Callable[..., bool]) -> Callable[..., bool]:
    def matches(names: list[str], error: str) -> bool:
        if error in TERMINAL_ERRORS:
            return error in names
        return original(names, error)

    return matches


def _with_jitter(original: Callable[..., Any]) -> Callable[..., Any]:
    def find(retriers: list[State], error: str, counts: dict[int, int]) -> tuple[State | None, int]:
        retrier, index = original(retriers, error, counts)
        if retrier is None:
            return retrier, index
        delay = retrier.get("IntervalSeconds", 1) * retrier.get("BackoffRate", 2) ** counts.get(index, 0)
        delay = min(delay, retrier.get("MaxDelaySeconds", delay))
        if retrier.get("JitterStrategy") == "FULL":
            delay = random.uniform(0, delay)
        # The caller multiplies again.
        return retrier | {"IntervalSeconds": delay, "BackoffRate": 1}, index

    return find


def _with_short_cause(original: Callable[..., None]) -> Callable[..., None]:
    def create(self: Any, error: str, cause: str) -> None:
        original(self, error, cause[:MAX_CAUSE_CHARACTERS])

    return create
