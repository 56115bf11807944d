"""The store's address, which hosts reach through their cards, with and without TLS, whatever their security rules."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from host_support import Fleet, running

OBJECT_BYTES = 20_000_000
# Stands in for the embedded AWS: it sends an object and accepts one.
SERVER = f"""
import http.server
class Objects(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-length", "{OBJECT_BYTES}")
        self.end_headers()
        self.wfile.write(bytes({OBJECT_BYTES}))
    def do_PUT(self):
        content = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.send_header("x-received", str(len(content)))
        self.end_headers()
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("198.18.0.1", 4566), Objects)
print("up", flush=True)
server.serve_forever()
"""
HOSTS = {"i-store-a": ("us-east-1a", "10.0.1.4"), "i-store-b": ("us-east-1b", "10.0.2.4")}


@pytest.fixture(scope="module", autouse=True)
def hosts(fleet: Fleet) -> None:
    # One host is made before the store, the other after it.
    for instance_id, (zone, address) in HOSTS.items():
        fleet.create_host(instance_id, "steady", zone, address, {})
        assert fleet.store_endpoint_url == "http://198.19.0.1:4566"


@pytest.fixture(scope="module", autouse=True)
def embedded_aws(hosts: None) -> Iterator[None]:
    with running([sys.executable, "-c", SERVER]) as output:
        assert output.readline() == "up\n"
        yield


def received_bytes(fleet: Fleet, instance_id: str, interface: str) -> int:
    return int(fleet.run(instance_id, f"cat /sys/class/net/{interface}/statistics/rx_bytes").stdout)


@pytest.mark.parametrize("instance_id", HOSTS)
def test_an_object_arrives_through_the_card_at_its_rate(fleet: Fleet, instance_id: str) -> None:
    before = {name: received_bytes(fleet, instance_id, name) for name in ("eth0", "mgmt0")}

    done = fleet.run(
        instance_id, f"curl -sS -o /dev/null -w '%{{size_download}} %{{time_total}}' {fleet.store_endpoint_url}/object"
    )

    assert done.returncode == 0, done.stderr
    size_bytes, seconds = (float(figure) for figure in done.stdout.split())
    assert size_bytes == OBJECT_BYTES
    # 400 Mbit/s, with an allowance for what the queue's bucket held before.
    assert seconds > 0.8 * OBJECT_BYTES * 8 / 400_000_000
    assert received_bytes(fleet, instance_id, "eth0") - before["eth0"] > OBJECT_BYTES
    assert received_bytes(fleet, instance_id, "mgmt0") - before["mgmt0"] < 100_000


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_an_object_is_stored(fleet: Fleet, scheme: str) -> None:
    certificate = fleet.store_certificate_path.read_text()
    url = fleet.store_endpoint_url.replace("http:", f"{scheme}:")

    done = fleet.run(
        "i-store-a",
        f"cat >/tmp/store.pem <<'END'\n{certificate}END\nhead -c {OBJECT_BYTES} /dev/zero >/tmp/object\n"
        f"curl -sS --cacert /tmp/store.pem -T /tmp/object -D - {url}/object",
    )

    assert f"x-received: {OBJECT_BYTES}" in done.stdout, done.stderr


def test_an_object_arrives_by_tls_too(fleet: Fleet) -> None:
    certificate = fleet.store_certificate_path.read_text()
    url = fleet.store_endpoint_url.replace("http:", "https:")

    done = fleet.run(
        "i-store-b",
        f"cat >/tmp/store.pem <<'END'\n{certificate}END\n"
        f"curl -sS --cacert /tmp/store.pem -o /dev/null -w '%{{size_download}}' {url}/object",
    )

    assert done.stdout == str(OBJECT_BYTES), done.stderr


def test_a_client_without_the_certificate_rejects_the_store(fleet: Fleet) -> None:
    done = fleet.run("i-store-a", f"curl -sS {fleet.store_endpoint_url.replace('http:', 'https:')}/object")

    assert done.returncode == 60


def test_the_address_serves_nothing_else(fleet: Fleet) -> None:
    assert fleet.run("i-store-a", "curl -sS -m 2 http://198.19.0.1:22/").returncode != 0
    # It does not forward to the other host, either.
    assert fleet.run("i-store-a", "ping -c 1 -W 1 10.0.2.4").returncode != 0
