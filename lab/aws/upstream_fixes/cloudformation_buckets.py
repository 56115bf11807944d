"""CloudFormation: lifecycle rules and tags of buckets, and deletion of full buckets. Unknown properties are refused."""

from collections.abc import Callable
from typing import Any

from lab.aws import embedded
from lab.aws.cloudformation import delete_if_there

Properties = dict[str, Any]
RULE_PROPERTIES = {"Id", "Status", "Prefix", "ExpirationInDays", "AbortIncompleteMultipartUpload"}


@embedded.fix_resource("AWS::S3::Bucket", "create")
def _create(original: Callable[..., Any], logical_id: str, properties: Properties, *arguments: Any) -> Any:
    return _with_settings(original, logical_id, properties, logical_id, properties, *arguments)


@embedded.fix_resource("AWS::S3::Bucket", "update")
def _update(original: Callable[..., Any], name: str, old: Properties, new: Properties, *arguments: Any) -> Any:
    return _with_settings(original, name, new, name, old, new, *arguments)


@embedded.fix_resource("AWS::S3::Bucket", "delete")
def _delete(original: Callable[..., None], name: str, properties: Properties) -> None:
    delete_if_there("s3", "DeleteBucket", Bucket=name)
    original(name, properties)


def _with_settings(original: Callable[..., Any], name: str, properties: Properties, *arguments: Any) -> Any:
    rules = _rules(name, properties)
    bucket, attributes = original(*arguments)
    for setting, value, put, delete in (
        ("LifecycleConfiguration", {"Rules": rules}, "PutBucketLifecycleConfiguration", "DeleteBucketLifecycle"),
        ("Tagging", {"TagSet": properties.get("Tags", [])}, "PutBucketTagging", "DeleteBucketTagging"),
    ):
        if any(value.values()):
            embedded.call("s3", put, Bucket=bucket, **{setting: value})
        else:
            embedded.call("s3", delete, Bucket=bucket)
    return bucket, attributes


def _rules(name: str, properties: Properties) -> list[Properties]:
    """Returns the rules as the API has them; raises ValueError for a property that would be ignored."""
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
