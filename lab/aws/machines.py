"""What stands behind instances, load balancers and Run Command: the lab's hosts and the agent on them, or nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from lab.aws.region import REGION
from lab.hosts import HostSettings
from lab.hosts.profiles import Profiles


class Fleet(Protocol):
    """The part of lab.hosts.fleet.HostFleet that the embedded EC2 and Elastic Load Balancing use."""

    endpoint_url: str
    store_endpoint_url: str
    store_certificate_path: Path

    def create_host(
        self,
        instance_id: str,
        instance_type: str,
        zone: str,
        private_ip: str,
        environment: dict[str, str],
        settings: HostSettings,
    ) -> None: ...
    def command(self, instance_id: str, argv: list[str]) -> list[str]: ...
    def set_allowed_sources(self, instance_id: str, sources: set[str]) -> None: ...
    def is_running(self, instance_id: str) -> bool: ...
    def is_listening(self, instance_id: str, port: int) -> bool: ...
    def kill_host(self, instance_id: str) -> None: ...
    def destroy_host(self, instance_id: str) -> None: ...
    def add_load_balancer(self, name: str, zone: str, address: str, network: str) -> None: ...
    def set_load_balancer_sources(self, name: str, sources: set[str]) -> None: ...
    def set_listener(
        self,
        name: str,
        port: int,
        protocols: set[str],
        target_instance_id: str,
        target_port: int,
        idle_timeout_seconds: int,
    ) -> None: ...
    def remove_listener(self, name: str, port: int) -> None: ...
    def remove_load_balancer(self, name: str) -> None: ...
    def connect_networks(self, network: str, other: str) -> None: ...
    def disconnect_networks(self, network: str, other: str) -> None: ...
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
    store_endpoint_url = ""
    store_certificate_path = Path()

    def create_host(self, instance_id: str, *_: Any) -> None:
        raise RuntimeError(f"{instance_id}: must be launched in a lab with hosts, got --no-hosts")

    def command(self, instance_id: str, argv: list[str]) -> list[str]:
        raise RuntimeError(f"{instance_id}: must run in a lab with hosts, got --no-hosts")

    def set_allowed_sources(self, instance_id: str, sources: set[str]) -> None:
        pass

    def is_running(self, instance_id: str) -> bool:
        return False

    def is_listening(self, instance_id: str, port: int) -> bool:
        return False

    def kill_host(self, instance_id: str) -> None:
        pass

    def destroy_host(self, instance_id: str) -> None:
        pass

    def add_load_balancer(self, name: str, *_: Any) -> None:
        raise RuntimeError(f"{name}: must be created in a lab with hosts, got --no-hosts")

    def set_load_balancer_sources(self, name: str, sources: set[str]) -> None:
        pass

    def set_listener(self, name: str, *_: Any) -> None:
        raise RuntimeError(f"{name}: must listen in a lab with hosts, got --no-hosts")

    def remove_listener(self, name: str, port: int) -> None:
        pass

    def remove_load_balancer(self, name: str) -> None:
        pass

    def connect_networks(self, network: str, other: str) -> None:
        pass

    def disconnect_networks(self, network: str, other: str) -> None:
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
