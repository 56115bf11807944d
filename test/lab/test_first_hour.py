"""The parts of `npm run try:first-hour` that judge; the fresh Debian itself is made by hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "scripts"))

import try_first_hour  # noqa: E402


def test_the_line_for_an_administrator_is_found_as_the_commands_print_it(tmp_path: Path) -> None:
    (tmp_path / "id").write_text("#!/bin/sh\necho 1000\n")
    for name in ("apt-get", "python3"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
    for file in tmp_path.iterdir():
        file.chmod(0o755)
    for tool in ("bash", "dirname", "sort"):
        (tmp_path / tool).symlink_to(f"/usr/bin/{tool}")
    refused = subprocess.run(
        ["bash", REPOSITORY / "scripts/ensure-packages.sh", "check"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    found = try_first_hour.LINE_FOR_ADMINISTRATOR.search(refused.stderr)
    assert refused.returncode == 1
    assert found is not None
    assert found[1].startswith("su - -c 'apt-get update && apt-get install -y ")


def test_of_a_folder_with_what_is_in_it_only_the_folder_is_listed() -> None:
    assert try_first_hour.outermost({"tmp/a", "tmp/a/b", "home/c"}) == ["home/c", "tmp/a"]
