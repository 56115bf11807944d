"""What `cdk bootstrap` leaves in an account: the lab's account has it from the start, which saves its 6 to 16 seconds.

The deployment itself is the real `cdk deploy`; it finds here what it looks for: the version parameter, the bucket of
assets and the roles it assumes.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from ministack import app
from ministack.core.responses import request_scope
from ministack.services import iam, s3, ssm

from lab.aws import patching
from lab.aws.region import ACCOUNT_ID, REGION

QUALIFIER = "hnb659fds"
VERSION = "30"
ROLES = ("deploy-role", "file-publishing-role", "image-publishing-role", "lookup-role", "cfn-exec-role")
TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"AWS": ACCOUNT_ID}, "Action": "sts:AssumeRole"}],
}


def install() -> None:
    """Bootstraps right after MiniStack has read the state of its last run."""
    for owner, name in ((s3, "_create_bucket"), (ssm, "_put_parameter"), (iam, "_create_role")):
        patching.require(owner, name)
    patching.wrap(app, "_load_persisted_state", _then_bootstrap)


def _then_bootstrap(original: Callable[[], None]) -> Callable[[], None]:
    def load() -> None:
        original()
        with request_scope(ACCOUNT_ID, REGION):
            _bootstrap()

    return load


def _bootstrap() -> None:
    bucket = f"cdk-{QUALIFIER}-assets-{ACCOUNT_ID}-{REGION}"
    if bucket not in s3._buckets:
        s3._create_bucket(bucket, b"")
    ssm._put_parameter(
        {"Name": f"/cdk-bootstrap/{QUALIFIER}/version", "Type": "String", "Value": VERSION, "Overwrite": True}
    )
    for role in ROLES:
        name = f"cdk-{QUALIFIER}-{role}-{ACCOUNT_ID}-{REGION}"
        if name not in iam._roles:
            iam._create_role({"RoleName": [name], "AssumeRolePolicyDocument": [json.dumps(TRUST)]})
