"""What stands behind instances, load balancers and Run Command: the lab's hosts and their agent, or nothing."""

from pathlib import Path
from typing import Any, NoReturn

from lab.agent.agent import Agent
from lab.aws.settings import REGION
from lab.hosts.fleet import HostFleet
from lab.hosts.profiles import Profiles

Machines = tuple[HostFleet, Agent]


class NoHosts:
    """Fleet and agent of an embedded AWS that runs only to be asked about what is in its store.

    It has no network to change and nothing to remove. Whatever else needs a host is refused.
    """

    endpoint_url = ""
    store_endpoint_url = ""

    def _nothing_to_do(self, *_: object) -> None:
        pass

    close = connect_networks = disconnect_networks = destroy_host = remove_load_balancer = _nothing_to_do

    def __getattr__(self, name: str) -> NoReturn:
        raise RuntimeError(f"{name}: must be in a lab with hosts, got --no-hosts")


def make_machines(work_dir: Path | None, port: int, profiles: Profiles, wait_divisor: float) -> Machines:
    """Returns hosts in `work_dir` and the agent that serves them; without a folder, `NoHosts` for both."""
    if work_dir is None:
        nothing: Any = NoHosts()
        return nothing, nothing
    work_dir.mkdir(parents=True, exist_ok=True)
    fleet = HostFleet(work_dir, port, profiles)
    return fleet, Agent(fleet, REGION, wait_divisor=wait_divisor)
