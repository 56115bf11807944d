"""Starts the embedded AWS: MiniStack's settings, our hands, then its web server.

MiniStack reads its settings while it is imported, so nothing of it may be imported before `configure`.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lab.aws import patching
from lab.aws.region import REGION

if TYPE_CHECKING:
    from lab.aws.control import Application
    from lab.aws.machines import Machines


@dataclass(frozen=True)
class Options:
    port: int
    bind: str
    state_dir: Path
    work_dir: Path | None
    """Where the hosts live; None for an embedded AWS without hosts."""
    time_divisor: float | None = None
    """How many times sooner than on EC2 a bucket ends; None for what profiles.json says."""


def configure(options: Options) -> None:
    """MiniStack's settings. State goes to `state_dir` when the process is asked to end (SIGTERM)."""
    objects = options.state_dir / "s3"
    objects.mkdir(parents=True, exist_ok=True)
    scratch = options.state_dir / "tmp"
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
        ATHENA_ENGINE="duckdb",
        AWS_ENDPOINT_URL=f"http://127.0.0.1:{options.port}",  # what the functions find in their environment
        DOCKER_HOST="unix:///nonexistent",
        IOT_MTLS_ENABLED="0",
        SFTP_ENABLED="0",
        LOG_LEVEL=os.environ.get("LOG_LEVEL", "WARNING"),
    )


def install_hands(options: Options, machines: Machines | None = None) -> Application:
    """Checks MiniStack, puts every hand in place and returns the application to serve."""
    patching.check_version()
    from lab.aws import athena, bootstrap, cloudformation, control, lambda_runtime, stepfunctions
    from lab.aws.data_paths import DataPaths
    from lab.aws.ec2 import Ec2
    from lab.aws.ec2_instances import Instances
    from lab.aws.faults import Faults
    from lab.aws.load_balancing import LoadBalancing
    from lab.aws.machines import make_machines
    from lab.aws.service_quotas import ServiceQuotas
    from lab.aws.ssm import Ssm
    from lab.hosts.profiles import Profiles

    profiles = Profiles.load()
    if options.time_divisor is not None:
        profiles = profiles.with_time_divisor(options.time_divisor)
    faults = Faults()
    fleet, agent = machines or make_machines(options.work_dir, options.port, profiles)
    paths = DataPaths(fleet)
    quotas = ServiceQuotas(profiles, faults)
    quotas.install()
    load_balancing = LoadBalancing(fleet, faults, paths)
    load_balancing.install()
    Ec2(Instances(fleet, profiles, faults, quotas, paths), profiles, faults, paths).install()
    ssm = Ssm(agent, faults)
    ssm.install()
    cloudformation.install(ssm.documents, paths)
    lambda_runtime.install()
    stepfunctions.install()
    athena.install()
    bootstrap.install()
    return control.Application(fleet, faults, quotas, load_balancing.records)


async def listen(
    application: Application, options: Options, until: Callable[[], Awaitable[None]] | None = None
) -> None:
    """Serves until SIGTERM or SIGINT (or `until` returns), then writes the state."""
    from hypercorn.asyncio import serve as hypercorn_serve
    from hypercorn.config import Config

    config = Config()
    config.bind = [f"{options.bind}:{options.port}"]
    config.keep_alive_timeout = 75
    config.graceful_timeout = 1
    config.loglevel = "WARNING"
    await hypercorn_serve(application, config, shutdown_trigger=until)  # type: ignore[arg-type]


def serve(options: Options) -> None:
    """The whole life of the embedded AWS, in this process."""
    configure(options)
    application = install_hands(options)
    try:
        asyncio.run(listen(application, options))
    finally:
        application.close()
