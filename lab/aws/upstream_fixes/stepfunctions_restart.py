"""Step Functions: executions that ran when the embedded AWS ended stay RUNNING until the lab's runner stops them."""

from collections.abc import Callable
from typing import Any

from lab.aws import embedded

_MADE_UP_ERROR = "States.ServiceRestart"


@embedded.fix("stepfunctions.load_persisted_state")
def _load(original: Callable[[dict[str, Any]], None], state: dict[str, Any]) -> None:
    original(state)
    for execution in embedded.STATES_EXECUTIONS.value.all_values():
        if execution.get("error") == _MADE_UP_ERROR:
            execution.update(status="RUNNING", stopDate=None, error=None, cause=None)
