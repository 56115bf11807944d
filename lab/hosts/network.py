"""Everything between the hosts' cards: the region and what is attached to it, each created when first needed."""

from functools import cached_property
from pathlib import Path

from lab.hosts.internet import Internet
from lab.hosts.load_balancer import LoadBalancer, UnknownLoadBalancerError
from lab.hosts.management import ManagementNetwork
from lab.hosts.profiles import Profiles
from lab.hosts.region import Place, Region
from lab.hosts.settings import HostSettings
from lab.hosts.store import Store


class Network:
    """The region with its public addresses, load balancers and store; only one thread at a time may call it."""

    def __init__(self, profiles: Profiles, directory: Path, store_port: int) -> None:
        self.management = ManagementNetwork()
        self.region = Region(profiles)
        self._balancers: dict[str, LoadBalancer] = {}
        self._balancer_count = 0
        self._public_path_micros = profiles.public_path_micros
        self._directory = directory
        self._store_port = store_port

    @cached_property
    def store(self) -> Store:
        return self.region.add_service(Store(self._directory, self._store_port, self.management))

    @cached_property
    def _internet(self) -> Internet:
        return self.region.add_service(Internet(self._public_path_micros))

    def add_balancer(self, name: str, zone: str, address: str, network: str) -> None:
        if name in self._balancers:
            raise ValueError(f"load balancer: must be new, got {name}")
        self._balancer_count += 1
        link = f"balancer{self._balancer_count}"
        balancer = LoadBalancer(link, self.region.router(zone), link, address)
        try:
            self.region.add_address(address, Place(zone, link, network))
        except ValueError:
            balancer.close()
            raise
        self._balancers[name] = balancer

    def balancer(self, name: str) -> LoadBalancer:
        try:
            return self._balancers[name]
        except KeyError:
            raise UnknownLoadBalancerError(f"load balancer: must be one of the lab, got {name}") from None

    def remove_balancer(self, name: str) -> None:
        """Removes a load balancer with its flows; an unknown one is no error."""
        balancer = self._balancers.pop(name, None)
        if balancer is not None:
            self.region.remove_address(balancer.address)
            balancer.close()

    def balancers_answering(self, client: str) -> set[str]:
        """Returns the addresses of the load balancers whose answers a client must admit."""
        return {balancer.address for balancer in self._balancers.values() if balancer.answers(client)}

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
        for name in list(self._balancers):
            self.remove_balancer(name)
        self.region.close()
        self.management.close()
