"""A Network Load Balancer: address translation in a namespace of its own, attached to its zone's router.

    client ── … ── zone router ── load balancer ── zone router ── … ── target

Packets stay in the kernel, so the load balancer carries as much as the cards. They travel the distance within the zone
twice. The target sees the load balancer's address as the source (on EC2 it may see the client's).
"""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, collapse_addresses
from typing import Literal

from lab.hosts.commands import ip, nft, set_kernel_values, veth
from lab.hosts.region import CARD_GATEWAY, ROUTER_VALUES, UPSTREAM_GATEWAY

Protocol = Literal["tcp", "udp"]
_UDP_IDLE_SECONDS = "120"
_CONNECTION_VALUES = {
    "netfilter/nf_conntrack_udp_timeout": _UDP_IDLE_SECONDS,
    "netfilter/nf_conntrack_udp_timeout_stream": _UDP_IDLE_SECONDS,
    # An expired flow is not picked up again in the middle.
    "netfilter/nf_conntrack_tcp_loose": "0",
    # Shaping drops and delays packets, so a gap in the sequence numbers must not make a flow invalid.
    "netfilter/nf_conntrack_tcp_be_liberal": "1",
}


@dataclass(frozen=True)
class Listener:
    protocols: frozenset[Protocol]
    target_address: str
    target_port: int
    idle_timeout_seconds: int


class LoadBalancer:
    """One load balancer on a link of its zone's router; its rules follow from `sources` and `listeners`."""

    def __init__(self, namespace: str, router: str, link: str, address: str) -> None:
        self.namespace = namespace
        self.address = address
        self.sources: frozenset[str] = frozenset()
        self.listeners: dict[int, Listener] = {}
        ip(f"netns add {namespace}")
        set_kernel_values(namespace, ROUTER_VALUES)
        ip(veth((namespace, "up0"), (router, link)))
        ip(
            "link set lo up",
            "link set up0 up",
            f"addr add {address}/32 dev up0",
            f"addr add {CARD_GATEWAY}/32 dev lo",
            f"route add default via {UPSTREAM_GATEWAY} dev up0 onlink",
            namespace=namespace,
        )
        ip(f"link set {link} up", namespace=router)
        self.apply()
        set_kernel_values(namespace, _CONNECTION_VALUES)

    def apply(self) -> None:
        """Replaces the kernel's rules by those for `sources` and `listeners`; flows of a removed listener end."""
        nft(_rules(self.address, self.sources, self.listeners), self.namespace)

    def close(self) -> None:
        ip(f"netns del {self.namespace}")

    def answers(self, client: str) -> bool:
        """Returns whether it admits the client and the client is not one of its targets."""
        is_admitted = any(IPv4Address(client) in IPv4Network(source) for source in self.sources)
        return is_admitted and all(listener.target_address != client for listener in self.listeners.values())


def _rules(address: str, sources: frozenset[str], listeners: dict[int, Listener]) -> str:
    translations, uses = [], []
    for port, listener in sorted(listeners.items()):
        for protocol in sorted(listener.protocols):
            target = f"{listener.target_address}:{listener.target_port}"
            translations.append(f"ip daddr {address} {protocol} dport {port} dnat to {target}")
            timeout = f'ct timeout set "idle-{listener.idle_timeout_seconds}" ' if protocol == "tcp" else ""
            uses.append(f"meta l4proto {protocol} ct original proto-dst {port} {timeout}accept")
    # Timeouts are never removed, because a flow would lose its timeout with them.
    timeouts = [
        f"ct timeout idle-{seconds} {{ protocol tcp; policy = {{ established: {seconds} }}; }}"
        for seconds in sorted({listener.idle_timeout_seconds for listener in listeners.values()})
    ]
    # The kernel rejects a set in which one range contains another.
    networks = [str(network) for network in collapse_addresses(map(IPv4Network, sources))]
    admitted = f"ip saddr {{ {', '.join(networks)} }} accept" if networks else ""
    lines = [
        *timeouts,
        "chain admitted {",
        "  type filter hook prerouting priority mangle; policy drop;",
        "  ct state established,related accept",
        # A flow that was silent for too long gets a reset at both ends.
        "  ct state invalid meta l4proto tcp reject with tcp reset",
        f"  ct state new {admitted}" if admitted else "",
        "}",
        "chain destinations {",
        "  type nat hook prerouting priority dstnat;",
        *(f"  {line}" for line in translations),
        "}",
        "chain flows {",
        "  type filter hook forward priority filter; policy drop;",
        "  ct state related accept",
        *(f"  {line}" for line in uses),
        "}",
        "chain own {",
        # A load balancer does not answer pings.
        "  type filter hook input priority filter; policy drop;",
        "}",
        "chain sources {",
        "  type nat hook postrouting priority srcnat;",
        f"  ct status dnat snat to {address}",
        "}",
    ]
    body = "\n".join(f"  {line}" for line in lines if line)
    return f"table ip balancer\nflush table ip balancer\ntable ip balancer {{\n{body}\n}}\n"


class UnknownLoadBalancerError(LookupError):
    """No load balancer of this name exists."""
