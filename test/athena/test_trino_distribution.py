"""The download of the distribution, against a server that misbehaves."""

from __future__ import annotations

import hashlib
import io
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import trino_distribution
from trino_distribution import Archive, DownloadError, fetch


def tar(name: str, text: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    return buffer.getvalue()


def zipped(name: str, text: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, text)
    return buffer.getvalue()


FILES = {
    "/core/core.tar.gz": tar("core-1/lib/a.jar", b"core"),
    "/hive/hive.zip": zipped("hive-1/b.jar", b"hive"),
}
ARCHIVES = [
    Archive("core/core.tar.gz", hashlib.sha256(FILES["/core/core.tar.gz"]).hexdigest(), "core-1/lib", "lib"),
    Archive("hive/hive.zip", hashlib.sha256(FILES["/hive/hive.zip"]).hexdigest(), "hive-1", "plugin/hive"),
]


class Server(ThreadingHTTPServer):
    daemon_threads = True
    requests: list[tuple[str, str | None]]
    breaks_after: int | None = None
    """Bytes after which the next answer ends."""
    knows_ranges = True


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        content, wanted = FILES[self.path], self.headers["Range"]
        self.server.requests.append((self.path, wanted))
        start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted and self.server.knows_ranges else 0
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        end, self.server.breaks_after = self.server.breaks_after, None
        self.wfile.write(content[start:end])

    def log_message(self, *_: object) -> None:
        """pytest's output is for failures."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Handler) as running:
        running.requests = []
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


@pytest.fixture
def url(server: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(trino_distribution.time, "sleep", lambda _: None)
    return f"http://127.0.0.1:{server.server_address[1]}"


def test_both_archives_become_one_folder(url: str, tmp_path: Path) -> None:
    folder = fetch(tmp_path, ARCHIVES, url)
    assert (folder / "lib/a.jar").read_bytes() == b"core"
    assert (folder / "plugin/hive/b.jar").read_bytes() == b"hive"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["trino-476", "trino-476.lock"]


def test_a_file_without_a_folder_is_kept_as_it_is(url: str, tmp_path: Path) -> None:
    whole = [replace(archive, folder=None, becomes=archive.name) for archive in ARCHIVES]
    folder = fetch(tmp_path, whole, url)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        archive.name: FILES[f"/{archive.path}"] for archive in ARCHIVES
    }


def test_debian_12s_python_unpacks_it_without_a_filter(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`extractall(filter=…)` is of Python 3.11.4; Debian 12 has 3.11.2."""
    extract_all = tarfile.TarFile.extractall

    def extract_all_of_3_11_2(
        self: tarfile.TarFile, path: Path, members: None = None, *, numeric_owner: bool = False
    ) -> None:
        extract_all(self, path, members, numeric_owner=numeric_owner)

    monkeypatch.setattr(tarfile.TarFile, "extractall", extract_all_of_3_11_2)
    assert (fetch(tmp_path, ARCHIVES, url) / "lib/a.jar").read_bytes() == b"core"


def test_slow_work_is_reported_while_it_goes_on(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trino_distribution, "REPORT_SECONDS", 0.0)
    said: list[str] = []
    fetch(tmp_path, ARCHIVES, url, report=said.append)
    assert {f"{url}/core/core.tar.gz: 0 MB", "unpacking core.tar.gz"} <= set(said)


def test_a_full_cache_asks_nobody(url: str, tmp_path: Path, server: Server) -> None:
    fetch(tmp_path, ARCHIVES, url)
    server.requests.clear()
    fetch(tmp_path, ARCHIVES, url)
    assert server.requests == []


@pytest.mark.parametrize("knows_ranges", [True, False])
def test_a_download_that_breaks_off_goes_on_where_it_was(
    url: str, tmp_path: Path, server: Server, knows_ranges: bool
) -> None:
    server.breaks_after, server.knows_ranges = 50, knows_ranges
    folder = fetch(tmp_path, ARCHIVES, url)
    assert (folder / "lib/a.jar").read_bytes() == b"core"
    # Of a server that can't go on from there, the whole file is asked for again.
    third = ("/hive/hive.zip", None) if knows_ranges else ("/core/core.tar.gz", None)
    assert server.requests[:3] == [("/core/core.tar.gz", None), ("/core/core.tar.gz", "bytes=50-"), third]


def test_what_an_earlier_run_left_is_used(url: str, tmp_path: Path, server: Server) -> None:
    downloads = tmp_path / "trino-476.downloads"
    downloads.mkdir()
    (downloads / "core.tar.gz").write_bytes(FILES["/core/core.tar.gz"])
    (downloads / "hive.zip").write_bytes(FILES["/hive/hive.zip"][:10])
    half_unpacked = tmp_path / "trino-476.unpacked/lib"
    half_unpacked.mkdir(parents=True)
    folder = fetch(tmp_path, ARCHIVES, url)
    assert (folder / "plugin/hive/b.jar").read_bytes() == b"hive"
    assert ("/hive/hive.zip", "bytes=10-") in server.requests


def test_a_wrong_file_is_refused_and_not_kept(url: str, tmp_path: Path) -> None:
    wrong = [Archive(ARCHIVES[0].path, "0" * 64, "core-1/lib", "lib")]
    with pytest.raises(DownloadError, match=r"core\.tar\.gz: sha256 must be 0{64}, got [0-9a-f]{64}"):
        fetch(tmp_path, wrong, url)
    assert not (tmp_path / "trino-476").exists()
    assert list((tmp_path / "trino-476.downloads").iterdir()) == []


def test_no_server_is_an_error_that_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trino_distribution.time, "sleep", lambda _: None)
    with pytest.raises(DownloadError, match=r"http://127\.0\.0\.1:1/core/core\.tar\.gz: .*connect"):
        fetch(tmp_path, ARCHIVES, "http://127.0.0.1:1")


def test_two_at_once_download_once(url: str, tmp_path: Path, server: Server) -> None:
    folders: list[Path] = []
    threads = [threading.Thread(target=lambda: folders.append(fetch(tmp_path, ARCHIVES, url))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert folders == [tmp_path / "trino-476"] * 4
    assert len(server.requests) == len(ARCHIVES)
