"""Hosts on one machine for the documents' tests, with the commands of EC2's images that this machine lacks."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from document_hosts import boot_finished, processes_of, shim
from independent_agent import Agent, CommandResult
from local_aws import ROLE_ID, LocalAws
from measurement_parameters import PREPARE

REPOSITORY = Path(__file__).parents[2]

# Each host has its own /opt/network-benchmark, /var/lib and /run, and shares the rest with the machine.
BECOME_HOST = """
set -e
host={host}
mkdir -p "$host"/opt "$host"/lib "$host"/run
for entry in /opt/*; do
  [ -d "$entry" ] || continue
  mkdir -p "$host$entry"
  mount --bind "$entry" "$host$entry"
done
mount --rbind "$host/opt" /opt
mount --bind "$host/lib" /var/lib
# The tests' own temporary files may be below /run.
case $host in /run/*)
  mkdir -p "$host/run/${{host#/run/}}"
  mount --bind "$host" "$host/run/${{host#/run/}}" ;;
esac
mount --rbind "$host/run" /run
exec "$@"
"""

# These hosts share the machine's network, which they must not change, so calls of ip are only recorded.
IP = """
echo "$*" >>"$TEST_HOST/ip-calls"
[[ $* != *"route show default"* ]] || echo 'default via 192.0.2.1 dev ens5 proto dhcp src 192.0.2.10 metric 100'
"""
# Runs a scope's command in place of itself, and a service's in a session of its own; records how it was called.
SYSTEMD_RUN = """
echo "$*" >>"$TEST_HOST/systemd-run-calls"
is_scope=no
while [[ $1 == --* ]]; do
  [[ $1 == --scope ]] && is_scope=yes
  shift
done
[[ $is_scope == yes ]] && exec "$@"
setsid "$@" </dev/null >/dev/null 2>&1 &
"""


@dataclasses.dataclass
class Host:
    """One host: its agent and its files."""

    instance_id: str
    directory: Path
    agent: Agent
    documents: dict

    def run(self, document: str, parameters: dict[str, str], **options) -> CommandResult:
        return self.agent.run(
            self.documents[document], {name: [value] for name, value in parameters.items()}, **options
        )

    @property
    def state(self) -> Path:
        return self.directory / "lib" / "network-benchmark"

    def prefix(self, measurement_id: str, host_role: str, run_id: str = "run-1") -> str:
        return f"raw/{ROLE_ID}:{self.instance_id}/{run_id}/{measurement_id}/{host_role}/"


@pytest.fixture(scope="module", autouse=True)
def default_route() -> Iterator[None]:
    """Gives the lab's namespace, which has none, a default route: a document takes its interface from there."""
    if default_interface_is_known():
        yield
        return
    subprocess.run(["ip", "route", "add", "default", "dev", "lo"], check=True)
    yield
    subprocess.run(["ip", "route", "del", "default", "dev", "lo"], check=True)


def default_interface_is_known() -> bool:
    routes = Path("/proc/net/route").read_text().splitlines()[1:]
    return any(route.split()[1] == "00000000" for route in routes)


@pytest.fixture(scope="session")
def documents() -> dict:
    answer = subprocess.run(
        ["node_modules/.bin/tsx", "test/ssm-documents/print-documents.ts"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(answer.stdout)


@pytest.fixture
def aws():
    server = LocalAws()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def make_host(tmp_path: Path, documents: dict, aws: LocalAws):
    """Makes hosts that are removed after the test, with their processes."""
    namespace = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
    made: list[Host] = []

    def make(instance_id: str, **agent_options) -> Host:
        directory = tmp_path / instance_id
        directory.mkdir()
        become_host = BECOME_HOST.format(host=shlex.quote(str(directory)))
        agent = Agent(
            directory=directory / "orchestration",
            launcher=[*namespace, "sh", "-c", become_host, "host"],
            environment={
                # The host's python3 is the one that runs these tests, because it has boto3.
                "PATH": f"{directory}/bin:{Path(sys.executable).parent}:/usr/sbin:/usr/bin:/sbin:/bin",
                "LANG": "C.UTF-8",
                "AWS_SSM_INSTANCE_ID": instance_id,
                "AWS_SSM_REGION_NAME": "eu-central-1",
                "SSM_COMMAND_ID": "00000000-0000-0000-0000-000000000000",
                "AWS_ENDPOINT_URL": aws.url,
                "TEST_HOST": str(directory),
            },
            **agent_options,
        )
        # Default Host Management gives every script another role, which the SDKs find before the instance profile.
        other_role, profile = directory / "default-host-management", directory / "instance-profile"
        keys = "[default]\naws_access_key_id = {}\naws_secret_access_key = none\n"
        other_role.write_text(keys.format("default-host-management"))
        profile.write_text(keys.format(instance_id))
        agent.environment |= {"AWS_SHARED_CREDENTIALS_FILE": str(other_role), "AWS_CONFIG_FILE": str(profile)}
        (directory / "bin").mkdir()
        host = Host(instance_id, directory, agent, documents)
        shim(host, "ip", IP)
        shim(host, "systemd-run", SYSTEMD_RUN)
        # Images lack some of the units that are to be stopped; systemctl then ends with 5.
        shim(host, "systemctl", 'echo "$*" >>"$TEST_HOST/systemctl-calls"; exit 5')
        shim(host, "snap", 'echo "$*" >>"$TEST_HOST/snap-calls"')
        boot_finished(host).parent.mkdir(parents=True)
        boot_finished(host).touch()
        made.append(host)
        return host

    yield make
    for host in made:
        for process in processes_of(host):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        shutil.rmtree(host.directory, ignore_errors=True)


@pytest.fixture
def prepared(make_host):
    def make(instance_id: str, **options):
        host = make_host(instance_id, **options)
        result = host.run("prepare-host", PREPARE)
        assert result.status == "Success", result
        return host

    return make
