"""The instance metadata service of EC2 (IMDSv2 only, tags included), and an archive of packages, for hosts that boot.

Both are found by the address that the host asks: 169.254.169.254 answers for the host with the caller's address, any
other address serves files. The paths and answers are those of the EC2 User Guide, "Access instance metadata".
"""

from __future__ import annotations

import json
import re
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

METADATA_ADDRESS = "169.254.169.254"
_TOKEN = "AQAEAExampleToken=="
_VERSION = re.compile(r"/(latest|\d{4}-\d{2}-\d{2})(/.*)?")

# Names of folders and entries; an entry is a text.
Tree = dict[str, Any]


class MetadataService(ThreadingHTTPServer):
    """Listens on port 80 of every address. `hosts` has the tree of each host by the address it calls from."""

    daemon_threads = True

    def __init__(self, files: Path) -> None:
        super().__init__(("0.0.0.0", 80), _Handler)
        self.files = files
        self.hosts: dict[str, Tree] = {}
        self.requests: list[tuple[str, str, int]] = []
        threading.Thread(target=self.serve_forever, args=[0.02], daemon=True).start()

    def handle_error(self, *_: object) -> None:
        """Stays silent: a host may power off in the middle of a request."""


def host_tree(instance_id: str, address: str, user_data: str, tags: dict[str, str]) -> Tree:
    """Returns what EC2 tells a host about itself, as far as cloud-init and the user data ask."""
    hostname = f"ip-{address.replace('.', '-')}.ec2.internal"
    document = {"instanceId": instance_id, "region": "us-east-1", "availabilityZone": "us-east-1a"}
    identity = {"accountId": "123456789012", "instanceType": "m5.large", "privateIp": address, "architecture": "x86_64"}
    metadata: Tree = {
        "ami-id": "ami-0123456789abcdef0",
        "hostname": hostname,
        "instance-action": "none",
        "instance-id": instance_id,
        "instance-type": "m5.large",
        "local-hostname": hostname,
        "local-ipv4": address,
        "placement": {"availability-zone": "us-east-1a", "region": "us-east-1"},
        "services": {"domain": "amazonaws.com", "partition": "aws"},
    }
    # The access key is the instance id: by it the S3 of these tests knows the host (test/ssm-documents/local_aws.py).
    keys = {"AccessKeyId": instance_id, "SecretAccessKey": "none", "Token": "none"}
    times = {"LastUpdated": _iso(datetime.now(UTC)), "Expiration": _iso(datetime.now(UTC) + timedelta(hours=6))}
    credentials = {"Code": "Success", "Type": "AWS-HMAC"} | keys | times
    metadata["iam"] = {"security-credentials": {"host": json.dumps(credentials)}}
    if tags:
        metadata["tags"] = {"instance": dict(tags)}
    return {
        "dynamic": {"instance-identity": {"document": json.dumps(document | identity)}},
        "meta-data": metadata,
        "user-data": user_data,
    }


def _iso(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: MetadataService

    def do_PUT(self) -> None:  # noqa: N802
        is_token = self.path == "/latest/api/token" and "X-aws-ec2-metadata-token-ttl-seconds" in self.headers
        self._answer(*((200, _TOKEN.encode()) if is_token else (403, b"")))

    def do_GET(self) -> None:  # noqa: N802
        if self.connection.getsockname()[0] != METADATA_ADDRESS:
            return self._serve_file()
        # The launch template requires tokens.
        if self.headers.get("X-aws-ec2-metadata-token") != _TOKEN:
            return self._answer(401, b"")
        found: Any = self.server.hosts.get(self.client_address[0])
        asked = _VERSION.fullmatch(self.path)
        for name in (asked[2] or "").strip("/").split("/") if asked else ["no version"]:
            if name:
                found = found.get(name) if isinstance(found, dict) else None
        if found is None:
            return self._answer(404, b"")
        if isinstance(found, dict):
            found = "\n".join(f"{name}/" if isinstance(below, dict) else name for name, below in found.items())
        return self._answer(200, found.encode())

    def _serve_file(self) -> None:
        file = self.server.files / Path(unquote(self.path)).name
        # A flat archive needs no more than its index and its packages.
        self._answer(*((200, file.read_bytes()) if file.is_file() else (404, b"")))

    def _answer(self, status: int, body: bytes) -> None:
        self.server.requests.append((self.client_address[0], f"{self.command} {self.path}", status))
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Prints nothing: pytest reports what matters."""
