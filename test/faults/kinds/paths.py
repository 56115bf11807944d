"""Paths between the hosts that lose packets, tools that print nonsense, and disks of hosts that are full."""

import random
from typing import Any

from faults.kinds.kind import LONG_SECONDS, Kind

# A fault of the path is one of an instance type, for all runs of a lab, so that only these kinds use these types.
CUT_TYPE, LOSSY_TYPE = "m4.4xlarge", "c4.xlarge"
PATH_FAULTS = [f"{CUT_TYPE}:cut@8", f"{LOSSY_TYPE}:loss=30%@6"]


def _path(instance_type: str, outcome: str, words: str, **details: Any) -> Any:
    def draw_path(draw: random.Random) -> dict[str, Any]:
        return {
            "outcome": outcome,
            "trigger": "before",
            "delay_seconds": 0.0,
            "words": words,
            "details": {"path": PATH_FAULTS, **details},
            "measurement_seconds": LONG_SECONDS,
            "types": {"clientType": instance_type, "serverType": instance_type},
        }

    return draw_path


# /usr/local/sbin is the first folder on the agent's PATH, and each host has its own.
NONSENSE = 'printf "%s\\n" "#!/bin/sh" "while sleep 0.2; do head -c 300 /dev/urandom; echo; done" >{0} && chmod +x {0}'
# Room for one or two chunks, where a measurement of this length has three.
FULL = "mount -t tmpfs -o size=8k,mode=755 tmpfs /var/lib/network-benchmark"


def _on_a_host(outcome: str, words: str, details: dict[str, Any], **more: Any) -> Any:
    def draw_host(draw: random.Random) -> dict[str, Any]:
        role = draw.choice(["client", "server"])
        return {
            "outcome": outcome,
            "trigger": "running",
            "delay_seconds": 0.0,
            "words": f"the {role}'s {words}",
            "details": {"role": role, **details},
            **more,
        }

    return draw_host


KINDS: dict[str, Kind] = {
    "path cut": Kind(1, _path(CUT_TYPE, "red", "the path between the hosts is cut for good", warns="left out")),
    "path lossy": Kind(
        1, _path(LOSSY_TYPE, "green", "the path between the hosts loses 30 % of the packets", cause="packet_loss")
    ),
    "tool prints nonsense": Kind(
        2,
        _on_a_host(
            "red",
            "tool prints nonsense",
            {"command": NONSENSE.format("/usr/local/sbin/iperf3"), "prints_garbage": True},
        ),
    ),
    "host's disk full": Kind(
        2, _on_a_host("green", "disk fills up", {"command": FULL}, measurement_seconds=LONG_SECONDS)
    ),
}
