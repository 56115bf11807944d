"""Updates the hosts' network after every change of a record: all parts, because a change of one affects the others."""

import threading
from collections.abc import Callable


class DataPaths:
    """The parts of the hosts' network that follow the records: security rules, peerings, load balancers."""

    def __init__(self) -> None:
        self.records = threading.RLock()
        """Held by whoever checks records and then changes them."""
        self._applying = threading.Lock()
        self._parts: list[Callable[[], None]] = []

    def add(self, part: Callable[[], None]) -> None:
        self._parts.append(part)

    def apply(self) -> None:
        """Updates every part. Call it without holding `records`."""
        with self._applying:
            for part in self._parts:
                part()
