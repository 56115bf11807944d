"""What the SSM service knows about one command on one instance, which is only what the agent has reported."""

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from lab.agent.shell_script import KILLED_EXIT_CODE, ScriptEnd

_EXIT_SUCCESS_AND_STOP, _EXIT_FAILURE_AND_STOP, _EXIT_REBOOT = 168, 169, 194
_STDOUT_CHARACTERS, _STDERR_CHARACTERS, _OUTPUT_CHARACTERS = 24_000, 8_000, 2_500
_REPLY_CHARACTERS = 120_000
_TRUNCATED = "--output truncated--"
_SHORT_TRUNCATED, _SHORT_ERROR_TRUNCATED = "\n---Output truncated---", "\n---Error truncated----"
_ERROR_TITLE = "\n----------ERROR-------\n"
_WORKER_DIED = (
    "document process failed unexpectedly: ipc messaging received timeout signal , "
    "check [ssm-document-worker]/[ssm-session-worker] log for crash reason"
)


class Status(StrEnum):
    PENDING = "Pending"
    IN_PROGRESS = "InProgress"
    SUCCESS = "Success"
    FAILED = "Failed"
    TIMED_OUT = "TimedOut"
    CANCELLED = "Cancelled"


@dataclass
class PluginResult:
    """The result of one step. ListCommandInvocations shows `output`, and GetCommandInvocation the other fields."""

    name: str
    status: str
    response_code: int
    standard_output: str = ""
    standard_error: str = ""
    output: str = ""

    @property
    def status_details(self) -> str:
        return status_details(self.status)


@dataclass
class Invocation:
    """One command on one instance. As in AWS's answers, `response_code` is -1 until the command has ended."""

    command_id: str
    instance_id: str
    status: str = Status.PENDING
    status_details: str = Status.PENDING
    response_code: int = -1
    plugins: list[PluginResult] = field(default_factory=list)


def status_details(status: str) -> str:
    """Returns the StatusDetails of a status that the script itself has caused."""
    return "ExecutionTimedOut" if status == Status.TIMED_OUT else status


def step_result(name: str, status: str, code: int, stdout: str = "", stderr: str = "") -> PluginResult:
    """Returns a step's result, with its outputs cut as the agent and the API cut them."""
    stdout, stderr = _cut(stdout), _cut(stderr)
    # The agent sends both in the same length; the API returns a shorter stderr, without marking the cut.
    return PluginResult(name, status, code, stdout, stderr[:_STDERR_CHARACTERS], short_output(stdout, stderr))


def short_output(stdout: str, stderr: str) -> str:
    """Returns both outputs in 2,500 characters. An output that is longer than its half is cut, and marked as cut."""
    title = _ERROR_TITLE if stderr else ""
    room = _OUTPUT_CHARACTERS - len(title)
    if len(stdout) + len(stderr) < room:
        return stdout + title + stderr
    if len(stdout) > room // 2 and len(stderr) > room // 2:
        half = (room - len(_SHORT_TRUNCATED) - len(_SHORT_ERROR_TRUNCATED)) // 2
        return stdout[:half] + _SHORT_TRUNCATED + title + stderr[:half] + _SHORT_ERROR_TRUNCATED
    if len(stdout) < room // 2:
        return stdout + title + stderr[: room - len(_SHORT_ERROR_TRUNCATED) - len(stdout)] + _SHORT_ERROR_TRUNCATED
    return stdout[: room - len(_SHORT_TRUNCATED) - len(stderr)] + _SHORT_TRUNCATED + title + stderr


def script_result(name: str, end: ScriptEnd) -> PluginResult:
    code = end.exit_code if end.exit_code is not None else -1
    stderr = end.stderr
    if end.is_cancelled:
        status = Status.CANCELLED
    elif code == KILLED_EXIT_CODE:
        # The agent takes the kernel's SIGKILL of a tool that used too much memory for its own, and reports a timeout.
        status = Status.TIMED_OUT
    elif code in (0, _EXIT_SUCCESS_AND_STOP):
        status = Status.SUCCESS
    else:
        status = Status.FAILED
        stderr += f"failed to run commands: {end.error}"
    if code == _EXIT_REBOOT:
        stderr += "exit code 194 asks for a reboot, which a host of the lab can't do"
    return step_result(name, status, code, end.stdout, stderr)


def worker_died_result(name: str) -> PluginResult:
    """Returns the result of the first step of a document whose worker has died: only Output is set."""
    return PluginResult(name, Status.FAILED, 0, output=_WORKER_DIED)


def stops_document(result: PluginResult, inputs: dict[str, Any]) -> bool:
    """Returns whether the later steps are skipped. A timeout never skips them, whatever onFailure says."""
    if result.response_code in (_EXIT_SUCCESS_AND_STOP, _EXIT_FAILURE_AND_STOP):
        return True
    if result.status == Status.FAILED:
        return inputs.get("onFailure") in ("exit", "successAndExit")
    return result.status == Status.SUCCESS and inputs.get("onSuccess") == "exit"


def is_too_long_to_send(stdout: str, stderr: str) -> bool:
    """Returns whether the agent drops its reply for its length; each control character takes six characters in JSON."""
    return sum(len(json.dumps(text[:_STDOUT_CHARACTERS])) for text in (stdout, stderr)) > _REPLY_CHARACTERS


def document_status(statuses: list[str]) -> str:
    """Returns the worst of the steps' statuses; a skipped step is a success."""
    for status in (Status.FAILED, Status.TIMED_OUT, Status.CANCELLED):
        if status in statuses:
            return status
    return Status.SUCCESS


def _cut(text: str) -> str:
    return text if len(text) <= _STDOUT_CHARACTERS else text[: _STDOUT_CHARACTERS - len(_TRUNCATED)] + _TRUNCATED
