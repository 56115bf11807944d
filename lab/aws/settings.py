"""Settings of MiniStack, and the lab's account and region.

MiniStack reads its settings from the environment while it is imported, so this module must not import it.
"""

import importlib.metadata
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

MINISTACK_VERSION = "1.5.33"
ACCOUNT_ID = "000000000000"
REGION = "us-east-1"
# The number in each zone's id, by the last letter of the zone's name. AWS maps names to ids per account.
ZONE_NUMBERS = {"a": 4, "b": 6, "c": 1}
ZONE_ID_PREFIX = "use1-az"
# Subfolder of the state folder for temporary files of the process and of its functions.
SCRATCH = "tmp"
# Marker file in the state folder, which exists while the state is written.
BEING_WRITTEN = "being-written"


def zone_id(zone: str) -> str:
    return f"{ZONE_ID_PREFIX}{ZONE_NUMBERS[zone[-1]]}"


class IncompatibleMinistackError(RuntimeError):
    """The installed MiniStack has another version than the pinned one, or lacks a name that the lab uses."""


@dataclass(frozen=True)
class Options:
    port: int
    bind: str
    state_dir: Path
    work_dir: Path | None
    """Folder of the hosts; None runs an embedded AWS without hosts."""
    time_divisor: float | None = None
    """How many times sooner than on EC2 a bucket is spent; None takes the figure of profiles.json."""
    wait_divisor: float = 1
    """How many times shorter the waits of state machines, queues and schedules are than their definitions say."""
    saves_state: bool = True
    """Whether the state is written at the end; otherwise the folder keeps the state that it has."""
    mail_dir: Path | None = None
    """Folder for what SNS would send by e-mail; None keeps nothing of it."""


def check_version() -> None:
    """Raises IncompatibleMinistackError unless the pinned version is installed."""
    try:
        version = importlib.metadata.version("ministack")
    except importlib.metadata.PackageNotFoundError:
        version = "nothing"
    if version != MINISTACK_VERSION:
        raise IncompatibleMinistackError(
            f"ministack: must be version {MINISTACK_VERSION}, which the lab was made for, got {version}"
            " (install lab/requirements.txt)"
        )


def configure(options: Options) -> None:
    """Checks MiniStack's version and sets its environment, with which it saves to `state_dir` on SIGTERM."""
    check_version()
    objects = options.state_dir / "s3"
    objects.mkdir(parents=True, exist_ok=True)
    scratch = options.state_dir / SCRATCH
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True, exist_ok=True)
    os.environ.update(
        GATEWAY_PORT=str(options.port),
        BIND_HOST=options.bind,
        MINISTACK_REGION=REGION,
        PERSIST_STATE="1",
        STATE_DIR=str(options.state_dir),
        S3_PERSIST="1",
        S3_DATA_DIR=str(objects),
        TMPDIR=str(scratch),
        LAMBDA_EXECUTOR="local",
        # As on AWS, an event that a function failed to handle is retried after one minute, and after two more.
        LAMBDA_ASYNC_RETRY_BASE_SECONDS=str(60 / options.wait_divisor),
        LAMBDA_ASYNC_RETRY_MAX_SECONDS=str(120 / options.wait_divisor),
        ATHENA_ENGINE="duckdb",
        AWS_ENDPOINT_URL=f"http://127.0.0.1:{options.port}",  # the Lambda functions inherit it
        DOCKER_HOST="unix:///nonexistent",
        IOT_MTLS_ENABLED="0",
        SFTP_ENABLED="0",
        LOG_LEVEL=os.environ.get("LOG_LEVEL", "WARNING"),
    )
