"""What a launch sets for a host, and all that a host is made from."""

from dataclasses import dataclass
from pathlib import Path

from lab.hosts.path_fault import PathFault
from lab.hosts.profiles import Profile


@dataclass(frozen=True)
class HostSettings:
    """The settings of a host from RunInstances.

    `cluster_group` names its placement group if the group is a cluster; the hosts of one cluster have no distance.
    `network` names its subnet. `cpu_credits` are those of a T type, `standard` or `unlimited`. The lab does not
    simulate ENA Express: it only reports both switches. Without `has_tools`, the host lacks what a plain system lacks,
    because its user data could not reach any package.
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
    """What one host is made from. By its `number` its links and its own addresses differ from those of all others."""

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
        """Returns the end of the host's link at its zone's router."""
        return f"card{self.number}"
