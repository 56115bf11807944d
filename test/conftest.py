"""What the Python tests of the deployed things share."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from signs_of_life import PrintedProgress

REPOSITORY = Path(__file__).parents[1]
STANDARD_OUTPUT = 1


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Gives a worker temporary files of its own: it has its own /run and can't see the folder that it is told.

    Whoever prints the counts also says what goes on, because one test can take minutes.
    """
    if is_worker(config):
        config.option.basetemp = None
    else:
        config.pluginmanager.register(PrintedProgress(STANDARD_OUTPUT))


def is_worker(config: pytest.Config) -> bool:
    """Returns whether this is one of pytest-xdist's workers, which report to the process that prints the counts."""
    return hasattr(config, "workerinput")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fails a run that skipped a test: nothing may be skipped."""
    if is_worker(session.config):
        return
    if _test_ids(session.config, "skipped", "xfailed", "xpassed"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_unconfigure(config: pytest.Config) -> None:
    """Ends the run with the line that `scripts/test.sh` adds up over the lanes."""
    if is_worker(config):
        return
    failed = _test_ids(config, "failed", "error")
    passed = _test_ids(config, "passed") - failed
    print(f"{len(passed)} passed, {len(failed)} failed")


def _test_ids(config: pytest.Config, *outcomes: str) -> set[str]:
    stats = config.pluginmanager.getplugin("terminalreporter").stats
    return {report.nodeid for outcome in outcomes for report in stats.get(outcome, [])}


@pytest.fixture(scope="session")
def print_template(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Synthesises the template from this checkout: with this context, or with everything that a context can add."""

    def print_with(context: dict[str, object] | None = None) -> Path:
        given = [] if context is None else [json.dumps(context)]
        command = ["node_modules/.bin/tsx", "test/support/print-template.ts", *given]
        printed = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True)
        file = tmp_path_factory.mktemp("template") / "network-benchmark.template.json"
        file.write_text(printed.stdout)
        return file

    return print_with


@pytest.fixture(scope="session")
def template_file(print_template: Callable[..., Path]) -> Path:
    """The template of a stack with everything that a context can add."""
    return print_template()


@pytest.fixture(scope="session")
def template(template_file: Path) -> dict:
    return json.loads(template_file.read_text())
