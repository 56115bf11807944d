"""What `lab/user-account.json` describes, for the embedded AWS and for whoever asks before one is started.

`addressesInUse` counts the addresses of a subnet that other hosts of the user's have.
"""

import ipaddress
import json
from pathlib import Path
from typing import Any

Described = dict[str, Any]

ACCOUNT: Described = json.loads(Path(__file__).resolve().parents[1].joinpath("user-account.json").read_text())
# EC2 reserves the first four addresses of a subnet, and the last one.
RESERVED_ADDRESSES = 5
_ADDRESSES_IN_USE: dict[str, int] = {
    subnet["subnetId"]: subnet.get("addressesInUse", 0) for vpc in ACCOUNT["vpcs"] for subnet in vpc["subnets"]
}


def usable_address_count(subnet_id: str, cidr_block: str) -> int:
    """How many addresses of a subnet the lab's hosts and load balancers can have."""
    return ipaddress.ip_network(cidr_block).num_addresses - RESERVED_ADDRESSES - _ADDRESSES_IN_USE.get(subnet_id, 0)
