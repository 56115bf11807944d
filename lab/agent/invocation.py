"""What the SSM service knows about one command on one instance, which is only what the agent has reported."""

import json
from dataclasses import dataclass, field
from enum import StrEnum

_STDOUT_CHARACTERS, _STDERR_CHARACTERS, _OUTPUT_CHARACTERS = 24_000, 8_000, 2_500
_REPLY_CHARACTERS = 120_000
_TRUNCATED = "--output truncated--"


class Status(StrEnum):
    PENDING = "Pending"
    IN_PROGRESS = "InProgress"
    SUCCESS = "Success"
    FAILED = "Failed"
    TIMED_OUT = "TimedOut"
    CANCELLED = "Cancelled"


@dataclass
class PluginResult:
    """One step. `output` is the short form in ListCommandInvocations; the other fields are GetCommandInvocation's."""

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
    """Returns the details of a status that has no other reason than the script itself."""
    return "ExecutionTimedOut" if status == Status.TIMED_OUT else status


def step_result(name: str, status: str, code: int, stdout: str = "", stderr: str = "") -> PluginResult:
    """Returns a step's result, with its outputs cut as the agent and the API cut them."""
    merged = stdout + (f"\n----------ERROR-------\n{stderr}" if stderr else "")
    return PluginResult(
        name,
        status,
        code,
        _cut(stdout, _STDOUT_CHARACTERS),
        _cut(stderr, _STDERR_CHARACTERS),
        _cut(merged, _OUTPUT_CHARACTERS),
    )


def is_too_long_to_send(stdout: str, stderr: str) -> bool:
    """Returns whether the agent drops its reply: each control character takes six characters of its JSON."""
    return sum(len(json.dumps(text[:_STDOUT_CHARACTERS])) for text in (stdout, stderr)) > _REPLY_CHARACTERS


def document_status(statuses: list[str]) -> str:
    """Returns the worst of the steps' statuses; a skipped step is a success."""
    for status in (Status.FAILED, Status.TIMED_OUT, Status.CANCELLED):
        if status in statuses:
            return status
    return Status.SUCCESS


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - len(_TRUNCATED)] + _TRUNCATED
