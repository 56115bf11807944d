"""EC2: the zones that the names of an account mean.

MiniStack: the zone with the first name has the first id, and so on.
AWS: names are mapped to zones for each account by itself, so that `us-east-1a` of one account can be `us-east-1c` of
another; ids name the same zone everywhere (https://docs.aws.amazon.com/ram/latest/userguide/working-with-az-ids.html).
Fix: the names of the lab's account are mapped in another order, so that a name that is taken for an id is seen.
"""

from lab.aws import embedded
from lab.aws.settings import zone_id


def install() -> None:
    embedded.EC2_ZONE_ID.replace(zone_id)
    # MiniStack has made the default subnets already.
    for subnet in embedded.EC2_SUBNETS.value.values():
        subnet["AvailabilityZoneId"] = zone_id(subnet["AvailabilityZone"])
