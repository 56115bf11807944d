"""Everything between the hosts' cards: the region and what is attached to it, each made when first needed."""

from pathlib import Path

from lab.hosts.internet import Internet
from lab.hosts.load_balancer import LoadBalancers
from lab.hosts.management import ENDPOINT_ADDRESS
from lab.hosts.profiles import Profiles
from lab.hosts.region import Place, Region
from lab.hosts.settings import HostSettings
from lab.hosts.store import Store


class Network:
    """The region, its public addresses, load balancers and store; only one thread at a time may call it."""

    def __init__(self, profiles: Profiles, directory: Path, store_port: int) -> None:
        self.region = Region(profiles)
        self.balancers = LoadBalancers(self.region)
        self._public_path_micros = profiles.public_path_micros
        self._directory = directory
        self._store_port = store_port
        self._internet: Internet | None = None
        self._store: Store | None = None

    def attach(self, zone: str, link: str, address: str, settings: HostSettings) -> None:
        """Makes a host reachable behind a link of its zone's router."""
        self.region.add_address(address, Place(zone, link, settings.network, settings.cluster_group))
        if settings.public_ip is not None:
            try:
                self._public_addresses().publish(settings.public_ip, address)
            except BaseException:
                self.region.remove_address(address)
                raise

    def detach(self, address: str, settings: HostSettings) -> None:
        """Removes a host that was attached."""
        if settings.public_ip is not None and self._internet is not None:
            self._internet.withdraw(settings.public_ip, address)
        self.region.remove_address(address)

    def _public_addresses(self) -> Internet:
        if self._internet is None:
            self._internet = Internet(self._public_path_micros)
            self.region.add_service(self._internet)
        return self._internet

    def store(self) -> Store:
        """Returns the store, and starts it at the first call."""
        if self._store is None:
            self._store = Store(self._directory, self._store_port, ENDPOINT_ADDRESS)
            self.region.add_service(self._store)
        return self._store

    @property
    def is_whole(self) -> bool:
        """Whether every process that forwards packets still runs."""
        services = [service for service in (self._internet, self._store) if service is not None]
        return self.region.is_whole and all(service.is_whole for service in services)

    def close(self) -> None:
        """Removes everything."""
        for name in self.balancers.names():
            self.balancers.remove(name)
        for service in (self._internet, self._store):
            if service is not None:
                service.close()
        self.region.close()
