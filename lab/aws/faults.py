"""Errors that a test asks the embedded AWS to answer: no capacity, a used-up quota, throttling.

A fault counts requests, not calls: the SDK repeats what is answered with a status of 500 or more, as here and on AWS
`InsufficientInstanceCapacity` is, so that one call of the product may use up three.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.aws.query import AwsError

# What AWS says; a fault that names another code brings its own message.
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
    """`times` calls of `action` whose facts are the ones in `where` answer `code`."""

    action: str
    code: str
    times: int = 1
    where: Mapping[str, str] = field(default_factory=dict)
    message: str | None = None

    def matches(self, action: str, facts: Mapping[str, Any]) -> bool:
        return (
            self.times > 0
            and self.action == action
            and all(facts.get(key) == value for key, value in self.where.items())
        )


class Faults:
    """The faults still to come, in the order they were asked for."""

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
        """Raises the AwsError of the first fault that fits this call, and counts it."""
        with self._lock:
            fault = next((fault for fault in self._faults if fault.matches(action, facts)), None)
            if fault is None:
                return
            fault.times -= 1
        status = (
            503
            if fault.code in ("RequestLimitExceeded", "InternalError")
            else 500
            if fault.code.startswith("Insufficient")
            else 400
        )
        raise AwsError(fault.code, fault.message or MESSAGES.get(fault.code, fault.code), status)
