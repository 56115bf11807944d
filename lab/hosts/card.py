"""A host's network card: a namespace between the host and its zone's router that shapes, filters and counts.

The host cannot reach into it. Each direction has a token bucket and a queue in front of the receiver. Excess packets
are therefore delayed and then dropped, as on EC2, and do not slow the sender's interface down.
"""

import json
import os
import time
from ipaddress import ip_network

from lab.hosts.allowance_counter import AllowanceCounter
from lab.hosts.commands import MTU_BYTES, ip, run, set_kernel_values, tc, veth
from lab.hosts.credits import CreditAccount, fits_kernel_bucket
from lab.hosts.forwarder import DelayLine
from lab.hosts.packet_rate import PacketRate
from lab.hosts.path_fault import PathFaults
from lab.hosts.processor import Processor, ProcStat
from lab.hosts.profiles import Profile
from lab.hosts.queue_statistics import QueueReader, QueueStatistics
from lab.hosts.region import CARD_GATEWAY, INFRASTRUCTURE, ROUTER_VALUES, STORE_ADDRESS, UPSTREAM_GATEWAY
from lab.hosts.settings import Launch

# The bucket must hold one super-packet.
_PACKET_BYTES = 131072
# The kernel's own limit (GSO_MAX_SEGS) of packets that a host hands over as one.
_MOST_SEGMENTS = 65535
# A busy machine may delay the card for this long, which is made up for at the peak rate; a longer gap counts as idle.
_CATCH_UP_SECONDS = 0.008
# What the bucket keeps once the 64-bit account is spent, in seconds of the baseline; less than its _SPENT_SECONDS.
_REMAINING_SECONDS = 0.25
# Deep enough for many flows, but shallow enough to keep latency in the tens of milliseconds.
_QUEUE_BYTES = 2_000_000
# These counters stay 0: the lab has no such allowances and does not simulate ENA Express.
_UNUSED_COUNTERS = (
    "conntrack_allowance_exceeded",
    "linklocal_allowance_exceeded",
    "ena_srd_tx_pkts",
    "ena_srd_eligible_tx_pkts",
    "ena_srd_rx_pkts",
    "ena_srd_resource_utilization",
)


