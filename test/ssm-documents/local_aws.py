"""Just enough of S3 and STS, on loopback, for what a host calls: PutObject and GetCallerIdentity."""

from __future__ import annotations

import gzip
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

ROLE_ID = "AROAEXAMPLEHOSTROLE00"


class LocalAws(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.objects: dict[str, bytes] = {}
        self.put_times: dict[str, float] = {}
        self.refused_keys: list[str] = []
        self.is_failing = False
        threading.Thread(target=self.serve_forever, args=[0.02], daemon=True).start()

    def handle_error(self, *_: object) -> None:
        """A host that is killed in the middle of an upload is part of the tests."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def chunk_keys(self, prefix: str) -> list[str]:
        return sorted(key for key in list(self.objects) if key.startswith(prefix) and key.endswith(".ndjson.gz"))

    def manifest(self, prefix: str) -> dict | None:
        body = self.objects.get(f"{prefix}_COMPLETE.json")
        return None if body is None else json.loads(body)

    def lines(self, key: str) -> list[dict]:
        return [json.loads(line) for line in gzip.decompress(self.objects[key]).decode().splitlines()]

    def tool_lines(self, prefix: str, source: str = "stdout") -> list[str]:
        chunks = (self.lines(key)[1:] for key in self.chunk_keys(prefix))
        return [line["line"] for chunk in chunks for line in chunk if line["source"] == source]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: LocalAws

    def do_PUT(self) -> None:  # noqa: N802
        body = self._body()
        _, bucket, key = unquote(urlsplit(self.path).path).split("/", 2)
        if self.server.is_failing:
            self.server.refused_keys.append(key)
            return self._answer(503, b"<Error><Code>SlowDown</Code><Message>slow down</Message></Error>")
        # What the role of a host allows: its own prefix, nothing else.
        if not key.startswith(f"raw/{self._user_id()}/"):
            return self._answer(403, b"<Error><Code>AccessDenied</Code><Message>denied</Message></Error>")
        self.server.objects[key] = body
        self.server.put_times[key] = time.time()
        return self._answer(200, b"")

    def do_POST(self) -> None:  # noqa: N802
        self._body()
        if self.server.is_failing:
            return self._answer(503, b"")
        answer = f"""<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
            <GetCallerIdentityResult><Arn>arn:aws:sts::123456789012:assumed-role/host/i</Arn>
            <UserId>{self._user_id()}</UserId><Account>123456789012</Account></GetCallerIdentityResult>
            </GetCallerIdentityResponse>"""
        return self._answer(200, answer.encode())

    def _user_id(self) -> str:
        """A host's access key is its instance id here, as its session name is on EC2."""
        credential = re.search(r"Credential=([^/]+)/", self.headers["Authorization"])
        return f"{ROLE_ID}:{credential.group(1)}"

    def _body(self) -> bytes:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if "aws-chunked" in self.headers.get("Content-Encoding", ""):
            raise ValueError("chunked uploads: not understood here")
        return raw

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Quiet: pytest shows what matters."""
