"""Security groups as the lab's hosts enforce them: by source address, for every protocol and port."""

from __future__ import annotations

import logging

from ministack.services import ec2

from lab.aws.machines import Fleet

logger = logging.getLogger("lab.ec2")


def apply_security_groups(fleet: Fleet) -> None:
    """Tells every host from which addresses its groups' ingress rules let traffic in."""
    alive = [
        instance for instance in list(ec2._instances.values()) if instance["State"]["Name"] in ("pending", "running")
    ]
    members: dict[str, set[str]] = {}
    for instance in alive:
        for group in instance["SecurityGroups"]:
            members.setdefault(group["GroupId"], set()).add(instance["PrivateIpAddress"])
    for instance in alive:
        if not instance.get("HasHost"):
            continue
        sources: set[str] = set()
        for group in instance["SecurityGroups"]:
            for permission in ec2._security_groups.get(group["GroupId"], {}).get("IpPermissions", []):
                sources |= {entry["CidrIp"] for entry in permission.get("IpRanges", [])}
                for pair in permission.get("UserIdGroupPairs", []):
                    sources |= members.get(pair.get("GroupId", ""), set())
        try:
            fleet.set_allowed_sources(instance["InstanceId"], sources)
        except LookupError:
            logger.debug("%s: its host is gone", instance["InstanceId"])
