"""Errors that a test makes the embedded AWS answer: no capacity, a used-up quota, throttling.

A fault counts requests, not calls. The SDK repeats requests that are answered with a status of 500 or more, and
`InsufficientInstanceCapacity` has such a status here and on AWS, so that one call of the product may use up three.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.aws.wire import AwsError

# AWS's messages; a fault with another code brings its own message.
MESSAGES = {
    "InsufficientInstanceCapacity": "We currently do not have sufficient capacity in the zone you requested.",
    "VcpuLimitExceeded": "You have requested more vCPU capacity than your current vCPU limit allows.",
    "RequestLimitExceeded": "Request limit exceeded.",
    "UnauthorizedOperation": "You are not authorized to perform this operation.",
    "InternalError": "An internal error has occurred",
    "ThrottlingException": "Rate exceeded",
}


@dataclass
class Fault:
    """The next `times` requests of `action` that have the facts in `where` are answered with the error `code`."""

    action: str
    code: str
    times: int = 1
    where: Mapping[str, str] = field(default_factory=dict)
    message: str | None = None


class Faults:
    """The faults still to come, in the order in which they were requested."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: list[Fault] = []

    def add(self, fault: Fault) -> None:
        with self._lock:
            self._faults.append(fault)

    def clear(self) -> None:
        with self._lock:
            self._faults.clear()

    def raise_if_asked(self, action: str, **facts: Any) -> None:
        """Raises the AwsError of the first fault that matches this request, and counts it."""
        with self._lock:
            matching = (
                fault
                for fault in self._faults
                if fault.times > 0 and fault.action == action and fault.where.items() <= facts.items()
            )
            fault = next(matching, None)
            if fault is None:
                return
            fault.times -= 1
        raise AwsError(fault.code, fault.message or MESSAGES.get(fault.code, fault.code), _status_of(fault.code))


def _status_of(code: str) -> int:
    if code in ("RequestLimitExceeded", "InternalError"):
        return 503
    return 500 if code.startswith("Insufficient") else 400
