"""One lab at a time in a folder: whoever runs it holds the lock, and says there how to reach it."""

import fcntl
import os
from datetime import UTC, datetime

from lab import namespace
from lab.runner import LabError
from lab.runner.paths import LabPaths


class FolderLock:
    """The file `lock` in the lab's folder. The kernel gives it up when this process ends."""

    def __init__(self, paths: LabPaths) -> None:
        """Makes the folder, if it is not there."""
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
        # It also renews the time of the file, even of an empty one.
        os.truncate(self._file, 0)
        return True

    def held_since(self) -> datetime:
        """Returns since when the holder has held it; what began earlier is not the holder's."""
        return datetime.fromtimestamp(os.fstat(self._file).st_mtime, UTC)

    def require(self) -> None:
        if not self.take():
            raise LabError(f"another lab or query is running in {self._root}; stop it or wait for its end")

    def tell_process(self, process_id: int) -> None:
        """Says which process is in the lab's namespaces; only the holder does so, before it starts anything there."""
        os.pwrite(self._file, f"{process_id}\n".encode(), 0)

    def process_id(self) -> int | None:
        """Returns the process that the holder has told; None while it has not."""
        told = os.pread(self._file, 20, 0)
        return int(told) if told.endswith(b"\n") else None
