"""The lab's files: one folder in the checkout, on a disk with room for them."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.runner import LabError

REPOSITORY = Path(__file__).resolve().parents[2]
# A run of a few minutes writes about 100 MB.
RUN_BYTES = 200_000_000
FULL_BYTES = 2_000_000


class LabPaths:
    """Files and folders under `.lab/`."""

    def __init__(self, root: Path = REPOSITORY / ".lab") -> None:
        self.root = root
        self.lock = root / "lock"
        self.aws_state = root / "state"
        # The state that the lab is replacing, until its results have been carried over.
        self.replaced_state = root / "replaced-state"
        self.home = root / "home"
        self.hosts = root / "hosts"
        self.logs = root / "logs"
        self.aws_log = self.logs / "aws.log"
        self.deploy_log = self.logs / "deploy.log"
        self.reports = root / "reports"
        # What SNS would have sent by e-mail.
        self.mails = root / "mail"
        # The page over all runs, with links to the reports beside it.
        self.index = root / "index.html"
        self.cloud_assembly = root / "cdk.out"

    @property
    def contents(self) -> dict[str, Path]:
        return {
            "store": self.aws_state,
            "replaced store": self.replaced_state,
            "reports": self.reports,
            "mails": self.mails,
            "logs": self.logs,
            "hosts": self.hosts,
            "deployment": self.cloud_assembly,
            "home": self.home,
        }

    def renew(self) -> None:
        """Deletes what the last run left beside its store and the reports, and makes the folders."""
        for folder in (self.cloud_assembly, self.home, self.hosts, self.logs):
            shutil.rmtree(folder, ignore_errors=True)
        for folder in (self.aws_state, self.home, self.hosts, self.logs):
            folder.mkdir(parents=True, exist_ok=True)


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
    """Requires so much space; whatever fails in the block while the disk is full fails with a sentence about it."""
    require_space(folder, bytes_wanted)
    try:
        yield
    except Exception:
        require_space(folder)
        raise
