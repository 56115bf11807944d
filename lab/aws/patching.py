"""Replacing names inside MiniStack, and refusing to when MiniStack is not the one that the hands were made for."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from typing import Any

MINISTACK_VERSION = "1.5.33"


class IncompatibleMinistackError(RuntimeError):
    """MiniStack is another version, or lacks a name that we replace."""


def check_version() -> None:
    """Raises IncompatibleMinistackError unless the pinned version is installed."""
    try:
        version = importlib.metadata.version("ministack")
    except importlib.metadata.PackageNotFoundError:
        version = "nothing"
    if version != MINISTACK_VERSION:
        raise IncompatibleMinistackError(
            f"ministack: must be version {MINISTACK_VERSION}, which the lab's hands were made for, got {version}"
            " (install lab/requirements.txt)"
        )


def require(owner: Any, name: str) -> Any:
    """The attribute `name` of a MiniStack module or class; raises IncompatibleMinistackError when it is not there."""
    if not hasattr(owner, name):
        where = getattr(owner, "__name__", owner)
        raise IncompatibleMinistackError(f"{where}.{name}: must exist for the lab's hands, got nothing of that name")
    return getattr(owner, name)


def replace(owner: Any, name: str, replacement: Any) -> Any:
    """Puts `replacement` in place of `owner.name`, which must exist; returns what was there."""
    original = require(owner, name)
    setattr(owner, name, replacement)
    return original


def wrap(owner: Any, name: str, wrapper: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Replaces `owner.name` by what `wrapper` makes of it."""
    replace(owner, name, wrapper(require(owner, name)))


def replace_entry(owner: Any, table: str, key: str, replacement: Any) -> Any:
    """Puts `replacement` under `key`, which must be there, in the dictionary `owner.table`; returns what was there."""
    entries = require(owner, table)
    if key not in entries:
        raise IncompatibleMinistackError(f"{owner.__name__}.{table}: must have an entry {key}, got none")
    original = entries[key]
    entries[key] = replacement
    return original
