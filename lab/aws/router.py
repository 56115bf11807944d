"""Routes every request to the embedded AWS: the lab answers the actions that it has, and MiniStack all others.

HTTP requests, Step Functions' integrations and the lab's own `embedded.call` all pass through it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Set
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from lab.aws import embedded
from lab.aws.faults import Faults
from lab.aws.faulty_apis import cover
from lab.aws.wire import AwsError, HttpRequest, Json, Query, Request, Response, Result, page, protocol_of

logger = logging.getLogger("lab.aws")


@dataclass(frozen=True)
class Action:
    """An action that the lab answers. It refuses a request with a parameter that the lab would ignore."""

    answer: Callable[[Request], Result]
    """Returns all items, of which the router answers one page."""
    known: Set[str] | None = None
    """The parameters that a request may have; None permits whatever the API's model has."""
    required: Set[str] = frozenset()
    """Those which it must have in the lab, although the API's model does not say so."""

    def check(self, request: Request, protocol: Query | Json) -> None:
        for name in sorted(self.required - request.keys()):
            raise AwsError(protocol.invalid_code, f"The request must contain the parameter {name}")
        for name in sorted(request.keys() - self.known if self.known is not None else ()):
            raise AwsError(protocol.unknown_parameter_code, f"The parameter {name} is not recognized")


@dataclass(frozen=True)
class Service:
    """A service some or all of whose actions the lab answers."""

    name: str
    """As botocore names the service."""
    actions: Mapping[str, Action]
    page_size: int = 1000
    """How many items a page has if the request does not say."""
    passes_on: bool = True
    """Whether MiniStack answers the other actions; otherwise they do not exist."""
    checks_refusals_itself: frozenset[str] = frozenset()
    """Actions that look for the faults that refuse them once they know more about the request."""
    lock: AbstractContextManager[Any] = field(default_factory=nullcontext)
    """Held while the lab answers an action. An action may therefore only read through `embedded.call`."""
    after_change: Callable[[], None] | None = None
    """Called, without the lock, after every action that may have changed something."""


class Router:
    def __init__(self, faults: Faults) -> None:
        self._faults = faults

    def add(self, service: Service) -> None:
        """Covers MiniStack's service of the same name."""
        protocol = protocol_of(service.name)
        name = embedded.HANDLER_NAMES.get(service.name, service.name)

        def answer(action: str, given: HttpRequest) -> Response:
            try:
                request = protocol.read(action, given.body, given.query)
                service.actions[action].check(request, protocol)
                with service.lock:
                    result = service.actions[action].answer(request)
                result = page(service.name, action, request, result, service.page_size)
                if service.after_change is not None and _changes(action):
                    service.after_change()
                return protocol.write(action, result)
            except AwsError as error:
                return protocol.write_error(error)
            except Exception as error:
                logger.exception("%s %s failed", name, action)
                return protocol.write_error(AwsError("InternalFailure", f"{action}: {error}", 500))

        async def handle(request: HttpRequest, pass_on: Callable[[], Awaitable[Response]]) -> Response:
            action = protocol.action(request.headers, request.body, request.query)
            if action in service.actions:
                # Answers on a thread, because a launch waits for locks and must not hold up the other services.
                return await asyncio.to_thread(answer, action, request)
            if not service.passes_on:
                message = f"The lab's {name} has no action {action}"
                return protocol.write_error(AwsError(protocol.unknown_action_code, message))
            response = await pass_on()
            if service.after_change is not None and _changes(action):
                await asyncio.to_thread(service.after_change)
            return response

        embedded.put_in_front(service.name, handle)
        cover(self._faults, service.name, service.checks_refusals_itself)


def _changes(action: str) -> bool:
    return not action.startswith(("Describe", "Get", "List"))
