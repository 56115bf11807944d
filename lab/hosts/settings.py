"""What a launch sets for a host besides its type, zone and address."""

from dataclasses import dataclass


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
