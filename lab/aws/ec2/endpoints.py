"""VPC endpoints, which MiniStack lists without regard to filters and deletes at once.

EC2 takes its time, and until it is over, the endpoint's network interfaces use its security groups and subnets.
"""

import time
from typing import Any

from lab.aws.ec2.networks import ministack
from lab.aws.ec2.records import tags_of
from lab.aws.ec2.requests import Facts, matching
from lab.aws.wire import Request

DELETION_SECONDS = 3.0
Endpoint = dict[str, Any]
FACTS: Facts[Endpoint] = {
    "vpc-id": lambda endpoint: [endpoint["VpcId"]],
    "service-name": lambda endpoint: [endpoint["ServiceName"]],
}


class VpcEndpoints:
    def __init__(self) -> None:
        self._group_ids: dict[str, list[str]] = {}
        self._gone_at: dict[str, float] = {}

    def create(self, request: Request) -> dict[str, Any]:
        created = ministack("CreateVpcEndpoint", **request)
        self._group_ids[created["VpcEndpoint"]["VpcEndpointId"]] = request.get("SecurityGroupIds", [])
        return created

    def describe(self, request: Request) -> dict[str, Any]:
        gone = [one for one, gone_at in self._gone_at.items() if gone_at <= time.monotonic()]
        for endpoint_id in gone:
            del self._gone_at[endpoint_id]
            self._group_ids.pop(endpoint_id, None)
        if gone:
            ministack("DeleteVpcEndpoints", VpcEndpointIds=gone)
        found = ministack("DescribeVpcEndpoints", VpcEndpointIds=request.get("VpcEndpointIds", []))["VpcEndpoints"]
        for endpoint in found:
            if endpoint["VpcEndpointId"] in self._gone_at:
                endpoint["State"] = "deleting"
        return {"VpcEndpoints": matching(request, found, FACTS, tags_of)}

    def delete(self, request: Request) -> dict[str, Any]:
        known = {one["VpcEndpointId"] for one in self.describe({})["VpcEndpoints"]}
        for endpoint_id in known.intersection(request["VpcEndpointIds"]):
            self._gone_at.setdefault(endpoint_id, time.monotonic() + DELETION_SECONDS)
        missing = [one for one in request["VpcEndpointIds"] if one not in known]
        error = {"Code": "InvalidVpcEndpoint.NotFound", "Message": "The Vpc Endpoint does not exist"}
        return {"Unsuccessful": [{"ResourceId": endpoint_id, "Error": error} for endpoint_id in missing]}

    def use_group(self, group_id: str) -> bool:
        self.describe({})
        return any(group_id in group_ids for group_ids in self._group_ids.values())
