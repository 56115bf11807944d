"""Runs user-data.sh with the programs that it calls replaced, and checks what it leaves on the host."""

from __future__ import annotations

import datetime
import os
import re
import subprocess
from pathlib import Path

import pytest

USER_DATA = Path(__file__).parents[3] / "lib" / "test-hosts" / "user-data.sh"
# The script gets its own /var/lib, unit directory and /usr/sbin, so that it does not change this machine.
BECOME_HOST = """
mount --bind "$HOST/lib" /var/lib && mount --bind "$HOST/units" /etc/systemd && mount --bind "$HOST/sbin" /usr/sbin &&
  exec "$@"
"""
# Behaves like IMDSv2: PUT returns a token, and only a request with that token returns the tag.
CURL = """
case "$*" in
  *"-X PUT"*/latest/api/token) echo the-token ;;
  *"X-aws-ec2-metadata-token: the-token"*/meta-data/tags/instance/network-benchmark:expires-at) %s ;;
  *) exit 22 ;;
esac
"""


class HostUnderTest:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        for name in ("bin", "lib", "units", "sbin"):
            (directory / name).mkdir()
        self.shim("systemctl", "")
        self.shim("apt-get", "")
        # The image has no boto3 and no ethtool; /usr/sbin, where this machine may have it, is the host's own.
        self.shim("python3", "exit 1")
        self.tag("exit 22")

    def shim(self, name: str, script: str) -> None:
        path = self.directory / "bin" / name
        path.write_text(f'#!/bin/bash\necho "{name} $*" >>"$HOST/calls"\n{script}\n')
        path.chmod(0o755)

    def tag(self, answer: str) -> None:
        self.shim("curl", CURL % answer)

    def run(self) -> subprocess.CompletedProcess:
        namespace = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
        return subprocess.run(
            [*namespace, "sh", "-c", BECOME_HOST, "host", "bash", str(USER_DATA)],
            env={"PATH": f"{self.directory}/bin:/usr/bin:/bin", "HOST": str(self.directory)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    @property
    def calls(self) -> list[str]:
        return (self.directory / "calls").read_text().splitlines()

    @property
    def timer(self) -> str:
        return (self.directory / "units" / "system" / "network-benchmark-deadline.timer").read_text()

    @property
    def deadline(self) -> datetime.datetime:
        written = re.search(r"^OnCalendar=(.*) UTC$", self.timer, re.MULTILINE).group(1)
        return datetime.datetime.strptime(written, "%Y-%m-%d %H:%M:%S").replace(tzinfo=datetime.UTC)


@pytest.fixture
def host(tmp_path) -> HostUnderTest:
    return HostUnderTest(tmp_path)


def in_hours(hours: float) -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC).replace(microsecond=0) + datetime.timedelta(hours=hours)


def test_the_host_powers_off_at_the_instant_in_its_tag_even_after_a_reboot(host):
    expires_at = in_hours(0.75)
    host.tag(f"echo {expires_at:%Y-%m-%dT%H:%M:%S}.123Z")

    assert host.run().returncode == 0

    assert host.deadline == expires_at
    assert "Persistent=true" in host.timer
    assert "systemctl enable network-benchmark-deadline.timer" in host.calls
    assert "systemctl restart network-benchmark-deadline.timer" in host.calls


@pytest.mark.parametrize(
    "answer",
    ["exit 22", "exit 28", "echo", "echo tomorrow", "echo '2026-13-45T99:00:00Z'", "echo '2026-01-01T00:00:00+09:00'"],
    ids=["no tag", "no answer", "empty", "words", "no such instant", "not UTC"],
)
def test_the_host_powers_off_after_3_hours_when_its_tag_cannot_be_read(host, answer):
    host.tag(answer)

    assert host.run().returncode == 0

    assert abs((host.deadline - in_hours(3)).total_seconds()) < 60


def test_the_deadline_is_set_before_any_request(host):
    host.run()

    assert host.calls.index("systemctl enable network-benchmark-deadline.timer") < next(
        number for number, call in enumerate(host.calls) if call.startswith(("curl", "apt-get"))
    )


def test_the_host_powers_off_at_once_when_its_deadline_has_passed(host):
    host.tag(f"echo {in_hours(-1):%Y-%m-%dT%H:%M:%S}Z")

    assert host.run().returncode == 1

    assert host.calls[-1] == "systemctl --no-block poweroff"
    assert not [call for call in host.calls if call.startswith("apt-get")]


def test_the_installation_is_repeated_when_it_fails(host):
    host.shim("apt-get", '[[ -e $HOST/tried ]] || { touch "$HOST/tried"; exit 100; }')
    host.shim("sleep", "")

    assert host.run().returncode == 0

    installed = [call for call in host.calls if call.startswith("apt-get")][-1]
    assert installed.endswith("install -y --no-install-recommends ethtool python3-boto3")
    assert len([call for call in host.calls if call.endswith("update")]) == 2


def test_apt_is_not_asked_where_the_image_has_every_program(host):
    host.shim("python3", "")
    host.shim("ethtool", "")

    assert host.run().returncode == 0

    assert not [call for call in host.calls if call.startswith("apt-get")]


def test_apt_is_asked_for_what_the_image_lacks_alone_and_gives_up_early(host):
    host.shim("ethtool", "")

    assert host.run().returncode == 0

    installing = [call for call in host.calls if call.startswith("apt-get")][-1]
    assert installing.endswith("install -y --no-install-recommends python3-boto3")
    assert "-o Acquire::http::Timeout=20 -o Acquire::Retries=0" in installing


def test_packages_cannot_start_services_while_they_are_installed_and_can_afterwards(host):
    host.shim("apt-get", '/usr/sbin/policy-rc.d nginx start; echo "policy $?" >>$HOST/calls')

    assert host.run().returncode == 0

    assert host.calls.count("policy 101") == 2
    assert not (host.directory / "sbin" / "policy-rc.d").exists()


def test_services_that_packages_enable_do_not_start_at_the_next_boot(host):
    host.shim("apt-get", '[[ $* != *install* ]] || touch "$HOST/installed"')
    nginx = '[[ ! -e $HOST/installed ]] || echo "nginx.service enabled"'
    host.shim("systemctl", f'[[ $1 != list-unit-files ]] || {{ echo "ssh.service enabled"; {nginx}; }}')

    assert host.run().returncode == 0

    assert [call for call in host.calls if "disable" in call] == ["systemctl disable nginx.service"]


def test_the_reason_is_left_for_prepare_host_when_a_tool_cannot_be_installed(host):
    host.shim("apt-get", "echo 'E: Unable to locate package sockperf' >&2; exit 100")
    host.shim("sleep", "")

    assert host.run().returncode == 1

    reason = host.directory / "lib" / "network-benchmark" / "user-data-failure"
    assert reason.read_text() == "E: Unable to locate package sockperf\n"
