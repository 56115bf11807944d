"""The way from the hosts to the embedded AWS, as the agent and a document's own calls go: beside the cards."""

import socket

from lab.hosts.commands import ip, run

# Set aside for network benchmarks by RFC 2544: no VPC and no public address of this machine is there.
_NETWORK = "198.18"
ENDPOINT_ADDRESS = f"{_NETWORK}.0.1"
_BRIDGE = "management"
# A bridge left to itself takes the lowest of its ports' addresses: when that host ends, the others go on sending to an
# address that is gone, and the embedded AWS is out of their reach for half a minute.
_HARDWARE_ADDRESS = "02:00:00:00:00:01"


class ManagementNetwork:
    """A bridge to which every host has a link; over it hosts never reach each other."""

    def __init__(self) -> None:
        ip(
            f"link add {_BRIDGE} address {_HARDWARE_ADDRESS} type bridge",
            f"addr add {ENDPOINT_ADDRESS}/16 dev {_BRIDGE}",
            f"link set {_BRIDGE} up",
        )

    def connect(self, host_namespace: str, number: int) -> None:
        """Gives the host with this number its link, mgmt0."""
        link = _link(number)
        address = f"{_NETWORK}.{number // 250 + 1}.{number % 250 + 1}"
        ip(
            f"link add name mgmt0 netns {host_namespace} type veth peer name {link}",
            f"link set {link} master {_BRIDGE} up",
        )
        # All traffic between hosts passes their cards.
        run(["bridge", "link", "set", "dev", link, "isolated", "on"])
        ip(
            f"addr add {address}/32 dev mgmt0",
            "link set mgmt0 up",
            f"route add {ENDPOINT_ADDRESS}/32 dev mgmt0 src {address}",
            namespace=host_namespace,
        )

    def disconnect(self, number: int) -> None:
        """Takes a host's link away, if it has one."""
        # The kernel takes a namespace's links away some time after its end; this name must be free at once.
        if _link(number) in (name for _, name in socket.if_nameindex()):
            ip(f"link del {_link(number)}")

    def close(self) -> None:
        ip(f"link del {_BRIDGE}")


def _link(number: int) -> str:
    return f"host{number}"
