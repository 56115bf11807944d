"""Answers about the lab's instance types and the zones that offer them."""

from typing import Any

from lab.aws.ec2.requests import Facts, matching
from lab.aws.ec2.type_views import offering_views, type_view
from lab.aws.wire import AwsError, Request
from lab.hosts.profiles import Profiles


def describe_instance_types(profiles: Profiles, request: Request) -> dict[str, Any]:
    wanted = request.get("InstanceTypes", sorted(profiles.instance_types))
    unknown = [name for name in wanted if name not in profiles.instance_types]
    if unknown:
        raise AwsError(
            "InvalidInstanceType", f"The following supplied instance types do not exist: [{', '.join(unknown)}]"
        )
    # As on EC2, an unknown name in a filter is no error; it matches nothing.
    found = matching(request, wanted, str, {"instance-type": lambda name: [name]})
    return {"InstanceTypes": [type_view(profiles.profile(name)) for name in found]}


def describe_instance_type_offerings(profiles: Profiles, request: Request) -> dict[str, Any]:
    location_type = request.get("LocationType", "region")
    if location_type not in ("region", "availability-zone"):
        raise AwsError("InvalidParameterValue", "The lab knows the location types region and availability-zone")
    offerings = offering_views(profiles, location_type)
    facts: Facts[dict[str, str]] = {
        "instance-type": lambda offering: [offering["InstanceType"]],
        "location": lambda offering: [offering["Location"]],
    }
    return {"InstanceTypeOfferings": matching(request, offerings, lambda offering: offering["InstanceType"], facts)}
