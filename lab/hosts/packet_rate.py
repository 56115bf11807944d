"""EC2's limits of packets per second on a host's card. Dropped packets are counted in `pps_allowance_exceeded`.

The limit of all packets covers both directions and has its own credits; a type without it has no rules. Its rates are
scaled down, because one machine carries some 100,000 packets a second; only the ratio between types is realistic.

The limit of outgoing IP fragments is the same for all types. It is EC2's own, unscaled (ENA guide, fragment proxy
mode), because it limits round trips of large datagrams, and the lab does not scale round trips.
"""

import json
import time
from dataclasses import dataclass

from lab.hosts.commands import namespace_path, nft, run

_COUNTER = "pps_allowance_exceeded"
# How many seconds' worth of packets may arrive at once. A busy machine delays a host by some ten milliseconds, and the
# host then sends all due packets; iperf3 ends if the only datagram that opens a stream is dropped then.
_CATCH_UP_SECONDS = 0.05
# The host's streamer reads the driver's counters once a second.
_READING_SECONDS = 0.5
_FRAGMENTS_PER_SECOND = 1024


@dataclass(frozen=True)
class PacketLimit:
    """Packets per second of both directions together: `peak` with credits, `baseline` without."""

    peak: int
    baseline: int
    # How many packets above the baseline full credits allow.
    credit_packets: int


class PacketRate:
    def __init__(self, namespace: str, limit: PacketLimit | None) -> None:
        self._namespace = namespace
        self._has_limit = limit is not None
        self._read_seconds = 0.0
        self._fragments = self._fragments_before = 0
        self.exceeded_packets = 0
        nft(_rules(limit), namespace)

    def pass_time(self, fragments: int) -> None:
        """Reads the counter at most twice a second, because each reading starts a process; without a limit of all
        packets, only while the host makes fragments and shortly after.
        """
        now = time.monotonic()
        if now - self._read_seconds < _READING_SECONDS:
            return
        self._read_seconds = now
        is_quiet = fragments == self._fragments == self._fragments_before
        self._fragments_before, self._fragments = self._fragments, fragments
        if is_quiet and not self._has_limit:
            return
        argv = ["nsenter", f"--net={namespace_path(self._namespace)}", "nft", "-j", "list", "counters"]
        entries = json.loads(run(argv))["nftables"]
        self.exceeded_packets = sum(
            entry["counter"]["packets"] for entry in entries if entry.get("counter", {}).get("name") == _COUNTER
        )


def _rules(limit: PacketLimit | None) -> str:
    """Returns the card's rules. The peak comes first, so that a packet that it drops spends no credits."""
    over = (
        [
            ("", limit.peak, int(limit.peak * _CATCH_UP_SECONDS)),
            ("", limit.baseline, limit.credit_packets),
        ]
        if limit
        else []
    )
    fragment = 'iifname "host0" ip frag-off & 0x3fff != 0 '
    over.append((fragment, _FRAGMENTS_PER_SECOND, int(_FRAGMENTS_PER_SECOND * _CATCH_UP_SECONDS)))
    drops = "".join(
        f"    {which}limit rate over {rate}/second burst {max(1, burst)} packets counter name {_COUNTER} drop\n"
        for which, rate, burst in over
    )
    return (
        "table inet card {\n"
        f"  counter {_COUNTER} {{ }}\n"
        "  chain packet_rate {\n"
        "    type filter hook forward priority 0\n"
        f"{drops}"
        "  }\n"
        "}\n"
    )
