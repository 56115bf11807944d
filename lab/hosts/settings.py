"""What a launch says of a host besides its type, zone and address."""

from dataclasses import dataclass


@dataclass(frozen=True)
class HostSettings:
    """A host as RunInstances asked for it.

    `cluster_group` names its placement group if that is a cluster; hosts of one cluster group are the nearest.
    `network` names the VPC it is in. ENA Express has no physics in the lab: both switches are facts only.
    """

    cluster_group: str | None = None
    public_ip: str | None = None
    ena_srd_enabled: bool = False
    ena_srd_udp_enabled: bool = False
    network: str = "main"
