"""Faults that a test requests of the embedded AWS: which action fails, how often, for whom, and with what answer.

An API fault counts requests, not calls: the SDK repeats a request that is answered with status 500 or more.
`InsufficientInstanceCapacity` has such a status here and on AWS, so one call of the product may use up three faults.
"""

import contextvars
import random
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from lab.aws.wire import AwsError

# AWS's messages; a fault with any other code has its own message.
MESSAGES = {
    "InsufficientInstanceCapacity": "We currently do not have sufficient capacity in the zone you requested.",
    "ConditionalRequestConflict": "Cannot complete operation due to a conflicting concurrent operation.",
    "Client.InternalError": "Client error on launch",
    "VcpuLimitExceeded": "You have requested more vCPU capacity than your current vCPU limit allows.",
    "RequestLimitExceeded": "Request limit exceeded.",
    "UnauthorizedOperation": "You are not authorized to perform this operation.",
    "InternalError": "An internal error has occurred",
    "ThrottlingException": "Rate exceeded",
    "TooManyRequestsException": "Rate Exceeded.",
    "SlowDown": "Please reduce your request rate.",
    "ServiceUnavailable": "Service is unable to handle request.",
}
STATUSES = {
    "ConditionalRequestConflict": 409,
    "InternalError": 503,
    "InternalFailure": 500,
    "InternalServerError": 500,
    "RequestLimitExceeded": 503,
    "ServiceException": 500,
    "ServiceUnavailable": 503,
    "SlowDown": 503,
    "TooManyRequestsException": 429,
}

REQUEST_TEXT: contextvars.ContextVar[str] = contextvars.ContextVar("lab_request_text", default="")
"""Everything that names the subject of the request that is being answered: the fact `about` of every request."""
CALLER: contextvars.ContextVar[str] = contextvars.ContextVar("lab_caller", default="")
"""Who sent the request that is being answered: the fact `caller` of every request over HTTP."""

Pattern = str | Sequence[str]
"""One pattern of the shell, or several of which one must match."""


@dataclass
class Fault:
    """Makes requests of `action` that match `where` fail: the next `times`, or all of them (None).

    With `one_in`, every K-th matching request fails; with `probability`, a share of them that `seed` decides.
    """

    action: str
    """A pattern of the shell, such as `ssm:SendCommand` or `s3:*`; EC2's actions have no prefix."""
    code: str
    times: int | None = 1
    where: Mapping[str, Pattern] = field(default_factory=dict)
    message: str | None = None
    after: bool = False
    """Whether the work is done all the same, and only its answer is lost."""
    one_in: int | None = None
    probability: float | None = None
    seed: int = 0
    delay_seconds: float = 0

    def __post_init__(self) -> None:
        self._seen = 0
        self.taken = 0
        self._random = random.Random(self.seed)
        if self.times is not None and self.times < 1:
            raise ValueError(f"times: must be at least 1, or null for always, got {self.times}")
        if self.one_in is not None and self.one_in < 1:
            raise ValueError(f"one_in: must be at least 1, got {self.one_in}")
        if self.probability is not None and not 0 < self.probability <= 1:
            raise ValueError(f"probability: must be above 0 and at most 1, got {self.probability}")
        if self.one_in is not None and self.probability is not None:
            raise ValueError("one_in, probability: must not be given both")

    def matches(self, action: str, facts: Mapping[str, Any]) -> bool:
        return fnmatchcase(action, self.action) and all(
            name in facts and _matches(facts[name], pattern) for name, pattern in self.where.items()
        )

    def is_due(self) -> bool:
        """Counts a matching request; returns whether this one fails."""
        if self.times == 0:
            return False
        self._seen += 1
        if self.one_in is not None and self._seen % self.one_in != 0:
            return False
        if self.probability is not None and self._random.random() >= self.probability:
            return False
        if self.times is not None:
            self.times -= 1
        self.taken += 1
        return True

    def error(self) -> AwsError:
        status = STATUSES.get(self.code, 500 if self.code.startswith("Insufficient") else 400)
        return AwsError(self.code, self.message or MESSAGES.get(self.code, self.code), status)


class Faults:
    """The faults that are still due, in the order in which they were requested."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: list[Fault] = []

    def __bool__(self) -> bool:
        return bool(self._faults)

    def add(self, fault: Fault) -> None:
        with self._lock:
            self._faults.append(fault)

    def clear(self, where: Mapping[str, Pattern] | None = None) -> None:
        """Ends all faults, or only those with exactly this `where`."""
        with self._lock:
            self._faults = [one for one in self._faults if where is not None and one.where != where]

    def taken(self, where: Mapping[str, Pattern]) -> int:
        """Returns how many requests met the faults with exactly this `where`."""
        with self._lock:
            return sum(one.taken for one in self._faults if one.where == where)

    def take(self, action: str, facts: Mapping[str, Any], *, after: bool) -> Fault | None:
        """Returns the first fault that this request meets before its work, or after it."""
        facts = {"about": REQUEST_TEXT.get(), "caller": CALLER.get(), **facts}
        with self._lock:
            return next(
                (one for one in self._faults if one.after == after and one.matches(action, facts) and one.is_due()),
                None,
            )

    def raise_if_asked(self, action: str, **facts: Any) -> None:
        """Raises the AwsError of the first fault that this request meets before its work."""
        fault = self.take(action, facts, after=False)
        if fault is not None:
            raise fault.error()


def _matches(value: Any, pattern: Pattern) -> bool:
    values = value if isinstance(value, (list, tuple)) else [value]
    patterns = [pattern] if isinstance(pattern, str) else pattern
    return any(fnmatchcase(str(one), pattern) for one in values for pattern in patterns)
