"""Makes the hosts' network follow the records, after every change of a record.

There is one place for all kinds of paths, because a rule, a host or a listener that comes or goes changes others, too.
"""

import threading
from collections.abc import Callable


class DataPaths:
    """What has to follow a change: the hosts' security rules, peerings, load balancers."""

    def __init__(self) -> None:
        self.records = threading.RLock()
        """Held by whoever checks records and then changes them."""
        self._applying = threading.Lock()
        self._parts: list[Callable[[], None]] = []

    def add(self, part: Callable[[], None]) -> None:
        self._parts.append(part)

    def apply(self) -> None:
        """Applies every part. Call it without holding `records`."""
        with self._applying:
            for part in self._parts:
                part()
