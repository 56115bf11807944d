"""Tests of one module that are played at once in its lab, because runs mostly wait."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from .running_lab import RunningLab

Test = Callable[..., None]
# As many as there are, on a busy machine, starve the one process of the embedded AWS until uploads of hosts time out.
PLAYED_AT_ONCE = 4


def at_once_with_others(test: Test) -> Test:
    """Marks a test of the fixture `lab` and of parameters, which must not disturb the others that are so marked.

    Its faults are those of its own run (`where`), and it counts only what its own run has made.
    """

    def ask(at_once: AtOnce, request: pytest.FixtureRequest, **parameters: object) -> None:
        at_once.result_of(request.node.nodeid)

    own = [each for each in inspect.signature(test).parameters.values() if each.name != "lab"]
    given = [each for each in inspect.signature(ask).parameters.values() if each.kind != inspect.Parameter.VAR_KEYWORD]
    ask.__name__, ask.__doc__, ask.__module__ = test.__name__, test.__doc__, test.__module__
    ask.__signature__ = inspect.Signature([*given, *own])  # type: ignore[attr-defined]
    ask.played = test  # type: ignore[attr-defined]
    return ask


class AtOnce:
    """Plays the marked tests among `items`, some at once, each in a thread. All have ended when this is made.

    A test asks for what came of itself, so that one that fails does not fail the others.
    """

    def __init__(self, lab: RunningLab, items: list[Any]) -> None:
        marked = [item for item in items if hasattr(item.function, "played")]
        with ThreadPoolExecutor(PLAYED_AT_ONCE) as threads:
            self._played: dict[str, Future[None]] = {
                item.nodeid: threads.submit(item.function.played, lab, **_parameters(item)) for item in marked
            }

    def result_of(self, node_id: str) -> None:
        """Raises what the test has raised."""
        self._played[node_id].result()


def _parameters(item: Any) -> dict[str, Any]:
    """Returns the values of a parametrized test."""
    return item.callspec.params if hasattr(item, "callspec") else {}