class Card:
    """Shaping and packet filter of one host. Only the fleet's clock thread calls `pass_time`."""

    def __init__(self, launch: Launch, router: str) -> None:
        self._launch, self._profile = launch, launch.profile
        self._namespace = namespace = launch.card_namespace
        self.needs_rate_changes = not self._profile.is_steady and not fits_kernel_bucket(self._profile)
        self._state = launch.directory / "state"
        self._allowed: set[str] = set()
        self._mtu_bytes = MTU_BYTES
        self._processor = Processor(self._profile, launch.settings.cpu_credits)
        self._line: DelayLine | None = None
        self._delay_micros = 0
        self._connect(router)
        links = json.loads(run(["ip", "-n", namespace, "-j", "link", "show"]))
        indices = {link["ifname"]: link["ifindex"] for link in links}
        interfaces = {"in": "host0", "out": "up0"}
        self._directions = {
            name: _Direction(interface, indices[interface], self._profile, self._processor, launch.private_ip)
            for name, interface in interfaces.items()
        }
        self._packet_rate = PacketRate(namespace, self._profile.packet_limit)
        self._sends_one_by_one = False
        self.faults = PathFaults(namespace, launch.faults)
        self._follow_packet_size()
        self._follow_delay()
        tc(*(direction.queue() for direction in self._directions.values()), namespace=namespace)
        self._reader = QueueReader(namespace)
        self._state.mkdir(parents=True, exist_ok=True)
        (self._state / "ena-driver").write_text("driver: ena\nversion: lab\nfirmware-version: \nbus-info: lab\n")
        self._stat = ProcStat(self._state / "stat", is_burstable_cpu=self._profile.burstable_cpu)
        self._previous_seconds = time.monotonic()
        self._write_counters()

    def allow_sources(self, sources: set[str]) -> None:
        """Accepts traffic only from these addresses or networks, and drops all other traffic silently."""
        # An address and its /32 are the same rule.
        sources = {str(ip_network(source)) for source in sources}
        added, removed = sorted(sources - self._allowed), sorted(self._allowed - sources)
        changes = [("add", source) for source in added] + [("del", source) for source in removed]
        rules = (f"rule {verb} pref 200 iif up0 from {source} lookup main" for verb, source in changes)
        ip(*rules, namespace=self._namespace)
        self._allowed = sources

    def disconnect(self) -> None:
        """Cuts the link, so that the host sends nothing more, not even the end of a connection."""
        ip("link set up0 down", namespace=self._namespace)

    def follow_mtu(self, mtu_bytes: int) -> None:
        """Sets the MTU of the host's interface at the card, too, so that senders of longer packets get an error."""
        if mtu_bytes != self._mtu_bytes:
            ip(f"link set host0 mtu {mtu_bytes}", namespace=self._namespace)
            self._mtu_bytes = mtu_bytes

    def pass_time(self, withheld_seconds: float | None, fragments: int) -> None:
        """Accounts for the traffic since the last call, and adjusts rates and counters.

        `withheld_seconds` is from `processor.withheld_seconds`; `fragments` is how many the host has made so far.
        """
        now = time.monotonic()
        queues = self._reader.read()
        counters = self._counters()
        sent_bytes = [direction.sent_bytes(queues[direction.index]) for direction in self._directions.values()]
        self.faults.pass_time(now, sum(sent_bytes))
        self._follow_packet_size()
        self._follow_delay()
        elapsed = now - self._previous_seconds
        hold_changed = self._processor.pass_time(elapsed, max(sent_bytes), self.faults.cpu_share)
        self._previous_seconds = now
        self._stat.write(self._processor.steal_seconds, withheld_seconds)
        for name, direction in self._directions.items():
            spent_changed = direction.pass_time(now, queues[direction.index])
            if hold_changed or (spent_changed and (self.needs_rate_changes or self._processor.is_held)):
                tc(direction.queue(), namespace=self._namespace)
            if spent_changed:
                self._log(name, direction)
        self._packet_rate.pass_time(fragments)
        if self._counters() != counters:
            self._write_counters()

    def close(self) -> None:
        self._reader.close()
        if self._line:
            self._line.close()

    def _follow_packet_size(self) -> None:
        """Has the host hand over single packets while a rule of the card judges packets as they are on the wire."""
        one_by_one = self._profile.packet_limit is not None or self.faults.meets_packets
        if one_by_one != self._sends_one_by_one:
            self._sends_one_by_one = one_by_one
            most = 1 if one_by_one else _MOST_SEGMENTS
            ip(f"link set eth0 gso_max_segs {most}", namespace=self._launch.namespace)

    def _follow_delay(self) -> None:
        if self._line and self.faults.delay_micros != self._delay_micros:
            self._delay_micros = self.faults.delay_micros
            self._line.set_delay(self._delay_micros)

    def _connect(self, router: str) -> None:
        host_namespace, address, number = self._launch.namespace, self._launch.private_ip, self._launch.number
        ip(veth((host_namespace, "eth0"), (self._namespace, "host0")))
        upstream = (self._namespace, "up0"), (router, self._launch.link)
        if any(fault.kind == "delay" for fault in self._launch.faults):
            self._line = DelayLine(f"of-{self._namespace}", *upstream, one_way_micros=0)
            self._line.wait_until_ready()
        else:
            ip(veth(*upstream))
        set_kernel_values(self._namespace, ROUTER_VALUES)
        ip(
            "link set lo up",
            "link set host0 up",
            "link set up0 up",
            # The first address is the source of the card's own ICMP messages; the second is the same on every card.
            f"addr add 169.254.{number // 250 + 8}.{number % 250 + 1}/32 dev lo",
            f"addr add {CARD_GATEWAY}/32 dev lo",
            f"route add {address}/32 dev host0",
            f"route add default via {UPSTREAM_GATEWAY} dev up0 onlink",
            # As on EC2, the host's packets need its own address as source, and nothing is admitted at first.
            f"rule add pref 100 iif host0 from {address} lookup main",
            "rule add pref 110 iif host0 blackhole",
            f"rule add pref 120 iif up0 from {INFRASTRUCTURE} ipproto icmp lookup main",
            f"rule add pref 130 iif up0 from {STORE_ADDRESS} lookup main",
            "rule add pref 210 iif up0 blackhole",
            namespace=self._namespace,
        )
        ip(f"link set {self._launch.link} up", namespace=router)
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

    def _counters(self) -> dict[str, int]:
        exceeded = {f"bw_{name}_allowance_exceeded": d.exceeded_packets for name, d in self._directions.items()}
        exceeded["pps_allowance_exceeded"] = self._packet_rate.exceeded_packets
        settings = self._launch.settings
        # In the driver's code, the first bit is ENA Express, the second its use for UDP.
        srd_mode = settings.ena_srd_enabled + 2 * settings.ena_srd_udp_enabled
        return exceeded | dict.fromkeys(_UNUSED_COUNTERS, 0) | {"ena_srd_mode": srd_mode}

    def _write_counters(self) -> None:
        lines = [f"     {name}: {value}\n" for name, value in self._counters().items()]
        draft = self._state / ".ena-statistics"
        draft.write_text("".join(["NIC statistics:\n", *lines]))
        os.replace(draft, self._state / "ena-statistics")


