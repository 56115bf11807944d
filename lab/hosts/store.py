"""S3 for the hosts, reached through their cards, so that its traffic is shaped and counted like any other.

    host ── card ── zone router ── store (a namespace with an address and an nginx) ── the embedded AWS

Every zone has its own link to the store, without a delay. A client that begins with a TLS record gets TLS.
"""

import time
from pathlib import Path

from lab.hosts.commands import ip, is_listening, run, tool, veth
from lab.hosts.forwarder import Forwarder
from lab.hosts.management import ENDPOINT_ADDRESS, ManagementNetwork
from lab.hosts.region import DELIVERY_TABLE, ROUTER_VALUES, SERVICES_TABLE, STORE_ADDRESS, UPSTREAM_GATEWAY

# Hosts have the numbers from 1 on.
_MANAGEMENT_NUMBER = 0
_VALID_DAYS = "30"
_TLS_PORT = 443
# nginx runs as one process without a master, so that it ends with the namespace. The paths of certificate and key are
# relative to this file. Connections may be silent for as long as a client of S3 wants.
_CONFIGURATION = """
load_module /usr/lib/nginx/modules/ngx_stream_module.so;
daemon off;
master_process off;
pid nginx.pid;
error_log stderr error;
events { worker_connections 4096; }
stream {
  map $ssl_preread_protocol $next { "" %(target)s; default 127.0.0.1:%(tls_port)d; }
  preread_timeout 60s;
  proxy_timeout 1d;
  proxy_half_close on;
  server { listen %(address)s backlog=512; ssl_preread on; proxy_pass $next; }
  server {
    listen 127.0.0.1:%(tls_port)d ssl backlog=512;
    ssl_certificate store-certificate.pem;
    ssl_certificate_key store-key.pem;
    proxy_pass %(target)s;
  }
}
"""


class Store(Forwarder):
    """The store's address and the nginx behind it; a service of the region."""

    def __init__(self, directory: Path, port: int, management: ManagementNetwork) -> None:
        super().__init__("store", {**ROUTER_VALUES, "ipv4/ip_forward": "0"})
        self.url = f"http://{STORE_ADDRESS}:{port}"
        self.certificate_path = directory / "store-certificate.pem"
        _make_certificate(self.certificate_path, directory / "store-key.pem")
        ip("link set lo up", f"addr add {STORE_ADDRESS}/32 dev lo", namespace=self.namespace)
        self._management = management
        management.connect(self.namespace, _MANAGEMENT_NUMBER)
        addresses = {"address": f"{STORE_ADDRESS}:{port}", "target": f"{ENDPOINT_ADDRESS}:{port}"}
        (directory / "store-nginx.conf").write_text(_CONFIGURATION % {**addresses, "tls_port": _TLS_PORT})
        self._start(tool("nginx"), "-e", "stderr", "-p", str(directory), "-c", "store-nginx.conf")
        self.wait_until_ready()

    def _becomes_ready(self) -> bool:
        # nginx opens this port last, and no other program of the lab uses it.
        while self.is_running:
            if is_listening(self._process.pid, _TLS_PORT):
                return True
            time.sleep(0.01)
        return False

    def join_zone(self, zone: str, router: str) -> None:
        link = f"zone-{zone[-1]}"
        ip(veth((self.namespace, link), (router, "store")))
        ip(f"link set {link} up", namespace=self.namespace)
        ip(
            "link set store up",
            f"route add {STORE_ADDRESS}/32 via {STORE_ADDRESS} dev store onlink table {SERVICES_TABLE}",
            # Answers go to the host directly, without the delay within the zone.
            f"rule add pref 20 iif store lookup {DELIVERY_TABLE}",
            namespace=router,
        )

    def add_address(self, address: str, zone: str) -> None:
        ip(f"route replace {address}/32 via {UPSTREAM_GATEWAY} dev zone-{zone[-1]} onlink", namespace=self.namespace)

    def remove_address(self, address: str) -> None:
        ip(f"route del {address}/32", namespace=self.namespace)

    def close(self) -> None:
        self._management.disconnect(_MANAGEMENT_NUMBER)
        super().close()


def _make_certificate(certificate: Path, key: Path) -> None:
    # The certificate is self-signed, so clients also use it as the authority.
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    subject = ["-days", _VALID_DAYS, "-subj", "/CN=the lab's store", "-addext", f"subjectAltName=IP:{STORE_ADDRESS}"]
    run([*command.split(), *subject, "-keyout", str(key), "-out", str(certificate)])
