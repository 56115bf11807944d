"""One host of the fleet: its place in the network, its card and its machine."""

from contextlib import ExitStack
from pathlib import Path

from lab.hosts.card import Card
from lab.hosts.commands import ip, is_listening, set_kernel_values, tc
from lab.hosts.machine import Machine
from lab.hosts.network import Network
from lab.hosts.settings import Launch

# The burst must hold at least one super-packet.
_BURST_BYTES = 131072
# Queue of the interface while a fault withholds processors; it has room for several flows.
_QUEUE_BYTES = 8_000_000
# EC2 limits a single flow, so more streams carry more, until the card is full. Each flow belongs to a class by the low
# bits of its ephemeral port. The neighbouring ports of one tool's streams seldom share a class; if two do, they share
# its rate. ICMP has no ports and is not limited.
_CLASSES = 64
# How many bytes a class may send per turn; the kernel warns that the default, which depends on the rate, is too large.
_QUANTUM_BYTES = 60000
_EPHEMERAL_PORT = "0x8000 0x8000"


class Host:
    """Creates a host with its network namespace, card and machine; a failure leaves nothing behind."""

    def __init__(self, launch: Launch, network: Network, tools: Path) -> None:
        self.launch = launch
        self.allowed_sources: set[str] = set()
        self._cpu_share = 1.0
        address, settings = launch.private_ip, launch.settings
        # Removal goes in reverse order: the machine ends first, while it can still reach its peers.
        with ExitStack() as removal:
            for made in (launch.namespace, launch.card_namespace):
                ip(f"netns add {made}")
                removal.callback(ip, f"netns del {made}")
            set_kernel_values(launch.namespace, {"ipv6/conf/all/disable_ipv6": "1"})
            self.card = Card(launch, network.region.router(launch.zone))
            removal.callback(self.card.close)
            self._limit_sending()
            removal.callback(network.management.disconnect, launch.number)
            network.management.connect(launch.namespace, launch.number)
            network.attach(launch.zone, launch.link, address, settings)
            removal.callback(network.detach, address, settings)
            self.machine = Machine(launch.instance_id, launch.namespace, tools, launch.directory, settings.has_tools)
            removal.callback(self.machine.kill)
            interface = f"/proc/{self.machine.process_id}/root/sys/class/net/eth0"
            self._mtu = removal.enter_context(open(f"{interface}/mtu", "rb", buffering=0))
            counters = f"/proc/{self.machine.process_id}/net/snmp"
            self._ip_counters = removal.enter_context(open(counters, "rb", buffering=0))
            self._removal = removal.pop_all()

    def remove(self) -> None:
        self._removal.close()

    def pass_time(self, withheld_seconds: float | None) -> None:
        """Updates the card by what the host did since the last call; see `processor.withheld_seconds`."""
        self._mtu.seek(0)
        self.card.follow_mtu(int(self._mtu.read()))
        self.card.pass_time(withheld_seconds, self._fragments())
        cpu_share, self._cpu_share = self._cpu_share, self.card.faults.cpu_share
        if cpu_share != self._cpu_share:
            self._limit_sending()

    def _limit_sending(self) -> None:
        """Limits each flow, or all flows together if a fault withholds processors: a sender that lacks processors sends
        later without loss, so its own interface is slow.
        """
        if self._cpu_share < 1:
            most = int(self.launch.profile.peak_bits_per_second * self._cpu_share)
            shape = f"rate {most}bit burst {_BURST_BYTES} limit {_QUEUE_BYTES}"
            tc(f"qdisc replace dev eth0 root tbf {shape}", namespace=self.launch.namespace)
        else:
            _limit_flows(self.launch.namespace, "eth0", self.launch.flow_cap_bits_per_second)

    def _fragments(self) -> int:
        """Returns how many IP fragments the host has made (RFC 4293: ipSystemStatsOutFragCreates)."""
        self._ip_counters.seek(0)
        names, values, *_ = self._ip_counters.read().splitlines()
        return int(dict(zip(names.split(), values.split(), strict=True))[b"FragCreates"])

    def is_listening(self, port: int) -> bool:
        try:
            return is_listening(self.machine.process_id, port)
        except OSError:
            if self.machine.is_running:
                raise
            return False


def _limit_flows(namespace: str, interface: str, bits_per_second: int) -> None:
    device = f"dev {interface}"
    numbers = range(_CLASSES)
    rate = f"htb rate {bits_per_second}bit burst {_BURST_BYTES} cburst {_BURST_BYTES} quantum {_QUANTUM_BYTES}"
    filters = f"filter add {device} parent 1: prio 1"
    by_source, by_destination = "10", "11"
    changes = [
        # Traffic in no class passes without a limit.
        f"qdisc replace {device} root handle 1: htb default 0",
        *(f"class add {device} parent 1: classid 1:{number + 1:x} {rate}" for number in numbers),
        *(f"{filters} handle {table}: protocol ip u32 divisor {_CLASSES}" for table in (by_source, by_destination)),
        *(
            f"{filters} protocol ip u32 ht {table}:{number:x}: match u32 0 0 flowid 1:{number + 1:x}"
            for table in (by_source, by_destination)
            for number in numbers
        ),
        # Both ports are in one 32-bit word, after an IP header without options.
        f"{filters} protocol ip u32 ht 800:: match ip sport {_EPHEMERAL_PORT}"
        f" hashkey mask 0x{_CLASSES - 1:x}0000 at 20 link {by_source}:",
        f"{filters} protocol ip u32 ht 800:: match ip dport {_EPHEMERAL_PORT}"
        f" hashkey mask 0x{_CLASSES - 1:x} at 20 link {by_destination}:",
    ]
    tc(*changes, namespace=namespace)
