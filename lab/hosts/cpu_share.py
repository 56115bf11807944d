"""Runs on a host and withholds the processors from its other programs, as a hypervisor does: they stop and go on.

Standard output is a file that begins with the seconds withheld so far. When standard input ends, it ends, and so does
what it does.

usage: cpu_share.py SHARE_OF_ONE_PROCESSOR
"""

import os
import select
import signal
import sys
import time
from contextlib import suppress

_TURN_SECONDS = 0.01
# How much of what was not used is kept for later, in seconds of the share.
_KEPT_SECONDS = 0.05


def used_nanoseconds() -> dict[str, int]:
    """Returns the processor time of each thread of the host, besides process 1 and this one."""
    used = {}
    for process in os.listdir("/proc"):
        if not process.isdigit() or int(process) in (1, os.getpid()):
            continue
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{thread}/schedstat", "rb") as file:
                    used[thread] = int(file.read().split()[0])
    return used


def withhold(share: float) -> None:
    """Lets the programs run while they have not used more than their share."""
    before, at, credit, withheld, is_stopped = used_nanoseconds(), time.monotonic(), 0.0, 0.0, False
    while not select.select([0], [], [], _TURN_SECONDS)[0]:
        used, now = used_nanoseconds(), time.monotonic()
        grown = sum(max(0, spent - before.get(thread, 0)) for thread, spent in used.items()) / 1e9
        credit = min(credit + share * (now - at) - grown, share * _KEPT_SECONDS)
        withheld += now - at if is_stopped else 0
        before, at, is_stopped = used, now, credit < 0
        with suppress(ProcessLookupError):
            # All processes of the host but this one and process 1; a new one is stopped a turn later.
            os.kill(-1, signal.SIGSTOP if is_stopped else signal.SIGCONT)
        os.pwrite(1, f"{withheld:015.3f}\n".encode(), 0)


if __name__ == "__main__":
    try:
        withhold(float(sys.argv[1]))
    finally:
        with suppress(ProcessLookupError):
            os.kill(-1, signal.SIGCONT)
