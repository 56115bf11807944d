"""Fixtures with real hosts, which need the lab's namespaces, which `npm test` enters; without them the tests fail."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from host_support import TEST_PROFILES, Fleet

from lab import namespace


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Makes an empty fleet. There is only one management bridge, so only one module at a time has a fleet."""
    if not namespace.is_inside():
        pytest.fail(
            "lab tests: must run inside the lab's namespaces, run: python -m lab.namespace python -m pytest test/lab"
        )
    made = Fleet(tmp_path_factory.mktemp("fleet"), 4566, TEST_PROFILES)
    yield made
    made.close()


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a folder on this machine that hosts must not change."""
    return tmp_path_factory.mktemp("outside")
