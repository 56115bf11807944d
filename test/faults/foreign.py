"""What somebody else has in the account: hosts, groups, load balancers, buckets and objects that look like a run's.

They have another stack's tags or none, names that begin like a run's, and dates in the past. All of it must be there,
unchanged, at the end of a campaign.
"""

from __future__ import annotations

from typing import Any

from faults.fault import INSTANCE_TYPE
from faults.subject import Lab, Object
from faults.witness import FOREIGN_TAG
from lab.aws.described_account import ACCOUNT
from lab.runner.deployment import STACK_NAME

LONG_AGO = "2020-01-01T00:00:00.000Z"
VPC = ACCOUNT["vpcs"][0]
SUBNET = VPC["subnets"][0]["subnetId"]
IMAGE = next(one["imageId"] for one in ACCOUNT["images"] if one["architecture"] == "x86_64")


class Foreign:
    def __init__(self, lab: Lab, run_ids: list[str]) -> None:
        """Makes them; `run_ids` are runs of the campaign, for which another stack has resources, too."""
        self._lab = lab
        self._ec2, self._elb = (self._client(name) for name in ("ec2", "elbv2"))
        self._own_bucket = lab.deployment.bucket
        self._other_bucket = f"{lab.deployment.bucket[:50]}-copy"
        for number, run_id in enumerate(run_ids):
            self._make(run_id, f"{STACK_NAME}2" if number % 2 == 0 else STACK_NAME.lower())
        lab.aws.s3.create_bucket(Bucket=self._other_bucket)
        for bucket in (self._own_bucket, self._other_bucket):
            for key in self._keys(run_ids):
                lab.aws.s3.put_object(Bucket=bucket, Key=key, Body=b"somebody else's")
        self._before = self._all()

    def changes(self) -> list[str]:
        """Returns what is not as it was."""
        now = self._all()
        return [
            f"{name} is somebody else's and must stay {was}, is {now.get(name, 'gone')}"
            for name, was in self._before.items()
            if now.get(name) != was
        ]

    @staticmethod
    def _keys(run_ids: list[str]) -> list[str]:
        return [f"{table}/{run_id}9/somebody-elses.txt" for run_id in run_ids for table in ("reports", "parts", "raw")]

    def _client(self, service: str) -> Any:
        session: Any = self._lab.aws.session
        return session.client(service, endpoint_url=self._lab.aws.endpoint_url)

    def _make(self, run_id: str, stack: str) -> None:
        name, role = f"network-benchmark-{run_id}-p00019", "client"
        tags = {"stack": stack, "run-id": run_id, "pair-id": "p0001", "role": role, "expires-at": LONG_AGO}
        listed = [{"Key": f"network-benchmark:{key}", "Value": value} for key, value in tags.items()]
        listed += [{"Key": "Name", "Value": f"network-benchmark {role}"}, {"Key": FOREIGN_TAG, "Value": "yes"}]

        def tagged(kind: str) -> list[Object]:
            return [{"ResourceType": kind, "Tags": listed}]

        group = self._ec2.create_security_group(
            GroupName=name, Description="other", VpcId=VPC["vpcId"], TagSpecifications=tagged("security-group")
        )["GroupId"]
        self._ec2.create_placement_group(
            GroupName=name, Strategy="cluster", TagSpecifications=tagged("placement-group")
        )
        self._ec2.run_instances(
            InstanceType=INSTANCE_TYPE,
            ImageId=IMAGE,
            MinCount=1,
            MaxCount=1,
            SubnetId=SUBNET,
            SecurityGroupIds=[group],
            TagSpecifications=tagged("instance"),
        )
        short = f"network-benchmark-{run_id}-other"[:32]
        self._elb.create_load_balancer(Name=short, Type="network", Scheme="internal", Subnets=[SUBNET], Tags=listed)
        self._elb.create_target_group(Name=short, Protocol="TCP", Port=5201, VpcId=VPC["vpcId"], Tags=listed)

    def _all(self) -> dict[str, str]:
        found = {
            f"{kind} {item.get('id') or item['name']}": str(item.get("state", "there"))
            for kind, items in self._lab.control("GET", "resources").items()
            for item in items
            if item.get("tags", {}).get(FOREIGN_TAG)
        }
        # A host or a load balancer may begin to run while the campaign does.
        found = {name: "there" if state in ("pending", "provisioning") else state for name, state in found.items()}
        found = {name: "there" if state in ("running", "active") else state for name, state in found.items()}
        for bucket in (self._own_bucket, self._other_bucket):
            pages = self._lab.aws.s3.get_paginator("list_objects_v2").paginate(Bucket=bucket)
            for item in (item for page in pages for item in page.get("Contents", [])):
                if item["Key"].endswith("/somebody-elses.txt"):
                    found[f"{bucket}/{item['Key']}"] = item["ETag"]
        return found
