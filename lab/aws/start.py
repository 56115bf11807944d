"""Assembles and serves the embedded AWS. Import it only after `settings.configure`, because it imports MiniStack."""

import asyncio
from pathlib import Path
from typing import Any, NoReturn

from hypercorn.asyncio import serve as hypercorn_serve
from hypercorn.config import Config

from lab.agent.agent import Agent
from lab.aws import cloudwatch, embedded, faulty_deliveries, mails, saved_state, shorter_waits
from lab.aws.account_plan import AccountPlan
from lab.aws.athena.service import athena_service
from lab.aws.authors import Authors
from lab.aws.call_log import CallLog
from lab.aws.cloudformation import follow_stacks, install_types
from lab.aws.cloudtrail import CloudTrail
from lab.aws.control import Application
from lab.aws.data_paths import DataPaths
from lab.aws.ec2.records import Records as Ec2Records
from lab.aws.ec2.service import ec2_service
from lab.aws.elb.records import Records as ElbRecords
from lab.aws.elb.service import elb_service
from lab.aws.faults import Faults
from lab.aws.faulty_apis import cover
from lab.aws.quotas import ServiceQuotas
from lab.aws.router import Router
from lab.aws.settings import REGION, Options
from lab.aws.ssm.service import ssm_service
from lab.hosts.fleet import HostFleet
from lab.hosts.profiles import Profiles

Machines = tuple[HostFleet, Agent]


class NoHosts:
    """Replaces fleet and agent when an embedded AWS only serves its kept store: whatever needs a host is refused."""

    endpoint_url = ""
    store_endpoint_url = ""

    def _nothing_to_do(self, *_: object) -> None:
        pass

    close = connect_networks = disconnect_networks = destroy_host = remove_load_balancer = _nothing_to_do

    def __getattr__(self, name: str) -> NoReturn:
        raise RuntimeError(f"{name}: must be in a lab with hosts, got --no-hosts")


def make_machines(work_dir: Path | None, port: int, profiles: Profiles, wait_divisor: float) -> Machines:
    """Returns hosts in `work_dir` and their agent; without a folder, `NoHosts` for both."""
    if work_dir is None:
        nothing: Any = NoHosts()
        return nothing, nothing
    work_dir.mkdir(parents=True, exist_ok=True)
    fleet = HostFleet(work_dir, port, profiles)
    return fleet, Agent(fleet, REGION, wait_divisor=wait_divisor)


def assemble(options: Options, machines: Machines | None = None) -> Application:
    """Adds the lab's services to MiniStack and returns the application to serve."""
    embedded.require_names(embedded.PRIVATE_NAMES.values())
    profiles = Profiles.load()
    if options.time_divisor is not None:
        profiles = profiles.with_time_divisor(options.time_divisor)
    fleet, agent = machines or make_machines(options.work_dir, options.port, profiles, options.wait_divisor)
    faults, quotas, account_plan, paths = Faults(), ServiceQuotas(), AccountPlan(), DataPaths()
    ec2, elb = Ec2Records(), ElbRecords()
    router = Router(faults)
    router.add(ec2_service(ec2, fleet, profiles, faults, quotas, account_plan, paths))
    router.add(elb_service(elb, ec2, fleet, paths))
    router.add(ssm_service(agent, ec2))
    router.add(athena_service())
    router.add(quotas.service())
    trail = CloudTrail()
    router.add(trail.service())
    trail.install()
    router.add(account_plan.service())
    embedded.install_fixes()
    cloudwatch.install()
    saved_state.install(options)
    if options.mail_dir is not None:
        mails.install(options.mail_dir)
    faulty_deliveries.install(faults)
    for service in ("stepfunctions", "s3", "lambda", "sqs", "events"):
        cover(faults, service)
    shorter_waits.install(options.wait_divisor)
    authors = Authors(ec2)
    authors.install()
    install_types()
    follow_stacks(paths)
    call_log = CallLog()
    call_log.follow_state_machines()
    return Application(fleet, paths, faults, quotas, account_plan, ec2, elb, authors, call_log)


async def listen(application: Application, options: Options) -> None:
    """Serves until SIGTERM or SIGINT, then writes the state."""
    # Hypercorn waits without a limit for a server to close, which from Python 3.12 on includes its connections: one
    # request that hangs would keep the state from being written (pgjones/hypercorn#308). Without that wait,
    # `graceful_timeout` is the limit on every version, as on 3.11.
    asyncio.Server.wait_closed = _without_its_connections  # type: ignore[assignment, method-assign]
    config = Config()
    config.bind = [f"{options.bind}:{options.port}"]
    config.keep_alive_timeout = 75
    config.graceful_timeout = 1
    config.loglevel = "WARNING"
    await hypercorn_serve(application, config)


async def _without_its_connections(_: asyncio.Server) -> None:
    """Replaces `asyncio.Server.wait_closed`."""


def serve(options: Options) -> None:
    """Runs the embedded AWS in this process until it is stopped."""
    application = assemble(options)
    try:
        asyncio.run(listen(application, options))
    finally:
        application.close()
