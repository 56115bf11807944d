"""Trino 476 from Maven Central, in .cache/ of the checkout: `python trino_distribution.py` prints its folder.

A copy in the user's own cache, where earlier versions kept it for all checkouts, is used when it is there.

Downloads resume where they broke off and are checked against the digests below; the folder appears under its name only
when it is whole, and a second process waits for the first one's lock.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import sys
import tarfile
import threading
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
BASE_URL = "https://repo1.maven.org/maven2/io/trino"
ATTEMPTS = 5
REPORT_SECONDS = 4
STALL_SECONDS = 60
BLOCK_BYTES = 1 << 20


@dataclass(frozen=True)
class Archive:
    """A file below the base URL, and which of its folders becomes which of the distribution's."""

    path: str
    sha256: str
    # None: the file stays as it is, and becomes a file of the distribution.
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


class DownloadError(Exception):
    """The distribution cannot be had; the message says of which file and why."""


def default_cache() -> Path:
    """Returns the folder that holds the distribution, or that will hold it."""
    shared = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ec2-network-bench"
    return shared if (shared / NAME).exists() else REPOSITORY / ".cache"


def fetch(
    cache: Path,
    name: str = NAME,
    archives: Sequence[Archive] = TRINO_476,
    base_url: str = BASE_URL,
    report: Callable[[str], None] = lambda _: None,
) -> Path:
    """The folder of the distribution, downloaded and unpacked if it is not there yet."""
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
            report(f"{base_url}/{archive.path}")
            file = _download(archive, base_url, downloads, report)
            with _signs_of_life(report, f"unpacking {archive.name}"):
                _unpack(archive, file, unpacked)
        unpacked.rename(target)
        shutil.rmtree(downloads)
    return target


@contextmanager
def _signs_of_life(report: Callable[[str], None], what: str) -> Iterator[None]:
    """Reports at the start, and then every few seconds, that the work of the block goes on."""
    report(what)
    ended = threading.Event()

    def speak() -> None:
        while not ended.wait(REPORT_SECONDS):
            report(what)

    speaker = threading.Thread(target=speak, daemon=True)
    speaker.start()
    try:
        yield
    finally:
        ended.set()
        speaker.join()


def _download(archive: Archive, base_url: str, folder: Path, report: Callable[[str], None]) -> Path:
    file = folder / archive.name
    url = f"{base_url}/{archive.path}"
    for attempt in range(1, ATTEMPTS + 1):
        try:
            _append_rest(url, file, report)
            break
        except (OSError, HTTPException) as error:
            if attempt == ATTEMPTS:
                raise DownloadError(f"{url}: {error}") from error
            time.sleep(attempt)
    digest = _sha256(file)
    if digest != archive.sha256:
        file.unlink()
        raise DownloadError(f"{url}: sha256 must be {archive.sha256}, got {digest}; thrown away, start again")
    return file


def _append_rest(url: str, file: Path, report: Callable[[str], None]) -> None:
    """Asks for what is missing from the file and appends it; a server that sends the whole thing begins it anew."""
    have = file.stat().st_size if file.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        response = urllib.request.urlopen(request, timeout=STALL_SECONDS)
    except urllib.error.HTTPError as error:
        if error.code == 416 and have:  # nothing is missing
            return
        raise
    with response, file.open("ab" if response.status == 206 else "wb") as output:
        expected = int(response.headers["Content-Length"])
        received, reported = 0, time.monotonic()
        while block := response.read(BLOCK_BYTES):
            output.write(block)
            received += len(block)
            if time.monotonic() - reported >= REPORT_SECONDS:
                reported = time.monotonic()
                report(f"{file.name}: {received / 1e6:.0f} of {expected / 1e6:.0f} MB")
    if received != expected:
        raise OSError(f"broke off after {received} of {expected} bytes")


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
        print(fetch(default_cache(), report=lambda line: print(f"trino: {line}", file=sys.stderr, flush=True)))
    except DownloadError as error:
        sys.exit(f"trino: {error}")
