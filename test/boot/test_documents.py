"""Documents on hosts with a real systemd: the hosts become idle, and tools run outside the agent's control group."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from agent import UNIT, Agent
from conftest import PREPARE, Hosts, Pair, replace_snap
from local_aws import ROLE_ID
from machine import Machine
from measurement_parameters import (
    IPERF3,
    PING,
    SOCKPERF,
    TRACEPATH,
    measure_http_parameters,
    measure_parameters,
    measure_s3_parameters,
    route_parameters,
    serve_http_parameters,
    serve_iperf3_parameters,
    serve_sockperf_parameters,
)
from observations import DEADLINE_TIMER, active_timers, running_units, units_of
from store import Store

SECONDS = 3
# Longer than any test: a tool that nobody stops would still run at the end.
LONG_SECONDS = 600
SCOPE = re.compile(r"run-[ru][0-9a-f]+\.scope")
WITHOUT_SCOPE = ("IN_OWN_SCOPE=(systemd-run --scope --quiet --collect)", "IN_OWN_SCOPE=(env)")


@pytest.fixture(autouse=True)
def nothing_left(pair: Pair, store: Store) -> Iterator[None]:
    """After each test the two hosts run what they ran before it, and nothing else."""
    store.objects.clear()
    before = [running_units(agent.machine) for agent in pair.both]
    yield
    for agent, units in zip(pair.both, before, strict=True):
        wait_for_units(agent.machine, units)


def wait_for_units(machine: Machine, units: set[str]) -> None:
    machine.wait_until(f"no unit but {sorted(units)}", lambda: running_units(machine) <= units)


def wait_for_tool(machine: Machine, program: str) -> set[str]:
    """Waits until the program runs, and returns the units in which it does."""
    found: set[str] = set()
    machine.wait_until(program, lambda: bool(found.update(units_of(machine, program)) or found))
    return found


def prefix(agent: Agent, host_role: str) -> str:
    return f"raw/{ROLE_ID}:{agent.machine.instance_id}/run-1/p0001-m01/{host_role}/"


def wait_for_manifest(agent: Agent, host_role: str, store: Store) -> dict[str, Any]:
    """Waits until everything is in S3 that the host measured, and returns the manifest."""
    key = prefix(agent, host_role)
    agent.machine.wait_until("manifest", lambda: store.manifest(key) is not None)
    manifest = store.manifest(key)
    assert manifest is not None
    assert [chunk["key"] for chunk in manifest["chunks"]] == store.chunk_keys(key)
    assert manifest["lineCount"] == sum(len(store.lines(chunk)) - 1 for chunk in store.chunk_keys(key))
    return manifest


def test_only_the_deadlines_timer_stays(pair: Pair):
    for agent in pair.both:
        assert active_timers(agent.machine) == {DEADLINE_TIMER}
        assert {"network-benchmark-health.service"} == {
            unit
            for unit in running_units(agent.machine)
            if unit.startswith(("network-benchmark", "unattended", "run-"))
        }


@pytest.mark.parametrize("timer", ["apt-daily", "systemd-tmpfiles-clean"])
def test_the_check_objects_to_a_timer_that_prepare_host_does_not_stop(hosts: Hosts, documents: dict, timer: str):
    """Shows that the assertion above would fail."""
    machine = hosts.defective
    machine.wait_for_user_data()
    replace_snap(machine)
    machine.run("systemctl", "start", f"{timer}.timer")

    Agent(machine, documents).run("prepare-host", PREPARE, defect=(f"{timer} ", ""))

    assert f"{timer}.timer" in active_timers(machine)


def iperf3_parameters(pair: Pair, duration_seconds: int = SECONDS) -> tuple[dict[str, str], dict[str, str]]:
    """Returns the parameters of both ends."""
    serve = serve_iperf3_parameters(duration_seconds=duration_seconds)
    return serve, measure_parameters(serve, IPERF3, ServerAddress=pair.server.machine.address)


def test_iperf3_runs_in_a_scope_of_its_own_on_both_hosts(pair: Pair, store: Store):
    serve, measure = iperf3_parameters(pair)

    assert pair.server.run("serve-iperf3", serve)["status"] == "complete"
    # The server's document has ended, and systemd has ended what was in its control group.
    (server_scope,) = units_of(pair.server.machine, "iperf3")
    command = pair.client.start("measure-iperf3", measure)
    (client_scope,) = wait_for_tool(pair.client.machine, "iperf3")
    assert UNIT in running_units(pair.client.machine)
    assert SCOPE.fullmatch(server_scope) and SCOPE.fullmatch(client_scope)

    assert command.result()["status"] == "complete"
    for agent, host_role in ((pair.client, "client"), (pair.server, "server")):
        wait_for_manifest(agent, host_role, store)
        assert any("receiver" in line for line in store.tool_lines(prefix(agent, host_role)))


def test_the_check_objects_to_tools_without_a_scope(pair: Pair):
    """Shows that the assertions above would fail: systemd ends such a server with the agent's service."""
    serve, measure = iperf3_parameters(pair)

    pair.server.run("serve-iperf3", serve, defect=WITHOUT_SCOPE)
    assert units_of(pair.server.machine, "iperf3") == set()

    pair.server.run("serve-iperf3", serve)
    command = pair.client.start("measure-iperf3", measure, defect=WITHOUT_SCOPE)
    assert wait_for_tool(pair.client.machine, "iperf3") == {UNIT}
    command.result()


