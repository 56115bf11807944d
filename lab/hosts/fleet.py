"""All hosts of one lab: made at RunInstances, ended at TerminateInstances, with the network between them.

The embedded AWS calls this from its own process, from any thread. Everything here lives in the lab's namespaces
(lab/namespace.py); `close` is for tidiness, the end of those namespaces removes whatever is left.
"""

import logging
import socket
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lab.hosts.card import Card
from lab.hosts.commands import NetworkCommandError, ip, namespace_path, run, set_kernel_values
from lab.hosts.machine import Machine, prepare_tools
from lab.hosts.profiles import Profile, Profiles
from lab.hosts.region import Place, Region
from lab.hosts.settings import HostSettings

_log = logging.getLogger(__name__)

# Set aside for network benchmarks by RFC 2544: no VPC and no public address of this machine is there.
_MANAGEMENT_NETWORK = "198.18"
_MANAGEMENT_BRIDGE = "management"
# A bridge left to itself takes the lowest of its ports' addresses: when that host ends, the others go on sending to an
# address that is gone, and the embedded AWS is out of their reach for half a minute.
_MANAGEMENT_HARDWARE_ADDRESS = "02:00:00:00:00:01"
_ORDINARY = HostSettings()
_RATE_CHANGE_SECONDS = 0.05
_COUNTER_SECONDS = 0.25


class UnknownHostError(LookupError):
    """No host of this name was created, or it was destroyed."""


@dataclass
class _Host:
    number: int
    zone: str
    private_ip: str
    environment: dict[str, str]
    settings: HostSettings
    is_routed: bool = False
    # Both are there once the host has been created.
    card: Card | None = None
    machine: Machine | None = None

    @property
    def management_link(self) -> str:
        return f"host{self.number}"


