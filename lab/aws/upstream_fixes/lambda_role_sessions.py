"""Lambda: functions sign with keys of their role, whose session S3 knows when it presigns a URL. The session's token is
the function's name, which identifies the caller of each request.
"""

from collections.abc import Callable
from typing import Any

from lab.aws import embedded

_issued: set[str] = set()


def is_a_functions_key(access_key: str) -> bool:
    return access_key in _issued


@embedded.fix("lambda_runtime.execution_credentials")
def _of_the_role(original: Callable[..., dict[str, str]], config: dict[str, Any]) -> dict[str, str]:
    role_name, function_name = config["Role"].rsplit("/", 1)[-1], config["FunctionName"]
    seed, user_id = f"{config['FunctionArn']} {config['Role']}", f"{role_name}:{function_name}"
    keys = embedded.role_session(seed, role_name, user_id, function_name, token=function_name)
    _issued.add(keys["AWS_ACCESS_KEY_ID"])
    return keys
