"""A second implementation of the SSM agent's rules for Command documents, made only from observations of the agent.

It shares no code with the lab's agent, so a document that passes with both does not depend on the details of one.
"""

from __future__ import annotations

import dataclasses
import os
import re
import signal
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

OUTPUT_LIMIT = 24_000
TIMED_OUT_CODE = 137


@dataclasses.dataclass(frozen=True)
class CommandResult:
    status: str
    exit_code: int | None
    stdout: str
    stderr: str


class RefusedParameterError(Exception):
    pass


@dataclasses.dataclass
class Agent:
    """One host's agent. `launcher` precedes every script and makes a host out of this machine."""

    directory: Path
    launcher: list[str]
    environment: Mapping[str, str]
    knows_environment_interpolation: bool = True
    checks_patterns: bool = True
    _commands: int = 0

    def run(
        self,
        document: dict,
        parameters: Mapping[str, list[str]],
        on_start: Callable[[subprocess.Popen], None] = lambda _: None,
    ) -> CommandResult:
        """Runs a command until its last step has ended."""
        try:
            values = self._resolve(document["parameters"], parameters)
        except RefusedParameterError as refusal:
            return CommandResult("Failed", None, "", str(refusal))
        environment = {**self.environment, **self._environment(document["parameters"], values)}
        result = CommandResult("Failed", None, "", "document has no steps")
        self._commands += 1
        for step in document["mainSteps"]:
            if step["action"] != "aws:runShellScript" or len(step["name"]) < 4:
                return CommandResult("Failed", None, "", f"step {step['name']}: unsupported")
            inputs = self._replace(document["parameters"], values, step["inputs"])
            result = self._run_step(step["name"], inputs, environment, on_start)
        return result

    def _resolve(self, declared: dict, given: Mapping[str, list[str]]) -> dict[str, str]:
        values = {}
        for name, parameter in declared.items():
            if name not in given and "default" not in parameter:
                raise RefusedParameterError(f"{name}: must be given")
            value = given[name][0] if name in given else parameter["default"]
            # RE2's $ matches only the end of the text; Python's also matches before a final newline.
            pattern = re.sub(r"\$$", r"\\Z", parameter["allowedPattern"])
            if self.checks_patterns and not re.search(pattern, value):
                raise RefusedParameterError(f"{name}: does not match {parameter['allowedPattern']}")
            values[name] = value
        return values

    def _is_environment(self, parameter: dict) -> bool:
        return self.knows_environment_interpolation and parameter.get("interpolationType") == "ENV_VAR"

    def _environment(self, declared: dict, values: dict[str, str]) -> dict[str, str]:
        return {f"SSM_{name}": value for name, value in values.items() if self._is_environment(declared[name])}

    def _replace(self, declared: dict, values: dict[str, str], node: object) -> object:
        """Replaces placeholders in one pass, not recursively; an unknown placeholder stays."""
        if isinstance(node, dict):
            return {key: self._replace(declared, values, value) for key, value in node.items()}
        if isinstance(node, list):
            return [self._replace(declared, values, value) for value in node]

        def value_of(match: re.Match[str]) -> str:
            name = match.group(1)
            if name not in values:
                return match.group(0)
            return f"$SSM_{name}" if self._is_environment(declared[name]) else values[name].replace("$$", "$")

        return re.sub(r"\{\{\s*(\w+)\s*\}\}", value_of, node)

    def _run_step(self, name: str, inputs: dict, environment: dict, on_start: Callable) -> CommandResult:
        directory = self.directory / f"command-{self._commands}" / name
        directory.mkdir(parents=True)
        script = directory / "_script.sh"
        script.write_text("\n".join(inputs["runCommand"]) + "\n", encoding="utf-8")
        script.chmod(0o700)
        timeout = inputs.get("timeoutSeconds", "3600")
        seconds = int(timeout) if timeout.isdigit() and 5 <= int(timeout) <= 172_800 else 3600
        process = subprocess.Popen(
            [*self.launcher, "sh", "-c", str(script)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/usr/bin",
            env=environment,
            process_group=0,
        )
        on_start(process)
        try:
            # The step lasts until its pipes are closed: a child that inherits them makes it longer than the script.
            stdout, stderr = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.cancel(process)
            stdout, stderr = process.communicate()
            return CommandResult("TimedOut", TIMED_OUT_CODE, _cut(stdout), _cut(stderr))
        code = process.returncode if process.returncode >= 0 else 128 - process.returncode
        status = {0: "Success", TIMED_OUT_CODE: "TimedOut"}.get(code, "Failed")
        return CommandResult(status, code, _cut(stdout), _cut(stderr))

    @staticmethod
    def cancel(process: subprocess.Popen) -> None:
        """Kills the whole process group at once, as the agent does for CancelCommand and for a timeout."""
        os.killpg(process.pid, signal.SIGKILL)


def _cut(output: bytes) -> str:
    return output.decode("utf-8", "replace")[:OUTPUT_LIMIT]
