"""What the Python tests of the deployed things share."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]


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
