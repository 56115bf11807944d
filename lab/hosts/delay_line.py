"""A link with a delay between two interfaces: a namespace without addresses in which a forwarder runs."""

from lab.hosts.commands import MTU_BYTES, ip, veth
from lab.hosts.forwarder import Forwarder


class DelayLine(Forwarder):
    """Makes the interfaces `first` and `second` (namespace, name) and carries packets between them."""

    def __init__(
        self,
        name: str,
        first: tuple[str, str],
        second: tuple[str, str],
        one_way_micros: int,
        mtu_bytes: int = MTU_BYTES,
    ) -> None:
        super().__init__(f"delay-{name}", {"ipv6/conf/all/disable_ipv6": "1"})
        ip(
            veth(first, (self.namespace, "first"), mtu_bytes),
            veth(second, (self.namespace, "second"), mtu_bytes),
        )
        ip("link set first up", "link set second up", namespace=self.namespace)
        self._start("zone_delay.py", "first", "second", str(one_way_micros))
