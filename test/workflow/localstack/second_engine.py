"""The state machines of the template on LocalStack's interpreter, which runs as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[3]
PYTHON = REPOSITORY / ".cache/localstack/venv/bin/python"
JAVA_LIBRARIES = REPOSITORY / ".cache/localstack/java"
MACHINE_ARN = "arn:aws:states:us-east-1:123456789012:stateMachine:"
PAIR, RUN = MACHINE_ARN + "NetworkBenchmark-pair-benchmark", MACHINE_ARN + "NetworkBenchmark-network-benchmark"
# AWS evaluates an expression at 100 levels and refuses it at 101, as was measured on AWS for
# https://github.com/floci-io/floci/pull/2783; 100 is also what the library's time box has unless it is told otherwise.
MAX_DEPTH = 100

Definition = dict[str, Any]
Answer = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Execution:
    status: str
    output: Any
    error: str | None
    cause: str | None
    # Names in the order in which they were entered.
    states: list[str]
    event_count: int


@dataclass(frozen=True)
class Interruption:
    """A stop or an elapsed time-out of one execution, `seconds` after the start of the first one."""

    seconds: float
    execution: str
    how: str


class RefusedDefinitionError(Exception):
    """The interpreter does not accept a definition."""


# Compiling thoroughly would take longer than the tests do. Without the last option, the JVM leaves a folder of counters
# in /tmp, wherever its temporary files are.
JVM_OPTIONS = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-XX:-UsePerfData"]


@dataclass
class SecondEngine:
    process: subprocess.Popen[str] = field(init=False)

    def __post_init__(self) -> None:
        self.process = subprocess.Popen(
            [PYTHON, Path(__file__).with_name("interpreter.py"), JAVA_LIBRARIES],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=sys.stderr,
            text=True,
            env=os.environ | {"JAVA_TOOL_OPTIONS": " ".join(JVM_OPTIONS)},
        )

    def run(
        self,
        machines: dict[str, Definition],
        machine: str,
        name: str,
        execution_input: Any,
        answer: Answer,
        interruptions: list[Interruption] | None = None,
        maximum_depth: int = MAX_DEPTH,
    ) -> dict[str, Execution]:
        """Runs an execution and those that it starts to their ends, and returns them by name.

        An evaluation that is deeper than `maximum_depth` levels fails.
        """
        self._write(
            {
                "machines": {arn: json.dumps(definition) for arn, definition in machines.items()},
                "start": {"machine": machine, "name": name, "input": execution_input, "isParent": machine == RUN},
                "interruptions": [vars(interruption) for interruption in interruptions or []],
                "maximumDepth": maximum_depth,
            }
        )
        while True:
            message = self._read()
            if "call" in message:
                self._write(answer(message["call"]))
            elif "refused" in message:
                raise RefusedDefinitionError(message["refused"])
            else:
                return {
                    name: Execution(
                        status=one["status"],
                        output=one["output"],
                        error=one["error"],
                        cause=one["cause"],
                        states=one["states"],
                        event_count=one["eventCount"],
                    )
                    for name, one in message["ended"].items()
                }

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=60)

    def _write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the interpreter ended with {self.process.wait()}; its messages are above")
        message: dict[str, Any] = json.loads(line)
        return message


def definitions(template: dict[str, Any]) -> dict[str, Definition]:
    """The definitions of runs and pairs as the template has them; references become ARNs or logical ids."""
    resources = template["Resources"].values()
    machines = [one["Properties"] for one in resources if one["Type"] == "AWS::StepFunctions::StateMachine"]
    found = {MACHINE_ARN + one["StateMachineName"]: json.loads(_text(one["DefinitionString"])) for one in machines}
    return {arn: found[arn] for arn in (PAIR, RUN)}


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    ((name, argument),) = value.items()
    if name == "Fn::Join":
        return str(argument[0]).join(_text(part) for part in argument[1])
    if name == "Ref" and argument == "AWS::Partition":
        return "aws"
    resource = str(argument if name == "Ref" else argument[0])
    # The run's definition names the version of the pair's that was deployed with it.
    return PAIR if resource.startswith("PairBenchmark") else resource
