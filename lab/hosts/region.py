"""The network between the hosts' cards: one router per zone, and links that add the delay of the distance.

    host ── card ── zone router a ══ delay ══ zone router b ── card ── host
                      ║      ║
                      ╚delay═╝   within the zone, except between members of a cluster placement group

As in a VPC, addresses are routed one by one. Each network (subnet) has a routing table; the gateway of public
addresses, which may reach all networks, has one more. Packets to unknown addresses are dropped silently.
"""

from dataclasses import dataclass
from typing import Protocol, TypeVar

from lab.hosts.commands import ip, set_kernel_values
from lab.hosts.forwarder import DelayLine
from lab.hosts.profiles import Profiles

# The two ends of every link have these addresses, so that no link needs a subnet of its own.
UPSTREAM_GATEWAY = "169.254.1.1"
CARD_GATEWAY = "169.254.1.2"
# Routers, cards and gateways send their own ICMP messages (time exceeded, packet too big) from these addresses.
INFRASTRUCTURE = "169.254.0.0/16"
# S3's address for the hosts, from the second half of RFC 2544's range; the management network uses the first half.
STORE_ADDRESS = "198.19.0.1"
# Routing table for packets that have travelled their distance; it leads to the link of the address.
DELIVERY_TABLE = 200
# Routing table with the addresses of all networks.
ALL_NETWORKS_TABLE = 201
# Routing table for addresses in no network: the store's, and all others through the gateway of public addresses.
SERVICES_TABLE = 202
_FIRST_NETWORK_TABLE, _FIRST_GROUP_TABLE = 1000, 100_000
LOOP_ADDRESS = "169.254.3.1"
_LOOP_HARDWARE_ADDRESS = "02:00:00:00:00:02"
# Without a rate limit, every probe of a traceroute is answered, not just one per second.
ROUTER_VALUES = {
    "ipv4/ip_forward": "1",
    "ipv4/icmp_ratelimit": "0",
    "ipv4/conf/all/rp_filter": "0",
    "ipv4/conf/default/rp_filter": "0",
    "ipv4/conf/all/send_redirects": "0",
    "ipv6/conf/all/disable_ipv6": "1",
}


@dataclass(frozen=True)
class Place:
    """The place of an address: behind `link` of its zone's router."""

    zone: str
    link: str
    network: str
    cluster_group: str | None = None


class Service(Protocol):
    """A service with a link to every zone's router, which is told where every address is."""

    @property
    def is_running(self) -> bool: ...
    @property
    def waited_seconds(self) -> float | None: ...
    def join_zone(self, zone: str, router: str) -> None: ...
    def add_address(self, address: str, zone: str) -> None: ...
    def remove_address(self, address: str) -> None: ...
    def close(self) -> None: ...


AnyService = TypeVar("AnyService", bound=Service)


