"""Fixtures with real hosts, which need the lab's namespaces, which `npm test` enters; without them the tests fail."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from host_support import AGENT_ENVIRONMENT, TEST_PROFILES, RunOnHost

from lab import namespace
from lab.hosts.fleet import HostFleet


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostFleet]:
    """Makes an empty fleet. There is only one management bridge, so only one module at a time has a fleet."""
    if not namespace.is_inside():
        pytest.fail(
            "lab tests: must run inside the lab's namespaces, run: python -m lab.namespace python -m pytest test/lab"
        )
    made = HostFleet(tmp_path_factory.mktemp("fleet"), 4566, TEST_PROFILES)
    yield made
    made.close()


@pytest.fixture(scope="module")
def run_on_host(fleet: HostFleet) -> RunOnHost:
    """Returns a function that runs a line of shell on a host as root, with the agent's environment."""

    def run(instance_id: str, line: str) -> subprocess.CompletedProcess[str]:
        command = fleet.command(instance_id, ["sh", "-c", line])
        return subprocess.run(command, env=AGENT_ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False)

    return run


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a folder on this machine that hosts must not change."""
    return tmp_path_factory.mktemp("outside")
