"""CloudFormation: lifecycle rules of buckets.

MiniStack: AWS::S3::Bucket ignores LifecycleConfiguration.
AWS: the rules are put to the bucket when it is created or updated, and removed when the property is
(https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-s3-bucket-lifecycleconfiguration.html).
Fix: the provisioner puts them by PutBucketLifecycleConfiguration. It knows the properties that are used here and
refuses all others.
"""

from collections.abc import Callable
from typing import Any

from lab.aws import embedded

Properties = dict[str, Any]
RULE_PROPERTIES = {"Id", "Status", "Prefix", "ExpirationInDays", "AbortIncompleteMultipartUpload"}


def install() -> None:
    handlers = embedded.CLOUDFORMATION_TYPES.value
    bucket = handlers["AWS::S3::Bucket"]
    handlers["AWS::S3::Bucket"] = bucket | {
        "create": _with_rules(bucket["create"], position=1),
        "update": _with_rules(bucket["update"], position=2),
    }


def _with_rules(original: Callable[..., Any], position: int) -> Callable[..., Any]:
    """`position` is that of the new properties in the arguments."""

    def handle(*arguments: Any) -> Any:
        rules = _rules(arguments[0], arguments[position])
        name, attributes = original(*arguments)
        _put(name, rules)
        return name, attributes

    return handle


def _rules(name: str, properties: Properties) -> list[Properties]:
    """The rules in the words of the API; raises ValueError for a property that would be ignored."""
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
    if rules:
        embedded.call("s3", "PutBucketLifecycleConfiguration", Bucket=name, LifecycleConfiguration={"Rules": rules})
    else:
        embedded.call("s3", "DeleteBucketLifecycle", Bucket=name)
