"""Step Functions: an execution that is started by the ARN of a version runs that version's definition."""

import contextvars
from collections.abc import Callable
from typing import Any

from lab.aws import embedded
from lab.aws.wire import Response

MACHINES = embedded.private("stepfunctions._state_machines", "fix: stepfunctions_versions")
VERSIONS = embedded.private("stepfunctions._state_machine_versions", "fix: stepfunctions_versions")
# Inherited by the thread that runs the execution.
_version: contextvars.ContextVar[dict[str, Any] | None] = contextvars.ContextVar("lab_version", default=None)


class _Machines(type(MACHINES.value)):  # type: ignore[misc]
    """MiniStack's state machines; the thread of an execution sees its own with the definition of its version."""

    def __init__(self, machines: Any) -> None:
        self._data = machines._data

    def get(self, arn: str, default: Any = None) -> Any:
        machine, version = super().get(arn, default), _version.get()
        if machine is None or version is None or version["stateMachineArn"] != arn:
            return machine
        return {**machine, "definition": version["definition"]}


embedded.fix_value("stepfunctions._state_machines", _Machines(MACHINES.value), "stepfunctions_versions")


@embedded.fix("stepfunctions._start_execution")
def _start(original: Callable[[dict[str, Any]], Response], request: dict[str, Any]) -> Response:
    token = _version.set(VERSIONS.value.get(request.get("stateMachineArn")))
    try:
        return original(request)
    finally:
        _version.reset(token)
