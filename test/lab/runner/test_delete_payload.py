"""The lab keeps no object that hosts transferred to measure S3, and every other one."""

from __future__ import annotations

from typing import Any

from lab.runner.run_plan import delete_payload


class FakeAws:
    """A stack of two buckets, whose lists of objects come in pages of one."""

    def __init__(self) -> None:
        self.cloudformation = self.s3 = self
        self.objects = {"payload": ["payload/i-1/p0001-m01-1", "payload/i-1/p0001-m01-2"], "results": ["reports/run"]}

    def describe_stack_resources(self, **_: Any) -> dict[str, Any]:
        named = {"PayloadStoreBucketA1": "payload", "ResultStoreBucketB2": "results"}
        buckets = [
            {"LogicalResourceId": logical, "ResourceType": "AWS::S3::Bucket", "PhysicalResourceId": bucket}
            for logical, bucket in named.items()
        ]
        policy = {"LogicalResourceId": "PayloadStoreBucketPolicyC3", "ResourceType": "AWS::S3::BucketPolicy"}
        return {"StackResources": [*buckets, policy | {"PhysicalResourceId": "payload-policy"}]}

    def get_paginator(self, _: str) -> FakeAws:
        return self

    def paginate(self, Bucket: str) -> list[dict[str, Any]]:
        return [{"Contents": [{"Key": key}]} for key in self.objects[Bucket]] or [{}]

    def delete_object(self, Bucket: str, Key: str) -> None:
        self.objects[Bucket].remove(Key)


def test_only_the_transferred_objects_are_deleted() -> None:
    aws: Any = FakeAws()
    delete_payload(aws)
    assert aws.objects == {"payload": [], "results": ["reports/run"]}
