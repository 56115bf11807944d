"""Hosts that boot, for all tests of this folder: they are switched on together, because a boot mostly waits."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from agent import Agent
from machine import Machine
from metadata_service import METADATA_ADDRESS, MetadataService

from lab.hosts.commands import ip

REPOSITORY = Path(__file__).parents[2]
# The documents' own tests have an S3, and the documents' parameters. Their folder comes last, as it has a conftest too.
sys.path.append(str(REPOSITORY / "test" / "ssm-documents"))
from measurement_parameters import PREPARE as PREPARE_ON_LOOPBACK  # noqa: E402
from store import Store  # noqa: E402

PREPARE = PREPARE_ON_LOOPBACK | {"MtuBytes": "1500", "HealthCheckPort": "8080"}

DEADLINE_TAG = "network-benchmark:expires-at"
MakeMachine = Callable[[str, dict[str, str]], Machine]


@pytest.fixture(scope="session")
def made_root() -> Path:
    """What make_host_root.py has made: root/, mirror/ and the user data as the stack deploys it."""
    folder = os.environ.get("NETWORK_BENCHMARK_HOST_ROOT")
    assert folder, "NETWORK_BENCHMARK_HOST_ROOT: must be set; start these tests with: npm run test:boot"
    return Path(folder)


@pytest.fixture(scope="session")
def user_data(made_root: Path) -> str:
    return (made_root / "user-data.sh").read_text()


@pytest.fixture(scope="session")
def service(made_root: Path) -> Iterator[MetadataService]:
    ip(f"addr add {METADATA_ADDRESS}/32 dev lo")
    service = MetadataService(made_root / "mirror")
    yield service
    service.shutdown()
    service.server_close()


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = Store(tmp_path_factory.mktemp("store"))
    yield store
    store.shutdown()
    store.server_close()


@pytest.fixture(scope="session")
def switch_on(
    made_root: Path, service: MetadataService, store: Store, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MakeMachine]:
    """Makes hosts from user data and tags, and switches them on."""
    machines: list[Machine] = []

    def make(user_data: str, tags: dict[str, str]) -> Machine:
        number = len(machines) + 1
        machine = Machine(tmp_path_factory.mktemp(f"host-{number}"), made_root / "root", service, number)
        machines.append(machine)
        store.make_known_to(machine)
        machine.boot(user_data, tags)
        return machine

    yield make
    for machine in machines:
        machine.kill()


class Hosts:
    """The hosts of all cases."""

    def __init__(self, user_data: str, switch_on: MakeMachine) -> None:
        self.expires_at = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=2)
        in_time = {DEADLINE_TAG: iso(self.expires_at)}
        self.ordinary = switch_on(user_data, in_time)
        self.server = switch_on(user_data, in_time)
        self.without_tag = switch_on(user_data, {})
        self.too_late = switch_on(user_data, {DEADLINE_TAG: iso(datetime.now(UTC) - timedelta(minutes=1))})
        self.defective = switch_on(plant_defects(user_data), in_time)


def iso(instant: datetime) -> str:
    """Returns the form in which launch-pair writes the tag."""
    return instant.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def plant_defects(user_data: str) -> str:
    """Returns the script without its timer's start, and with services that packages start and leave enabled."""
    defects = (
        ("  systemctl enable network-benchmark-deadline.timer\n", ""),
        ("  systemctl restart network-benchmark-deadline.timer\n", ""),
        ("  disable_new_services", "  systemctl enable --now nginx.service iperf3.service; true"),
    )
    for line, defect in defects:
        assert line in user_data, f"user-data.sh: must have {line!r}, in which a defect is planted"
        user_data = user_data.replace(line, defect)
    return user_data


@pytest.fixture(scope="session")
def hosts(user_data: str, switch_on: MakeMachine) -> Hosts:
    return Hosts(user_data, switch_on)


@pytest.fixture(scope="session")
def documents() -> dict[str, Any]:
    """The documents as they are deployed."""
    printed = subprocess.run(
        ["node_modules/.bin/tsx", "test/ssm-documents/print-documents.ts"],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
    )
    documents: dict[str, Any] = json.loads(printed.stdout)
    return documents


@dataclasses.dataclass(frozen=True)
class Pair:
    """Two hosts that are prepared for measurements; packets reach one from the other."""

    client: Agent
    server: Agent

    @property
    def both(self) -> tuple[Agent, Agent]:
        return self.client, self.server


def replace_snap(machine: Machine) -> None:
    """Gives the host a `snap` that does nothing: the image's snapd is not in the root."""
    machine.run("ln", "--symbolic", "--force", "/bin/true", "/usr/local/bin/snap")


@pytest.fixture(scope="session")
def pair(hosts: Hosts, documents: dict[str, Any]) -> Pair:
    # This namespace is the hosts' router.
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
    agents = [Agent(machine, documents) for machine in (hosts.ordinary, hosts.server)]
    for agent in agents:
        agent.machine.wait_for_user_data()
        replace_snap(agent.machine)
        agent.run("prepare-host", PREPARE)
    return Pair(*agents)
