from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from permissions.recorded import RecordedCalls

from lab.runner.paths import LabPaths
from lab.runner.session import deployed_lab

from .running_lab import RunningLab


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--pairs", type=int, default=8, help="how many pairs test_limits.py measures at once")
    parser.addoption("--moments", type=int, default=3, help="how many runs test_own_subnets.py breaks")
    parser.addoption("--lambda-quota", type=int, default=3, help="how many functions may run at once meanwhile")


@pytest.fixture(scope="module")
def lab_settings() -> dict[str, Any]:
    """Further arguments of `deployed_lab`, which a module may replace by its own."""
    return {}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, lab_settings: dict[str, Any]) -> Iterator[RunningLab]:
    """Deploys a lab once for all tests of a module.

    At the end, every call in it must have been allowed, and the user's own networks must be as they were.
    """
    paths = LabPaths(tmp_path_factory.mktemp("lab"))
    settings = {"report": lambda event: None, **lab_settings}
    with deployed_lab(paths, **settings) as (aws, deployment):
        running = RunningLab(aws, deployment)
        running.record_calls()
        before = running.user_networks()
        yield running
        assert running.user_networks() == before
        assert RecordedCalls(aws, deployment).denied() == []
