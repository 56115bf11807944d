"""Tracks the tokens of a recorded bucket and when it is empty, for research/record-buckets.py."""

from dataclasses import dataclass, field
from typing import Any

GIGA = 1e9
READ_SECONDS = 0.02
# The account of a kernel bucket follows it from outside with another clock, so it never reaches exactly zero.
KERNEL_SPENT_SECONDS = 0.5
RECOVERED_SECONDS = 1.0


@dataclass
class Account:
    """Tokens in bits. Once spent, the low rate holds until `resume_bits` are back; below the refill it oscillates."""

    peak_bits_per_second: float
    bits: float
    refill_bits_per_second: float
    low_bits_per_second: float
    resume_bits: float
    spent_below_bits: float
    balance: float = 0
    is_spent: bool = False
    spent_at: list[float] = field(default_factory=list)

    @staticmethod
    def from_case(wanted: dict[str, Any], peak: float, is_in_kernel: bool) -> "Account":
        refill = wanted["baselineGbps"] * GIGA
        bits = wanted["gigabits"] * GIGA
        resume = refill * RECOVERED_SECONDS if is_in_kernel else wanted.get("resumeGigabits", wanted["gigabits"]) * GIGA
        below = refill * (KERNEL_SPENT_SECONDS if is_in_kernel else READ_SECONDS)
        return Account(peak, bits, refill, wanted.get("lowGbps", wanted["baselineGbps"]) * GIGA, resume, below, bits)

    def book(self, now: float, elapsed: float, sent_bits: float) -> None:
        self.balance = max(0.0, min(self.bits, self.balance + self.refill_bits_per_second * elapsed - sent_bits))
        if not self.is_spent and self.balance < self.spent_below_bits:
            self.is_spent = True
            self.spent_at.append(now + self.balance / (self.peak_bits_per_second - self.refill_bits_per_second))
        elif self.is_spent and self.balance >= self.resume_bits:
            self.is_spent = False


def planned_rate(plan: list[tuple[float, float]], at: float) -> float:
    """Interpolates linearly between the points of the plan; two points at one time are a step."""
    for (from_at, from_rate), (to_at, to_rate) in zip(plan, plan[1:], strict=False):
        if at < to_at:
            share = 0 if at < from_at else (at - from_at) / (to_at - from_at)
            return from_rate + share * (to_rate - from_rate)
    return plan[-1][1]
