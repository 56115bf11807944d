"""Trino 476 from Maven Central, in .cache/ of the checkout: `python trino_distribution.py` prints its folder.

Downloads resume where they broke off and are checked against the digests below; the folder appears under its name only
when it is whole, and a second process waits for the first one's lock.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

CACHE = Path(__file__).parents[2] / ".cache"
BASE_URL = "https://repo1.maven.org/maven2/io/trino"
ATTEMPTS = 5
REPORT_SECONDS = 4
# Resumes a file that is there in part, and gives up where nothing comes for a minute.
CURL = ["curl", "--fail", "--silent", "--show-error", "--continue-at", "-", "--speed-time", "60", "--speed-limit", "1"]
CANNOT_RESUME = 33


@dataclass(frozen=True)
class Archive:
    """A file below the base URL, and which of its folders, or the file itself, becomes what of the distribution."""

    path: str
    sha256: str
    folder: str | None
    becomes: str

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[1]


NAME = "trino-476"
# The sha256 are of the files whose sha1 Maven Central publishes beside them.
TRINO_476 = (
    Archive(
        path="trino-server-core/476/trino-server-core-476.tar.gz",
        sha256="0f388f9967c177ae70a47c099082fc95387f0c3cb96d8000d1d41fc3a5223158",
        folder="trino-server-core-476/lib",
        becomes="lib",
    ),
    Archive(
        path="trino-hive/476/trino-hive-476.zip",
        sha256="611bacdb07d9f3cf7b9d47f97ecc76fa2e7ff8bfe8a9728c3d06adc1bfb8662e",
        folder="trino-hive-476",
        becomes="plugin/hive",
    ),
)
Report = Callable[[str], None]


class DownloadError(Exception):
    """The distribution cannot be had; the message says of which file and why."""


def fetch(
    cache: Path = CACHE,
    archives: Sequence[Archive] = TRINO_476,
    base_url: str = BASE_URL,
    report: Report = lambda _: None,
    name: str = NAME,
) -> Path:
    """The folder `name` with the archives, downloaded and unpacked if it is not there yet."""
    target = cache / name
    if target.exists():
        return target
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if target.exists():  # whoever held the lock has done it
            return target
        downloads, unpacked = cache / f"{name}.downloads", cache / f"{name}.unpacked"
        shutil.rmtree(unpacked, ignore_errors=True)
        downloads.mkdir(exist_ok=True)
        for archive in archives:
            file = _downloaded(archive, f"{base_url}/{archive.path}", downloads / archive.name, report)
            with _signs_of_life(report, lambda archive=archive: f"unpacking {archive.name}"):
                _unpack(archive, file, unpacked)
        unpacked.rename(target)
        shutil.rmtree(downloads)
    return target


@contextmanager
def _signs_of_life(report: Report, what: Callable[[], str]) -> Iterator[None]:
    """Reports at the start, and then every few seconds, that the work of the block goes on."""
    report(what())
    ended = threading.Event()

    def speak() -> None:
        while not ended.wait(REPORT_SECONDS):
            report(what())

    speaker = threading.Thread(target=speak, daemon=True)
    speaker.start()
    try:
        yield
    finally:
        ended.set()
        speaker.join()


def _downloaded(archive: Archive, url: str, file: Path, report: Report) -> Path:
    with _signs_of_life(report, lambda: f"{url}: {file.stat().st_size / 1e6 if file.exists() else 0:.0f} MB"):
        for attempt in range(1, ATTEMPTS + 1):
            if file.exists() and _sha256(file) == archive.sha256:
                return file
            asked = subprocess.run([*CURL, "--output", file, url], capture_output=True, text=True, check=False)
            if asked.returncode == 0:
                break
            if asked.returncode == CANNOT_RESUME:
                file.unlink()
            if attempt == ATTEMPTS:
                raise DownloadError(f"{url}: {asked.stderr.strip()}")
            time.sleep(attempt)
    digest = _sha256(file)
    if digest != archive.sha256:
        file.unlink()
        raise DownloadError(f"{url}: sha256 must be {archive.sha256}, got {digest}; thrown away, start again")
    return file


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _unpack(archive: Archive, file: Path, target: Path) -> None:
    if archive.folder is None:
        target.mkdir(exist_ok=True)
        file.rename(target / archive.becomes)
        return
    scratch = target / "scratch"
    if archive.name.endswith(".zip"):
        with zipfile.ZipFile(file) as opened:
            opened.extractall(scratch)
    else:
        with tarfile.open(file) as opened:
            # Python 3.11.2 of Debian 12 knows no filter yet. The archive is trusted anyway, by its digest.
            opened.extraction_filter = getattr(tarfile, "data_filter", None)
            opened.extractall(scratch)
    destination = target / archive.becomes
    destination.parent.mkdir(parents=True, exist_ok=True)
    (scratch / archive.folder).rename(destination)
    shutil.rmtree(scratch)


if __name__ == "__main__":
    try:
        print(fetch(report=lambda line: print(f"trino: {line}", file=sys.stderr, flush=True)))
    except DownloadError as error:
        sys.exit(f"trino: {error}")
