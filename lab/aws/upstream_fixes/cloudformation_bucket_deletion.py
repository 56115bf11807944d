"""CloudFormation: buckets with objects in them.

MiniStack: deleting an AWS::S3::Bucket removes the bucket with everything in it.
AWS: "You can only delete empty buckets. Deletion fails for buckets that have contents."
(https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-s3-bucket.html).
Fix: the provisioner deletes by DeleteBucket, whose refusal fails the resource. A bucket that is gone counts as deleted.
"""

from typing import Any

from lab.aws import embedded
from lab.aws.wire import AwsError


def install() -> None:
    handlers = embedded.CLOUDFORMATION_TYPES.value
    forget = handlers["AWS::S3::Bucket"]["delete"]

    def delete(name: str, properties: dict[str, Any]) -> None:
        try:
            embedded.call("s3", "DeleteBucket", Bucket=name)
        except AwsError as error:
            if error.code != "NoSuchBucket":
                raise ValueError(f"{name}: {error.code}: {error.message}") from error
        forget(name, properties)

    handlers["AWS::S3::Bucket"] |= {"delete": delete}
