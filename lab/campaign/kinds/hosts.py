"""Hosts that die like in a power cut."""

import random
from typing import Any

from lab.campaign.kinds.kind import LONG_SECONDS, Kind, delay


def _kill_measuring(draw: random.Random) -> dict[str, Any]:
    role = draw.choice(["client", "server"])
    return {
        "outcome": "red",
        "trigger": "measuring",
        "delay_seconds": delay(draw, 1, LONG_SECONDS - 4),
        "words": f"the {role} dies like in a power cut",
        "details": {"roles": [role]},
        "measurement_seconds": LONG_SECONDS,
        "pair_count": draw.choice([1, 1, 2]),
        "loses_seconds": True,
    }


def _kill_both(draw: random.Random) -> dict[str, Any]:
    return {
        "outcome": "red",
        "trigger": "measuring",
        "delay_seconds": delay(draw, 1, LONG_SECONDS - 4),
        "words": "both hosts die in the same second",
        "details": {"roles": ["client", "server"]},
        "measurement_seconds": LONG_SECONDS,
        "loses_seconds": True,
    }


def _kill_early(draw: random.Random) -> dict[str, Any]:
    role = draw.choice(["client", "server"])
    return {
        "outcome": "red",
        "trigger": "launched",
        "delay_seconds": delay(draw, 0, 2),
        "words": f"the {role} dies before anything is measured",
        "details": {"roles": [role]},
        "measurement_seconds": LONG_SECONDS,
    }


KINDS: dict[str, Kind] = {
    "host killed while it measures": Kind(5, _kill_measuring),
    "both hosts killed": Kind(2, _kill_both),
    "host killed before it measures": Kind(2, _kill_early),
}
