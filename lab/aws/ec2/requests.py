"""Filters of EC2's actions; an unknown filter is refused."""

import fnmatch
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from lab.aws.wire import AwsError, Request

Item = TypeVar("Item")
Facts = Mapping[str, Callable[[Item], Iterable[str]]]
"""By the name of a filter: what its values are compared with."""


def matching(
    request: Request,
    items: Iterable[Item],
    facts: Facts[Item],
    tags: Callable[[Item], Mapping[str, str]] = lambda _: {},
) -> list[Item]:
    """Returns the items that pass all filters (wildcards `*`, `?`); refuses filters other than those on tags and
    `facts`.
    """
    filters = {item["Name"]: item.get("Values", []) for item in request.get("Filters", [])}
    for name in filters:
        if name not in facts and name not in ("tag-key", "tag-value") and not name.startswith("tag:"):
            raise AwsError("InvalidParameterValue", f"The filter '{name}' is invalid")

    def passes(item: Item, name: str, patterns: list[str]) -> bool:
        candidates = facts[name](item) if name in facts else _about_tags(tags(item), name)
        globs = [pattern.replace("[", "[[]") for pattern in patterns]
        return any(fnmatch.fnmatchcase(candidate, glob) for candidate in candidates for glob in globs)

    return [item for item in items if all(passes(item, name, patterns) for name, patterns in filters.items())]


def _about_tags(tags: Mapping[str, str], name: str) -> list[str]:
    if name == "tag-key":
        return list(tags)
    return [value for key, value in tags.items() if name in ("tag-value", f"tag:{key}")]
