"""What the campaign injects, and what must come of it.

Each kind draws its details from the generator that it is given, so that a seed and a number make a fault again. The
outcome is judged by what AWS and the plan promise: a run whose every planned second was measured may be green, and a
run that lost something must be red.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

Outcome = Literal["green", "red", "either"]
Trigger = Literal["before", "launched", "measuring", "measured", "ended"]
# A kill is only interesting once the host has chunks that it has not uploaded yet.
SHORT_SECONDS, LONG_SECONDS = 6, 24
# A chunk is uploaded every ten seconds, so that one is there after these.
FIRST_CHUNK_SECONDS = 12.0


@dataclass(frozen=True)
class Fault:
    """One fault: everything that is needed to make it again."""

    number: int
    kind: str
    outcome: Outcome
    """How the run must end; `either` leaves it to what was measured."""
    trigger: Trigger
    delay_seconds: float
    """From the trigger until the fault."""
    words: str
    details: dict[str, Any] = field(default_factory=dict)
    measurement_seconds: int = SHORT_SECONDS
    pair_count: int = 1
    path: str = "private"
    placement: str = "none"
    loses_seconds: bool = False
    """Whether the measurement is cut off, so that its last seconds may be lost."""


Draw = Callable[[random.Random], dict[str, Any]]
KINDS: dict[str, tuple[int, Draw]] = {}


def kind(name: str, share: int) -> Callable[[Draw], Draw]:
    """Enters a kind in the deck; `share` is how many of its cards are of this kind."""

    def enter(draw: Draw) -> Draw:
        KINDS[name] = (share, draw)
        return draw

    return enter


def draw_fault(seed: int, number: int) -> Fault:
    """Returns fault `number` of a seed. Every kind occurs once before the deck is shuffled again."""
    cards = [name for name, (share, _) in KINDS.items() for _ in range(share)]
    random.Random(f"{seed}/deck/{number // len(cards)}").shuffle(cards)
    name = cards[number % len(cards)]
    drawn = KINDS[name][1](random.Random(f"{seed}/{number}"))
    return Fault(number=number, kind=name, **drawn)


def _delay(draw: random.Random, low: float, high: float) -> float:
    return round(draw.uniform(low, high), 1)


@kind("host killed while it measures", 5)
def _kill_measuring(draw: random.Random) -> dict[str, Any]:
    role = draw.choice(["client", "server"])
    return {
        "outcome": "red",
        "trigger": "measuring",
        "delay_seconds": _delay(draw, 1, LONG_SECONDS - 4),
        "words": f"the {role} dies like in a power cut",
        "details": {"roles": [role]},
        "measurement_seconds": LONG_SECONDS,
        "pair_count": draw.choice([1, 1, 2]),
        "loses_seconds": True,
    }


@kind("both hosts killed", 2)
def _kill_both(draw: random.Random) -> dict[str, Any]:
    return {
        "outcome": "red",
        "trigger": "measuring",
        "delay_seconds": _delay(draw, 1, LONG_SECONDS - 4),
        "words": "both hosts die in the same second",
        "details": {"roles": ["client", "server"]},
        "measurement_seconds": LONG_SECONDS,
        "loses_seconds": True,
    }


@kind("host killed before it measures", 2)
def _kill_early(draw: random.Random) -> dict[str, Any]:
    role = draw.choice(["client", "server"])
    return {
        "outcome": "red",
        "trigger": "launched",
        "delay_seconds": _delay(draw, 0, 2),
        "words": f"the {role} dies before anything is measured",
        "details": {"roles": [role]},
        "measurement_seconds": LONG_SECONDS,
    }


@kind("execution stopped", 5)
def _stop(draw: random.Random) -> dict[str, Any]:
    what, times = draw.choice(["run", "pair"]), draw.choice([1, 2])
    measuring = draw.random() < 0.6
    return {
        "outcome": "red",
        # A pair's execution begins some seconds after its run's.
        "trigger": "measuring" if measuring else draw.choice(["before", "launched"] if what == "run" else ["launched"]),
        "delay_seconds": _delay(draw, 1, LONG_SECONDS - 4) if measuring else _delay(draw, 0.5, 2),
        "words": f"the {what} is stopped{' twice' if times == 2 else ''}",
        "details": {"what": what, "times": times},
        "measurement_seconds": LONG_SECONDS,
        "loses_seconds": measuring,
        "placement": draw.choice(["none", "cluster"]),
    }


# What every run calls, with the error that passes.
PASSING_ERRORS = {
    "RunInstances": "RequestLimitExceeded",
    "DescribeInstances": "RequestLimitExceeded",
    "TerminateInstances": "RequestLimitExceeded",
    "DescribePlacementGroups": "InternalError",
    "ssm:DescribeInstanceInformation": "ThrottlingException",
    "ssm:SendCommand": "ThrottlingException",
    "ssm:ListCommandInvocations": "ThrottlingException",
}


@kind("API throttled", 4)
def _throttled(draw: random.Random) -> dict[str, Any]:
    action, times = draw.choice(sorted(PASSING_ERRORS)), draw.choice([1, 2, 3])
    code = PASSING_ERRORS[action]
    return {
        "outcome": "green",
        "trigger": "before",
        "delay_seconds": 0.0,
        "words": f"{action} is answered with {code}, {times} time{'s' if times > 1 else ''}",
        "details": {"action": action, "code": code, "times": times},
    }
