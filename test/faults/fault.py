"""What the campaign injects, and what must come of it.

Each kind draws its details from the generator that it is given, so that a seed and a number make a fault again. The
outcome is judged by what AWS and the plan promise: a run whose every planned second was measured may be green, and a
run that lost something must be red.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from faults.kinds import apis, executions, functions, hosts, own_lab, paths, plain, removal, store
from faults.kinds.kind import SHORT_SECONDS, Kind, Outcome, Trigger

# A type with the lowest rate that has no credits: its traffic costs this machine the least.
INSTANCE_TYPE = "m4.xlarge"
MODULES = (plain, hosts, paths, executions, apis, functions, removal, store, own_lab)
KINDS: dict[str, Kind] = {name: kind for module in MODULES for name, kind in module.KINDS.items()}


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
    types: dict[str, str] = field(default_factory=dict)
    """Instance types other than the campaign's own, by the plan's field."""
    loses_seconds: bool = False
    """Whether the measurement is cut off, so that its last seconds may be lost."""
    needs_own_lab: bool = False
    """Whether it is a fault of a lab, which then has no other run."""

    @property
    def measurement_ids(self) -> list[str]:
        return [f"p{number + 1:04d}-m01" for number in range(self.pair_count)]

    @property
    def instance_types(self) -> dict[str, str]:
        """The type of each host, by its role."""
        return {role: self.types.get(f"{role}Type", INSTANCE_TYPE) for role in ("client", "server")}


def draw_fault(seed: int, number: int, kinds: Sequence[str] = ()) -> Fault:
    """Returns fault `number` of a seed. Every kind occurs once before the deck is shuffled again.

    `kinds` are those that may occur; all of them where none is named.
    """
    cards = [name for name, kind in KINDS.items() for _ in range(kind.share) if not kinds or name in kinds]
    random.Random(f"{seed}/deck/{number // len(cards)}").shuffle(cards)
    name = cards[number % len(cards)]
    drawn = KINDS[name].draw(random.Random(f"{seed}/{number}"))
    drawn["details"] = {"taken_by": list(KINDS[name].taken_by)} | drawn.get("details", {})
    return Fault(number=number, kind=name, **drawn)


def between_own_subnets(fault: Fault) -> Fault:
    """Returns the same fault of a run between two networks of the user's own, where the run can be made there."""
    if fault.needs_own_lab or fault.path == "nlb":
        return fault
    return replace(fault, path="own", placement="none")
