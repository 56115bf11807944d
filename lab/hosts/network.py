"""Everything between the hosts' cards: the region and what is attached to it, each made when first needed."""

from functools import cached_property
from pathlib import Path

from lab.hosts.internet import Internet
from lab.hosts.load_balancer import LoadBalancers
from lab.hosts.management import ManagementNetwork
from lab.hosts.profiles import Profiles
from lab.hosts.region import Place, Region
from lab.hosts.settings import HostSettings
from lab.hosts.store import Store


class Network:
    """The region, its public addresses, load balancers and store; only one thread at a time may call it."""

    def __init__(self, profiles: Profiles, directory: Path, store_port: int) -> None:
        self.management = ManagementNetwork()
        self.region = Region(profiles)
        self.balancers = LoadBalancers(self.region)
        self._public_path_micros = profiles.public_path_micros
        self._directory = directory
        self._store_port = store_port

    @cached_property
    def store(self) -> Store:
        return self.region.add_service(Store(self._directory, self._store_port, self.management))

    @cached_property
    def _internet(self) -> Internet:
        return self.region.add_service(Internet(self._public_path_micros))

    def attach(self, zone: str, link: str, address: str, settings: HostSettings) -> None:
        self.region.add_address(address, Place(zone, link, settings.network, settings.cluster_group))
        if settings.public_ip is not None:
            try:
                self._internet.publish(settings.public_ip, address)
            except BaseException:
                self.region.remove_address(address)
                raise

    def detach(self, address: str, settings: HostSettings) -> None:
        if settings.public_ip is not None:
            self._internet.withdraw(settings.public_ip, address)
        self.region.remove_address(address)

    def close(self) -> None:
        for name in self.balancers.names():
            self.balancers.remove(name)
        self.region.close()
        self.management.close()
