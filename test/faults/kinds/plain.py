"""Runs that nothing befalls, short ones and some that are long enough to spend their credits."""

import random
from typing import Any

from faults.kinds.kind import SHORT_SECONDS, Kind

# Its credits last 13 s at full rate.
THROTTLED = {"measurement_seconds": 40, "types": {"clientType": "c5.large", "serverType": "c5.large"}}


def _plain(draw: random.Random) -> dict[str, Any]:
    two = draw.random() < 0.5
    return {
        "outcome": "green",
        "trigger": "before",
        "delay_seconds": 0.0,
        "words": f"nothing happens to {'two pairs' if two else 'a pair'}",
        "measurement_seconds": SHORT_SECONDS,
        "pair_count": 2 if two else 1,
    }


def _throttled(draw: random.Random) -> dict[str, Any]:
    return _plain(draw) | THROTTLED | {"words": "nothing happens until the credits are spent", "pair_count": 1}


def _between_zones(draw: random.Random) -> dict[str, Any]:
    words = "nothing happens between two zones"
    return _plain(draw) | {"words": words, "pair_count": 1, "types": {"zoneRelation": "other_zone"}}


# More than the cards carry, so that the run is complete and its expectation is not met.
EXPECTED = {"throughputBitsPerSecond.p50": {"min": 1e9}}


def _expecting(draw: random.Random) -> dict[str, Any]:
    words = "a run expects more than its hosts carry"
    return _plain(draw) | {"words": words, "pair_count": 1, "details": {"expect": EXPECTED}}


KINDS: dict[str, Kind] = {
    "nothing happens": Kind(3, _plain),
    "credits are spent": Kind(3, _throttled),
    "zones are crossed": Kind(1, _between_zones),
    "expectation not met": Kind(1, _expecting),
}
