"""Documents on a host with a real systemd: background jobs stop, and servers outlive the agent's control group."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from conftest import Hosts
from machine import Machine
from observations import DEADLINE_TIMER

REPOSITORY = Path(__file__).parents[2]
COMMON = {"RunId": "run-1", "PairId": "p0001", "BucketName": "results", "ExecutionTimeoutSeconds": "300"}
PREPARE = {**COMMON, "MtuBytes": "1500", "HealthCheckPort": "8080", "Programs": "iperf3,sockperf"}
MEASUREMENT = {**COMMON, "MeasurementId": "p0001-m01", "Port": "5001", "DurationSeconds": "60", "Protocol": "tcp"}
# The image's snapd is not in the root.
SNAP = "printf '#!/bin/sh\\n' >/usr/local/bin/snap; chmod 755 /usr/local/bin/snap"


def run_document(machine: Machine, name: str, parameters: dict[str, str]) -> str:
    """Runs a document in a service's control group, which systemd ends with the service, as a snap's agent's."""
    printed = subprocess.run(
        ["node_modules/.bin/tsx", "test/ssm-documents/print-documents.ts"],
        cwd=REPOSITORY,
        capture_output=True,
        check=True,
    )
    (step,) = json.loads(printed.stdout)[name]["mainSteps"]
    script = "\n".join(step["inputs"]["runCommand"])
    settings = [f"--setenv=SSM_{key}={value}" for key, value in parameters.items()]
    instance = [f"--setenv=AWS_SSM_INSTANCE_ID={machine.instance_id}", "--setenv=AWS_SSM_REGION_NAME=us-east-1"]
    service = ["systemd-run", "--quiet", "--wait", "--pipe", "--collect", "--unit=agent"]
    # systemd would itself replace the variables of a script that is an argument.
    machine.run("sh", "-c", "cat >/root/document.sh", standard_input=script)
    return machine.run(*service, *settings, *instance, "bash", "/root/document.sh")


def test_background_jobs_stop_and_servers_outlive_the_agents_control_group(hosts: Hosts):
    machine = hosts.ordinary
    machine.wait_for_user_data()
    machine.run("sh", "-c", SNAP)

    run_document(machine, "prepare-host", PREPARE)
    run_document(machine, "serve-sockperf", {**MEASUREMENT, "Mode": "ping_pong"})

    listed = machine.run("systemctl", "list-units", "--type=timer", "--state=active", "--no-legend", "--plain")
    assert {line.split()[0] for line in listed.splitlines()} == {DEADLINE_TIMER}
    assert machine.run("systemctl", "is-active", "agent.service", accepts=(3, 4)).strip() == "inactive"
    (sockperf,) = machine.run("pgrep", "--exact", "sockperf").split()
    assert ".scope" in machine.run("cat", f"/proc/{sockperf}/cgroup")
    assert machine.run("systemctl", "is-active", "network-benchmark-health.service").strip() == "active"
    # Other tests look for servers that packages have started.
    machine.run("pkill", "--exact", "sockperf")
