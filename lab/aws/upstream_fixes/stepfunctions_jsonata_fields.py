"""Step Functions: fields of JSONata states that are ignored.

MiniStack: Parallel ignores Arguments, Output and Assign, and lets the variables of its branches leak into the outer
scope; Succeed ignores Output; TimeoutSeconds and HeartbeatSeconds of a Task must be numbers.
AWS: all of these are fields of a JSONata state, of which any may be an expression, and the variables of a branch are
visible in that branch only (https://docs.aws.amazon.com/step-functions/latest/dg/transforming-data.html,
https://docs.aws.amazon.com/step-functions/latest/dg/workflow-variables.html).
Fix: the fields are evaluated, and the branches get variables of their own.
"""

from collections.abc import Callable
from typing import Any

from lab.aws import embedded

State = dict[str, Any]


def install() -> None:
    embedded.STATES_PARALLEL.wrap(_parallel)
    embedded.STATES_OUTPUT_PATH.wrap(_succeed)
    embedded.STATES_TASK.wrap(_task_time_limits)


def _is_jsonata(state: State, context: dict[str, Any] | None) -> bool:
    language = state.get("QueryLanguage") or (context or {}).get("QueryLanguage")
    return bool(language == "JSONata")


def _parallel(original: Callable[..., Any]) -> Callable[..., Any]:
    def run(state: State, raw_input: Any, execution: Any, context: dict[str, Any]) -> Any:
        if not _is_jsonata(state, context):
            return original(state, raw_input, execution, context)
        evaluate = embedded.STATES_TEMPLATE.value
        branch_input = evaluate(state["Arguments"], raw_input, context) if "Arguments" in state else raw_input
        branch_context = context | {"variables": dict(context.get("variables", {}))}
        results, following = original(state, branch_input, execution, branch_context)
        output = results
        if "Output" in state:
            output = evaluate(state["Output"], raw_input, context, result=results)
        assigned = {
            name: evaluate(template, raw_input, context, result=results)
            for name, template in state.get("Assign", {}).items()
        }
        context.setdefault("variables", {}).update(assigned)
        return output, following

    return run


def _succeed(original: Callable[..., Any]) -> Callable[..., Any]:
    def apply(state: State, value: Any, context: dict[str, Any] | None = None) -> Any:
        if state.get("Type") == "Succeed" and "Output" in state and _is_jsonata(state, context):
            return embedded.STATES_TEMPLATE.value(state["Output"], value, context)
        return original(state, value, context)

    return apply


def _task_time_limits(original: Callable[..., Any]) -> Callable[..., Any]:
    def execute(state: State, raw_input: Any, execution: Any, context: dict[str, Any]) -> Any:
        for name in ("TimeoutSeconds", "HeartbeatSeconds"):
            if isinstance(state.get(name), str):
                state = state | {name: embedded.STATES_TEMPLATE.value(state[name], raw_input, context)}
        return original(state, raw_input, execution, context)

    return execute
