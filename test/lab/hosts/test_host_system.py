"""What a host has: the commands of EC2's images that the lab supplies, and what a plain image lacks.

The lab's hosts have no systemd, no snaps and no cloud-init. A plain host is one as it boots from a plain image when its
user data can't reach any package: without the measuring tools.
"""

from __future__ import annotations

import pytest
from host_support import Fleet, wait_for

from lab.hosts.settings import HostSettings

PLAIN, ORDINARY = "i-plain", "i-ordinary"
TOOLS = ("iperf3", "nginx", "sockperf")
SYSTEM = ("bash", "curl", "ethtool", "ip", "openssl", "ping", "python3", "ss", "timeout", "tracepath")
FIND_BOTO3 = """python3 -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("boto3") is None)'"""


@pytest.fixture(scope="module", autouse=True)
def hosts(fleet: Fleet) -> None:
    fleet.create_host(PLAIN, "steady", "us-east-1a", "10.9.0.1", {}, HostSettings(has_tools=False))
    fleet.create_host(ORDINARY, "steady", "us-east-1a", "10.9.0.2", {})


@pytest.mark.parametrize("program", TOOLS)
def test_only_a_plain_system_lacks_the_measuring_tools(fleet: Fleet, program: str) -> None:
    assert fleet.run(ORDINARY, f"command -v {program}").returncode == 0
    # Neither on the PATH nor in any of the folders where the package would put it.
    found = fleet.run(PLAIN, f"command -v {program}; ls /usr/bin/{program} /usr/sbin/{program} /bin/{program}")
    assert (found.stdout, found.returncode != 0) == ("", True)


@pytest.mark.parametrize("program", SYSTEM)
def test_a_plain_system_has_what_ubuntu_s_images_have(fleet: Fleet, program: str) -> None:
    assert fleet.run(PLAIN, f"command -v {program}").returncode == 0


def test_programs_of_a_plain_system_run(fleet: Fleet) -> None:
    done = fleet.run(PLAIN, "ip -o route show default; python3 -c 'print(6 * 7)'; openssl version")

    route, product, version = done.stdout.splitlines()
    assert "dev eth0" in route
    assert product == "42"
    assert version.startswith("OpenSSL")


def test_a_plain_system_s_python_lacks_boto3(fleet: Fleet) -> None:
    assert fleet.run(PLAIN, FIND_BOTO3).returncode == 1
    assert fleet.run(ORDINARY, FIND_BOTO3).returncode == 0


def test_user_data_of_a_plain_system_has_failed_as_apt_does_without_a_way_out(fleet: Fleet) -> None:
    path = "/var/lib/network-benchmark/user-data-failure"
    assert fleet.run(PLAIN, f"cat {path}").stdout == "E: Unable to locate package sockperf\n"
    for host in (PLAIN, ORDINARY):
        assert fleet.run(host, "test -e /var/lib/cloud/instance/boot-finished").returncode == 0
    assert fleet.run(ORDINARY, f"test -e {path}").returncode == 1


def test_a_scope_runs_its_command_in_the_foreground_with_environment_and_exit_code(fleet: Fleet) -> None:
    done = fleet.run(ORDINARY, "NAME=value systemd-run --scope --quiet --collect sh -c 'echo $NAME; exit 7'")

    assert (done.stdout, done.returncode) == ("value\n", 7)


def test_a_service_runs_in_the_background_with_an_environment_of_its_own(fleet: Fleet) -> None:
    service = "sh -c 'env >/tmp/environment.part; mv /tmp/environment.part /tmp/environment; sleep 600'"

    started = fleet.run(ORDINARY, f"NAME=value systemd-run --quiet --collect --unit=test {service}")

    assert started.returncode == 0, started.stderr
    wait_for("the service", lambda: fleet.run(ORDINARY, "cat /tmp/environment").returncode == 0)
    environment = fleet.run(ORDINARY, "cat /tmp/environment").stdout
    assert "NAME=" not in environment
    assert "PATH=/usr/local/sbin:" in environment
    assert fleet.run(ORDINARY, "pkill -f '^sleep 600'").returncode == 0


def test_no_unit_exists_and_snap_refreshes_can_be_held(fleet: Fleet) -> None:
    assert fleet.run(ORDINARY, "systemctl stop --no-block fstrim.timer").returncode == 5
    assert fleet.run(ORDINARY, "snap refresh --hold").returncode == 0


@pytest.mark.parametrize(
    "line", ["systemd-run --slice=other true", "systemctl start fstrim.timer", "snap install hello"]
)
def test_what_the_lab_does_not_support_fails_and_is_named(fleet: Fleet, line: str) -> None:
    done = fleet.run(ORDINARY, line)

    assert done.returncode == 1
    assert "in the lab" in done.stderr