class HostFleet:
    """Creates, reaches and ends hosts. Every method may be called from any thread."""

    def __init__(self, work_dir: Path, endpoint_port: int, profiles: Profiles) -> None:
        self.profiles = profiles
        self._work_dir = work_dir
        self._endpoint_port = endpoint_port
        self._hosts: dict[str, _Host] = {}
        self._created = 0
        # One guards what is made and removed, for as long as that takes; the other the table of hosts, for a moment:
        # the clock that changes rates must not wait for a launch.
        self._change_lock = threading.RLock()
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._tools = prepare_tools(work_dir / "tools")
        self._region = Region(profiles)
        ip(
            f"link add {_MANAGEMENT_BRIDGE} address {_MANAGEMENT_HARDWARE_ADDRESS} type bridge",
            f"addr add {_MANAGEMENT_NETWORK}.0.1/16 dev {_MANAGEMENT_BRIDGE}",
            f"link set {_MANAGEMENT_BRIDGE} up",
        )
        self._clock = threading.Thread(target=self._pass_time, name="network-credits", daemon=True)
        self._clock.start()

    @property
    def endpoint_host(self) -> str:
        """The address at which the hosts reach the embedded AWS; it must listen there or on all addresses."""
        return f"{_MANAGEMENT_NETWORK}.0.1"

    @property
    def endpoint_url(self) -> str:
        return f"http://{self.endpoint_host}:{self._endpoint_port}"

    def create_host(
        self,
        instance_id: str,
        instance_type: str,
        zone: str,
        private_ip: str,
        environment: dict[str, str],
        settings: HostSettings = _ORDINARY,
    ) -> None:
        """Starts a host with full credits that accepts no traffic yet. Every command on it gets `environment`."""
        profile = self.profiles.profile(instance_type)
        with self._change_lock:
            if instance_id in self._hosts:
                raise ValueError(f"instance id: must be new, got {instance_id}")
            self._created += 1
            host = _Host(self._created, zone, private_ip, dict(environment), settings)
            try:
                self._start(instance_id, host, profile)
            except BaseException:
                self._remove(instance_id, host)
                raise
            with self._lock:
                self._hosts[instance_id] = host

    def set_allowed_sources(self, instance_id: str, sources: set[str]) -> None:
        """Security rules of one host: the addresses or networks (CIDR) it accepts traffic from.

        Stateless: answers come in only if the answering host's address is allowed, too. Members of one security group
        allow each other, so for them it makes no difference.
        """
        with self._lock:
            self._card(instance_id).allow_sources(set(sources))

    def set_peers(self, instance_id: str, peer_instance_ids: set[str]) -> None:
        """As set_allowed_sources, by instance: the hosts that share a security group with this one."""
        with self._lock:
            addresses = {self._hosts[peer].private_ip for peer in peer_instance_ids if peer in self._hosts}
            self._card(instance_id).allow_sources(addresses)

    def command(self, instance_id: str, argv: list[str], working_directory: str = "/") -> list[str]:
        """The command line that runs `argv` as root on a running host."""
        with self._lock:
            return self._machine(instance_id).command(argv, working_directory)

    def environment(self, instance_id: str) -> dict[str, str]:
        """What create_host was given for the commands of this host."""
        with self._lock:
            return dict(self._host(instance_id).environment)

    def is_running(self, instance_id: str) -> bool:
        with self._lock:
            host = self._hosts.get(instance_id)
        return host is not None and host.machine is not None and host.machine.is_running

    def kill_host(self, instance_id: str) -> None:
        """Ends everything on the host at once, as a power cut does: no connection is closed, its address is silent."""
        with self._lock:
            card, machine = self._card(instance_id), self._machine(instance_id)
        # First the line, or the kernel would take leave of the peers in the name of the killed processes.
        card.disconnect()
        machine.kill()

    def destroy_host(self, instance_id: str) -> None:
        """Removes the host and all that belongs to it; one that is gone already is no error."""
        with self._change_lock:
            with self._lock:
                host = self._hosts.pop(instance_id, None)
            if host is not None:
                self._remove(instance_id, host)

    def is_listening(self, instance_id: str, port: int) -> bool:
        """Whether a program on the host listens on this TCP port, at any of its addresses."""
        raise NotImplementedError

    def add_load_balancer(self, name: str, zone: str, address: str, network: str = "main") -> None:
        """Makes a load balancer with a private address of its own in a zone; nobody may reach it yet.

        The target sees the load balancer's address as the source, so what its security group must admit is that
        address; the lab's cards admit the answers to the clients by themselves.
        """
        raise NotImplementedError

    def set_load_balancer_sources(self, name: str, sources: set[str]) -> None:
        """The security group of a load balancer: the addresses or networks (CIDR) that may reach it."""
        raise NotImplementedError

    def set_listener(
        self,
        name: str,
        port: int,
        protocols: set[Literal["tcp", "udp"]],
        target_instance_id: str,
        target_port: int,
        idle_timeout_seconds: int,
    ) -> None:
        """Forwards a port of the load balancer to a port of one host; replaces the port's listener if there is one.

        The idle timeout is that of TCP; a silent UDP flow is forgotten after 120 s.
        """
        raise NotImplementedError

    def remove_listener(self, name: str, port: int) -> None:
        """Ends a listener and its flows; one that is gone already is no error."""
        raise NotImplementedError

    def remove_load_balancer(self, name: str) -> None:
        """Removes a load balancer with its listeners; one that is gone already is no error."""
        raise NotImplementedError

    def connect_networks(self, network: str, other: str) -> None:
        """Peers two networks: from now on their hosts reach each other, as far as their security rules let them."""
        with self._change_lock:
            self._region.connect(network, other)

    def disconnect_networks(self, network: str, other: str) -> None:
        """Ends the peering of two networks; one that is gone already is no error."""
        with self._change_lock:
            self._region.disconnect(network, other)

    @property
    def store_endpoint_url(self) -> str:
        """The embedded AWS at an address that hosts reach through their cards, so that its traffic spends credits.

        The same address speaks TLS to a client that begins it (`https://`), with `store_certificate_path`.
        """
        raise NotImplementedError

    @property
    def store_certificate_path(self) -> Path:
        """The certificate of the store's own authority, which signs what the store shows; for a client's `--cacert`."""
        raise NotImplementedError

    def close(self) -> None:
        """Ends all hosts and the network between them."""
        self._closed.set()
        self._clock.join()
        with self._change_lock:
            for instance_id in list(self._hosts):
                self.destroy_host(instance_id)
            self._region.close()
            ip(f"link del {_MANAGEMENT_BRIDGE}")

    def _host(self, instance_id: str) -> _Host:
        try:
            return self._hosts[instance_id]
        except KeyError:
            raise UnknownHostError(f"instance id: must be of a host of the lab, got {instance_id}") from None

    def _card(self, instance_id: str) -> Card:
        card = self._host(instance_id).card
        assert card is not None
        return card

    def _machine(self, instance_id: str) -> Machine:
        machine = self._host(instance_id).machine
        assert machine is not None
        return machine

    def _start(self, instance_id: str, host: _Host, profile: Profile) -> None:
        router = self._region.router(host.zone)
        directory = self._work_dir / instance_id
        host_namespace, card_namespace = f"host-{instance_id}", f"card-{instance_id}"
        link = f"card{host.number}"
        ip(f"netns add {host_namespace}", f"netns add {card_namespace}")
        set_kernel_values(host_namespace, {"ipv6/conf/all/disable_ipv6": "1"})
        host.card = Card(
            card_namespace,
            host_namespace,
            router,
            link,
            host.private_ip,
            profile,
            host.settings,
            directory / "state",
        )
        self._connect_management(host_namespace, host.management_link, host.number)
        host.machine = Machine(instance_id, host_namespace, self._tools, directory)
        place = Place(host.zone, link, host.settings.network, host.settings.cluster_group)
        self._region.add_address(host.private_ip, place)
        host.is_routed = True

    def _remove(self, instance_id: str, host: _Host) -> None:
        """Removes what there is of a host, also of one that was made halfway."""
        if host.machine:
            host.machine.kill()
        if host.card:
            host.card.close()
        if host.is_routed:
            self._region.remove_address(host.private_ip)
        # The kernel takes a namespace's links away some time after its end; this name must be free at once.
        if host.management_link in (name for _, name in socket.if_nameindex()):
            ip(f"link del {host.management_link}")
        for namespace in (f"card-{instance_id}", f"host-{instance_id}"):
            if Path(namespace_path(namespace)).exists():
                ip(f"netns del {namespace}")

    def _connect_management(self, host_namespace: str, link: str, number: int) -> None:
        address = f"{_MANAGEMENT_NETWORK}.{number // 250 + 1}.{number % 250 + 1}"
        ip(
            f"link add name mgmt0 netns {host_namespace} type veth peer name {link}",
            f"link set {link} master {_MANAGEMENT_BRIDGE} up",
        )
        # Hosts reach the embedded AWS over this bridge, never each other: all traffic between them passes their cards.
        run(["bridge", "link", "set", "dev", link, "isolated", "on"])
        ip(
            f"addr add {address}/32 dev mgmt0",
            "link set mgmt0 up",
            f"route add {_MANAGEMENT_NETWORK}.0.1/32 dev mgmt0 src {address}",
            namespace=host_namespace,
        )

    def _pass_time(self) -> None:
        counters_due_seconds = 0.0
        was_whole = True
        while not self._closed.wait(_RATE_CHANGE_SECONDS):
            is_due = time.monotonic() >= counters_due_seconds
            if is_due:
                counters_due_seconds = time.monotonic() + _COUNTER_SECONDS
            with self._lock:
                if was_whole and not self._region.is_whole:
                    was_whole = False
                    _log.error("region: every link between zones must carry, got one that ended")
                cards = [host.card for host in self._hosts.values() if host.card]
            for card in cards:
                if is_due or card.needs_rate_changes:
                    self._pass_time_of(card)

    def _pass_time_of(self, card: Card) -> None:
        try:
            card.pass_time()
        except (OSError, NetworkCommandError):
            with self._lock:
                is_there = any(host.card is card for host in self._hosts.values())
            # Its host may have been destroyed meanwhile; otherwise its counters, and perhaps its rate, stand still.
            if is_there:
                _log.exception("card %s: must be read and set, got an error", card.namespace)
