"""Hosts that die like in a power cut or right after their launch, and hosts that are slow."""

import random
from typing import Any

from faults.kinds.kind import LONG_SECONDS, Kind, cut_off, delay


def _kill_measuring(draw: random.Random) -> dict[str, Any]:
    role = draw.choice(["client", "server"])
    killed = cut_off(draw, f"the {role} dies like in a power cut", {"roles": [role]})
    return {**killed, "pair_count": draw.choice([1, 1, 2])}


def _kill_both(draw: random.Random) -> dict[str, Any]:
    return cut_off(draw, "both hosts die in the same second", {"roles": ["client", "server"]})


def _kill_early(draw: random.Random) -> dict[str, Any]:
    role = draw.choice(["client", "server"])
    return {
        "outcome": "red",
        "trigger": "running",
        "delay_seconds": delay(draw, 0, 2),
        "words": f"the {role} dies before anything is measured",
        "details": {"roles": [role]},
        "measurement_seconds": LONG_SECONDS,
    }


# What EC2 gives as the reason of an instance that it could not start, by the reason's code.
BOOT_DEATHS = {
    "Client.InternalError": "Client error on launch",
    "Server.InternalError": "Internal error on launch",
    "Client.VolumeLimitExceeded": "Volume limit exceeded",
}


def _boot_death(draw: random.Random) -> dict[str, Any]:
    code = draw.choice(sorted(BOOT_DEATHS))
    message = BOOT_DEATHS[code]
    fault = {"action": "Boot", "code": code, "message": message, "where": {"about": "*{run}*"}}
    return {
        "outcome": "red",
        "trigger": "before",
        "delay_seconds": 0.0,
        "words": f"a host dies after its launch was accepted ({code})",
        "details": {"faults": [fault], "says": f"{code}: {message}"},
    }


# Beyond what a virtual host takes. All faults of this kind are equally slow, because a lab has one such setting.
SLOW_METAL = {"start_seconds": 25, "stop_seconds": 15}
METAL_TYPE = "c5.metal"


def _slow_metal(draw: random.Random) -> dict[str, Any]:
    role = draw.choice(["client", "server"])
    start, stop = SLOW_METAL["start_seconds"], SLOW_METAL["stop_seconds"]
    return {
        "outcome": "green",
        "trigger": "before",
        "delay_seconds": 0.0,
        "words": f"the {role} is bare metal, {start} s slower to start and {stop} s to stop",
        "details": {"slow": SLOW_METAL, "role": role},
        "types": {f"{role}Type": METAL_TYPE},
    }


# A host without power needs nobody to end it.
DIED = ("died", "teardown")

KINDS: dict[str, Kind] = {
    "host killed while it measures": Kind(5, _kill_measuring, DIED),
    "both hosts killed": Kind(2, _kill_both, DIED),
    "host killed before it measures": Kind(2, _kill_early, DIED),
    "host dies while it boots": Kind(2, _boot_death, DIED),
    "bare metal slow": Kind(1, _slow_metal),
}
