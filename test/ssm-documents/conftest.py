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
from pathlib import Path

import pytest
from document_hosts import processes_of, shim
from independent_agent import Agent, CommandResult
from local_aws import ROLE_ID, LocalAws
from measurement_parameters import PREPARE

REPOSITORY = Path(__file__).parents[2]

# Several hosts on one machine: each with its own /opt/network-benchmark, /var/lib and /run, the rest shared.
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
# The tests' own temporary files may lie below /run.
case $host in /run/*)
  mkdir -p "$host/run/${{host#/run/}}"
  mount --bind "$host" "$host/run/${{host#/run/}}" ;;
esac
mount --rbind "$host/run" /run
exec "$@"
"""

# The hosts of these tests share one network, whose interfaces are nobody's to change: what is asked is kept.
IP = """
echo "$*" >>"$TEST_HOST/ip-calls"
[[ $* != *"route show default"* ]] || echo 'default via 192.0.2.1 dev ens5 proto dhcp src 192.0.2.10 metric 100'
"""


@dataclasses.dataclass
class Host:
    """One host: its agent, and what a document finds on it."""

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
    """Makes hosts that vanish with the test, processes included."""
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
                # The Python whose boto3 the tests are installed with is the host's python3.
                "PATH": f"{directory}/bin:{Path(sys.executable).parent}:/usr/sbin:/usr/bin:/sbin:/bin",
                "LANG": "C.UTF-8",
                "AWS_SSM_INSTANCE_ID": instance_id,
                "AWS_SSM_REGION_NAME": "eu-central-1",
                "SSM_COMMAND_ID": "00000000-0000-0000-0000-000000000000",
                "AWS_ENDPOINT_URL": aws.url,
                "AWS_ACCESS_KEY_ID": instance_id,
                "AWS_SECRET_ACCESS_KEY": "none",
                "TEST_HOST": str(directory),
            },
            **agent_options,
        )
        (directory / "bin").mkdir()
        host = Host(instance_id, directory, agent, documents)
        shim(host, "ip", IP)
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
