"""What EC2's actions share: parameters and filters, of which an unknown one is refused, and pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from lab.aws.ec2.records import Filters
from lab.aws.wire import AwsError, Request

Item = TypeVar("Item")
PAGE_SIZE = 1000
TAG_FILTERS = ("tag-key", "tag-value")


def check_parameters(request: Request, known: set[str]) -> None:
    """Refuses parameters that the lab would ignore."""
    for name in sorted(set(request) - known - {"Action", "Version"}):
        raise AwsError("UnknownParameter", f"The parameter {name} is not recognized")


def filters_of(request: Request) -> Filters:
    return {item["Name"]: item.get("Value", []) for item in request.get("Filter", [])}


def check_filters(filters: Filters, known: set[str]) -> None:
    """Refuses filters that are neither known nor about tags."""
    for name in filters:
        if name not in known and name not in TAG_FILTERS and not name.startswith("tag:"):
            raise AwsError("InvalidParameterValue", f"The filter '{name}' is invalid")


def facts_match(facts: Mapping[str, list[str]], filters: Filters) -> bool:
    """Whether every filter that is not about tags names one of the values of its fact."""
    return all(set(facts[name]) & set(values) for name, values in filters.items() if name in facts)


def page(request: Request, items: list[Item]) -> tuple[list[Item], str | None]:
    """The requested part of the items, and the token of the next part."""
    start = int(request.get("NextToken") or 0)
    end = start + int(request.get("MaxResults") or PAGE_SIZE)
    return items[start:end], str(end) if end < len(items) else None
