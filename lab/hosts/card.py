"""A host's network card: a namespace between the host and its zone that shapes, filters and counts.

The host cannot reach it. Each direction has a bucket and a queue in front of its receiver, so that excess packets are
delayed and then dropped, as on EC2, and do not slow the sender's interface down.
"""

import json
import os
import time
from ipaddress import ip_network
from pathlib import Path

from lab.hosts.commands import ip, run, set_kernel_values
from lab.hosts.credits import CreditAccount, fits_kernel_bucket
from lab.hosts.link_watch import LinkWatch
from lab.hosts.profiles import Profile
from lab.hosts.queue_statistics import QueueReader, QueueStatistics
from lab.hosts.region import CARD_GATEWAY, INFRASTRUCTURE, MTU_BYTES, ROUTER_VALUES, STORE_ADDRESS, UPSTREAM_GATEWAY
from lab.hosts.settings import HostSettings

# One super-packet must fit.
_PACKET_BYTES = 131072
# How long a delay of a busy machine may be made up for at the peak rate; after a longer one the link was idle.
_CATCH_UP_SECONDS = 0.008
# The rest of a bucket that the 64-bit account takes as spent, in seconds of the baseline; less than its _SPENT_SECONDS.
_REMAINING_SECONDS = 0.25
# Deep enough for many flows, shallow enough to keep latency in the tens of milliseconds.
_QUEUE_BYTES = 2_000_000
_UNUSED_COUNTERS = ("pps_allowance_exceeded", "conntrack_allowance_exceeded", "linklocal_allowance_exceeded")
# The lab does not simulate ENA Express, so nothing is ever sent over it.
_UNUSED_SRD_COUNTERS = (
    "ena_srd_tx_pkts",
    "ena_srd_eligible_tx_pkts",
    "ena_srd_rx_pkts",
    "ena_srd_resource_utilization",
)


class Card:
    """Shaping and packet filter of one host. Only the fleet's clock thread calls `pass_time`."""

    def __init__(
        self,
        namespace: str,
        host_namespace: str,
        router: str,
        link: str,
        address: str,
        own_address: str,
        profile: Profile,
        settings: HostSettings,
        state: Path,
    ) -> None:
        self.namespace = namespace
        self.needs_rate_changes = not profile.is_steady and not fits_kernel_bucket(profile)
        self._profile = profile
        self._state = state
        # The driver's code: the first bit is ENA Express, the second its use for UDP.
        self._srd_mode = settings.ena_srd_enabled + 2 * settings.ena_srd_udp_enabled
        self._allowed: set[str] = set()
        self._connect(host_namespace, router, link, address, own_address)
        self._directions = {"in": _Direction("host0", profile), "out": _Direction("up0", profile)}
        for direction in self._directions.values():
            run(["tc", "-n", namespace, *direction.initial_queue()])
        self._reader = QueueReader(namespace)
        self._watch = LinkWatch(host_namespace, "eth0")
        indices = _interface_indices(namespace)
        for direction in self._directions.values():
            direction.index = indices[direction.interface]
        state.mkdir(parents=True, exist_ok=True)
        (state / "ena-driver").write_text("driver: ena\nversion: lab\nfirmware-version: \nbus-info: lab\n")
        self._write_counters()

    def allow_sources(self, sources: set[str]) -> None:
        """Accepts traffic from these addresses or networks only, and drops the rest silently."""
        # An address and its /32 give the same rule.
        sources = {str(ip_network(source)) for source in sources}
        changes = [f"rule add pref 200 iif up0 from {source} lookup main" for source in sorted(sources - self._allowed)]
        changes += [
            f"rule del pref 200 iif up0 from {source} lookup main" for source in sorted(self._allowed - sources)
        ]
        if changes:
            ip(*changes, namespace=self.namespace)
        self._allowed = sources

    def disconnect(self) -> None:
        """Cuts the link: from now on the host sends nothing, not even the end of a connection."""
        ip("link set up0 down", namespace=self.namespace)

    def pass_time(self) -> None:
        """Accounts for the traffic since the last call, and changes rates and counters accordingly."""
        mtu_bytes = self._watch.changed_mtu_bytes()
        if mtu_bytes is not None:
            # The other end of the link must follow, so that the sender of a too long packet gets an ICMP error.
            ip(f"link set host0 mtu {mtu_bytes}", namespace=self.namespace)
        now = time.monotonic()
        queues = self._reader.read()
        is_changed = False
        for name, direction in self._directions.items():
            change = direction.pass_time(now, queues[direction.index])
            is_changed = is_changed or change.counted
            if change.spent_changed:
                if self.needs_rate_changes:
                    run(["tc", "-n", self.namespace, *direction.changed_queue()])
                self._log(name, direction)
        if is_changed:
            self._write_counters()

    def close(self) -> None:
        self._reader.close()
        self._watch.close()

    def _connect(self, host_namespace: str, router: str, link: str, address: str, own_address: str) -> None:
        ip(
            f"link add name eth0 mtu {MTU_BYTES} netns {host_namespace} type veth"
            f" peer name host0 mtu {MTU_BYTES} netns {self.namespace}",
            f"link add name up0 mtu {MTU_BYTES} netns {self.namespace} type veth"
            f" peer name {link} mtu {MTU_BYTES} netns {router}",
        )
        set_kernel_values(self.namespace, ROUTER_VALUES)
        ip(
            "link set lo up",
            "link set host0 up",
            "link set up0 up",
            # The first is the source of the card's own ICMP messages; the second is the same on every card.
            f"addr add {own_address}/32 dev lo",
            f"addr add {CARD_GATEWAY}/32 dev lo",
            f"route add {address}/32 dev host0",
            f"route add default via {UPSTREAM_GATEWAY} dev up0 onlink",
            # EC2's source check, and the default of a security group: nothing is admitted.
            f"rule add pref 100 iif host0 from {address} lookup main",
            "rule add pref 110 iif host0 blackhole",
            f"rule add pref 120 iif up0 from {INFRASTRUCTURE} ipproto icmp lookup main",
            f"rule add pref 130 iif up0 from {STORE_ADDRESS} lookup main",
            "rule add pref 210 iif up0 blackhole",
            namespace=self.namespace,
        )
        ip(f"link set {link} up", namespace=router)
        ip(
            "link set lo up",
            "link set eth0 up",
            f"addr add {address}/32 dev eth0",
            f"route add {CARD_GATEWAY}/32 dev eth0",
            # EC2's images use cubic; this machine's default may differ.
            f"route add default via {CARD_GATEWAY} dev eth0 src {address} congctl cubic",
            namespace=host_namespace,
        )

    def _log(self, name: str, direction: "_Direction") -> None:
        line = {"atSeconds": time.time(), "direction": name, "creditsSpent": direction.is_spent}
        with (self._state.parent / "credits.ndjson").open("a") as log:
            log.write(json.dumps(line) + "\n")

    def _write_counters(self) -> None:
        lines = ["NIC statistics:"]
        lines += [f"     bw_{name}_allowance_exceeded: {d.exceeded_packets}" for name, d in self._directions.items()]
        lines += [f"     {name}: 0" for name in _UNUSED_COUNTERS]
        lines += [f"     ena_srd_mode: {self._srd_mode}", *(f"     {name}: 0" for name in _UNUSED_SRD_COUNTERS)]
        draft = self._state / ".ena-statistics"
        draft.write_text("\n".join(lines) + "\n")
        os.replace(draft, self._state / "ena-statistics")


