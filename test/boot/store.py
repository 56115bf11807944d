"""S3 and STS for hosts that boot, by the names and with the certificates that the SDKs and curl ask for.

A host finds the server by /etc/hosts and trusts it by its own list of authorities. Its credentials come from the
metadata service. No setting of the SDK differs from a host's on AWS.
"""

from __future__ import annotations

import ssl
import subprocess
from pathlib import Path

from local_aws import LocalAws
from machine import Machine

BUCKETS = ("results", "payloads")
_NAMES = ("s3.amazonaws.com", "s3.us-east-1.amazonaws.com")
NAMES = ("sts.us-east-1.amazonaws.com", *_NAMES, *(f"{bucket}.{name}" for bucket in BUCKETS for name in _NAMES))


class Store(LocalAws):
    """Listens on port 443 of every address."""

    def __init__(self, folder: Path) -> None:
        super().__init__(("0.0.0.0", 443))
        self.certificate = folder / "certificate.pem"
        names = ",".join(f"DNS:{name}" for name in NAMES)
        command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=aws"
        files = ["-keyout", str(folder / "key.pem"), "-out", str(self.certificate)]
        subprocess.run(
            [*command.split(), "-addext", f"subjectAltName={names}", *files], check=True, capture_output=True
        )
        self.tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self.tls.load_cert_chain(self.certificate, folder / "key.pem")

    def make_known_to(self, machine: Machine) -> None:
        """Must come before the host is switched on."""
        machine.write("etc/hosts", f"127.0.0.1 localhost\n{machine.gateway} {' '.join(NAMES)}\n")
        machine.write("etc/ssl/certs/ca-certificates.crt", self.certificate.read_text())
