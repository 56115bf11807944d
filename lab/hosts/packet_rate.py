"""EC2's limit of packets per second, on a host's card: both directions together, with credits of its own.

A type without such a limit has no rules. Rates of the lab are low, because one machine carries some 100,000 packets a
second: what counts is that types differ, and that the driver counts what was dropped.
"""

import json
import time
from dataclasses import dataclass

from lab.hosts.commands import namespace_path, nft, run

_COUNTER = "pps_allowance_exceeded"
# How many packets may arrive at once beyond the rate, in seconds of it. A busy machine lets a host wait for some ten
# milliseconds and then sends all that is due; iperf3 ends if the one datagram that opens a stream is dropped then.
_CATCH_UP_SECONDS = 0.05
# The host's streamer reads the driver's counters once a second.
_READING_SECONDS = 0.5


@dataclass(frozen=True)
class PacketLimit:
    """Packets per second of both directions: `peak` while there are credits, `baseline` after them."""

    peak: int
    baseline: int
    # The packets above the baseline that full credits allow.
    credit_packets: int


class PacketRate:
    """The rules that drop packets beyond a card's limit, and their counter."""

    def __init__(self, namespace: str, limit: PacketLimit) -> None:
        self._namespace = namespace
        self._read_seconds = 0.0
        self.exceeded_packets = 0
        nft(_rules(limit), namespace)

    def pass_time(self) -> None:
        """Reads the counter if it has not been read for some time, because each reading is a process."""
        now = time.monotonic()
        if now - self._read_seconds < _READING_SECONDS:
            return
        self._read_seconds = now
        argv = ["nsenter", f"--net={namespace_path(self._namespace)}", "nft", "-j", "list", "counters"]
        entries = json.loads(run(argv))["nftables"]
        self.exceeded_packets = sum(
            entry["counter"]["packets"] for entry in entries if entry.get("counter", {}).get("name") == _COUNTER
        )


def _rules(limit: PacketLimit) -> str:
    """Returns the card's rules: first the peak, so that a dropped packet spends no credits."""
    over = [(limit.peak, int(limit.peak * _CATCH_UP_SECONDS)), (limit.baseline, limit.credit_packets)]
    drops = "".join(
        f"    limit rate over {rate}/second burst {max(1, burst)} packets counter name {_COUNTER} drop\n"
        for rate, burst in over
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
