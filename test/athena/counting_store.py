"""An S3 endpoint over a folder that counts what is asked of it. It reads one bucket and refuses to write."""

from __future__ import annotations

import bisect
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.sax.saxutils import escape

XML_NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"
LAST_MODIFIED = ("2026-01-01T00:00:00.000Z", "Thu, 01 Jan 2026 00:00:00 GMT")
MOST_KEYS = 1000


@dataclass
class Requests:
    """What was asked while a block ran. The table of an object is the first part of its key."""

    gets: Counter[str] = field(default_factory=Counter)
    bytes: Counter[str] = field(default_factory=Counter)
    keys: set[str] = field(default_factory=set)
    """The objects of which anything was read."""
    heads: int = 0
    lists: int = 0

    @property
    def get_count(self) -> int:
        return self.gets.total()

    @property
    def byte_count(self) -> int:
        """Bytes of the objects' bodies; what listings have is not among them."""
        return self.bytes.total()


class CountingStore:
    """The files of a folder as the objects of a bucket, by path-style addresses. Use as a context manager.

    The folder is read once, at the start.
    """

    def __init__(self, folder: Path, bucket: str) -> None:
        self.folder = folder
        self.bucket = bucket
        files = (path for path in folder.rglob("*") if path.is_file())
        self.sizes = {str(path.relative_to(folder)): path.stat().st_size for path in files}
        self.keys = sorted(self.sizes)
        self._counted = Requests()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> CountingStore:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    @contextmanager
    def counted(self) -> Iterator[Requests]:
        """Counts the requests of a block. Blocks must not overlap."""
        with self._lock:
            self._counted = requests = Requests()
        yield requests
        with self._lock:
            self._counted = Requests()

    def count(self, method: str, key: str | None, byte_count: int) -> None:
        """Notes one answered request; a listing has no key."""
        with self._lock:
            if key is None:
                self._counted.lists += 1
            elif method == "HEAD":
                self._counted.heads += 1
            else:
                table = key.partition("/")[0]
                self._counted.keys.add(key)
                self._counted.gets[table] += 1
                self._counted.bytes[table] += byte_count

    def listing(self, prefix: str, delimiter: str, after: str, most_keys: int) -> tuple[list[str], list[str], bool]:
        """Keys and common prefixes that follow `after`, and whether there are more."""
        keys: list[str] = []
        prefixes: list[str] = []
        for key in self.keys[bisect.bisect_left(self.keys, max(prefix, after)) :]:
            if not key.startswith(prefix):
                break
            end = key.find(delimiter, len(prefix)) if delimiter else -1
            entry = key if end == -1 else key[: end + len(delimiter)]
            if entry <= after or (prefixes and prefixes[-1] == entry):
                continue
            if len(keys) + len(prefixes) == most_keys:
                return keys, prefixes, True
            (keys if end == -1 else prefixes).append(entry)
        return keys, prefixes, False


def _handler(store: CountingStore) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body go out as two segments; the second would wait for the client's delayed acknowledgement.
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            bucket, _, key = unquote(url.path.lstrip("/")).partition("/")
            if bucket != store.bucket:
                self._refuse(404, "NoSuchBucket", f"bucket: must be {store.bucket}, got {bucket}")
            elif key:
                self._object(key)
            else:
                self._list({name: values[0] for name, values in parse_qs(url.query).items()})

        do_HEAD = do_GET

        def _refuse_to_write(self) -> None:
            self._refuse(405, "MethodNotAllowed", f"{self.command}: the store can only be read")
            # The body of the request is still unread.
            self.close_connection = True

        do_PUT = do_POST = do_DELETE = _refuse_to_write

        def _object(self, key: str) -> None:
            size = store.sizes.get(key)
            if size is None:
                self._refuse(404, "NoSuchKey", f"{key}: no such key")
                return
            asked = self.headers.get("Range")
            first, last = (0, size - 1) if asked is None else _range(asked, size)
            if first > last and size > 0:
                self._refuse(416, "InvalidRange", f"Range: must begin within {size} bytes, got {asked}")
                return
            headers = {"ETag": f'"{size}"', "Last-Modified": LAST_MODIFIED[1], "Accept-Ranges": "bytes"}
            if asked is not None:
                headers["Content-Range"] = f"bytes {first}-{last}/{size}"
            body = (store.folder / key).read_bytes()[first : last + 1]
            store.count(self.command, key, len(body))
            self._answer(200 if asked is None else 206, "application/octet-stream", body, headers)

        def _list(self, query: dict[str, str]) -> None:
            prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
            after = query.get("continuation-token", query.get("start-after", ""))
            most_keys = min(int(query.get("max-keys", MOST_KEYS)), MOST_KEYS)
            keys, prefixes, is_truncated = store.listing(prefix, delimiter, after, most_keys)
            is_encoded = query.get("encoding-type") == "url"
            encoded = quote if is_encoded else escape
            encoding = "<EncodingType>url</EncodingType>" if is_encoded else ""
            contents = "".join(
                f"<Contents><Key>{encoded(key)}</Key><LastModified>{LAST_MODIFIED[0]}</LastModified>"
                f"<ETag>&quot;{store.sizes[key]}&quot;</ETag><Size>{store.sizes[key]}</Size>"
                "<StorageClass>STANDARD</StorageClass></Contents>"
                for key in keys
            )
            common = "".join(f"<CommonPrefixes><Prefix>{encoded(each)}</Prefix></CommonPrefixes>" for each in prefixes)
            last = max([*keys[-1:], *prefixes[-1:]], default="")
            token = f"<NextContinuationToken>{escape(last)}</NextContinuationToken>" if is_truncated else ""
            body = (
                f'<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="{XML_NAMESPACE}">'
                f"<Name>{store.bucket}</Name><Prefix>{encoded(prefix)}</Prefix>{encoding}"
                f"<KeyCount>{len(keys) + len(prefixes)}</KeyCount><MaxKeys>{most_keys}</MaxKeys>"
                f"<IsTruncated>{str(is_truncated).lower()}</IsTruncated>{token}{contents}{common}</ListBucketResult>"
            ).encode()
            store.count(self.command, None, len(body))
            self._answer(200, "application/xml", body, {})

        def _refuse(self, status: int, code: str, message: str) -> None:
            body = f"<Error><Code>{code}</Code><Message>{escape(message)}</Message></Error>".encode()
            self._answer(status, "application/xml", body, {})

        def _answer(self, status: int, content_type: str, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in {"Content-Type": content_type, "Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """The requests are counted instead."""

    return Handler


def _range(header: str, size: int) -> tuple[int, int]:
    """First and last byte of `bytes=0-99`, `bytes=100-` or `bytes=-100`."""
    first, _, last = header.removeprefix("bytes=").partition("-")
    if first == "":
        return max(0, size - int(last)), size - 1
    return int(first), min(int(last), size - 1) if last else size - 1
