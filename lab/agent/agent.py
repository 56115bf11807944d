"""Runs Command documents on the hosts, and keeps what the service learns of them.

Steps run by the rules observed on the real SSM agent, so that a document that works here works on EC2: real process
groups, and the agent's timeouts, exit codes, output limits and limit of concurrent commands. A lost host sends no
reply, so its command stays InProgress until the service's own deadline.
"""

import platform
import threading
import time
from collections import deque
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from lab.agent import document as doc
from lab.agent import invocation as inv
from lab.agent.document import Document, InvalidDocumentError, InvalidParametersError, Step, timeout_seconds
from lab.agent.invocation import Invocation, PluginResult, Status, step_result
from lab.agent.shell_script import ScriptEnd, ScriptRun
from lab.hosts.fleet import HostFleet
from lab.hosts.machine import AGENT_PATH

_WORKERS, _WAITING = 5, 5
# The agent waits this long before it reports that a document's worker process has died.
_WORKER_DIED_SECONDS = 60
_ORCHESTRATION = "/var/lib/amazon/ssm/{instance}/document/orchestration/{command}/{step}"


class UnknownInvocationError(LookupError):
    """The command was not sent to this instance."""


@dataclass
class _Command:
    content: dict[str, Any]
    parameters: dict[str, list[str]]
    delivery_seconds: float
    invocation: Invocation
    sent_at_seconds: float = field(default_factory=time.monotonic)
    script: ScriptRun = field(default_factory=ScriptRun)
    is_cancelled: bool = False
    # The service gives up on a command that was delivered but not answered by this time.
    reply_deadline_seconds: float = float("inf")


@dataclass
class _Worker:
    running: int = 0
    waiting: deque[_Command] = field(default_factory=deque)


