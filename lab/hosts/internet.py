"""Public addresses: a gateway outside all networks translates them one to one, unknown to the hosts.

    host a ── zone router a ── gateway: a's address becomes public, b's private ── zone router a ── … ── host b

A host knows only its private address. Its peer sees the public address as the source, so a rule for private addresses
does not admit it. The path is the private one plus the gateway's own delay; its MTU is 1500.
"""

from lab.hosts.commands import ip, nft, set_kernel_values, veth
from lab.hosts.forwarder import DelayLine
from lab.hosts.region import (
    ALL_NETWORKS_TABLE,
    LOOP_ADDRESS,
    ROUTER_VALUES,
    SERVICES_TABLE,
    UPSTREAM_GATEWAY,
    close_loop,
)

_MTU_BYTES = 1500
_NAMESPACE = "internet"
_ADDRESS = "169.254.1.3"
_FIRST_ZONE_TABLE = 300
_ARRIVALS_TABLE = 299
_NAT_VALUES = {
    # Shaping drops and delays packets, so a gap in the sequence numbers must not make a flow invalid.
    "netfilter/nf_conntrack_tcp_be_liberal": "1",
}
_RULES = """
table ip internet {
  map private_of { type ipv4_addr : ipv4_addr; }
  map public_of { type ipv4_addr : ipv4_addr; }
  chain arrivals {
    type filter hook prerouting priority raw;
    iifname "far-in" notrack
  }
  chain destinations {
    type nat hook prerouting priority dstnat;
    dnat to ip daddr map @private_of
  }
  chain sources {
    type nat hook postrouting priority srcnat;
    oifname "far-out" snat to ip saddr map @public_of
  }
  chain departures {
    type filter hook postrouting priority 300;
    oifname "far-out" ct status & (snat | dnat) != snat | dnat drop
  }
}
"""


class Internet:
    """The gateway, a service of the region; it is created with the first host that has a public address."""

    def __init__(self, one_way_micros: int) -> None:
        self._zones: list[str] = []
        self._zone_of_private: dict[str, str] = {}
        self._published: set[str] = set()
        ip(f"netns add {_NAMESPACE}")
        set_kernel_values(_NAMESPACE, ROUTER_VALUES)
        self._line = DelayLine("public", (_NAMESPACE, "far-out"), (_NAMESPACE, "far-in"), one_way_micros, _MTU_BYTES)
        ip("link set lo up", f"addr add {_ADDRESS}/32 dev lo", namespace=_NAMESPACE)
        close_loop(_NAMESPACE, _ARRIVALS_TABLE)
        ip(f"route add default via {LOOP_ADDRESS} dev far-out onlink", namespace=_NAMESPACE)
        nft(_RULES, _NAMESPACE)
        set_kernel_values(_NAMESPACE, _NAT_VALUES)

    @property
    def waited_seconds(self) -> float | None:
        return self._line.waited_seconds

    def join_zone(self, zone: str, router: str) -> None:
        link = f"zone-{zone[-1]}"
        self._zones.append(zone)
        ip(veth((_NAMESPACE, link), (router, "internet")))
        ip(
            "link set internet up",
            f"route add default via {_ADDRESS} dev internet onlink table {SERVICES_TABLE}",
            f"rule add pref 20 iif internet lookup {ALL_NETWORKS_TABLE}",
            namespace=router,
        )
        is_first = len(self._zones) == 1
        ip(
            f"link set {link} up",
            f"route add default via {UPSTREAM_GATEWAY} dev {link} onlink table {self._table(zone)}",
            # The gateway's own messages reach every host from any zone.
            *([f"rule add pref 10 iif lo lookup {self._table(zone)}"] if is_first else []),
            namespace=_NAMESPACE,
        )

    def add_address(self, address: str, zone: str) -> None:
        self._zone_of_private[address] = zone

    def remove_address(self, address: str) -> None:
        self._zone_of_private.pop(address, None)

    def publish(self, public: str, private: str) -> None:
        if public in self._published:
            raise ValueError(f"public address: must be free, got {public}")
        self._published.add(public)
        # A packet goes on to the zone router of its source, from which it came.
        table = self._table(self._zone_of_private[private])
        ip(f"rule add pref 15 iif far-in from {public} lookup {table}", namespace=_NAMESPACE)
        _change_translation("add", public, private)
        self._line.wait_until_ready()

    def withdraw(self, public: str, private: str) -> None:
        self._published.remove(public)
        ip(f"rule del pref 15 iif far-in from {public}", namespace=_NAMESPACE)
        _change_translation("delete", public, private)

    @property
    def is_running(self) -> bool:
        return self._line.is_running

    def close(self) -> None:
        self._line.close()
        ip(f"netns del {_NAMESPACE}")

    def _table(self, zone: str) -> int:
        return _FIRST_ZONE_TABLE + self._zones.index(zone)


def _change_translation(verb: str, public: str, private: str) -> None:
    private_of = f"{verb} element ip internet private_of {{ {public} : {private} }}\n"
    nft(f"{private_of}{verb} element ip internet public_of {{ {private} : {public} }}\n", _NAMESPACE)
