"""The settings from which a host is created."""

from dataclasses import dataclass
from pathlib import Path

from lab.hosts.path_fault import PathFault
from lab.hosts.profiles import Profile


@dataclass(frozen=True)
class HostSettings:
    """A host's settings from RunInstances.

    `cluster_group` names its placement group if that is a cluster, whose hosts have no delay between them. `network`
    names its subnet. `cpu_credits` of a T type are `standard` or `unlimited`. ENA Express is not simulated: its two
    switches are only reported. Without `has_tools`, the host lacks the measuring tools, because its user data could not
    reach any package.
    """

    cluster_group: str | None = None
    public_ip: str | None = None
    ena_srd_enabled: bool = False
    ena_srd_udp_enabled: bool = False
    network: str = "main"
    cpu_credits: str | None = None
    has_tools: bool = True


@dataclass(frozen=True)
class Launch:
    """Everything that a host is created from. Its `number` makes its link names and its own addresses unique."""

    instance_id: str
    number: int
    zone: str
    private_ip: str
    environment: dict[str, str]
    settings: HostSettings
    profile: Profile
    flow_cap_bits_per_second: int
    faults: list[PathFault]
    directory: Path

    @property
    def namespace(self) -> str:
        return f"host-{self.instance_id}"

    @property
    def card_namespace(self) -> str:
        return f"card-{self.instance_id}"

    @property
    def link(self) -> str:
        return f"card{self.number}"
