"""The one way into the embedded AWS: the lab answers the actions that it has, MiniStack answers all others.

HTTP requests, Step Functions' integrations and the lab's own `embedded.call` all pass through here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from lab.aws import embedded
from lab.aws.faults import Faults
from lab.aws.wire import AwsError, Request, Response, Result, WireProtocol

logger = logging.getLogger("lab.aws")

Action = Callable[[Request], Result]


@dataclass(frozen=True)
class Service:
    """A service of which the lab answers some actions or all."""

    name: str
    """The service's key in MiniStack's table of handlers."""
    protocol: WireProtocol
    actions: Mapping[str, Action]
    passes_on: bool = True
    """Whether MiniStack answers the other actions; otherwise they do not exist."""
    fault_prefix: str = ""
    """What precedes the action's name in the faults that a test asks for."""
    checks_faults_itself: frozenset[str] = frozenset()
    """Actions that look for their faults once they know more about the request."""
    lock: AbstractContextManager[Any] = field(default_factory=nullcontext)
    """Held while the lab answers an action. An action may therefore only read through `embedded.call`."""
    after_change: Callable[[], None] | None = None
    """Called, without the lock, after every action that may have changed something."""


class Router:
    """Sends each request to the lab or on to MiniStack."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults

    def add(self, service: Service) -> None:
        """Puts the service in front of MiniStack's service of the same name."""
        passed_on = embedded.handler(service.name) if service.passes_on else None

        async def handle(
            method: str, path: str, headers: dict[str, str], body: bytes | str, query: dict[str, Any]
        ) -> Response:
            try:
                action, request = service.protocol.read(headers, body, query)
                if action not in service.checks_faults_itself:
                    self._faults.raise_if_asked(service.fault_prefix + action)
                if action in service.actions:
                    # A thread of its own: a launch waits for locks and must not hold up every other service.
                    return await asyncio.to_thread(_answer, service, action, request)
                if passed_on is None:
                    raise AwsError(
                        service.protocol.unknown_action_code, f"The lab's {service.name} has no action {action}"
                    )
            except AwsError as error:
                return service.protocol.write_error(error)
            response = await passed_on(method, path, headers, body, query)
            if service.after_change is not None and _changes(action):
                await asyncio.to_thread(service.after_change)
            return response

        embedded.set_handler(service.name, handle)


def _answer(service: Service, action: str, request: Request) -> Response:
    try:
        with service.lock:
            result = service.actions[action](request)
        if service.after_change is not None and _changes(action):
            service.after_change()
        return service.protocol.write(action, result)
    except AwsError as error:
        return service.protocol.write_error(error)
    except Exception as error:
        logger.exception("%s %s failed", service.name, action)
        return service.protocol.write_error(AwsError("InternalFailure", f"{action}: {error}", 500))


def _changes(action: str) -> bool:
    return not action.startswith(("Describe", "Get", "List"))
