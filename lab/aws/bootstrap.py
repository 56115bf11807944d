"""What the lab's account has from the start: what `cdk bootstrap` leaves in an account, and the user's own things.

The real `cdk deploy` finds here what it looks for: the version parameter, the bucket of assets, the roles it assumes.
That saves 6 to 16 seconds.
"""

import json

from lab.aws import embedded
from lab.aws.settings import ACCOUNT_ID, REGION
from lab.aws.user_account import create_networks, put_parameters
from lab.aws.wire import AwsError

QUALIFIER = "hnb659fds"
VERSION = "30"
ROLES = ("deploy-role", "file-publishing-role", "image-publishing-role", "lookup-role", "cfn-exec-role")
TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"AWS": ACCOUNT_ID}, "Action": "sts:AssumeRole"}],
}


def bootstrap() -> None:
    """Creates what is not there yet: state of an earlier run may have some of it or all."""
    with embedded.lab_scope():
        _create_unless_there("s3", "CreateBucket", Bucket=f"cdk-{QUALIFIER}-assets-{ACCOUNT_ID}-{REGION}")
        parameter = {"Name": f"/cdk-bootstrap/{QUALIFIER}/version", "Type": "String", "Value": VERSION}
        embedded.call("ssm", "PutParameter", **parameter, Overwrite=True)
        for role in ROLES:
            name = f"cdk-{QUALIFIER}-{role}-{ACCOUNT_ID}-{REGION}"
            _create_unless_there("iam", "CreateRole", RoleName=name, AssumeRolePolicyDocument=json.dumps(TRUST))
        create_networks()
        put_parameters()


def _create_unless_there(service: str, operation: str, **parameters: str) -> None:
    try:
        embedded.call(service, operation, **parameters)
    except AwsError as error:
        if error.code not in ("BucketAlreadyOwnedByYou", "EntityAlreadyExists"):
            raise
