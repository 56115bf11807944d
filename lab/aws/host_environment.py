"""What commands on a host find in their environment: the endpoint and the credentials of its role."""

from __future__ import annotations

import hashlib
from typing import Any

from ministack.core.responses import get_account_id, get_region
from ministack.services import sts

from lab.aws.machines import Fleet


def host_environment(fleet: Fleet, instance_id: str, role: dict[str, Any] | None) -> dict[str, str]:
    """The environment of every command on a host."""
    environment = {
        "AWS_ENDPOINT_URL": fleet.endpoint_url,
        "AWS_REGION": get_region(),
        "AWS_DEFAULT_REGION": get_region(),
    }
    return environment if role is None else environment | _credentials(instance_id, role)


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
