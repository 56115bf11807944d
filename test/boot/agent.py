"""The SSM agent of a host that boots, as far as a document's script can tell: its processes and its control group."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from typing import Any

from machine import PATIENCE_SECONDS, Machine

UNIT = "agent.service"
# The agent starts a worker for each command, and the worker starts the script in a process group of its own. When the
# worker is killed, the agent goes on.
_WORKER = """
import subprocess, sys
script = subprocess.Popen(sys.argv[1:], process_group=0)
open("/run/agent-script", "w").write(str(script.pid))
sys.exit(script.wait())
"""
_AGENT = """
python3 -c "$1" bash /root/document.sh &
worker=$!
echo "$worker" >/run/agent-worker
code=0
wait "$worker" || code=$?
[ "$code" -ne 137 ] || sleep infinity
exit "$code"
"""


class Agent:
    """Runs documents on one host, one at a time.

    Each command has the agent's service for itself. Its control group is that of the service, and systemd ends whatever
    is in it with the service.
    """

    def __init__(self, machine: Machine, documents: Mapping[str, Any]) -> None:
        self.machine = machine
        self._documents = documents

    def start(self, name: str, parameters: Mapping[str, str], defect: tuple[str, str] | None = None) -> Command:
        """Starts a document. `defect` replaces a text of its script by another one."""
        (step,) = self._documents[name]["mainSteps"]
        script = "\n".join(step["inputs"]["runCommand"])
        if defect is not None:
            assert defect[0] in script, f"{name}: must have {defect[0]!r}, in which a defect is planted"
            script = script.replace(*defect)
        settings = [f"--setenv=SSM_{key}={value}" for key, value in parameters.items()]
        settings += [f"--setenv=AWS_SSM_INSTANCE_ID={self.machine.instance_id}"]
        settings += ["--setenv=AWS_SSM_REGION_NAME=us-east-1"]
        service = ["systemd-run", "--quiet", "--wait", "--pipe", "--collect", f"--unit={UNIT}"]
        # systemd would itself replace the variables of a script that is an argument.
        self.machine.run("sh", "-c", "cat >/root/document.sh", standard_input=script)
        self.machine.run("sh", "-c", "cat >/root/agent.sh", standard_input=_AGENT)
        argv = self.machine.command(*service, *settings, "sh", "/root/agent.sh", _WORKER)
        return Command(name, subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True))

    def run(self, name: str, parameters: Mapping[str, str], defect: tuple[str, str] | None = None) -> dict[str, Any]:
        """Runs a document to its end, which must be a good one; returns its result."""
        return self.start(name, parameters, defect).result()

    def kill_worker(self) -> None:
        """Kills the command's worker alone; the script loses its parent and goes on."""
        self.machine.run("sh", "-c", "kill -KILL $(cat /run/agent-worker)")

    def cancel(self) -> None:
        """Kills the script's process group at once, as the agent does for CancelCommand."""
        self.machine.run("sh", "-c", "kill -KILL -$(cat /run/agent-script)")

    def stop(self) -> None:
        """Stops the service, as for a restart: systemd ends every process of its control group."""
        self.machine.run("systemctl", "stop", UNIT, accepts=(0, 5))


class Command:
    """A document that runs."""

    def __init__(self, name: str, process: subprocess.Popen[str]) -> None:
        self._name, self._process = name, process

    def result(self) -> dict[str, Any]:
        """Returns the document's result, the last line that it prints."""
        printed, _ = self._process.communicate(timeout=PATIENCE_SECONDS)
        assert self._process.returncode == 0, f"{self._name}: exit code {self._process.returncode}: {printed}"
        result: dict[str, Any] = json.loads(printed.splitlines()[-1])
        return result

    def wait(self) -> None:
        """Waits until the agent runs the document no more, whatever its result."""
        self._process.communicate(timeout=PATIENCE_SECONDS)
