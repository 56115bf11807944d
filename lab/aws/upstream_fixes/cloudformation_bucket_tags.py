"""CloudFormation: tags of buckets.

MiniStack: AWS::S3::Bucket ignores Tags.
AWS: the bucket has the tags of the template, from its creation and after each update
(https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-s3-bucket.html).
Fix: the provisioner puts them by PutBucketTagging, and removes them when the template has none.
"""

from collections.abc import Callable
from typing import Any

from lab.aws import embedded


def install() -> None:
    handlers = embedded.CLOUDFORMATION_TYPES.value
    bucket = handlers["AWS::S3::Bucket"]
    handlers["AWS::S3::Bucket"] = bucket | {
        "create": _with_tags(bucket["create"], position=1),
        "update": _with_tags(bucket["update"], position=2),
    }


def _with_tags(original: Callable[..., Any], position: int) -> Callable[..., Any]:
    """`position` is that of the new properties in the arguments."""

    def handle(*arguments: Any) -> Any:
        name, attributes = original(*arguments)
        tags = arguments[position].get("Tags")
        if tags:
            embedded.call("s3", "PutBucketTagging", Bucket=name, Tagging={"TagSet": tags})
        else:
            embedded.call("s3", "DeleteBucketTagging", Bucket=name)
        return name, attributes

    return handle
