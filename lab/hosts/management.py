"""The network from hosts to the embedded AWS, for the agent and the documents' calls; it bypasses the cards."""

import socket

from lab.hosts.commands import ip, run

# RFC 2544 reserves these addresses for network benchmarks, so no VPC and no public address conflicts with them.
_NETWORK = "198.18"
ENDPOINT_ADDRESS = f"{_NETWORK}.0.1"
_BRIDGE = "management"
# A bridge without its own hardware address takes the lowest of its ports'. When that port's host ends, the other hosts
# would send to a stale address and not reach the embedded AWS for half a minute.
_HARDWARE_ADDRESS = "02:00:00:00:00:01"


class ManagementNetwork:
    """A bridge with a link to every host; hosts do not reach each other over it."""

    def __init__(self) -> None:
        ip(
            f"link add {_BRIDGE} address {_HARDWARE_ADDRESS} type bridge",
            f"addr add {ENDPOINT_ADDRESS}/16 dev {_BRIDGE}",
            f"link set {_BRIDGE} up",
        )

    def connect(self, host_namespace: str, number: int) -> None:
        """Creates mgmt0, the link of the host with this number."""
        link = _link(number)
        address = f"{_NETWORK}.{number // 250 + 1}.{number % 250 + 1}"
        ip(
            f"link add name mgmt0 netns {host_namespace} type veth peer name {link}",
            f"link set {link} master {_BRIDGE} up",
        )
        # Isolated ports can't reach each other, so traffic between hosts must go through their cards.
        run(["bridge", "link", "set", "dev", link, "isolated", "on"])
        ip(
            f"addr add {address}/32 dev mgmt0",
            "link set mgmt0 up",
            f"route add {ENDPOINT_ADDRESS}/32 dev mgmt0 src {address}",
            namespace=host_namespace,
        )

    def disconnect(self, number: int) -> None:
        # The kernel removes a namespace's links only some time after its end, but this name must be free at once.
        if _link(number) in (name for _, name in socket.if_nameindex()):
            ip(f"link del {_link(number)}")

    def close(self) -> None:
        ip(f"link del {_BRIDGE}")


def _link(number: int) -> str:
    return f"host{number}"