class Agent:
    def __init__(self, fleet: HostFleet, region: str, wait_divisor: float = 1) -> None:
        self._worker_died_seconds = _WORKER_DIED_SECONDS / wait_divisor
        self._fleet = fleet
        self._region = region
        self._platform = platform.freedesktop_os_release()
        self._lock = threading.RLock()
        self._commands: dict[tuple[str, str], _Command] = {}
        self._workers: dict[str, _Worker] = {}

    def run_command(
        self,
        command_id: str,
        instance_id: str,
        document: dict[str, Any],
        parameters: dict[str, list[str]],
        timeout_seconds: float,
    ) -> None:
        """Sends a command and returns at once. As in SendCommand, `timeout_seconds` limits the delivery alone."""
        with self._lock:
            if (command_id, instance_id) in self._commands:
                raise ValueError(f"command id: must be new for instance {instance_id}, got {command_id}")
            command = _Command(document, parameters, timeout_seconds, Invocation(command_id, instance_id))
            self._commands[command_id, instance_id] = command
            if not self._fleet.is_running(instance_id):
                return
            worker = self._workers.setdefault(instance_id, _Worker())
            if worker.running < _WORKERS:
                worker.running += 1
                threading.Thread(target=self._work, args=(worker, command), daemon=True).start()
            elif len(worker.waiting) < _WAITING:
                worker.waiting.append(command)
            else:
                limit = f"must be at most {_WORKERS} running and {_WAITING} waiting"
                _refuse(command, f"ProcessorBufferFull: {limit}, got one more", "Undeliverable")

    def cancel(self, command_id: str, instance_id: str) -> None:
        """Cancels a command: its process group gets SIGKILL, and no later step runs."""
        with self._lock:
            command = self._command(command_id, instance_id)
            if _has_ended(command):
                return
            command.is_cancelled = True
            worker = self._workers.get(instance_id)
            if worker and command in worker.waiting:
                worker.waiting.remove(command)
            if command.invocation.status == Status.PENDING or not self._fleet.is_running(instance_id):
                _end(command, Status.CANCELLED, [])
            command.script.cancel()

    def invocation(self, command_id: str, instance_id: str) -> Invocation:
        """Returns a copy of what the service knows about the command now."""
        with self._lock:
            command = self._command(command_id, instance_id)
            self._give_up_when_due(command)
            return deepcopy(command.invocation)

    def _command(self, command_id: str, instance_id: str) -> _Command:
        try:
            return self._commands[command_id, instance_id]
        except KeyError:
            raise UnknownInvocationError(f"command: must be sent to {instance_id}, got {command_id}") from None

    def _give_up_when_due(self, command: _Command) -> None:
        now_seconds = time.monotonic()
        due_seconds = command.sent_at_seconds + command.delivery_seconds
        if command.invocation.status == Status.PENDING and now_seconds >= due_seconds:
            _end(command, Status.TIMED_OUT, [], "DeliveryTimedOut")
        elif command.invocation.status == Status.IN_PROGRESS and now_seconds >= command.reply_deadline_seconds:
            _end(command, Status.TIMED_OUT, command.invocation.plugins, "ExecutionTimedOut")

    def _work(self, worker: _Worker, command: _Command) -> None:
        following: _Command | None = command
        while following is not None:
            self._run(following)
            with self._lock:
                following = worker.waiting.popleft() if worker.waiting else None
                if following is None:
                    worker.running -= 1

    def _run(self, command: _Command) -> None:
        with self._lock:
            self._give_up_when_due(command)
            if _has_ended(command):
                return
            command.invocation.status = command.invocation.status_details = Status.IN_PROGRESS
        try:
            document = doc.read_document(command.content)
            self._run_steps(command, document, doc.resolve_parameters(document, command.parameters))
        except (InvalidDocumentError, InvalidParametersError) as refusal:
            with self._lock:
                _refuse(command, str(refusal))

    def _run_steps(self, command: _Command, document: Document, values: dict[str, Any]) -> None:
        inputs = [doc.step_inputs(document, values, step) for step in document.steps]
        total_seconds = sum(map(timeout_seconds, inputs))
        command.reply_deadline_seconds = time.monotonic() + command.delivery_seconds + total_seconds
        environment = self._environment(command.invocation, document, values)
        plugins = [PluginResult(step.name, Status.PENDING, -1) for step in document.steps]
        command.invocation.plugins = plugins
        is_stopped = False
        for index, (step, own_inputs) in enumerate(zip(document.steps, inputs, strict=True)):
            is_last = step is document.steps[-1]
            is_finally = is_last and str(own_inputs.get("finallyStep", "")).lower() == "true"
            if command.is_cancelled:
                result = step_result(step.name, Status.CANCELLED, 1)
            elif is_stopped and not is_finally:
                reason = "Step execution skipped due to an earlier step's exit"
                result = step_result(step.name, Status.SUCCESS, 0, stdout=reason)
            elif (unmet := doc.unmet_precondition(step, values)) is not None:
                result = step_result(step.name, Status.SUCCESS, 0, stdout=unmet)
            elif not isinstance(own_inputs["runCommand"], list):
                reason = (
                    f"Invalid format in plugin properties: runCommand must be a list, got {own_inputs['runCommand']!r}"
                )
                result = step_result(step.name, Status.FAILED, 1, stderr=reason)
                is_stopped = is_stopped or inv.stops_document(result, own_inputs)
            else:
                with self._lock:
                    plugins[index].status = Status.IN_PROGRESS
                end = self._run_script(command, step, own_inputs, environment)
                if end.is_worker_dead:
                    self._report_dead_worker(command)
                    return
                if end.exit_code is None or inv.is_too_long_to_send(end.stdout, end.stderr):
                    # The host is lost, or its agent drops a reply that is too long, so the service hears nothing.
                    return
                result = inv.script_result(step.name, end)
                is_stopped = is_stopped or inv.stops_document(result, own_inputs)
            with self._lock:
                plugins[index] = result
        with self._lock:
            if not _has_ended(command):
                _end(command, inv.document_status([plugin.status for plugin in plugins]), plugins)

    def _report_dead_worker(self, command: _Command) -> None:
        """Fails the command a minute later, because the agent notices a worker's death only by its silence."""
        time.sleep(self._worker_died_seconds)
        with self._lock:
            plugins = command.invocation.plugins
            if self._fleet.is_running(command.invocation.instance_id) and not _has_ended(command):
                _end(command, Status.FAILED, [inv.worker_died_result(plugins[0].name), *plugins[1:]])

    def _run_script(
        self, command: _Command, step: Step, inputs: dict[str, Any], environment: dict[str, str]
    ) -> ScriptEnd:
        instance_id, command_id = command.invocation.instance_id, command.invocation.command_id
        return command.script.run(
            self._fleet,
            instance_id,
            _ORCHESTRATION.format(instance=instance_id, command=command_id, step=step.name),
            "\n".join(map(str, inputs["runCommand"])) + "\n",
            environment,
            inputs.get("workingDirectory"),
            timeout_seconds(inputs),
        )

    def _environment(self, invocation: Invocation, document: Document, values: dict[str, Any]) -> dict[str, str]:
        return {
            # The agent is a systemd service, so it has no HOME and no USER.
            "PATH": AGENT_PATH,
            "LANG": "C.UTF-8",
            **self._fleet.environment(invocation.instance_id),
            "AWS_SSM_INSTANCE_ID": invocation.instance_id,
            "AWS_SSM_REGION_NAME": self._region,
            "AWS_SSM_PLATFORM_NAME": self._platform.get("NAME", "Linux"),
            "AWS_SSM_PLATFORM_VERSION": self._platform.get("VERSION_ID", ""),
            "SSM_COMMAND_ID": invocation.command_id,
            **{f"SSM_{name}": values[name] for name in doc.environment_parameters(document)},
        }


def _has_ended(command: _Command) -> bool:
    return command.invocation.status not in (Status.PENDING, Status.IN_PROGRESS)


def _end(command: _Command, status: str, plugins: list[PluginResult], details: str | None = None) -> None:
    result = command.invocation
    result.status, result.plugins = status, plugins
    result.status_details = details or inv.status_details(status)
    deciding = [plugin for plugin in plugins if plugin.status == status] or plugins
    result.response_code = deciding[0].response_code if deciding else -1


def _refuse(command: _Command, reason: str, details: str | None = None) -> None:
    _end(command, Status.FAILED, [step_result("refused", Status.FAILED, 1, stderr=reason)], details)
