"""The calls of S3 and STS that a host makes: PutObject, GetObject and GetCallerIdentity.

The server listens on loopback unless told otherwise. It speaks HTTP, and HTTPS on the same port once it has a
certificate. A bucket is the first part of the path, or the first label of S3's name.
"""

from __future__ import annotations

import gzip
import json
import re
import socket
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

ROLE_ID = "AROAEXAMPLEHOSTROLE00"


class LocalAws(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int] = ("127.0.0.1", 0)) -> None:
        super().__init__(address, _Handler)
        self.objects: dict[str, bytes] = {}
        self.put_times: dict[str, float] = {}
        self.is_failing = False
        self.failed_requests = 0
        self.tls: ssl.SSLContext | None = None
        self.requests: list[tuple[str, str]] = []
        threading.Thread(target=self.serve_forever, args=[0.02], daemon=True).start()

    def handle_error(self, *_: object) -> None:
        """Stays silent: some tests kill a host in the middle of an upload."""

    def finish_request(self, request: socket.socket | tuple[bytes, socket.socket], client_address: Any) -> None:
        assert isinstance(request, socket.socket)
        # The first byte of a TLS handshake occurs in no HTTP method.
        if self.tls is not None and request.recv(1, socket.MSG_PEEK) == b"\x16":
            request = self.tls.wrap_socket(request, server_side=True)
        super().finish_request(request, client_address)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def chunk_keys(self, prefix: str) -> list[str]:
        return sorted(key for key in list(self.objects) if key.startswith(prefix) and key.endswith(".ndjson.gz"))

    def manifest(self, prefix: str) -> dict[str, Any] | None:
        body = self.objects.get(f"{prefix}_COMPLETE.json")
        if body is None:
            return None
        manifest: dict[str, Any] = json.loads(body)
        return manifest

    def lines(self, key: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in gzip.decompress(self.objects[key]).decode().splitlines()]

    def tool_lines(self, prefix: str, source: str = "stdout") -> list[str]:
        chunks = (self.lines(key)[1:] for key in self.chunk_keys(prefix))
        return [line["line"] for chunk in chunks for line in chunk if line["source"] == source]

    def counters(self, prefix: str, source: str) -> list[dict[str, float]]:
        chunks = (self.lines(key)[1:] for key in self.chunk_keys(prefix))
        return [line["counters"] for chunk in chunks for line in chunk if line["source"] == source]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: LocalAws

    def do_PUT(self) -> None:  # noqa: N802
        body = self._body()
        key = self._key()
        if self.server.is_failing:
            self.server.failed_requests += 1
            return self._answer(503, b"<Error><Code>SlowDown</Code><Message>slow down</Message></Error>")
        if not self._may(key, "raw", "payload"):
            return self._deny()
        self.server.objects[key] = body
        self.server.put_times[key] = time.time()
        return self._answer(200, b"")

    def do_GET(self) -> None:  # noqa: N802
        key = self._key()
        if not self._may(key, "payload"):
            return self._deny()
        body = self.server.objects[key]
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if wanted is None:
            return self._answer(200, body)
        return self._answer(206, body[int(wanted[1]) : int(wanted[2]) + 1])

    def _key(self) -> str:
        self.server.requests.append((self.command, self.headers.get("Range", "")))
        path = unquote(urlsplit(self.path).path)
        return path[1:] if ".s3." in self.headers["Host"] else path.split("/", 2)[2]

    def _may(self, key: str, *kinds: str) -> bool:
        """Returns whether the role of a host allows it: its own prefixes and nothing else."""
        return any(key.startswith(f"{kind}/{self._user_id()}/") for kind in kinds)

    def _deny(self) -> None:
        """Refuses, and shows as much of the request as S3 does when a signature is wrong."""
        body = f"<Error><Code>AccessDenied</Code><StringToSign>{self.path}</StringToSign></Error>"
        return self._answer(403, body.encode())

    def do_POST(self) -> None:  # noqa: N802
        self._body()
        if self.server.is_failing:
            self.server.failed_requests += 1
            return self._answer(503, b"")
        answer = f"""<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
            <GetCallerIdentityResult><Arn>arn:aws:sts::123456789012:assumed-role/host/i</Arn>
            <UserId>{self._user_id()}</UserId><Account>123456789012</Account></GetCallerIdentityResult>
            </GetCallerIdentityResponse>"""
        return self._answer(200, answer.encode())

    def _user_id(self) -> str:
        """Returns the host's user id. Its access key here is its instance id, as its session name is on EC2."""
        signed = self.headers["Authorization"] or unquote(urlsplit(self.path).query)
        credential = re.search(r"Credential=([^/]+)/", signed)
        assert credential is not None, signed
        return f"{ROLE_ID}:{credential[1]}"

    def _body(self) -> bytes:
        length = int(self.headers.get("Content-Length", 0))
        raw = self.rfile.read(length)
        if len(raw) < length:
            # Like S3, store nothing of an upload that was cut off; the object's earlier version stays.
            raise ConnectionError("upload: must be whole")
        if "aws-chunked" in self.headers.get("Content-Encoding", ""):
            raise ValueError("chunked uploads: not understood here")
        return raw

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Prints nothing: pytest reports what matters."""
