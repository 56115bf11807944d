"""The lab's files: one folder in the checkout, for one lab at a time, on a disk with room for them."""

import fcntl
import os
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from lab import namespace
from lab.runner import LabError

REPOSITORY = Path(__file__).resolve().parents[2]
# A run of a few minutes writes about 100 MB.
RUN_BYTES = 200_000_000
FULL_BYTES = 2_000_000


class LabPaths:
    def __init__(self, root: Path = REPOSITORY / ".lab") -> None:
        self.root = root
        self.lock = root / "lock"
        self.aws_state = root / "state"
        # The state that is being replaced, until its results have been carried over.
        self.replaced_state = root / "replaced-state"
        self.home = root / "home"
        self.hosts = root / "hosts"
        self.logs = root / "logs"
        self.aws_log = self.logs / "aws.log"
        self.deploy_log = self.logs / "deploy.log"
        self.reports = root / "reports"
        # The mails that SNS would have sent.
        self.mails = root / "mail"
        # The page over all runs, which links to the reports in the same folder.
        self.index = root / "index.html"
        self.cloud_assembly = root / "cdk.out"

    def command(self, *words: str) -> str:
        """The command line that does this with the same folder."""
        return shlex.join(["npm", "run", "lab", *(["--", *words, *self._option] if words or self._option else [])])

    def silent_command(self, shell_words: str) -> str:
        """The same without npm's own lines, of words that are quoted for a shell already."""
        return f"npm run --silent lab -- {' '.join([shell_words, shlex.join(self._option)]).strip()}"

    @property
    def _option(self) -> tuple[str, ...]:
        return () if self.root == LabPaths().root else ("--folder", str(self.root))

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
        """Deletes what the last run left, except the store and the reports, and creates the folders."""
        for folder in (self.cloud_assembly, self.home, self.hosts, self.logs):
            shutil.rmtree(folder, ignore_errors=True)
        for folder in (self.aws_state, self.home, self.hosts, self.logs):
            folder.mkdir(parents=True, exist_ok=True)


def require_space(folder: Path, bytes_wanted: int = FULL_BYTES) -> None:
    """Raises LabError unless an unprivileged process can write this many bytes below the folder."""
    disk = os.statvfs(folder)
    free = disk.f_bavail * disk.f_frsize
    if free < bytes_wanted:
        raise LabError(
            f"{folder}: must be on a disk with at least {bytes_wanted / 1e6:.0f} MB free, got {free / 1e6:.1f} MB; "
            "free some space or choose a folder on another disk with --folder"
        )


@contextmanager
def with_space(folder: Path, bytes_wanted: int) -> Iterator[None]:
    """Requires this much space, and reports a full disk as the cause of any failure in the block."""
    require_space(folder, bytes_wanted)
    try:
        yield
    except Exception:
        require_space(folder)
        raise


class FolderLock:
    """Lock file in the lab's folder, which also tells how to reach the lab that runs there. The kernel releases it when
    this process ends.
    """

    def __init__(self, paths: LabPaths) -> None:
        """Creates the folder if it is missing."""
        for mounted in namespace.OWN_FILE_SYSTEMS:
            if paths.root.is_relative_to(mounted):
                raise LabError(
                    f"{paths.root}: must not be below {mounted}, where the lab mounts a file system of its own"
                )
        try:
            paths.root.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            raise LabError(f"{paths.root}: must be a folder, got a file in its place; move the file away") from error
        self._root = paths.root
        self._file = os.open(paths.lock, os.O_RDWR | os.O_CREAT, 0o666)

    def take(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        # This also renews the file's modification time, even if the file was empty.
        os.truncate(self._file, 0)
        return True

    def held_since(self) -> datetime:
        """Returns since when the lock has been held; what began earlier belongs to an earlier lab."""
        return datetime.fromtimestamp(os.fstat(self._file).st_mtime, UTC)

    def require(self) -> None:
        if not self.take():
            raise LabError(f"another lab or query is running in {self._root}; stop it or wait for its end")

    def tell_process(self, process_id: int) -> None:
        """Records a process in the lab's namespaces; only the holder calls this, before it starts anything there."""
        os.pwrite(self._file, f"{process_id}\n".encode(), 0)

    def process_id(self) -> int | None:
        """Returns the process that the holder has recorded, or None."""
        told = os.pread(self._file, 20, 0)
        return int(told) if told.endswith(b"\n") else None
