"""What every kind of fault consists of."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Outcome = Literal["green", "red", "either"]
Trigger = Literal["before", "launched", "running", "measuring", "measured", "ended"]
# A kill is only interesting once the host has chunks that it has not uploaded yet.
SHORT_SECONDS, LONG_SECONDS = 6, 24

# The lines behind the teardown; which of them comes first is open where a run is cut off or a removal refused.
BEHIND = ("reaper", "sweeper")

Draw = Callable[[random.Random], dict[str, Any]]
"""Draws the fields of a `Fault` from the generator that it is given."""


@dataclass(frozen=True)
class Kind:
    """A kind of fault; `share` is how many cards of the deck are of this kind."""

    share: int
    draw: Draw
    taken_by: tuple[str, ...] = ("teardown",)
    """Which lines of defence may remove what its runs leave; a fault's details may name others."""


def from_the_start(words: str, fault: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Returns the fields of a fault that the embedded AWS is told of before the run begins."""
    return {"trigger": "before", "delay_seconds": 0.0, "words": words, "details": {"faults": [fault]}, **more}


def cut_off(draw: random.Random, words: str, details: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields of a fault that ends a long measurement at a random second, and may cost its last seconds."""
    return {
        "outcome": "red",
        "trigger": "measuring",
        "delay_seconds": delay(draw, 1, LONG_SECONDS - 4),
        "words": words,
        "details": details,
        "measurement_seconds": LONG_SECONDS,
        "loses_seconds": True,
    }


def delay(draw: random.Random, low: float, high: float) -> float:
    """Returns a moment in seconds, to a tenth."""
    return round(draw.uniform(low, high), 1)
