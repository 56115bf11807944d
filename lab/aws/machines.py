"""What stands behind instances and Run Command: the lab's hosts and the agent on them, or nothing at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from lab.aws.region import REGION
from lab.hosts.profiles import Profiles


class Fleet(Protocol):
    """The part of lab.hosts.fleet.HostFleet that the embedded EC2 uses."""

    endpoint_url: str

    def create_host(
        self, instance_id: str, instance_type: str, zone: str, private_ip: str, environment: dict[str, str]
    ) -> None: ...
    def set_allowed_sources(self, instance_id: str, sources: set[str]) -> None: ...
    def is_running(self, instance_id: str) -> bool: ...
    def kill_host(self, instance_id: str) -> None: ...
    def destroy_host(self, instance_id: str) -> None: ...
    def close(self) -> None: ...


class Agent(Protocol):
    """The part of lab.agent's Agent that the embedded Systems Manager uses."""

    def run_command(
        self,
        command_id: str,
        instance_id: str,
        document: dict[str, Any],
        parameters: dict[str, list[str]],
        timeout_seconds: int,
    ) -> None: ...
    def cancel(self, command_id: str, instance_id: str | None = None) -> None: ...
    def invocation(self, command_id: str, instance_id: str) -> Any: ...


Machines = tuple[Fleet, Agent]


class NoHosts:
    """Fleet and agent of an embedded AWS that was started for what is already in its store."""

    endpoint_url = ""

    def create_host(self, instance_id: str, *_: Any) -> None:
        raise RuntimeError(f"{instance_id}: must be launched in a lab with hosts, got --no-hosts")

    def set_allowed_sources(self, instance_id: str, sources: set[str]) -> None:
        pass

    def is_running(self, instance_id: str) -> bool:
        return False

    def kill_host(self, instance_id: str) -> None:
        pass

    def destroy_host(self, instance_id: str) -> None:
        pass

    def run_command(self, command_id: str, instance_id: str, *_: Any) -> None:
        raise RuntimeError(f"{instance_id}: must run in a lab with hosts, got --no-hosts")

    def cancel(self, command_id: str, instance_id: str | None = None) -> None:
        pass

    def invocation(self, command_id: str, instance_id: str) -> Any:
        raise KeyError(command_id)

    def close(self) -> None:
        pass


def make_machines(work_dir: Path | None, port: int, profiles: Profiles) -> Machines:
    """Hosts in `work_dir` and the agent that serves them; without a folder, none."""
    if work_dir is None:
        nothing = NoHosts()
        return nothing, nothing
    from lab.agent import Agent as LabAgent
    from lab.hosts.fleet import HostFleet

    work_dir.mkdir(parents=True, exist_ok=True)
    fleet = HostFleet(work_dir, port, profiles)
    return fleet, LabAgent(fleet, REGION)
