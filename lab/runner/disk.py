"""Ends the lab with a sentence when its disk is full, before the processes of the lab fail in their many ways."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.runner import LabError

# A run of a few minutes writes about 100 MB.
RUN_BYTES = 200_000_000
FULL_BYTES = 2_000_000


def require_space(folder: Path, bytes_wanted: int = FULL_BYTES) -> None:
    """Raises LabError unless a process without privileges can write so much below the folder."""
    disk = os.statvfs(folder)
    free = disk.f_bavail * disk.f_frsize
    if free < bytes_wanted:
        raise LabError(
            f"{folder}: must be on a disk with at least {bytes_wanted / 1e6:.0f} MB free, got {free / 1e6:.1f} MB; "
            "free some space or choose a folder on another disk with --folder"
        )


@contextmanager
def with_space(folder: Path, bytes_wanted: int) -> Iterator[None]:
    """Requires so much space; whatever fails in the block fails because of a full disk when the disk is full."""
    require_space(folder, bytes_wanted)
    try:
        yield
    except Exception:
        require_space(folder)
        raise
