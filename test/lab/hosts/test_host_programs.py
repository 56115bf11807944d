"""The commands of EC2's images that the lab supplies, because its hosts have no systemd, no snaps and no cloud-init."""

from __future__ import annotations

import pytest
from host_support import Fleet, wait_for

HOST = "i-programs"


@pytest.fixture(scope="module", autouse=True)
def host(fleet: Fleet) -> None:
    fleet.create_host(HOST, "steady", "us-east-1a", "10.8.0.1", {})


def test_a_scope_runs_its_command_in_the_foreground_with_environment_and_exit_code(fleet: Fleet) -> None:
    done = fleet.run(HOST, "NAME=value systemd-run --scope --quiet --collect sh -c 'echo $NAME; exit 7'")

    assert (done.stdout, done.returncode) == ("value\n", 7)


def test_a_service_runs_in_the_background_with_an_environment_of_its_own(fleet: Fleet) -> None:
    service = "sh -c 'env >/tmp/environment.part; mv /tmp/environment.part /tmp/environment; sleep 600'"

    started = fleet.run(HOST, f"NAME=value systemd-run --quiet --collect --unit=test {service}")

    assert started.returncode == 0, started.stderr
    wait_for("the service", lambda: fleet.run(HOST, "cat /tmp/environment").returncode == 0)
    environment = fleet.run(HOST, "cat /tmp/environment").stdout
    assert "NAME=" not in environment
    assert "PATH=/usr/local/sbin:" in environment
    assert fleet.run(HOST, "pkill -f '^sleep 600'").returncode == 0


def test_no_unit_exists_and_snap_refreshes_can_be_held(fleet: Fleet) -> None:
    assert fleet.run(HOST, "systemctl stop --no-block fstrim.timer").returncode == 5
    assert fleet.run(HOST, "snap refresh --hold").returncode == 0


@pytest.mark.parametrize(
    "line", ["systemd-run --slice=other true", "systemctl start fstrim.timer", "snap install hello"]
)
def test_what_the_lab_does_not_support_fails_and_is_named(fleet: Fleet, line: str) -> None:
    done = fleet.run(HOST, line)

    assert done.returncode == 1
    assert "in the lab" in done.stderr


def test_user_data_has_ended(fleet: Fleet) -> None:
    assert fleet.run(HOST, "test -e /var/lib/cloud/instance/boot-finished").returncode == 0