class _Change:
    def __init__(self, spent_changed: bool, counted: bool) -> None:
        self.spent_changed = spent_changed
        self.counted = counted


class _Direction:
    """One bucket of the card and its counter.

    The counter counts packets that are delayed or dropped while the credits are spent. A queue at the peak rate means a
    full link, not an exceeded allowance. So the counter of a steady type stays 0, and that of a bursting type begins to
    grow at the throttle onset.
    """

    def __init__(self, interface: str, profile: Profile) -> None:
        self.interface = interface
        self.index = 0
        self.exceeded_packets = 0
        self._profile = profile
        self._account = CreditAccount.for_profile(profile)
        self._previous = QueueStatistics(0, 0, 0)
        self._previous_seconds = time.monotonic()

    @property
    def is_spent(self) -> bool:
        return self._account is not None and self._account.is_spent

    def initial_queue(self) -> list[str]:
        """Returns the queue of a host with full credits: a kernel bucket if it is large enough, else the peak rate."""
        bucket_bits = self._profile.bucket_bits
        if bucket_bits is not None and fits_kernel_bucket(self._profile):
            return self._bursting_queue("replace", bucket_bits // 8)
        return self._queue("replace", self._profile.peak_bits_per_second, self._catch_up_bytes, [])

    def changed_queue(self) -> list[str]:
        """Returns the queue after `is_spent` has changed, for a bucket that the kernel can't hold."""
        if self.is_spent:
            # Only a small bucket remains, so that a moment's unused rate is not saved for a burst.
            return self._bursting_queue("change", int(self._profile.baseline_bits_per_second / 8 * _REMAINING_SECONDS))
        return self._queue("change", self._profile.peak_bits_per_second, self._catch_up_bytes, [])

    def pass_time(self, now: float, statistics: QueueStatistics) -> _Change:
        before, self._previous = self._previous, statistics
        elapsed, self._previous_seconds = now - self._previous_seconds, now
        if self._account is None:
            return _Change(False, False)
        spent_changed = self._account.pass_time(elapsed, statistics.sent_bytes - before.sent_bytes)
        if not self._account.is_spent:
            return _Change(spent_changed, False)
        exceeded = (
            statistics.dropped_packets - before.dropped_packets + statistics.delayed_packets - before.delayed_packets
        )
        self.exceeded_packets += exceeded
        return _Change(spent_changed, exceeded > 0)

    @property
    def _catch_up_bytes(self) -> int:
        return max(_PACKET_BYTES, int(self._profile.peak_bits_per_second / 8 * _CATCH_UP_SECONDS))

    def _bursting_queue(self, verb: str, bucket_bytes: int) -> list[str]:
        peak = ["peakrate", f"{self._profile.peak_bits_per_second}bit", "mtu", str(self._catch_up_bytes)]
        return self._queue(verb, self._profile.baseline_bits_per_second, max(bucket_bytes, _PACKET_BYTES), peak)

    def _queue(self, verb: str, bits_per_second: int, bucket_bytes: int, peak: list[str]) -> list[str]:
        rate = ["rate", f"{bits_per_second}bit", "burst", str(bucket_bytes), "limit", str(_QUEUE_BYTES)]
        return ["qdisc", verb, "dev", self.interface, "root", "tbf", *rate, *peak]


def _interface_indices(namespace: str) -> dict[str, int]:
    return {link["ifname"]: link["ifindex"] for link in json.loads(run(["ip", "-n", namespace, "-j", "link", "show"]))}
