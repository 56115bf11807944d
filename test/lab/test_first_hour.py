"""The parts of `npm run try:first-hour` that judge; the fresh Debian itself is made by hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "scripts"))

import try_first_hour  # noqa: E402
from try_first_hour import Trial  # noqa: E402


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


NODE_CACHE = "tmp/node-compile-cache"


@pytest.mark.parametrize(
    ("name", "code", "left_outside", "is_repeated", "is_good"),
    [
        ("unit", 0, [], False, True),
        ("unit", 1, [], False, False),
        ("unit", 1, [], True, True),
        ("unit", 0, [NODE_CACHE], False, True),
        # The folder was made by an earlier command.
        ("unit", 0, [f"{NODE_CACHE}/v22/608901e2"], False, True),
        ("unit", 0, [f"{NODE_CACHE}-of-another"], False, False),
        ("unit", 0, [NODE_CACHE, "tmp/jest_rs"], False, False),
        ("unit", 1, ["tmp/jest_rs"], True, False),
        ("lab", 0, ["run/adduser"], False, True),
        ("lab", 0, ["run/dbus"], False, False),
        # What the packages of the distribution leave is the administrator's.
        (try_first_hour.BY_ROOT, 0, ["run/dbus"], False, True),
    ],
)
def test_a_command_is_good_when_it_succeeds_and_leaves_only_what_it_may(
    name: str, code: int, left_outside: list[str], is_repeated: bool, is_good: bool
) -> None:
    assert Trial("user", "22", name, code, 1.0, "1 s", left_outside, is_repeated).is_good == is_good


def test_what_is_beside_a_cache_in_its_folder_is_left_outside_and_the_folder_is_not(tmp_path: Path) -> None:
    for file in ("home/anna/.cache/pip/a", "home/anna/work/checkout/b", "shm/c", "tmp/d/e", "var/lib/f"):
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).touch()
    skipped = ["home/anna/.cache/pip", "home/anna/work/checkout"]
    assert try_first_hour.paths_below(tmp_path, skipped) == {"shm/c", "tmp/d", "tmp/d/e"}
    (tmp_path / "home/anna/.cache/other").touch()
    assert try_first_hour.paths_below(tmp_path, skipped) == {"shm/c", "tmp/d", "tmp/d/e", "home/anna/.cache/other"}


def test_the_table_names_each_folder_left_outside_with_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    left = ["tmp/jest_rs", "tmp/node-compile-cache"]
    try_first_hour.print_trials([Trial("user", "22", "unit", 0, 1.0, "1 s", left)])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["tmp/jest_rs", "user", "22", "unit", "NOT", "ALLOWED"] in lines
    assert any(line[:5] == ["tmp/node-compile-cache", "user", "22", "unit", "npm"] for line in lines)
    try_first_hour.print_trials([Trial("user", "22", "unit", 0, 1.0, "1 s", [])])
    assert capsys.readouterr().out.endswith("nothing was left outside the checkout\n")
