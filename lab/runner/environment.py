"""The environment of everything that speaks to the embedded AWS.

Built from nothing, never inherited: whatever account, profile, region or proxy the caller's environment holds stays
outside. (The lab's network namespace has no route out either; this is so that errors are about the lab.)
"""

import os
from pathlib import Path

from lab import namespace

_NO_AWS_FILES = {"AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"}

REGION = "us-east-1"
ACCOUNT_ID = "000000000000"


def lab_environment(endpoint_url: str, home: Path) -> dict[str, str]:
    """Variables for a process that calls the embedded AWS at `endpoint_url`, with `home` as its home folder."""
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
        # The CLI would otherwise look for notices and newer versions on the network.
        "CDK_DISABLE_VERSION_CHECK": "1",
        "CDK_DISABLE_CLI_TELEMETRY": "true",
        # Two thirds of a synthesis is CDK's own check of the template. `npm run synth` and the tests have it; here it
        # would be seconds of waiting for what was already known.
        "CDK_VALIDATION": "false",
        "npm_config_update_notifier": "false",
    }


def forget_the_callers_account() -> None:
    """Takes whatever points to an account or a proxy out of this process: its own clients are the lab's too."""
    for name in list(os.environ):
        if name.startswith("AWS_") or name.lower().endswith("_proxy"):
            del os.environ[name]
    os.environ.update(_NO_AWS_FILES)
