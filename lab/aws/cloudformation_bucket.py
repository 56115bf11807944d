"""CloudFormation's lifecycle rules of buckets, which MiniStack leaves out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import botocore.serialize
from ministack.services import s3
from ministack.services.cloudformation import provisioners

from lab.aws import patching
from lab.aws.sdk_integrations import service_model

Properties = dict[str, Any]
RULE_PROPERTIES = {"Id", "Status", "Prefix", "ExpirationInDays", "AbortIncompleteMultipartUpload"}


def with_lifecycle() -> None:
    """Gives `AWS::S3::Bucket` its LifecycleConfiguration when it is created or updated."""
    handlers = patching.require(provisioners, "_RESOURCE_HANDLERS")
    for name in ("_put_bucket_lifecycle", "_delete_bucket_lifecycle"):
        patching.require(s3, name)
    bucket = handlers["AWS::S3::Bucket"]
    handlers["AWS::S3::Bucket"] = bucket | {"create": _created(bucket["create"]), "update": _updated(bucket["update"])}


def _created(original: Callable[..., Any]) -> Callable[..., Any]:
    def create(logical_id: str, properties: Properties, stack_name: str) -> Any:
        rules = _rules(logical_id, properties)
        name, attributes = original(logical_id, properties, stack_name)
        _put(name, rules)
        return name, attributes

    return create


def _updated(original: Callable[..., Any]) -> Callable[..., Any]:
    def update(physical_id: str, old: Properties, new: Properties, *more: Any) -> Any:
        rules = _rules(physical_id, new)
        name, attributes = original(physical_id, old, new, *more)
        _put(name, rules)
        return name, attributes

    return update


def _rules(name: str, properties: Properties) -> list[Properties]:
    """The rules as the API writes them; raises for one that would be left out."""
    rules = []
    for rule in (properties.get("LifecycleConfiguration") or {}).get("Rules", []):
        unknown = sorted(set(rule) - RULE_PROPERTIES)
        if unknown:
            raise ValueError(f"{name}: the lab's lifecycle rules do not know {', '.join(unknown)}")
        converted: Properties = {"Status": rule["Status"], "Filter": {"Prefix": rule.get("Prefix", "")}}
        if "Id" in rule:
            converted["ID"] = rule["Id"]
        if "ExpirationInDays" in rule:
            converted["Expiration"] = {"Days": int(rule["ExpirationInDays"])}
        if "AbortIncompleteMultipartUpload" in rule:
            days = rule["AbortIncompleteMultipartUpload"]["DaysAfterInitiation"]
            converted["AbortIncompleteMultipartUpload"] = {"DaysAfterInitiation": int(days)}
        rules.append(converted)
    return rules


def _put(name: str, rules: list[Properties]) -> None:
    if not rules:
        s3._delete_bucket_lifecycle(name)
        return
    operation = service_model("s3").operation_model("PutBucketLifecycleConfiguration")
    request = botocore.serialize.create_serializer("rest-xml").serialize_to_request(
        {"Bucket": name, "LifecycleConfiguration": {"Rules": rules}}, operation
    )
    status, _, body = s3._put_bucket_lifecycle(name, request["body"])
    if status >= 300:
        raise ValueError(f"{name}: {body.decode()}")
