"""DescribeInstances: filters, pages, and the fields that MiniStack leaves out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ministack.core.responses import get_account_id
from ministack.services import ec2

from lab.aws.filters import check_filters, filters_of, page
from lab.aws.network_interfaces import instance_interface
from lab.aws.query import AwsError, Response, to_xml

PAGE_SIZE = 1000


def describe_instances(request: dict[str, Any]) -> Response:
    wanted = request.get("InstanceId", [])
    for instance_id in wanted:
        if instance_id not in ec2._instances:
            raise AwsError("InvalidInstanceID.NotFound", f"The instance ID '{instance_id}' does not exist")
    filters = filters_of(request)
    found = [
        instance
        for instance in list(ec2._instances.values())
        if (not wanted or instance["InstanceId"] in wanted) and _matches(instance, filters)
    ]
    shown, next_token = page(request, found, PAGE_SIZE)
    token = to_xml({"nextToken": next_token})
    reservations = "".join(
        f"<item><reservationId>r-{instance['InstanceId'][2:]}</reservationId><ownerId>{get_account_id()}</ownerId>"
        f"<groupSet/><instancesSet>{ec2._instance_xml(instance)}</instancesSet></item>"
        for instance in shown
    )
    return ec2._xml(200, "DescribeInstancesResponse", f"<reservationSet>{reservations}</reservationSet>{token}")


def reservation(instances: list[dict[str, Any]]) -> Response:
    items = "".join(ec2._instance_xml(instance) for instance in instances)
    inner = f"<instancesSet>{items}</instancesSet><reservationId>r-{instances[0]['InstanceId'][2:]}</reservationId>"
    return ec2._xml(200, "RunInstancesResponse", f"{inner}<ownerId>{get_account_id()}</ownerId><groupSet/>")


def _matches(instance: dict[str, Any], filters: dict[str, list[str]]) -> bool:
    facts = {
        "availability-zone": instance["Placement"]["AvailabilityZone"],
        "client-token": instance.get("ClientToken", ""),
        "instance-id": instance["InstanceId"],
        "instance.group-id": [group["GroupId"] for group in instance["SecurityGroups"]],
        "placement-group-name": instance["Placement"].get("GroupName", ""),
        "private-ip-address": instance["PrivateIpAddress"],
        "subnet-id": instance["SubnetId"],
        "vpc-id": instance["VpcId"],
    }
    check_filters(filters, {"instance-state-name", "instance-type", "image-id", *facts})
    for name, values in filters.items():
        fact = facts.get(name, values)
        if not set(fact if isinstance(fact, list) else [fact]) & set(values):
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
        if instance["State"]["Name"] != "terminated":
            more += f"<networkInterfaceSet>{to_xml([instance_interface(instance)])}</networkInterfaceSet>"
        return xml.rstrip().removesuffix("</item>") + more + "</item>"

    return instance_xml
