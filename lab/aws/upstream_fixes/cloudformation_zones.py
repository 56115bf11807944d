"""CloudFormation: the zones that Fn::GetAZs lists.

MiniStack: every Region has the zones a, b and c.
AWS: "Fn::GetAZs returns only Availability Zones that have a default subnet unless none of the Availability Zones has a
default subnet; in that case, all Availability Zones are returned."
(https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-getavailabilityzones.html).
Fix: the zones without a default subnet are left out. A test deletes default subnets to get a Region with fewer zones.
"""

from collections.abc import Callable
from typing import Any

from lab.aws import embedded


def install() -> None:
    embedded.CLOUDFORMATION_RESOLVE.wrap(_with_default_subnets)


def _with_default_subnets(original: Callable[..., Any]) -> Callable[..., Any]:
    def resolve(value: Any, *context: Any) -> Any:
        resolved = original(value, *context)
        if not (isinstance(value, dict) and "Fn::GetAZs" in value):
            return resolved
        subnets = list(embedded.EC2_SUBNETS.value.values())
        listed = {subnet["AvailabilityZone"] for subnet in subnets if subnet["DefaultForAz"]}
        return [zone for zone in resolved if zone in listed] or resolved

    return resolve