def test_a_sockperf_server_outlives_its_measurement_until_the_port_is_needed(pair: Pair, store: Store):
    machine = pair.server.machine
    serve = serve_sockperf_parameters(duration_seconds=SECONDS)
    measure = measure_parameters(serve, SOCKPERF, ServerAddress=machine.address)

    pair.server.run("serve-sockperf", serve)
    first = units_of(machine, "sockperf")
    command = pair.client.start("measure-sockperf", measure)
    scopes = wait_for_tool(pair.client.machine, "sockperf")
    assert command.result()["status"] == "complete"
    wait_for_manifest(pair.client, "client", store)
    pair.server.run("serve-sockperf", serve)
    second = units_of(machine, "sockperf")

    assert [scope for scope in (*first, *scopes, *second) if not SCOPE.fullmatch(scope)] == []
    assert (len(first), len(scopes), len(second), len(first | second)) == (1, 1, 1, 2)
    # What the first one printed is still being uploaded when the second one has its port.
    machine.wait_until("the first server's scope to end", lambda: not first & running_units(machine))
    machine.run("pkill", "--exact", "sockperf")


def test_http_runs_in_a_scope_of_its_own_on_both_hosts(pair: Pair, store: Store):
    serve = serve_http_parameters(duration_seconds=SECONDS)
    measure = measure_http_parameters(serve) | {"ServerAddress": pair.server.machine.address}

    pair.server.run("serve-http", serve)
    command = pair.client.start("measure-http", measure)
    scopes = units_of(pair.server.machine, "nginx") | wait_for_tool(pair.client.machine, "curl")

    assert len(scopes) == 2 and all(map(SCOPE.fullmatch, scopes)), scopes
    assert command.result()["status"] == "complete"
    wait_for_manifest(pair.client, "client", store)
    wait_for_manifest(pair.server, "server", store)


def s3_over_https(_: Pair) -> dict[str, str]:
    return measure_s3_parameters(duration_seconds=SECONDS, Scheme="https")


def ping(pair: Pair) -> dict[str, str]:
    return route_parameters(**PING, ServerAddress=pair.server.machine.address)


def tracepath(pair: Pair) -> dict[str, str]:
    return route_parameters(**TRACEPATH, ServerAddress=pair.server.machine.address)


@pytest.mark.parametrize(
    ("document", "parameters"),
    [("measure-s3", s3_over_https), ("measure-ping", ping), ("measure-tracepath", tracepath)],
)
def test_a_tool_without_a_server_measures(
    pair: Pair, store: Store, document: str, parameters: Callable[[Pair], dict[str, str]]
):
    assert pair.client.run(document, parameters(pair))["status"] == "complete"

    manifest = wait_for_manifest(pair.client, "client", store)
    assert (manifest["exitCode"], manifest["signal"]) == (0, None)
    assert store.tool_lines(prefix(pair.client, "client"))


@pytest.mark.parametrize("end", [Agent.kill_worker, Agent.cancel, Agent.stop], ids=lambda end: end.__name__)
def test_a_tool_ends_and_loses_no_line_when_its_command_ends(pair: Pair, store: Store, end: Callable[[Agent], None]):
    serve, measure = iperf3_parameters(pair, LONG_SECONDS)
    pair.server.run("serve-iperf3", serve)
    command = pair.client.start("measure-iperf3", measure)
    wait_for_tool(pair.client.machine, "iperf3")
    # The results come while the tool runs.
    pair.client.machine.wait_until("chunk", lambda: bool(store.chunk_keys(prefix(pair.client, "client"))))
    assert units_of(pair.client.machine, "iperf3")

    end(pair.client)

    wait_for_manifest(pair.client, "client", store)
    wait_for_manifest(pair.server, "server", store)
    # iperf3 prints its summary when it is stopped.
    assert any("sender" in line for line in store.tool_lines(prefix(pair.client, "client")))
    pair.client.machine.wait_until("end of the tool", lambda: units_of(pair.client.machine, "iperf3") == set())
    pair.client.stop()
    command.wait()
