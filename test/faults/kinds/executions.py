"""Executions that a person stops, or that time out."""

import random
from typing import Any

from faults.kinds.kind import LONG_SECONDS, Kind, cut_off, delay


def _stop(draw: random.Random) -> dict[str, Any]:
    what, times = draw.choice(["run", "pair"]), draw.choice([1, 2])
    measuring = draw.random() < 0.6
    return {
        "outcome": "red",
        # A pair's execution begins some seconds after its run's.
        "trigger": "measuring" if measuring else draw.choice(["before", "launched"] if what == "run" else ["launched"]),
        "delay_seconds": delay(draw, 1, LONG_SECONDS - 4) if measuring else delay(draw, 0.5, 2),
        "words": f"the {what} is stopped{' twice' if times == 2 else ''}",
        "details": {"what": what, "times": times},
        "measurement_seconds": LONG_SECONDS,
        "loses_seconds": measuring,
        "placement": draw.choice(["none", "cluster"]),
    }


def _time_out(draw: random.Random) -> dict[str, Any]:
    what = draw.choice(["run", "pair"])
    return cut_off(draw, f"the {what} times out", {"what": what})


KINDS: dict[str, Kind] = {
    "execution stopped": Kind(5, _stop, ("reaper",)),
    "execution timed out": Kind(3, _time_out, ("reaper",)),
}
