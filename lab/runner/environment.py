"""The environment of all processes that call the embedded AWS.

It inherits no account, profile, region or proxy from the caller. The lab's network has no route out anyway; this only
ensures that errors concern the lab.
"""

import os
from pathlib import Path

from lab import namespace
from lab.aws.settings import REGION

_NO_AWS_FILES = {"AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"}


def lab_environment(endpoint_url: str, home: Path) -> dict[str, str]:
    """Returns the variables of a process that calls the embedded AWS at `endpoint_url`; `home` is its home folder."""
    return {
        "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin",
        "LANG": "C.UTF-8",
        "HOME": str(home),
        "TMPDIR": namespace.TEMPORARY_FOLDER,
        namespace.INSIDE_VARIABLE: os.environ.get(namespace.INSIDE_VARIABLE, ""),
        "AWS_ENDPOINT_URL": endpoint_url,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": "lab",
        "AWS_SECRET_ACCESS_KEY": "lab",
        "AWS_EC2_METADATA_DISABLED": "true",
        **_NO_AWS_FILES,
        # Without this, the CDK would ask the system for the user's home and ignore HOME.
        "CDK_HOME": str(home / ".cdk"),
        # Without these, the CLI would look for notices and newer versions on the network.
        "CDK_DISABLE_VERSION_CHECK": "1",
        "CDK_DISABLE_CLI_TELEMETRY": "true",
        # CDK's own check of the template takes two thirds of a synthesis, and has a test of its own
        # (test/lib/template-validation.test.ts).
        "CDK_VALIDATION": "false",
        "npm_config_update_notifier": "false",
    }


def forget_the_callers_account() -> None:
    """Removes every reference to an account or a proxy from this process, so that its own clients use the lab."""
    for name in list(os.environ):
        if name.startswith("AWS_") or name.lower().endswith("_proxy"):
            del os.environ[name]
    os.environ.update(_NO_AWS_FILES)
