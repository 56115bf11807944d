"""What EC2's calls share: parameters and filters, of which an unknown one is refused, tags, and pages."""

from __future__ import annotations

from typing import Any, TypeVar

from ministack.services import ec2

from lab.aws.query import AwsError

Item = TypeVar("Item")
TAG_FILTERS = ("tag-key", "tag-value")


def check_parameters(request: dict[str, Any], known: set[str]) -> None:
    """Refuses a parameter that would otherwise be passed over without a word."""
    for name in sorted(set(request) - known - {"Action", "Version"}):
        raise AwsError("UnknownParameter", f"The parameter {name} is not recognized")


def filters_of(request: dict[str, Any]) -> dict[str, list[str]]:
    return {item["Name"]: item.get("Value", []) for item in request.get("Filter", [])}


def check_filters(filters: dict[str, list[str]], known: set[str]) -> None:
    """Refuses a filter that is neither known nor about tags."""
    for name in filters:
        if name not in known and name not in TAG_FILTERS and not name.startswith("tag:"):
            raise AwsError("InvalidParameterValue", f"The filter '{name}' is invalid")


def tags_match(resource_id: str, filters: dict[str, list[str]]) -> bool:
    return ec2._resource_matches_tag_filters(resource_id, filters)


def tags_of_specification(request: dict[str, Any], resource_type: str) -> dict[str, str]:
    """The tags that a request gives to what it makes."""
    return {
        tag["Key"]: tag.get("Value", "")
        for specification in request.get("TagSpecification", [])
        if specification.get("ResourceType") == resource_type
        for tag in specification.get("Tag", [])
    }


def set_tags(resource_id: str, tags: dict[str, str]) -> None:
    if tags:
        ec2._tags[resource_id] = [{"Key": key, "Value": value} for key, value in tags.items()]


def page(request: dict[str, Any], items: list[Item], size: int) -> tuple[list[Item], str | None]:
    """The asked part of the items, and the token of the next one."""
    start = int(request.get("NextToken") or 0)
    end = start + int(request.get("MaxResults") or size)
    return items[start:end], str(end) if end < len(items) else None
