"""What the Python tests of the deployed things share."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Gives a worker temporary files of its own: it has its own /run and can't see the folder that it is told."""
    if is_worker(config):
        config.option.basetemp = None


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
def template_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stack's template, synthesised from this checkout."""
    printed = subprocess.run(
        ["node_modules/.bin/tsx", "test/support/print-template.ts"],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
        text=True,
    )
    file = tmp_path_factory.mktemp("template") / "network-benchmark.template.json"
    file.write_text(printed.stdout)
    return file


@pytest.fixture(scope="session")
def template(template_file: Path) -> dict:
    return json.loads(template_file.read_text())
