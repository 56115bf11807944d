"""What commands on a host find in their environment: endpoints, credentials of its role, the store's certificate."""

from __future__ import annotations

import hashlib
import subprocess
from typing import Any

from ministack.core.responses import get_account_id, get_region
from ministack.services import sts

from lab.aws.machines import Fleet
from lab.hosts.machine import AGENT_PATH

STORE_CERTIFICATE = "/etc/lab-store-certificate.pem"


def host_environment(fleet: Fleet, instance_id: str, role: dict[str, Any] | None) -> dict[str, str]:
    """The environment of every command on a host.

    S3 has an endpoint of its own, reached through the host's card, for every client, as on AWS: what the streamer
    uploads is some kilobytes a second and spends credits there, too.
    """
    environment = {
        "AWS_ENDPOINT_URL": fleet.endpoint_url,
        "AWS_ENDPOINT_URL_S3": fleet.store_endpoint_url,
        "AWS_REGION": get_region(),
        "AWS_DEFAULT_REGION": get_region(),
        # The authority of the lab's store, as curl, OpenSSL and the SDKs look for it.
        "CURL_CA_BUNDLE": STORE_CERTIFICATE,
        "SSL_CERT_FILE": STORE_CERTIFICATE,
        "AWS_CA_BUNDLE": STORE_CERTIFICATE,
    }
    return environment if role is None else environment | _credentials(instance_id, role)


def bring_certificate(fleet: Fleet, instance_id: str) -> None:
    """Puts the certificate of the store's authority where the environment says it is."""
    write = fleet.command(instance_id, ["sh", "-c", f"cat >{STORE_CERTIFICATE}"])
    certificate = fleet.store_certificate_path.read_bytes()
    subprocess.run(write, input=certificate, env={"PATH": AGENT_PATH}, capture_output=True, check=True)


def _credentials(instance_id: str, role: dict[str, Any]) -> dict[str, str]:
    """Keys whose `aws:userid` is `<role id>:<instance id>`."""
    digest = hashlib.sha256(instance_id.encode()).hexdigest()
    credentials = {
        "AWS_ACCESS_KEY_ID": f"ASIA{digest[:16].upper()}",
        "AWS_SECRET_ACCESS_KEY": digest[16:56],
        "AWS_SESSION_TOKEN": digest,
    }
    sts.register_session(
        credentials["AWS_ACCESS_KEY_ID"],
        {
            "Arn": f"arn:aws:sts::{get_account_id()}:assumed-role/{role['RoleName']}/{instance_id}",
            "UserId": f"{role['RoleId']}:{instance_id}",
            "SecretAccessKey": credentials["AWS_SECRET_ACCESS_KEY"],
            "SessionToken": credentials["AWS_SESSION_TOKEN"],
        },
    )
    return credentials
