"""Lambda: a function signs with credentials of its role.

MiniStack: unless it enforces policies, a function has the account's own keys, which have no session token.
AWS: a function has temporary keys of its role (https://docs.aws.amazon.com/lambda/latest/dg/lambda-intro-execution-role.html),
and a URL that it presigns is signed with these.
Fix: each function has a session of its role, which S3 knows when such a URL is opened. The session's token is the name
of the function, so that the calls that a function makes are known as its.
"""

import hashlib
from collections.abc import Callable
from typing import Any

from lab.aws import embedded

_issued: set[str] = set()


def is_a_functions_key(access_key: str) -> bool:
    return access_key in _issued


def install() -> None:
    embedded.LAMBDA_CREDENTIALS.wrap(_of_the_role)


def _of_the_role(original: Callable[..., dict[str, str]]) -> Callable[..., dict[str, str]]:
    def credentials(config: dict[str, Any]) -> dict[str, str]:
        account_id = original(config)["AWS_ACCESS_KEY_ID"]
        role_name, function_name = config["Role"].rsplit("/", 1)[-1], config["FunctionName"]
        digest = hashlib.sha256(f"{config['FunctionArn']} {config['Role']}".encode()).hexdigest()
        keys = {
            "AWS_ACCESS_KEY_ID": f"ASIA{digest[:16].upper()}",
            "AWS_SECRET_ACCESS_KEY": digest[16:56],
            "AWS_SESSION_TOKEN": function_name,
        }
        _issued.add(keys["AWS_ACCESS_KEY_ID"])
        session = {
            "Arn": f"arn:aws:sts::{account_id}:assumed-role/{role_name}/{function_name}",
            "UserId": f"{role_name}:{function_name}",
            "SecretAccessKey": keys["AWS_SECRET_ACCESS_KEY"],
            "SessionToken": keys["AWS_SESSION_TOKEN"],
        }
        embedded.register_session(keys["AWS_ACCESS_KEY_ID"], session)
        return keys

    return credentials
