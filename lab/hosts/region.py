"""The network between the hosts' cards: one router per zone, joined by links that add the delay between zones.

    host ── card ── zone router a ══ delay ══ zone router b ── card ── host

Addresses of hosts are routed one by one, as in a VPC; there is no other route, so nothing leaves the region.
"""

import subprocess
import sys
from pathlib import Path

from lab.hosts.commands import NetworkCommandError, ip, namespace_path, set_kernel_values, tool
from lab.hosts.profiles import Profiles

MTU_BYTES = 9001
# Both ends of every link carry one of these, so that no link needs a subnet of its own.
UPSTREAM_GATEWAY = "169.254.1.1"
CARD_GATEWAY = "169.254.1.2"


class Region:
    """Zone routers and the links between them, made when the first host of a zone is."""

    def __init__(self, profiles: Profiles) -> None:
        self._profiles = profiles
        self._zones: list[str] = []
        self._zone_of_address: dict[str, str] = {}
        self._delays: list[subprocess.Popen[bytes]] = []

    def router(self, zone: str) -> str:
        """The namespace that routes for a zone."""
        if zone not in self._zones:
            self._add_zone(zone)
        return _router(zone)

    def add_route(self, address: str, zone: str, link: str) -> None:
        """Makes an address of `zone`, behind `link` of its router, reachable from every zone."""
        if address in self._zone_of_address:
            raise ValueError(f"private address: must be free, got {address}")
        ip(f"route replace {address}/32 via {CARD_GATEWAY} dev {link} onlink", namespace=_router(zone))
        self._zone_of_address[address] = zone
        for other in self._zones:
            if other != zone:
                self._route_to_zone(address, zone, other)

    def remove_route(self, address: str) -> None:
        """Forgets an address; in its own zone the route goes with the link."""
        zone = self._zone_of_address.pop(address, None)
        for other in self._zones:
            if zone is not None and other != zone:
                ip(f"route del {address}/32", namespace=_router(other))

    @property
    def is_whole(self) -> bool:
        """Whether every link between zones still carries."""
        return all(delay.poll() is None for delay in self._delays)

    def close(self) -> None:
        """Ends the links and removes the routers."""
        for delay in self._delays:
            delay.kill()
            delay.wait()
        for zone in self._zones:
            ip(f"netns del {_router(zone)}")
        self._zones.clear()
        self._delays.clear()

    def _add_zone(self, zone: str) -> None:
        router = _router(zone)
        if any(known[-1] == zone[-1] for known in self._zones):
            raise ValueError(f"zone: must differ from {', '.join(self._zones)} in its last letter, got {zone}")
        ip(f"netns add {router}")
        no_filter = {
            "ipv4/conf/all/rp_filter": "0",
            "ipv4/conf/default/rp_filter": "0",
            "ipv4/conf/all/send_redirects": "0",
        }
        set_kernel_values(router, {"ipv4/ip_forward": "1", "ipv6/conf/all/disable_ipv6": "1", **no_filter})
        ip("link set lo up", f"addr add {UPSTREAM_GATEWAY}/32 dev lo", namespace=router)
        for other in self._zones:
            self._join(zone, other)
        for address, home in self._zone_of_address.items():
            self._route_to_zone(address, home, zone)
        self._zones.append(zone)

    def _route_to_zone(self, address: str, zone: str, router_zone: str) -> None:
        ip(f"route replace {address}/32 via {_gateway(zone)} dev to-{zone[-1]} onlink", namespace=_router(router_zone))

    def _join(self, zone: str, other: str) -> None:
        delay = f"delay-{zone[-1]}{other[-1]}"
        ip(f"netns add {delay}")
        set_kernel_values(delay, {"ipv6/conf/all/disable_ipv6": "1"})
        for near, far in ((zone, other), (other, zone)):
            ip(
                f"link add name to-{far[-1]} mtu {MTU_BYTES} netns {_router(near)} type veth"
                f" peer name zone-{near[-1]} mtu {MTU_BYTES} netns {delay}"
            )
            # On the link itself, so that the router asks for its neighbour in this name: the other one is every
            # router's.
            ip(f"link set to-{far[-1]} up", f"addr add {_gateway(near)}/32 dev to-{far[-1]}", namespace=_router(near))
            ip(f"link set zone-{near[-1]} up", namespace=delay)
        forwarder = [
            tool("nsenter"),
            f"--net={namespace_path(delay)}",
            sys.executable,
            str(Path(__file__).with_name("zone_delay.py")),
            f"zone-{zone[-1]}",
            f"zone-{other[-1]}",
            str(self._profiles.one_way_micros(zone, other)),
        ]
        process = subprocess.Popen(forwarder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        assert process.stdout is not None
        # Packets sent before it listens would be lost, and with them a second until the next question for an address.
        if process.stdout.readline() != b"ready\n":
            process.kill()
            raise NetworkCommandError(f"delay between {zone} and {other}: must start, got exit code {process.wait()}")
        self._delays.append(process)


def _router(zone: str) -> str:
    return f"zone-{zone}"


def _gateway(zone: str) -> str:
    # Each router answers for its own address on the links between zones.
    return f"169.254.2.{ord(zone[-1])}"
