"""A host's share of its processors, as its card and its /proc/stat show it.

Hosts share the machine's processors, and the lab holds no process back. It models a host of EC2 instead: each bit costs
processor time, and a T type without CPU credits sends at most what its baseline can send. The rest of each second in
which it has more to send is steal.

The lab's machine is to a host what a hypervisor is on EC2, so processor time that a busy machine withholds is steal,
too: the machine's own steal, and the time in which the processes that forward the hosts' packets wait for a processor.
A T type's /proc/stat omits it, because there it would look like a lack of CPU credits. If the machine's kernel does not
count it, a host's /proc/stat has no steal at all, as on kernels before Linux 2.6.11.
"""

import os
import time
from pathlib import Path

from lab.hosts.profiles import Profile

# At a type's peak, all its processors are busy. Credits are back after the baseline has earned them for this long.
_RECOVERED_SECONDS = 1.0
# The card carries bursts, so a host that sends at least this share of its limit has more to send.
_BUSY_SHARE = 0.5
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class Processor:
    """A host's CPU credits, in seconds of all its processors; `unlimited` ones never run out."""

    def __init__(self, profile: Profile, cpu_credits: str | None) -> None:
        self._profile = profile
        self._share = (profile.cpu_baseline_percent or 100) / 100
        self._balance_seconds = profile.cpu_launch_seconds if cpu_credits == "standard" else float("inf")
        self.is_held = self._balance_seconds == 0
        self.steal_seconds = 0.0

    @property
    def peak_bits_per_second(self) -> int:
        """Returns what the host's processors let it send at present."""
        peak = self._profile.peak_bits_per_second
        return int(peak * self._share) if self.is_held else peak

    def pass_time(self, elapsed_seconds: float, sent_bytes: int, granted_share: float = 1) -> bool:
        """Accounts for the busier direction's traffic; returns whether `is_held` has changed. `granted_share` is the
        share of its processors that a fault leaves the host (lab.hosts.path_fault).
        """
        share_of_peak = sent_bytes * 8 / (self._profile.peak_bits_per_second * elapsed_seconds)
        share = min(granted_share, self._share if self.is_held else 1)
        if share < 1 and share_of_peak >= _BUSY_SHARE * share:
            self.steal_seconds += elapsed_seconds * (1 - share) * self._profile.vcpu_count
        used_seconds = min(1.0, share_of_peak) * elapsed_seconds
        # On a busy machine a tick comes late, and the host has sent at its peak without credits. It pays for that
        # later, so that on average it sends no more than it has earned.
        self._balance_seconds += self._share * elapsed_seconds - used_seconds
        was_held = self.is_held
        self.is_held = self._balance_seconds < (self._share * _RECOVERED_SECONDS if was_held else 1e-9)
        return was_held != self.is_held


def withheld_seconds(forwarders_waited_seconds: float | None) -> float | None:
    """Returns the processor time that the machine has withheld from its hosts so far. None if the forwarders' waiting
    time is unknown, because the machine's own steal alone would look like the whole.
    """
    if forwarders_waited_seconds is None:
        return None
    with open("/proc/stat", "rb") as file:
        return int(file.readline().split()[8]) / _TICKS_PER_SECOND + forwarders_waited_seconds


class ProcStat:
    """The file that a host sees as /proc/stat: the machine's, with the host's own time in its first line."""

    def __init__(self, path: Path, is_burstable_cpu: bool) -> None:
        self._path = path
        self._is_burstable_cpu = is_burstable_cpu
        _, _, self._rest = Path("/proc/stat").read_text().partition("\n")
        self._started = time.monotonic()
        # How much the machine has withheld is unknown until the first reading.
        self.write(0.0, None)

    def write(self, lacking_seconds: float, withheld_seconds: float | None) -> None:
        """Writes the steal: the host's lack of CPU credits, or what the machine has withheld. If the latter is None
        (unknown), the line has no steal, except for a T type.
        """
        idle = int((time.monotonic() - self._started) * _TICKS_PER_SECOND)
        steal_and_guests = ""
        if self._is_burstable_cpu:
            steal_and_guests = _steal_and_guests(lacking_seconds)
        elif withheld_seconds is not None:
            steal_and_guests = _steal_and_guests(lacking_seconds + withheld_seconds)
        # The host has mounted this very file, so it is written in place, and its length never changes.
        text = f"cpu  0 0 0 {idle:012d} 0 0 0{steal_and_guests:<{len(_steal_and_guests(0))}}\n{self._rest}"
        with open(self._path, "r+b" if self._path.exists() else "wb", buffering=0) as file:
            file.write(text.encode())


def _steal_and_guests(steal_seconds: float) -> str:
    return f" {int(steal_seconds * _TICKS_PER_SECOND):012d} 0 0"
