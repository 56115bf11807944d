"""Hosts that boot, for all tests of this folder: they are switched on together, because a boot mostly waits."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from machine import Machine
from metadata_service import METADATA_ADDRESS, MetadataService

from lab.hosts.commands import ip

DEADLINE_TAG = "network-benchmark:expires-at"
MakeMachine = Callable[[str, dict[str, str]], Machine]


@pytest.fixture(scope="session")
def made_root() -> Path:
    """What scripts/make_host_root.py has made: root/, mirror/ and the user data as the stack deploys it."""
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
def switch_on(
    made_root: Path, service: MetadataService, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MakeMachine]:
    """Makes hosts from user data and tags, and switches them on."""
    machines: list[Machine] = []

    def make(user_data: str, tags: dict[str, str]) -> Machine:
        number = len(machines) + 1
        machine = Machine(tmp_path_factory.mktemp(f"host-{number}"), made_root / "root", service, number)
        machines.append(machine)
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
        self.without_tag = switch_on(user_data, {})
        self.too_late = switch_on(user_data, {DEADLINE_TAG: iso(datetime.now(UTC) - timedelta(minutes=1))})
        self.defective = switch_on(plant_defects(user_data), in_time)


def iso(instant: datetime) -> str:
    """Returns the form in which launch-pair writes the tag."""
    return instant.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def plant_defects(user_data: str) -> str:
    """Returns the script without its timer's start, and with services that packages may start and leave enabled."""
    defects = (
        ("  systemctl enable network-benchmark-deadline.timer\n", ""),
        ("  systemctl restart network-benchmark-deadline.timer\n", ""),
        ("exit 101", "exit 0"),
        ("  disable_new_services", "  true"),
    )
    for line, defect in defects:
        assert line in user_data, f"user-data.sh: must have {line!r}, in which a defect is planted"
        user_data = user_data.replace(line, defect)
    return user_data


@pytest.fixture(scope="session")
def hosts(user_data: str, switch_on: MakeMachine) -> Hosts:
    return Hosts(user_data, switch_on)
