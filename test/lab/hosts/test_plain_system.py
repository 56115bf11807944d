"""A host without the measuring tools, as it boots from a plain image when user data can't reach any package."""

from __future__ import annotations

import pytest
from host_support import RunOnHost

from lab.hosts.fleet import HostFleet
from lab.hosts.settings import HostSettings

PLAIN, ORDINARY = "i-plain", "i-ordinary"
TOOLS = ("iperf3", "nginx", "sockperf")
SYSTEM = ("bash", "curl", "ethtool", "ip", "openssl", "ping", "python3", "ss", "timeout", "tracepath")
FIND_BOTO3 = """python3 -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("boto3") is None)'"""


@pytest.fixture(scope="module", autouse=True)
def hosts(fleet: HostFleet) -> None:
    fleet.create_host(PLAIN, "steady", "us-east-1a", "10.9.0.1", {}, HostSettings(has_tools=False))
    fleet.create_host(ORDINARY, "steady", "us-east-1a", "10.9.0.2", {})


@pytest.mark.parametrize("program", TOOLS)
def test_only_a_plain_system_lacks_the_measuring_tools(run_on_host: RunOnHost, program: str) -> None:
    assert run_on_host(ORDINARY, f"command -v {program}").returncode == 0
    # Neither on the PATH nor in any of the folders where the package would put it.
    found = run_on_host(PLAIN, f"command -v {program}; ls /usr/bin/{program} /usr/sbin/{program} /bin/{program}")
    assert (found.stdout, found.returncode != 0) == ("", True)


@pytest.mark.parametrize("program", SYSTEM)
def test_a_plain_system_has_what_ubuntu_s_images_have(run_on_host: RunOnHost, program: str) -> None:
    assert run_on_host(PLAIN, f"command -v {program}").returncode == 0


def test_programs_of_a_plain_system_run(run_on_host: RunOnHost) -> None:
    done = run_on_host(PLAIN, "ip -o route show default; python3 -c 'print(6 * 7)'; openssl version")

    route, product, version = done.stdout.splitlines()
    assert "dev eth0" in route
    assert product == "42"
    assert version.startswith("OpenSSL")


def test_a_plain_system_s_python_lacks_boto3(run_on_host: RunOnHost) -> None:
    assert run_on_host(PLAIN, FIND_BOTO3).returncode == 1
    assert run_on_host(ORDINARY, FIND_BOTO3).returncode == 0


def test_user_data_of_a_plain_system_has_failed_as_apt_does_without_a_way_out(run_on_host: RunOnHost) -> None:
    path = "/var/lib/network-benchmark/user-data-failure"
    assert run_on_host(PLAIN, f"cat {path}").stdout == "E: Unable to locate package sockperf\n"
    assert run_on_host(PLAIN, "test -e /var/lib/cloud/instance/boot-finished").returncode == 0
    assert run_on_host(ORDINARY, f"test -e {path}").returncode == 1