class _Direction:
    def __init__(self, interface: str, index: int, profile: Profile, processor: Processor, address: str) -> None:
        self.index = index
        peak, baseline = profile.peak_bits_per_second, profile.baseline_bits_per_second
        self._counter = AllowanceCounter(profile.allowance_counting, peak, baseline, seed=address + interface)
        self._interface = interface
        self._profile = profile
        self._processor = processor
        self._account = CreditAccount.for_profile(profile)
        self._previous = QueueStatistics(0, 0)
        self._previous_seconds = time.monotonic()

    @property
    def exceeded_packets(self) -> int:
        return self._counter.events

    @property
    def is_spent(self) -> bool:
        return self._account.is_spent

    def queue(self) -> str:
        """Returns the tc change for the queue: a bucket if the kernel can hold one of this size, else a fixed rate."""
        peak, baseline = self._profile.peak_bits_per_second, self._profile.baseline_bits_per_second
        catch_up_bytes = max(_PACKET_BYTES, int(peak / 8 * _CATCH_UP_SECONDS))
        if self._processor.is_held:
            # The lower of both limits applies; the account still tracks the network credits.
            rate = min(self._processor.peak_bits_per_second, baseline if self.is_spent else peak)
            return self._queue(rate, max(_PACKET_BYTES, int(rate / 8 * _CATCH_UP_SECONDS)))
        if fits_kernel_bucket(self._profile):
            bucket_bytes = int(self._account.balance_bytes)
        elif self.is_spent:
            # The bucket stays small, so that unused rate is not saved for a burst.
            bucket_bytes = int(baseline / 8 * _REMAINING_SECONDS)
        else:
            return self._queue(peak, catch_up_bytes)
        return f"{self._queue(baseline, max(bucket_bytes, _PACKET_BYTES))} peakrate {peak}bit mtu {catch_up_bytes}"

    def sent_bytes(self, statistics: QueueStatistics) -> int:
        return statistics.sent_bytes - self._previous.sent_bytes

    def _queue(self, bits_per_second: int, burst_bytes: int) -> str:
        shape = f"rate {bits_per_second}bit burst {burst_bytes} limit {_QUEUE_BYTES}"
        return f"qdisc replace dev {self._interface} root tbf {shape}"

    def pass_time(self, now: float, statistics: QueueStatistics) -> bool:
        """Accounts for the traffic since the last call; returns whether `is_spent` has changed."""
        before, self._previous = self._previous, statistics
        elapsed, self._previous_seconds = now - self._previous_seconds, now
        sent_bytes = statistics.sent_bytes - before.sent_bytes
        spent_changed = self._account.pass_time(elapsed, sent_bytes)
        limited_packets = statistics.limited_packets - before.limited_packets
        self._counter.pass_time(elapsed, sent_bytes, limited_packets, self.is_spent, self._processor.is_held)
        return spent_changed
