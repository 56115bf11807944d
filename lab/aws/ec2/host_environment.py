"""What commands on a host find in their environment: endpoints, credentials of its role, the store's certificate."""

import hashlib
import subprocess

from lab.aws import embedded
from lab.aws.ec2.records import InstanceProfile
from lab.aws.settings import ACCOUNT_ID, REGION
from lab.hosts.fleet import HostFleet
from lab.hosts.machine import AGENT_PATH

STORE_CERTIFICATE = "/etc/lab-store-certificate.pem"


def host_environment(fleet: HostFleet, instance_id: str, profile: InstanceProfile | None) -> dict[str, str]:
    """The environment of every command on a host.

    As on AWS, every client reaches S3 through the host's card. The streamer uploads some kilobytes a second, and they
    spend credits, too; so S3 has an endpoint of its own.
    """
    environment = {
        "AWS_ENDPOINT_URL": fleet.endpoint_url,
        "AWS_ENDPOINT_URL_S3": fleet.store_endpoint_url,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        # curl, OpenSSL and the SDKs each look for the authority of the store's certificate in a variable of their own.
        "CURL_CA_BUNDLE": STORE_CERTIFICATE,
        "SSL_CERT_FILE": STORE_CERTIFICATE,
        "AWS_CA_BUNDLE": STORE_CERTIFICATE,
    }
    if profile is None or profile.role_name is None:
        return environment
    return environment | _credentials(instance_id, profile.role_name, str(profile.role_id))


def bring_certificate(fleet: HostFleet, instance_id: str) -> None:
    """Puts the certificate of the store's authority where the environment says it is."""
    write = fleet.command(instance_id, ["sh", "-c", f"cat >{STORE_CERTIFICATE}"])
    certificate = fleet.store_certificate_path.read_bytes()
    subprocess.run(write, input=certificate, env={"PATH": AGENT_PATH}, capture_output=True, check=True)


def _credentials(instance_id: str, role_name: str, role_id: str) -> dict[str, str]:
    """Returns access keys with the `aws:userid` `<role id>:<instance id>`, which an instance's keys have on AWS."""
    digest = hashlib.sha256(instance_id.encode()).hexdigest()
    credentials = {
        "AWS_ACCESS_KEY_ID": f"ASIA{digest[:16].upper()}",
        "AWS_SECRET_ACCESS_KEY": digest[16:56],
        "AWS_SESSION_TOKEN": digest,
    }
    embedded.register_session(
        credentials["AWS_ACCESS_KEY_ID"],
        {
            "Arn": f"arn:aws:sts::{ACCOUNT_ID}:assumed-role/{role_name}/{instance_id}",
            "UserId": f"{role_id}:{instance_id}",
            "SecretAccessKey": credentials["AWS_SECRET_ACCESS_KEY"],
            "SessionToken": credentials["AWS_SESSION_TOKEN"],
        },
    )
    return credentials
