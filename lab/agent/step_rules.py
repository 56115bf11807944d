"""The agent's rules for one step of a document: its inputs, its precondition, its result and what follows from it."""

from typing import Any

from lab.agent.document import Document, Step, substitute
from lab.agent.invocation import PluginResult, Status, step_result
from lab.agent.shell_script import KILLED_EXIT_CODE, ScriptEnd

_EXIT_SUCCESS_AND_STOP, _EXIT_FAILURE_AND_STOP, _EXIT_REBOOT = 168, 169, 194


def environment_parameters(document: Document) -> list[str]:
    """Returns the names of the parameters that a new agent passes as environment variables."""
    return [name for name, parameter in document.parameters.items() if parameter.get("interpolationType") == "ENV_VAR"]


def step_inputs(
    document: Document, values: dict[str, Any], step: Step, sets_environment_variables: bool
) -> dict[str, Any]:
    """Returns a step's inputs with the values put in.

    It is not known what a new agent does with {{ Name }} of an ENV_VAR parameter in a script. Here the placeholder
    stays, so that a document that relies on it fails. No shell sees the other inputs, so they get the value.
    """
    hidden = environment_parameters(document) if sets_environment_variables else []
    pasted = {name: value for name, value in values.items() if name not in hidden}
    return {key: substitute(item, pasted if key == "runCommand" else values) for key, item in step.inputs.items()}


def unmet_precondition(step: Step, values: dict[str, Any]) -> str | None:
    """Returns why a step's precondition is not satisfied, or None when it is."""
    for left, right in (substitute(arguments, values) for arguments in (step.precondition or {}).values()):
        is_linux = "linux" in (left.lower(), right.lower())
        is_met = is_linux if "platformType" in (left, right) else left == right
        if not is_met:
            unmet = f"'\"StringEquals\": [{left}, {right}]'. Step name: {step.name}"
            return f"Step execution skipped due to unsatisfied preconditions: {unmet}"
    return None


def script_result(name: str, end: ScriptEnd) -> PluginResult:
    """Returns the result of a step from the way its script ended."""
    code = end.exit_code if end.exit_code is not None else -1
    stderr = end.stderr
    if end.is_cancelled:
        status = Status.CANCELLED
    elif code == KILLED_EXIT_CODE:
        # The agent can't tell its own SIGKILL from another's, so a tool killed for its memory reads as a timeout, too.
        status = Status.TIMED_OUT
    elif code in (0, _EXIT_SUCCESS_AND_STOP):
        status = Status.SUCCESS
    else:
        status = Status.FAILED
    if code == _EXIT_REBOOT:
        stderr += "exit code 194 asks for a reboot, which a host of the lab can't do"
    return step_result(name, status, code, end.stdout, stderr)


def stops_document(result: PluginResult, inputs: dict[str, Any]) -> bool:
    """Returns whether the later steps are skipped. A timeout never skips them, whatever onFailure says."""
    if result.response_code in (_EXIT_SUCCESS_AND_STOP, _EXIT_FAILURE_AND_STOP):
        return True
    if result.status == Status.FAILED:
        return inputs.get("onFailure") in ("exit", "successAndExit")
    return result.status == Status.SUCCESS and inputs.get("onSuccess") == "exit"
