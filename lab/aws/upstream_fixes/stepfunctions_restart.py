"""Step Functions: executions that were running when the embedded AWS ended.

MiniStack: they are FAILED when it starts again, with the error States.ServiceRestart, and no event says so.
AWS: Step Functions never restarts, so that an execution stays RUNNING until it ends or somebody stops it.
Fix: they are still RUNNING, and the lab's runner stops them, which is an event.
"""

from collections.abc import Callable
from typing import Any

from lab.aws import embedded

_MADE_UP_ERROR = "States.ServiceRestart"


def install() -> None:
    embedded.STATES_LOAD.wrap(_keeping_running)


def _keeping_running(original: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    def load(state: dict[str, Any]) -> None:
        original(state)
        for execution in embedded.STATES_EXECUTIONS.value.all_values():
            if execution.get("error") == _MADE_UP_ERROR:
                execution.update(status="RUNNING", stopDate=None, error=None, cause=None)

    return load
