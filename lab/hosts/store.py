"""S3 for the hosts, reached through their cards, so that its traffic is shaped and counted like any other.

    host ── card ── zone router ── store (a namespace with an address) ── forwarder ── the embedded AWS

Every zone has its own link to it, without a delay.
"""

from pathlib import Path

from lab.hosts.commands import ip, run, veth
from lab.hosts.forwarder import Forwarder
from lab.hosts.management import ENDPOINT_ADDRESS, ManagementNetwork
from lab.hosts.region import DELIVERY_TABLE, ROUTER_VALUES, SERVICES_TABLE, STORE_ADDRESS, UPSTREAM_GATEWAY

# Hosts have the numbers from 1.
_MANAGEMENT_NUMBER = 0
_VALID_DAYS = "30"


class Store(Forwarder):
    """The store's address and the process behind it; it is a service of the region."""

    def __init__(self, directory: Path, port: int, management: ManagementNetwork) -> None:
        super().__init__("store", {**ROUTER_VALUES, "ipv4/ip_forward": "0"})
        self.url = f"http://{STORE_ADDRESS}:{port}"
        self.certificate_path = directory / "store-certificate.pem"
        key_path = directory / "store-key.pem"
        _make_certificate(self.certificate_path, key_path)
        ip("link set lo up", f"addr add {STORE_ADDRESS}/32 dev lo", namespace=self.namespace)
        self._management = management
        management.connect(self.namespace, _MANAGEMENT_NUMBER)
        self._start(
            "store_forwarder.py", STORE_ADDRESS, ENDPOINT_ADDRESS, str(port), str(self.certificate_path), str(key_path)
        )
        self.wait_until_ready()

    def join_zone(self, zone: str, router: str) -> None:
        link = f"zone-{zone[-1]}"
        ip(veth((self.namespace, link), (router, "store")))
        ip(f"link set {link} up", namespace=self.namespace)
        ip(
            "link set store up",
            f"route add {STORE_ADDRESS}/32 via {STORE_ADDRESS} dev store onlink table {SERVICES_TABLE}",
            # Answers go to the host directly, without the distance within the zone.
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
    # The certificate is self-signed, so clients use it as the authority, too.
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    subject = ["-days", _VALID_DAYS, "-subj", "/CN=the lab's store", "-addext", f"subjectAltName=IP:{STORE_ADDRESS}"]
    run([*command.split(), *subject, "-keyout", str(key), "-out", str(certificate)])
