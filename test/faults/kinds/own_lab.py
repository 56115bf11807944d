"""Faults of the lab itself, each of which has a lab of its own."""

import random
from typing import Any

from faults.kinds.kind import LONG_SECONDS, Draw, Kind, delay


def _own_lab(how: str, words: str, **details: Any) -> Draw:
    def draw_moment(draw: random.Random) -> dict[str, Any]:
        # A run of a lab takes about a minute, half of which is its deployment.
        moment = delay(draw, 2, 35)
        return {
            "outcome": "red",
            "trigger": "before",
            "delay_seconds": moment,
            "words": f"a lab {words} after {moment:.0f} s",
            "details": {"how": how, **details},
            "measurement_seconds": LONG_SECONDS,
            "needs_own_lab": True,
        }

    return draw_moment


KINDS: dict[str, Kind] = {
    "lab interrupted": Kind(1, _own_lab("interrupted", "is interrupted like by Ctrl-C")),
    "lab terminated": Kind(1, _own_lab("terminated", "is asked to end like by a system that shuts down")),
    "lab killed": Kind(1, _own_lab("killed", "is killed")),
    "embedded AWS killed": Kind(1, _own_lab("embedded AWS killed", "loses its embedded AWS")),
    "lab's disk full": Kind(1, _own_lab("disk full", "finds its disk full", disk_megabytes=400)),
}
