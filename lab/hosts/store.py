"""S3 for the hosts, reached through their cards, so that its traffic is shaped and counted like any other.

    host ── card ── zone router ── store (a namespace with an address) ── forwarder ── the embedded AWS

Every zone has its own link to it, without a delay.
"""

import subprocess
import sys
from pathlib import Path

from lab.hosts.commands import NetworkCommandError, ip, namespace_path, run, set_kernel_values
from lab.hosts.region import DELIVERY_TABLE, ROUTER_VALUES, SERVICES_TABLE, STORE_ADDRESS, UPSTREAM_GATEWAY

_NAMESPACE = "store"
_VALID_DAYS = "30"


class Store:
    """The store's address and the process behind it; it is a service of the region."""

    def __init__(self, directory: Path, port: int, target_address: str) -> None:
        self.certificate_path = directory / "store-certificate.pem"
        key_path = directory / "store-key.pem"
        _make_certificate(self.certificate_path, key_path)
        self.url = f"http://{STORE_ADDRESS}:{port}"
        self._zone_of_address: dict[str, str] = {}
        ip(f"netns add {_NAMESPACE}")
        set_kernel_values(_NAMESPACE, {**ROUTER_VALUES, "ipv4/ip_forward": "0"})
        ip("link set lo up", f"addr add {STORE_ADDRESS}/32 dev lo", namespace=_NAMESPACE)
        argv = [
            sys.executable,
            str(Path(__file__).with_name("store_forwarder.py")),
            namespace_path(_NAMESPACE),
            STORE_ADDRESS,
            str(port),
            target_address,
            str(port),
            str(self.certificate_path),
            str(key_path),
        ]
        self._forwarder = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        assert self._forwarder.stdout is not None
        if self._forwarder.stdout.readline() != b"ready\n":
            self._forwarder.kill()
            raise NetworkCommandError(f"store forwarder: must start, got exit code {self._forwarder.wait()}")

    def join_zone(self, zone: str, router: str) -> None:
        link = f"zone-{zone[-1]}"
        ip(f"link add name {link} mtu 9001 netns {_NAMESPACE} type veth peer name store mtu 9001 netns {router}")
        ip(f"link set {link} up", namespace=_NAMESPACE)
        ip(
            "link set store up",
            f"route add {STORE_ADDRESS}/32 via {STORE_ADDRESS} dev store onlink table {SERVICES_TABLE}",
            # Answers go to the host directly, without the distance within the zone.
            f"rule add pref 20 iif store lookup {DELIVERY_TABLE}",
            namespace=router,
        )

    def add_address(self, address: str, zone: str) -> None:
        ip(f"route replace {address}/32 via {UPSTREAM_GATEWAY} dev zone-{zone[-1]} onlink", namespace=_NAMESPACE)

    def remove_address(self, address: str) -> None:
        ip(f"route del {address}/32", namespace=_NAMESPACE)

    @property
    def is_whole(self) -> bool:
        return self._forwarder.poll() is None

    def close(self) -> None:
        self._forwarder.kill()
        self._forwarder.wait()
        ip(f"netns del {_NAMESPACE}")


def _make_certificate(certificate: Path, key: Path) -> None:
    # The certificate is self-signed, so clients use it as the authority, too.
    run(
        [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", _VALID_DAYS, "-subj", "/CN=the lab's store", "-addext", f"subjectAltName=IP:{STORE_ADDRESS}",
            "-keyout", str(key), "-out", str(certificate),
        ]
    )  # fmt: skip
