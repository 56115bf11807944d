"""What the commands of a first hour may leave outside the checkout."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from try_first_hour import BY_ROOT, Trial  # noqa: E402


@pytest.mark.parametrize(
    ("name", "path", "is_good"),
    [
        ("test", "tmp/node-compile-cache", True),
        # The folder was made by an earlier command.
        ("test", "tmp/node-compile-cache/v22/608901e2", True),
        ("test", "tmp/node-compile-cache-of-ours", False),
        ("test", "tmp/tsx-1000", False),
        (BY_ROOT, "run/adduser", True),
    ],
)
def test_a_command_may_leave_what_is_named_and_what_is_in_it(name: str, path: str, is_good: bool) -> None:
    assert Trial("user", "22", name, 0, 1, "0 s", [path]).is_good == is_good
