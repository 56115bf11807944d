"""The probe of the way between two hosts, as the agent runs it on a host that nobody has prepared."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest
from document_hosts import calls_of, meanwhile, runs, shim, wait_for
from measurement_parameters import probe_parameters

# Printed by tracepath where the second hop and the server are silent.
SILENT = " 1?: [LOCALHOST]                      pmtu 9001\n 1:  10.0.0.1    0.082ms\n 2:  no reply\n 3:  no reply\n"


def probe_of(result) -> dict:
    """Returns the first line of a document's output, after a look at the last one."""
    assert result.status == "Success", result
    first, last = result.stdout.splitlines()
    assert json.loads(last) == {"status": "complete", "exitCode": 0, "reason": ""}
    return json.loads(first)


@pytest.fixture
def host(make_host):
    return make_host("i-client")


@pytest.mark.parametrize("agent_is_new", [True, False], ids=["env-var", "pasted"])
def test_a_refused_connection_proves_the_way(make_host, agent_is_new):
    host = make_host("i-client", knows_environment_interpolation=agent_is_new)

    probe = probe_of(host.run("probe-path", probe_parameters()))

    assert (probe["answer"], probe["attempts"], probe["problem"]) == ("refused", 1, None)
    assert "Resume: pmtu" in probe["route"]
    assert probe["routeProblem"] is None


def test_a_server_that_listens_accepts(host):
    with socket.create_server(("127.0.0.1", 0)) as server:
        probe = probe_of(host.run("probe-path", probe_parameters(Port=str(server.getsockname()[1]))))

    assert probe["answer"] == "accepted"


def make_connections_fail(host, error: str) -> None:
    """Makes every connection on the host fail at once, and records the pauses between them, which take no time."""
    site = host.directory / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        f"""
import socket, time

def sleep(seconds):
    with open({str(host.directory / "pauses")!r}, "a") as pauses:
        print(seconds, file=pauses)

def create_connection(*_, **__):
    raise {error}

time.sleep, socket.create_connection = sleep, create_connection
"""
    )
    host.agent.environment["PYTHONPATH"] = str(site)


@pytest.mark.parametrize(
    ("error", "problem"),
    [("TimeoutError('timed out')", "no answer"), ("OSError(113, 'No route to host')", "No route to host")],
)
def test_nothing_arrives(host, error, problem):
    make_connections_fail(host, error)
    shim(host, "tracepath", f'echo "$*" >>"$TEST_HOST/tracepath-calls"; printf %b {json.dumps(SILENT)}; exit 1')

    probe = probe_of(host.run("probe-path", probe_parameters()))

    assert (probe["answer"], probe["attempts"], probe["problem"]) == (None, 3, problem)
    # Each attempt begins five seconds after the one before, and here no time passes.
    first, second, third = map(float, (host.directory / "pauses").read_text().split())
    assert first == 0 < second <= 5 < third <= 10
    assert probe["route"].splitlines() == SILENT.splitlines()
    assert calls_of(host, "tracepath") == ["-n -m 30 127.0.0.1"]


def test_waits_for_tracepath_which_user_data_may_be_installing(host):
    host.agent.environment["PATH"] = without_tracepath(host)

    def install(_):
        wait_for("the probe", lambda: runs(host, "python3"))
        shim(host, "tracepath", "echo ' 1:  127.0.0.1  0.08ms reached'")

    probe = probe_of(host.run("probe-path", probe_parameters(), on_start=meanwhile(install)))

    assert (probe["answer"], probe["route"]) == ("refused", " 1:  127.0.0.1  0.08ms reached\n")


def test_says_so_where_tracepath_is_not_installed(host):
    host.agent.environment["PATH"] = without_tracepath(host)

    probe = probe_of(host.run("probe-path", probe_parameters()))

    assert (probe["answer"], probe["route"]) == ("refused", "")
    assert probe["routeProblem"] == "tracepath is not installed"


def test_its_output_fits_into_what_systems_manager_returns(host):
    shim(host, "tracepath", 'for hop in {1..400}; do echo "$hop:  10.0.0.1  0.082ms"; done')

    result = host.run("probe-path", probe_parameters())

    assert probe_of(result)["answer"] == "refused"
    assert len(result.stdout) < 2_500
    assert result.stderr == ""


def without_tracepath(host) -> str:
    """Returns a PATH with everything that this machine has, but tracepath."""
    for directory in host.agent.environment["PATH"].split(":")[1:]:
        for program in Path(directory).iterdir():
            link = host.directory / "bin" / program.name
            if program.name != "tracepath" and not os.path.lexists(link):
                link.symlink_to(program)
    return f"{host.directory}/bin"
