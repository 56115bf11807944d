"""Step Functions: the field Output of a Succeed state in JSONata."""

from collections.abc import Callable
from typing import Any

from lab.aws import embedded


@embedded.fix("stepfunctions._apply_output_path")
def _output(
    original: Callable[..., Any], state: dict[str, Any], value: Any, context: dict[str, Any] | None = None
) -> Any:
    language = state.get("QueryLanguage") or (context or {}).get("QueryLanguage")
    if language == "JSONata" and state["Type"] == "Succeed" and "Output" in state:
        return embedded.STATES_TEMPLATE.value(state["Output"], value, context)
    return original(state, value, context)
