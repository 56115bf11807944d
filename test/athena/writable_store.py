"""The counting store with a folder that can be written, as a table of Iceberg needs it; writes are counted too."""

from __future__ import annotations

import bisect
import re
from collections import Counter
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.sax.saxutils import unescape

from counting_store import CountingStore

WRITABLE = "iceberg/"


class WritableStore(CountingStore):
    """Requests may put and delete objects below WRITABLE, each as a whole: uploads in parts are refused."""

    def __init__(self, folder: Path, bucket: str) -> None:
        super().__init__(folder, bucket)
        self.writes: Counter[str] = Counter()
        """PUTs, their bytes and deleted objects; the reader clears it."""
        self._server.RequestHandlerClass = _writing(self, self._server.RequestHandlerClass)

    def put(self, key: str, body: bytes) -> None:
        file = self.folder / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)
        with self._lock:
            if key not in self.sizes:
                bisect.insort(self.keys, key)
            self.sizes[key] = len(body)
            self.writes.update({"PUTs": 1, "bytes": len(body)})

    def delete(self, key: str) -> None:
        with self._lock:
            if self.sizes.pop(key, None) is not None:
                self.keys.remove(key)
                self.writes["deleted"] += 1
                (self.folder / key).unlink()


def _writing(store: WritableStore, reading: type) -> type[BaseHTTPRequestHandler]:
    class Handler(reading):  # type: ignore[misc]
        def handle_one_request(self) -> None:
            # Trino leaves a connection when it has what it needs of an object of metadata.
            try:
                super().handle_one_request()
            except ConnectionResetError:
                self.close_connection = True

        def do_PUT(self) -> None:
            if (key := self._written_key()) is not None:
                store.put(key, self._body())
                self._answer(200, "application/xml", b"", {"ETag": '"written"'})

        def do_DELETE(self) -> None:
            if (key := self._written_key()) is not None:
                store.delete(key)
                self._answer(204, "application/xml", b"", {})

        def do_POST(self) -> None:
            keys = [unescape(key) for key in re.findall("<Key>(.*?)</Key>", self._body().decode())]
            if urlsplit(self.path).query.rstrip("=") != "delete" or not all(map(self._is_writable, keys)):
                self._refuse_to_write()
                return
            for key in keys:
                store.delete(key)
            self._answer(200, "application/xml", b"<DeleteResult/>", {})

        def _written_key(self) -> str | None:
            """The key of a whole object; every other write is refused here."""
            url = urlsplit(self.path)
            key = unquote(url.path).removeprefix(f"/{store.bucket}/")
            if "uploadId" not in url.query and self._is_writable(key):
                return key
            self._refuse_to_write()
            return None

        def _is_writable(self, key: str) -> bool:
            return key.startswith(WRITABLE)

        def _body(self) -> bytes:
            """What was sent, without the frames of a signed upload in chunks."""
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if "aws-chunked" not in self.headers.get("Content-Encoding", ""):
                return raw
            parts, at = [], 0
            while True:
                end = raw.index(b"\r\n", at)
                size = int(raw[at:end].partition(b";")[0], 16)
                if size == 0:
                    return b"".join(parts)
                parts.append(raw[end + 2 : end + 2 + size])
                at = end + 2 + size + 2

    return Handler