class Region:
    """Zone routers and the links between them; a zone's are created with its first host."""

    def __init__(self, profiles: Profiles) -> None:
        self._profiles = profiles
        self._zones: list[str] = []
        self._places: dict[str, Place] = {}
        self._lines: list[DelayLine] = []
        self._connections: set[frozenset[str]] = set()
        self._tables: dict[str, int] = {}
        self._groups: dict[str, int] = {}
        self._services: list[Service] = []

    def router(self, zone: str) -> str:
        if zone not in self._zones:
            self._add_zone(zone)
        return router_of(zone)

    def add_service(self, service: AnyService) -> AnyService:
        """Links a service to every zone, present and future, and returns it."""
        self._services.append(service)
        for zone in self._zones:
            service.join_zone(zone, router_of(zone))
        for address, place in self._places.items():
            service.add_address(address, place.zone)
        return service

    def add_address(self, address: str, place: Place) -> None:
        """Makes an address reachable from its own and connected networks, and waits until the links are ready."""
        if address in self._places:
            raise ValueError(f"private address: must be free, got {address}")
        self._places[address] = place
        for zone in self._zones:
            changes = self._routes(address, place, zone)
            if zone == place.zone:
                changes += self._link_changes(address, place)
            ip(*changes, namespace=router_of(zone))
        for service in self._services:
            service.add_address(address, place.zone)
        for line in self._lines:
            line.wait_until_ready()

    def remove_address(self, address: str) -> None:
        """Removes an address; the kernel removes the routes to its link with the link."""
        place = self._places.pop(address, None)
        if place is None:
            return
        for service in self._services:
            service.remove_address(address)
        for zone in self._zones:
            changes = [f"route del {address}/32 table {table}" for table in self._tables_with(place)]
            if zone == place.zone:
                changes += [f"rule del pref 40 iif {place.link}"]
                changes += [f"rule del pref 30 iif {place.link}"] if place.cluster_group else []
            ip(*changes, namespace=router_of(zone))

    def connect(self, network: str, other: str) -> None:
        """Gives each of two networks routes to all present and future addresses of the other."""
        connection = frozenset((network, other))
        if len(connection) != 2:
            raise ValueError(f"network: must be connected with another, got {network} twice")
        if connection not in self._connections:
            self._connections.add(connection)
            self._change_routes("replace", network, other)

    def disconnect(self, network: str, other: str) -> None:
        connection = frozenset((network, other))
        if connection in self._connections:
            self._connections.remove(connection)
            self._change_routes("del", network, other)

    @property
    def _forwarders(self) -> list[DelayLine | Service]:
        return [*self._lines, *self._services]

    @property
    def is_whole(self) -> bool:
        return all(forwarder.is_running for forwarder in self._forwarders)

    @property
    def waited_seconds(self) -> float | None:
        """The sum of the forwarding processes' waiting times for a processor; None if one of them is unknown."""
        waited = [forwarder.waited_seconds for forwarder in self._forwarders]
        return None if None in waited else sum(seconds or 0 for seconds in waited)

    def close(self) -> None:
        for forwarder in reversed(self._forwarders):
            forwarder.close()
        for zone in self._zones:
            ip(f"netns del {router_of(zone)}")

    def _add_zone(self, zone: str) -> None:
        router = router_of(zone)
        if any(known[-1] == zone[-1] for known in self._zones):
            raise ValueError(f"zone: must differ from {', '.join(self._zones)} in its last letter, got {zone}")
        ip(f"netns add {router}")
        set_kernel_values(router, ROUTER_VALUES)
        ip(
            "link set lo up",
            f"addr add {UPSTREAM_GATEWAY}/32 dev lo",
            # A router would reject its own messages if they came back through the loop, so they bypass it.
            f"rule add pref 10 iif lo lookup {DELIVERY_TABLE}",
            f"rule add pref 11 iif lo lookup {ALL_NETWORKS_TABLE}",
            f"rule add pref 90 lookup {SERVICES_TABLE}",
            "route add blackhole default",
            namespace=router,
        )
        self._loop(zone)
        for other in self._zones:
            self._join(zone, other)
        ip(
            *(change for address, place in self._places.items() for change in self._routes(address, place, zone)),
            namespace=router,
        )
        self._zones.append(zone)
        for service in self._services:
            service.join_zone(zone, router)

    def _routes(self, address: str, place: Place, zone: str) -> list[str]:
        way = self._way(place, zone)
        return [f"route replace {address}/32 {way} table {table}" for table in self._tables_with(place)]

    def _way(self, place: Place, zone: str) -> str:
        if place.zone == zone:
            return f"via {LOOP_ADDRESS} dev far-out onlink"
        return f"via {_gateway(place.zone)} dev to-{place.zone[-1]} onlink"

    def _link_changes(self, address: str, place: Place) -> list[str]:
        way = f"via {CARD_GATEWAY} dev {place.link} onlink"
        changes = [f"route replace {address}/32 {way} table {DELIVERY_TABLE}"]
        changes += [f"rule add pref 40 iif {place.link} lookup {self._table(place.network)}"]
        if place.cluster_group:
            group = self._groups.setdefault(place.cluster_group, _FIRST_GROUP_TABLE + len(self._groups))
            changes += [f"route replace {address}/32 {way} table {group}"]
            changes += [f"rule add pref 30 iif {place.link} lookup {group}"]
        return changes

    def _change_routes(self, verb: str, network: str, other: str) -> None:
        tables = {network: self._table(other), other: self._table(network)}
        for zone in self._zones:
            changes = [
                f"route {verb} {address}/32 {self._way(place, zone) if verb == 'replace' else ''}"
                f" table {tables[place.network]}"
                for address, place in self._places.items()
                if place.network in tables
            ]
            ip(*changes, namespace=router_of(zone))

    def _table(self, network: str) -> int:
        return self._tables.setdefault(network, _FIRST_NETWORK_TABLE + len(self._tables))

    def _tables_with(self, place: Place) -> list[int]:
        peers = {network for connection in self._connections if place.network in connection for network in connection}
        return [ALL_NETWORKS_TABLE, *sorted(self._table(network) for network in peers | {place.network})]

    def _loop(self, zone: str) -> None:
        """Adds the delay within a zone: a link that leaves the router and leads back into it."""
        router = router_of(zone)
        ends = (router, "far-out"), (router, "far-in")
        self._lines.append(DelayLine(zone[-1], *ends, self._profiles.same_zone_micros))
        close_loop(router, DELIVERY_TABLE)

    def _join(self, zone: str, other: str) -> None:
        near, far = (router_of(zone), f"to-{other[-1]}"), (router_of(other), f"to-{zone[-1]}")
        self._lines.append(DelayLine(zone[-1] + other[-1], near, far, self._profiles.between_zones_micros))
        for (router, link), own_zone in ((near, zone), (far, other)):
            # The router's ARP requests need an address of the link's own, because all routers share the other one.
            ip(
                f"link set {link} up",
                f"addr add {_gateway(own_zone)}/32 dev {link}",
                f"rule add pref 20 iif {link} lookup {DELIVERY_TABLE}",
                namespace=router,
            )


def close_loop(router: str, arrivals_table: int) -> None:
    """Sets up far-out and far-in, the ends of a link from a router to itself; what arrives is routed anew."""
    ip(
        f"link set far-in address {_LOOP_HARDWARE_ADDRESS} up",
        "link set far-out up",
        # The router would not answer its own ARP request for this address.
        f"neigh add {LOOP_ADDRESS} lladdr {_LOOP_HARDWARE_ADDRESS} dev far-out",
        f"rule add pref 20 iif far-in lookup {arrivals_table}",
        namespace=router,
    )


def router_of(zone: str) -> str:
    return f"zone-{zone}"


def _gateway(zone: str) -> str:
    # Each router has an address of its own on the links between zones.
    return f"169.254.2.{ord(zone[-1])}"
