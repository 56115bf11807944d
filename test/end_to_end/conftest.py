from __future__ import annotations

from collections.abc import Iterator

import pytest

from .at_once import AtOnce
from .running_lab import RunningLab
from .shared_lab import Settings, SharedLab

# Files that take minutes begin first, so that no worker ends long after the others. Those that share no lab with other
# files come before those that do, so that a worker deploys the shared one once.
BEGIN_FIRST = ["causes", "fault_campaign", "every_measurement", "prove", "lab_command", "expectations", "round_trips"]
BEGIN_FIRST += ["kept_store", "lab_cannot_go_on", "deploy_and_destroy", "notifications", "folded_runs"]
BEGIN_FIRST += ["failures", "stopped_runs", "own_subnets", "limits", "nothing_left", "host_types"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    order = {f"test_{name}": number for number, name in enumerate(BEGIN_FIRST)}
    items.sort(key=lambda item: order.get(item.path.stem, len(order)))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--pairs", type=int, default=8, help="how many pairs test_limits.py measures at once")
    parser.addoption("--moments", type=int, default=3, help="how many runs test_own_subnets.py breaks")
    parser.addoption("--lambda-quota", type=int, default=3, help="how many functions may run at once meanwhile")


@pytest.fixture(scope="session")
def shared_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedLab]:
    shared = SharedLab(lambda: tmp_path_factory.mktemp("lab"))
    yield shared
    shared.end()


@pytest.fixture(scope="module")
def lab_settings() -> Settings:
    """Further arguments of `deployed_lab`. A module that replaces this has a lab of its own."""
    return {}


@pytest.fixture(scope="module")
def lab(shared_lab: SharedLab, lab_settings: Settings, request: pytest.FixtureRequest) -> Iterator[RunningLab]:
    """A lab for all tests of a module: that of the modules before it, unless this one has settings of its own."""
    failed_before = request.session.testsfailed
    with shared_lab.taken(lab_settings, lambda: request.session.testsfailed == failed_before) as running:
        yield running


@pytest.fixture(scope="module")
def at_once(lab: RunningLab, request: pytest.FixtureRequest) -> AtOnce:
    """The tests of a module that are marked with `at_once_with_others` and asked for, all of them over."""
    return AtOnce(lab, [item for item in request.session.items if item.path == request.node.path])
