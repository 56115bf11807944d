"""Faults of the path between two hosts, or of a host's processors, beyond EC2's own limits.

A fault is written `[TYPE:]KIND[=AMOUNT][@START[+SECONDS]]`. It applies to hosts of TYPE (default: all hosts) that are
launched from now on. It begins START seconds after the beginning of the host's first load (default: at launch) and
lasts SECONDS (default: to the end). The kinds:

loss=10%        each packet is dropped with this probability
policer=80mbit  packets above the rate are dropped, without a queue
mtu=1500        longer packets are dropped without an ICMP message: a black hole
delay=20ms      packets to and from the host take this much longer
cut             every packet is dropped
cpu=10%         the host has this share of its processors and sends at most this share of its peak; the rest is steal

The receiving host's card drops the packets, so all limits of the sender have acted before, and none of the receiver.
Each host of a pair has its own card, so a fault of both hosts acts in both directions. Traffic from S3 and from routers
is spared.
"""

import re
import time
from dataclasses import dataclass

from lab.hosts.commands import nft
from lab.hosts.region import INFRASTRUCTURE, STORE_ADDRESS

_AMOUNTS = {"loss": "%", "policer": "mbit", "mtu": "", "delay": "ms", "cut": None, "cpu": "%"}
_FAULT = re.compile(
    r"(?:(?P<instance_type>[^:=@]+):)?(?P<kind>[a-z]+)(?:=(?P<amount>[0-9.]+)(?P<unit>[a-z%]*))?"
    r"(?:@(?P<start>[0-9.]+)(?:\+(?P<lasts>[0-9.]+))?)?"
)
_NUMBERS = ("amount", "start", "lasts")
# Less traffic is no load: before a measurement, a host exchanges less than this with AWS.
_LOAD_BYTES_PER_SECOND, _LOAD_SECONDS = 2_000_000, 0.5
# How much a policer lets through at once, in seconds of its rate.
_POLICER_BURST_SECONDS = 0.05


class PathFaultError(ValueError):
    """A fault is not written in the form that this module documents."""


@dataclass(frozen=True)
class PathFault:
    """One fault; `amount` is in the unit of its kind, and None for a cut."""

    kind: str
    amount: float | None = None
    instance_type: str | None = None
    start_seconds: float | None = None
    lasts_seconds: float | None = None

    @staticmethod
    def parse(text: str) -> "PathFault":
        found = _FAULT.fullmatch(text)
        amounts = ", ".join(f"{kind}=N{unit}" if unit is not None else kind for kind, unit in _AMOUNTS.items())
        if not found or found["kind"] not in _AMOUNTS or found["unit"] != _AMOUNTS[found["kind"]]:
            raise PathFaultError(f"fault: must be [TYPE:]KIND[@START[+SECONDS]] with a KIND of {amounts}, got {text}")
        amount, start, lasts = (None if found[name] is None else float(found[name]) for name in _NUMBERS)
        if amount is not None and (amount <= 0 or (found["unit"] == "%" and amount > 100)):
            raise PathFaultError(f"fault: must have an amount above 0 and at most 100 %, got {text}")
        return PathFault(found["kind"], amount, found["instance_type"], start, lasts)

    def meets(self, instance_type: str) -> bool:
        return self.instance_type in (None, instance_type)

    def is_on(self, load_seconds: float | None) -> bool:
        """Returns whether the fault acts this long after the beginning of the first load; None means before it."""
        if self.start_seconds is None:
            return True
        if load_seconds is None or load_seconds < self.start_seconds:
            return False
        return self.lasts_seconds is None or load_seconds < self.start_seconds + self.lasts_seconds

    @property
    def rule(self) -> str | None:
        """Returns the card's rule for arriving packets; None for a kind that drops none."""
        amount = self.amount or 0
        match self.kind:
            case "loss":
                return f"numgen random mod 1000 < {round(amount * 10)} drop"
            case "policer":
                bytes_per_second = round(amount * 1e6 / 8)
                burst = max(20_000, round(bytes_per_second * _POLICER_BURST_SECONDS))
                return f"limit rate over {bytes_per_second} bytes/second burst {burst} bytes drop"
            case "mtu":
                return f"meta length > {round(amount)} drop"
            case "cut":
                return "drop"
        return None


class PathFaults:
    def __init__(self, namespace: str, faults: list[PathFault]) -> None:
        self._namespace = namespace
        self._faults = faults
        self._on: list[PathFault] = []
        self._load_began: float | None = None
        self._window_began = time.monotonic()
        self._window_bytes = 0
        self._follow(self._window_began)

    @property
    def cpu_share(self) -> float:
        return min([1.0, *((fault.amount or 0) / 100 for fault in self._on if fault.kind == "cpu")])

    @property
    def delay_micros(self) -> int:
        return round(sum((fault.amount or 0) * 1000 for fault in self._on if fault.kind == "delay"))

    @property
    def meets_packets(self) -> bool:
        """Returns whether an active fault judges single packets, so that the host must not hand over several as one."""
        return any(fault.kind in ("loss", "policer", "mtu") for fault in self._on)

    def pass_time(self, now: float, sent_bytes: int) -> None:
        """Begins and ends faults; `sent_bytes` is what has passed the card since the last call."""
        if self._load_began is None:
            self._watch_for_load(now, sent_bytes)
        self._follow(now)

    def _watch_for_load(self, now: float, sent_bytes: int) -> None:
        self._window_bytes += sent_bytes
        # A busy machine may call late, so the window can be longer; traffic with AWS in that time is no load.
        seconds = max(_LOAD_SECONDS, now - self._window_began)
        if self._window_bytes > seconds * _LOAD_BYTES_PER_SECOND:
            self._load_began = self._window_began
        elif seconds > _LOAD_SECONDS:
            self._window_began, self._window_bytes = now, 0

    def _follow(self, now: float) -> None:
        load_seconds = None if self._load_began is None else now - self._load_began
        on = [fault for fault in self._faults if fault.is_on(load_seconds)]
        if on != self._on:
            self._on = on
            nft(_table([rule for rule in (fault.rule for fault in on) if rule]), self._namespace)


def _table(rules: list[str]) -> str:
    spared = f"ip saddr {{ {STORE_ADDRESS}, {INFRASTRUCTURE} }} accept"
    body = "".join(f"    {rule}\n" for rule in ['iifname != "up0" accept', spared, *rules])
    chain = f"  chain arrivals {{\n    type filter hook forward priority -10\n{body}  }}\n"
    return f"table inet path {{ }}\ndelete table inet path\ntable inet path {{\n{chain}}}\n"
