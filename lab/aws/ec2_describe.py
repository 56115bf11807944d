"""DescribeInstances: filters, pages, and the fields that MiniStack leaves out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ministack.core.responses import get_account_id
from ministack.services import ec2

from lab.aws.query import AwsError, Response

PAGE_SIZE = 1000


def describe_instances(request: dict[str, Any]) -> Response:
    wanted = request.get("InstanceId", [])
    for instance_id in wanted:
        if instance_id not in ec2._instances:
            raise AwsError("InvalidInstanceID.NotFound", f"The instance ID '{instance_id}' does not exist")
    filters = {item["Name"]: item.get("Value", []) for item in request.get("Filter", [])}
    found = [
        instance
        for instance in list(ec2._instances.values())
        if (not wanted or instance["InstanceId"] in wanted) and _matches(instance, filters)
    ]
    start = int(request.get("NextToken") or 0)
    end = start + int(request.get("MaxResults") or PAGE_SIZE)
    reservations = "".join(
        f"<item><reservationId>r-{instance['InstanceId'][2:]}</reservationId><ownerId>{get_account_id()}</ownerId>"
        f"<groupSet/><instancesSet>{ec2._instance_xml(instance)}</instancesSet></item>"
        for instance in found[start:end]
    )
    next_token = f"<nextToken>{end}</nextToken>" if end < len(found) else ""
    return ec2._xml(200, "DescribeInstancesResponse", f"<reservationSet>{reservations}</reservationSet>{next_token}")


def reservation(instances: list[dict[str, Any]]) -> Response:
    items = "".join(ec2._instance_xml(instance) for instance in instances)
    inner = f"<instancesSet>{items}</instancesSet><reservationId>r-{instances[0]['InstanceId'][2:]}</reservationId>"
    return ec2._xml(200, "RunInstancesResponse", f"{inner}<ownerId>{get_account_id()}</ownerId><groupSet/>")


def _matches(instance: dict[str, Any], filters: dict[str, list[str]]) -> bool:
    facts = {
        "availability-zone": instance["Placement"]["AvailabilityZone"],
        "client-token": instance.get("ClientToken", ""),
        "instance-id": instance["InstanceId"],
        "placement-group-name": instance["Placement"].get("GroupName", ""),
        "private-ip-address": instance["PrivateIpAddress"],
        "subnet-id": instance["SubnetId"],
        "vpc-id": instance["VpcId"],
    }
    known = {"instance-state-name", "instance-type", "image-id", "tag-key", "tag-value", *facts}
    for name, values in filters.items():
        if name not in known and not name.startswith("tag:"):
            raise AwsError("InvalidParameterValue", f"The filter '{name}' is invalid")
        if name in facts and facts[name] not in values:
            return False
    return ec2._matches_filters(instance, filters)


def with_details(original: Callable[[dict[str, Any]], str]) -> Callable[[dict[str, Any]], str]:
    """Adds the fields that MiniStack leaves out of an instance's description."""

    def instance_xml(instance: dict[str, Any]) -> str:
        xml = original(instance)
        group = instance["Placement"].get("GroupName")
        if group:
            xml = xml.replace("<placement>", f"<placement><groupName>{group}</groupName>", 1)
        more = f"<clientToken>{instance.get('ClientToken', '')}</clientToken>"
        reason = instance.get("StateReason")
        if reason:
            more += f"<stateReason><code>{reason['Code']}</code><message>{reason['Message']}</message></stateReason>"
        return xml.rstrip().removesuffix("</item>") + more + "</item>"

    return instance_xml
