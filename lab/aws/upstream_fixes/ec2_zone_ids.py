"""EC2: the zones that the names of an account mean.

MiniStack: the zone with the first name has the first id, and so on.
AWS: names are mapped to zones for each account by itself, so that `us-east-1a` of one account can be `us-east-1c` of
another; ids name the same zone everywhere (https://docs.aws.amazon.com/ram/latest/userguide/working-with-az-ids.html).
Fix: the names of the lab's account are mapped in another order, so that a name that is taken for an id is seen.
"""

from collections.abc import Callable

from lab.aws import embedded

# By the last letter of the name.
NUMBERS = {"a": 4, "b": 6, "c": 1}


def install() -> None:
    embedded.EC2_ZONE_ID.wrap(_mapped)
    # MiniStack has made the default subnets already.
    for subnet in embedded.EC2_SUBNETS.value.values():
        subnet["AvailabilityZoneId"] = embedded.EC2_ZONE_ID.value(subnet["AvailabilityZone"])


def _mapped(original: Callable[[str], str]) -> Callable[[str], str]:
    def zone_id(zone: str) -> str:
        prefix = original(zone).rpartition("-az")[0]
        return f"{prefix}-az{NUMBERS[zone[-1]]}"

    return zone_id
