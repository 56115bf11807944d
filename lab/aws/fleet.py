"""What stands behind instances, load balancers and Run Command: the lab's hosts and their agent, or nothing.

The bodies of the methods here are those of an embedded AWS without hosts.
"""

from pathlib import Path
from typing import Any, Literal, NoReturn, Protocol

from lab.agent.invocation import Invocation
from lab.aws.settings import REGION
from lab.hosts.profiles import Profiles
from lab.hosts.settings import HostSettings

Transport = Literal["tcp", "udp"]


class Fleet(Protocol):
    """The part of lab.hosts.fleet.HostFleet that EC2 and Elastic Load Balancing use."""

    @property
    def endpoint_url(self) -> str: ...
    @property
    def store_endpoint_url(self) -> str: ...
    @property
    def store_certificate_path(self) -> Path: ...

    def create_host(
        self,
        instance_id: str,
        instance_type: str,
        zone: str,
        private_ip: str,
        environment: dict[str, str],
        settings: HostSettings,
    ) -> None:
        _refuse(instance_id)

    def command(self, instance_id: str, argv: list[str]) -> list[str]:
        _refuse(instance_id)

    def set_allowed_sources(self, instance_id: str, sources: set[str]) -> None:
        return

    def is_running(self, instance_id: str) -> bool:
        return False

    def is_listening(self, instance_id: str, port: int) -> bool:
        return False

    def kill_host(self, instance_id: str) -> None:
        return

    def destroy_host(self, instance_id: str) -> None:
        return

    def add_load_balancer(self, name: str, zone: str, address: str, network: str) -> None:
        _refuse(name)

    def set_load_balancer_sources(self, name: str, sources: set[str]) -> None:
        return

    def set_listener(
        self,
        name: str,
        port: int,
        protocols: set[Transport],
        target_instance_id: str,
        target_port: int,
        idle_timeout_seconds: int,
    ) -> None:
        _refuse(name)

    def remove_listener(self, name: str, port: int) -> None:
        return

    def remove_load_balancer(self, name: str) -> None:
        return

    def connect_networks(self, network: str, other: str) -> None:
        return

    def disconnect_networks(self, network: str, other: str) -> None:
        return

    def close(self) -> None:
        return


class Agent(Protocol):
    """The part of lab.agent's Agent that Systems Manager uses."""

    def run_command(
        self,
        command_id: str,
        instance_id: str,
        document: dict[str, Any],
        parameters: dict[str, list[str]],
        timeout_seconds: int,
    ) -> None:
        _refuse(instance_id)

    def cancel(self, command_id: str, instance_id: str | None = None) -> None:
        return

    def invocation(self, command_id: str, instance_id: str) -> Invocation:
        raise KeyError(command_id)


Machines = tuple[Fleet, Agent]


class NoHosts(Fleet, Agent):
    """Fleet and agent of an embedded AWS that runs only to be asked about what is in its store."""

    endpoint_url = ""
    store_endpoint_url = ""
    store_certificate_path = Path()


def make_machines(work_dir: Path | None, port: int, profiles: Profiles) -> Machines:
    """Returns hosts in `work_dir` and the agent that serves them; without a folder, `NoHosts` for both."""
    if work_dir is None:
        nothing = NoHosts()
        return nothing, nothing
    from lab.agent import Agent as LabAgent
    from lab.hosts.fleet import HostFleet

    work_dir.mkdir(parents=True, exist_ok=True)
    fleet = HostFleet(work_dir, port, profiles)
    return fleet, LabAgent(fleet, REGION)


def _refuse(name: str) -> NoReturn:
    raise RuntimeError(f"{name}: must be in a lab with hosts, got --no-hosts")
