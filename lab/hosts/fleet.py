"""All hosts of one lab and the network between them, created at RunInstances and removed at TerminateInstances.

Everything is in the lab's namespaces (lab/namespace.py), which also end without `close`, with all that is in them.
"""

import logging
import threading
import time
from pathlib import Path
from typing import Literal

from lab.hosts.commands import NetworkCommandError
from lab.hosts.host import Host
from lab.hosts.load_balancer import Listener, LoadBalancer
from lab.hosts.machine import prepare_tools
from lab.hosts.management import ENDPOINT_ADDRESS
from lab.hosts.network import Network
from lab.hosts.path_fault import PathFault
from lab.hosts.processor import withheld_seconds
from lab.hosts.profiles import Profiles
from lab.hosts.settings import HostSettings, Launch

_log = logging.getLogger(__name__)

_ORDINARY = HostSettings()
_RATE_CHANGE_SECONDS = 0.05
_COUNTER_SECONDS = 0.25


class UnknownHostError(LookupError):
    """No host with this instance id exists."""


class HostFleet:
    """Creates, reaches and removes hosts. Every method may be called from any thread."""

    def __init__(self, work_dir: Path, endpoint_port: int, profiles: Profiles) -> None:
        self._profiles = profiles
        self._work_dir = work_dir
        self._endpoint_port = endpoint_port
        self._hosts: dict[str, Host] = {}
        self._created = 0
        self._faults: list[PathFault] = []
        # The first lock is held for long, while something is created or removed. The second guards the table of hosts
        # and is held briefly, because the clock that changes rates must not wait for a launch.
        self._change_lock = threading.RLock()
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._tools = prepare_tools(work_dir / "tools")
        self._network = Network(profiles, work_dir, endpoint_port)
        self._clock = threading.Thread(target=self._pass_time, name="network-credits", daemon=True)
        self._clock.start()

    @property
    def endpoint_url(self) -> str:
        """The URL of the embedded AWS for hosts; it must listen at this address or on all addresses."""
        return f"http://{ENDPOINT_ADDRESS}:{self._endpoint_port}"

    def slow_cards(self, instance_type: str, factor: float) -> None:
        """Reduces the cards of a type's hosts that are launched from now on to this share of their present capacity."""
        self._profiles = self._profiles.with_slower_cards(instance_type, factor)

    def set_path_faults(self, faults: list[str]) -> None:
        """Sets the faults (lab.hosts.path_fault) of the hosts that are launched from now on."""
        parsed = [PathFault.parse(fault) for fault in faults]
        for fault in parsed:
            if fault.instance_type is not None:
                self._profiles.profile(fault.instance_type)
        self._faults = parsed

    def create_host(
        self,
        instance_id: str,
        instance_type: str,
        zone: str,
        private_ip: str,
        environment: dict[str, str],
        settings: HostSettings = _ORDINARY,
    ) -> None:
        """Starts a host with full credits that admits no traffic yet. Every command on it gets `environment`."""
        profile = self._profiles.profile(instance_type)
        flow_cap = self._profiles.flow_cap(in_cluster_group=settings.cluster_group is not None)
        with self._change_lock:
            if instance_id in self._hosts:
                raise ValueError(f"instance id: must be new, got {instance_id}")
            self._created += 1
            launch = Launch(
                instance_id,
                self._created,
                zone,
                private_ip,
                dict(environment),
                settings,
                profile,
                flow_cap,
                [fault for fault in self._faults if fault.meets(instance_type)],
                self._work_dir / instance_id,
            )
            host = Host(launch, self._network, self._tools)
            with self._lock:
                self._hosts[instance_id] = host

    def set_allowed_sources(self, instance_id: str, sources: set[str]) -> None:
        """Sets the addresses or networks (CIDR) that a host admits, also for answers, because rules are stateless."""
        with self._change_lock, self._lock:
            host = self._host(instance_id)
            host.allowed_sources = set(sources)
            self._admit(host)

    def command(self, instance_id: str, argv: list[str]) -> list[str]:
        with self._lock:
            return self._host(instance_id).machine.command(argv)

    def environment(self, instance_id: str) -> dict[str, str]:
        with self._lock:
            return dict(self._host(instance_id).launch.environment)

    def is_running(self, instance_id: str) -> bool:
        with self._lock:
            host = self._hosts.get(instance_id)
        return host is not None and host.machine.is_running

    def kill_host(self, instance_id: str) -> None:
        """Ends everything on the host at once, like a power cut: it closes no connection and no longer answers."""
        with self._lock:
            host = self._host(instance_id)
        # Cut the link first; otherwise the kernel sends FIN for the killed processes and peers see a clean close.
        host.card.disconnect()
        host.machine.kill()

    def destroy_host(self, instance_id: str) -> None:
        """Removes the host and everything that belongs to it; an unknown one is no error."""
        with self._change_lock:
            with self._lock:
                host = self._hosts.pop(instance_id, None)
            if host is not None:
                host.remove()

    def is_listening(self, instance_id: str, port: int) -> bool:
        with self._lock:
            return self._host(instance_id).is_listening(port)

    def add_load_balancer(self, name: str, zone: str, address: str, network: str = "main") -> None:
        """Creates a load balancer with a private address in a zone; it admits no source yet. Targets must admit its
        address; clients' cards admit its answers without a rule.
        """
        with self._change_lock:
            self._network.add_balancer(name, zone, address, network)

    def set_load_balancer_sources(self, name: str, sources: set[str]) -> None:
        with self._change_lock:
            balancer = self._network.balancer(name)
            balancer.sources = frozenset(sources)
            self._apply(balancer)

    def set_listener(
        self,
        name: str,
        port: int,
        protocols: set[Literal["tcp", "udp"]],
        target_instance_id: str,
        target_port: int,
        idle_timeout_seconds: int,
    ) -> None:
        """Forwards a load balancer's port to a port of one host, in place of its former listener. The idle timeout
        applies to TCP; a silent UDP flow expires after 120 s.
        """
        with self._change_lock:
            target = self._host(target_instance_id).launch.private_ip
            balancer = self._network.balancer(name)
            balancer.listeners[port] = Listener(frozenset(protocols), target, target_port, idle_timeout_seconds)
            self._apply(balancer)

    def remove_listener(self, name: str, port: int) -> None:
        """Removes a listener and ends its flows; an unknown one is no error."""
        with self._change_lock:
            balancer = self._network.balancer(name)
            if balancer.listeners.pop(port, None) is not None:
                self._apply(balancer)

    def remove_load_balancer(self, name: str) -> None:
        with self._change_lock, self._lock:
            self._network.remove_balancer(name)
            self._admit(*self._hosts.values())

    def connect_networks(self, network: str, other: str) -> None:
        """Connects two networks, so that their hosts reach each other as far as security rules allow."""
        with self._change_lock:
            self._network.region.connect(network, other)

    def disconnect_networks(self, network: str, other: str) -> None:
        with self._change_lock:
            self._network.region.disconnect(network, other)

    @property
    def store_endpoint_url(self) -> str:
        """The URL of S3 for hosts, whose traffic goes through their cards and spends credits. With `https://`, the same
        address uses TLS, with the certificate at `store_certificate_path`.
        """
        with self._change_lock:
            return self._network.store.url

    @property
    def store_certificate_path(self) -> Path:
        """The store's self-signed certificate, for a client's `--cacert`."""
        with self._change_lock:
            return self._network.store.certificate_path

    def close(self) -> None:
        self._closed.set()
        self._clock.join()
        with self._change_lock:
            for instance_id in list(self._hosts):
                self.destroy_host(instance_id)
            self._network.close()

    def _host(self, instance_id: str) -> Host:
        try:
            return self._hosts[instance_id]
        except KeyError:
            raise UnknownHostError(f"instance id: must be of a host of the lab, got {instance_id}") from None

    def _admit(self, *hosts: Host) -> None:
        for host in hosts:
            host.card.allow_sources(host.allowed_sources | self._network.balancers_answering(host.launch.private_ip))

    def _apply(self, balancer: LoadBalancer) -> None:
        with self._lock:
            balancer.apply()
            self._admit(*self._hosts.values())

    def _pass_time(self) -> None:
        counters_due_seconds = 0.0
        withheld: float | None = None
        was_whole = True
        while not self._closed.wait(_RATE_CHANGE_SECONDS):
            is_due = time.monotonic() >= counters_due_seconds
            if is_due:
                counters_due_seconds = time.monotonic() + _COUNTER_SECONDS
            with self._lock:
                if was_whole and not self._network.region.is_whole:
                    was_whole = False
                    _log.error("network: every link and the store must forward packets, got one that ended")
                hosts = dict(self._hosts)
            if is_due:
                withheld = withheld_seconds(self._network.region.waited_seconds)
            for instance_id, host in hosts.items():
                if not is_due and not host.card.needs_rate_changes:
                    continue
                try:
                    host.pass_time(withheld)
                except (OSError, ValueError, NetworkCommandError):
                    with self._lock:
                        is_there = self._hosts.get(instance_id) is host
                    # The host may have been removed meanwhile. If not, its counters and rates no longer change.
                    if is_there:
                        _log.exception("card of %s: must be read and set, got an error", instance_id)
