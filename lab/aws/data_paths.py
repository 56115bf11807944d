"""Brings what the fleet does in line with what the records say, after every change of a record.

One place for all kinds of paths, so that a rule, a host or a listener that comes or goes reaches everything that
depends on it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from lab.aws.machines import Fleet
from lab.aws.security_rules import apply_to_hosts
from lab.aws.vpc_peering import Peerings


class DataPaths:
    """Security rules of hosts, peerings, and whatever else was `add`ed."""

    def __init__(self, fleet: Fleet) -> None:
        self.records = threading.RLock()
        """Held by whoever checks records and then changes them."""
        self._applying = threading.Lock()
        self._parts: list[Callable[[], None]] = [Peerings(fleet).apply, lambda: apply_to_hosts(fleet)]

    def add(self, part: Callable[[], None]) -> None:
        self._parts.append(part)

    def apply(self) -> None:
        """To be called without holding `records`."""
        with self._applying:
            for part in self._parts:
                part()
