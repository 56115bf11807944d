"""What `lab/user-account.json` describes, and the vCPU quotas; usable before an embedded AWS has started.
`addressesInUse` is how many addresses of a subnet the user's other hosts have.
"""

import ipaddress
import json
from pathlib import Path
from typing import Any

from lab.aws.wire import AwsError

Described = dict[str, Any]

ACCOUNT: Described = json.loads(Path(__file__).resolve().parents[1].joinpath("user-account.json").read_text())
# EC2 reserves the first four addresses of a subnet and the last one.
RESERVED_ADDRESSES = 5
DEFAULT_VCPUS = 768.0
# The quota of a type, by the first letters of the type's name; the longest match counts.
FAMILIES = {
    "L-1216C47A": ("a", "c", "d", "h", "i", "m", "r", "t", "z"),
    "L-DB2E81BA": ("g", "vt"),
    "L-417A185B": ("p",),
    "L-74FC7D96": ("f",),
    "L-7295265B": ("x",),
    "L-6E869C2A": ("dl",),
    "L-1945791B": ("inf",),
    "L-2C3B7624": ("trn",),
    "L-F7808C92": ("hpc",),
    "L-43DA4232": ("u",),
}
_ADDRESSES_IN_USE: dict[str, int] = {
    subnet["subnetId"]: subnet.get("addressesInUse", 0) for vpc in ACCOUNT["vpcs"] for subnet in vpc["subnets"]
}


def usable_address_count(subnet_id: str, cidr_block: str) -> int:
    """Returns how many addresses of a subnet the lab's hosts and load balancers can have."""
    return ipaddress.ip_network(cidr_block).num_addresses - RESERVED_ADDRESSES - _ADDRESSES_IN_USE.get(subnet_id, 0)


def quota_code(instance_type: str) -> str:
    codes = {prefix: code for code, prefixes in FAMILIES.items() for prefix in prefixes}
    prefix = max((prefix for prefix in codes if instance_type.startswith(prefix)), key=len, default=None)
    if prefix is None:
        raise AwsError("InvalidParameterValue", f"Invalid value '{instance_type}' for InstanceType.")
    return codes[prefix]
