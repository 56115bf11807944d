"""EC2's limits of packets per second, on a host's card. What they drop is counted in `pps_allowance_exceeded`.

That of all packets is of both directions together, with credits of its own; a type without such a limit has no rules.
Rates of the lab are low, because one machine carries some 100,000 packets a second: what counts is that types differ.

That of outgoing IP fragments is the same for all types, and EC2's own, unscaled (ENA guide, fragment proxy mode): it
limits round trips of large datagrams, and round trips are not scaled in the lab.
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
_FRAGMENTS_PER_SECOND = 1024


@dataclass(frozen=True)
class PacketLimit:
    """Packets per second of both directions: `peak` while there are credits, `baseline` after them."""

    peak: int
    baseline: int
    # The packets above the baseline that full credits allow.
    credit_packets: int


class PacketRate:
    """The rules that drop packets beyond a card's limits, and their counter."""

    def __init__(self, namespace: str, limit: PacketLimit | None) -> None:
        self._namespace = namespace
        self._has_limit = limit is not None
        self._read_seconds = 0.0
        self._fragments = self._fragments_before = 0
        self.exceeded_packets = 0
        nft(_rules(limit), namespace)

    def pass_time(self, fragments: int) -> None:
        """Reads the counter while it may grow and has not been read for some time, because each reading is a process.

        Without a limit of all packets, it may while the host makes fragments, and for as long as they are on their way.
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
    """Returns the card's rules: first the peak, so that a dropped packet spends no credits."""
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
