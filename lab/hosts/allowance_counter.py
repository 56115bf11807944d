"""Models the driver's counters `bw_in_allowance_exceeded` and `bw_out_allowance_exceeded` of one direction of a card.

AWS documents them as packets "queued or dropped because the aggregate bandwidth exceeded the maximum for the instance",
but they also grow before the credits are spent: a user's r6a.4xlarge (6.25 and 12.5 Gbit/s) counted 28,637 in 68 s at
2.9 Gbit/s, and at full load 1.3 to 5.9 million, more than it had packets (NOFireAI/ravel, issue 845).

    load of the card                            as_seen_on_ec2: events per packet     ideal
    less than it may carry                      none, or now and then .1 at most      none
    its peak, or a steady type's rate           .3 to 1.2                             none
    its baseline, because credits are spent     1.5 to 2.5                            what the queue delayed or dropped
    held back by a lack of CPU credits          none, unless its credits are spent    none, unless its credits are spent
"""

import random

from lab.hosts.commands import MTU_BYTES

COUNTINGS = ("as_seen_on_ec2", "ideal")
# Bursts of a few milliseconds exceed the rate even if the average of a second is far below it.
_MICROBURST_PROBABILITY_PER_SECOND, _MICROBURST_EVENTS_PER_PACKET = 0.6, (0.01, 0.1)
# Below this share of the baseline, the model has no bursts.
_LEAST_SHARE = 0.1
_EVENTS_AT_PEAK, _EVENTS_AT_BASELINE = (0.3, 1.2), (1.5, 2.5)
# From this share of the peak on, a queue means that the card is full; below, it is a short burst.
_FULL_SHARE = 0.7


class AllowanceCounter:
    """The counter of one direction; `seed` determines its random scatter."""

    def __init__(self, counting: str, peak_bits_per_second: int, baseline_bits_per_second: int, seed: str) -> None:
        self.events = 0
        self._is_ideal = counting == "ideal"
        self._peak_bytes_per_second = peak_bits_per_second / 8
        self._baseline_bytes_per_second = baseline_bits_per_second / 8
        self._random = random.Random(seed)
        self._rest = 0.0

    def pass_time(
        self, elapsed_seconds: float, sent_bytes: int, limited_packets: int, is_spent: bool, is_held: bool
    ) -> None:
        """Counts the events since the last call; the card's queue delayed or dropped `limited_packets`."""
        if self._is_ideal:
            self.events += limited_packets if is_spent else 0
        elif is_spent or not is_held:
            low, high = self._events_per_packet(elapsed_seconds, sent_bytes, limited_packets, is_spent)
            self._rest += sent_bytes / MTU_BYTES * self._random.uniform(low, high)
            self.events, self._rest = self.events + int(self._rest), self._rest % 1

    def _events_per_packet(
        self, elapsed_seconds: float, sent_bytes: int, limited_packets: int, is_spent: bool
    ) -> tuple[float, float]:
        if is_spent:
            return _EVENTS_AT_BASELINE if limited_packets else (0, 0)
        bytes_per_second = sent_bytes / elapsed_seconds
        if limited_packets and bytes_per_second >= _FULL_SHARE * self._peak_bytes_per_second:
            return _EVENTS_AT_PEAK
        is_load = bytes_per_second > _LEAST_SHARE * self._baseline_bytes_per_second
        is_burst = self._random.random() < _MICROBURST_PROBABILITY_PER_SECOND * elapsed_seconds
        return _MICROBURST_EVENTS_PER_PACKET if is_load and is_burst else (0, 0)
