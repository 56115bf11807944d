"""One host of the fleet: its place, its card and its machine."""

from dataclasses import dataclass, field
from pathlib import Path

from lab.hosts.card import Card
from lab.hosts.commands import ip, namespace_path, set_kernel_values
from lab.hosts.flow_cap import limit_flows
from lab.hosts.machine import Machine
from lab.hosts.management import ManagementNetwork
from lab.hosts.network import Network
from lab.hosts.profiles import Profile
from lab.hosts.settings import HostSettings

_TCP_LISTENING = "0A"


@dataclass
class Host:
    """One host. Its card and machine exist once it has been started."""

    instance_id: str
    number: int
    zone: str
    private_ip: str
    environment: dict[str, str]
    settings: HostSettings
    allowed_sources: set[str] = field(default_factory=set)
    _is_attached: bool = False
    _card: Card | None = None
    _machine: Machine | None = None

    @property
    def card(self) -> Card:
        assert self._card is not None
        return self._card

    @property
    def machine(self) -> Machine:
        assert self._machine is not None
        return self._machine

    def start(
        self,
        profile: Profile,
        flow_cap_bits_per_second: int,
        network: Network,
        management: ManagementNetwork,
        tools: Path,
        directory: Path,
    ) -> None:
        """Makes the host with its network namespace, card and machine."""
        link = f"card{self.number}"
        router = network.region.router(self.zone)
        ip(f"netns add {self._namespace}", f"netns add {self._card_namespace}")
        set_kernel_values(self._namespace, {"ipv6/conf/all/disable_ipv6": "1"})
        self._card = Card(
            self._card_namespace,
            self._namespace,
            router,
            link,
            self.private_ip,
            f"169.254.{self.number // 250 + 8}.{self.number % 250 + 1}",
            profile,
            self.settings,
            directory / "state",
        )
        limit_flows(self._namespace, "eth0", flow_cap_bits_per_second)
        management.connect(self._namespace, self.number)
        self._machine = Machine(self.instance_id, self._namespace, tools, directory)
        network.attach(self.zone, link, self.private_ip, self.settings)
        self._is_attached = True

    def remove(self, network: Network, management: ManagementNetwork) -> None:
        """Removes the host, even if it was made only in part."""
        if self._machine:
            self._machine.kill()
        if self._card:
            self._card.close()
        if self._is_attached:
            network.detach(self.private_ip, self.settings)
        management.disconnect(self.number)
        for namespace in (self._card_namespace, self._namespace):
            if Path(namespace_path(namespace)).exists():
                ip(f"netns del {namespace}")

    def is_listening(self, port: int) -> bool:
        """Returns whether a program on the host listens on this TCP port at any address."""
        tables = Path(f"/proc/{self.machine.process_id}/net")
        try:
            sockets = [line for name in ("tcp", "tcp6") for line in (tables / name).read_text().splitlines()[1:]]
        except OSError:
            if self.machine.is_running:
                raise
            return False
        return any(
            fields[3] == _TCP_LISTENING and int(fields[1].rpartition(":")[2], 16) == port
            for fields in (line.split() for line in sockets)
        )

    @property
    def _namespace(self) -> str:
        return f"host-{self.instance_id}"

    @property
    def _card_namespace(self) -> str:
        return f"card-{self.instance_id}"
