"""The user data run by a real cloud-init under a real systemd, with a metadata service like EC2's.

The hosts' settings name EC2 as the datasource, because cloud-init does not look for it in a container. What it would
choose on an instance's hardware is asked of its program ds-identify alone; no boot here shows the two together.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from conftest import Hosts
from metadata_service import MetadataService
from observations import (
    DEADLINE_TIMER,
    deadline_of,
    is_kept_over_a_reboot,
    package_versions,
    processes_of,
    servers_of,
)


def mirror_versions(made_root: Path) -> dict[str, str]:
    index = (made_root / "mirror" / "Packages").read_text()
    return dict(re.findall(r"^Package: (\S+)\n(?:.*\n)*?Version: (\S+)$", index, re.MULTILINE))


def test_cloud_init_takes_the_user_data_from_ec2_with_tokens_only(hosts: Hosts, service: MetadataService):
    hosts.ordinary.wait_for_user_data()

    status = json.loads(hosts.ordinary.run("cat", "/run/cloud-init/status.json"))
    # Newer versions find EC2 before the network is up and say so.
    assert status["v1"]["datasource"] in ("DataSourceEc2", "DataSourceEc2Local")
    asked = [(request, answer) for address, request, answer in service.requests if address == hosts.ordinary.address]
    assert ("GET /latest/meta-data/tags/instance/network-benchmark:expires-at", 200) in asked
    assert 401 not in [answer for _, answer in asked]


# Asks cloud-init's program what it chooses from its own list on given hardware. It fails when it finds nothing.
IDENTIFY = """
set -eu
folder=$(mktemp -d)
mkdir "$folder/dmi" "$folder/bin"
echo "$1" >"$folder/dmi/product_uuid"
echo "$1" >"$folder/dmi/product_serial"
echo "$2" >"$folder/dmi/sys_vendor"
printf '#!/bin/sh\\necho kvm\\n' >"$folder/bin/systemd-detect-virt"
chmod 755 "$folder/bin/systemd-detect-virt"
cp -r /etc/cloud "$folder/etc"
rm "$folder/etc/cloud.cfg.d/99-image.cfg"
env PATH="$folder/bin:$PATH" PATH_RUN="$folder/run" PATH_ETC_CLOUD="$folder/etc" \\
  PATH_SYS_CLASS_DMI_ID="$folder/dmi" PATH_SYS_HYPERVISOR="$folder/none" /usr/lib/cloud-init/ds-identify --force || true
cat "$folder/run/cloud-init/cloud.cfg"
"""
NITRO = ("ec2e1916-9099-7caf-fd21-012345abcdef", "Amazon EC2")
OTHER = ("0f3a1916-9099-7caf-fd21-012345abcdef", "QEMU")


def test_cloud_init_detects_ec2_by_the_hardware_of_an_instance_and_not_elsewhere(hosts: Hosts):
    hosts.ordinary.wait_for_user_data()

    on_ec2, elsewhere = (hosts.ordinary.run("sh", "-c", IDENTIFY, "sh", *hardware) for hardware in (NITRO, OTHER))

    assert "datasource_list: [ Ec2, None ]" in on_ec2
    assert "datasource_list: [ Ec2, None ]" not in elsewhere


def test_the_timer_elapses_at_the_instant_of_the_tag(hosts: Hosts):
    hosts.ordinary.wait_for_user_data()

    assert deadline_of(hosts.ordinary) == hosts.expires_at
    assert is_kept_over_a_reboot(hosts.ordinary)


def test_every_package_is_installed_in_the_version_of_the_archive(hosts: Hosts, made_root: Path):
    hosts.ordinary.wait_for_user_data()

    wanted = mirror_versions(made_root)
    installed = package_versions(hosts.ordinary)
    assert {"iperf3", "sockperf", "nginx-light", "python3-boto3", "ethtool"} <= wanted.keys()
    assert {name: installed.get(name) for name in wanted} == wanted
    left = hosts.ordinary.run("ls", "/var/lib/network-benchmark").split()
    assert "user-data.log" in left and "user-data-failure" not in left
    assert hosts.ordinary.run("ls", "/usr/sbin/policy-rc.d", accepts=(2,)) == ""


def test_no_package_starts_a_server_now_or_after_a_reboot(hosts: Hosts):
    hosts.ordinary.wait_for_user_data()

    assert servers_of(hosts.ordinary) == set()


def test_a_host_without_the_tag_powers_off_after_3_hours(hosts: Hosts):
    hosts.without_tag.wait_for_user_data()

    deadline = deadline_of(hosts.without_tag)
    assert deadline is not None
    # A busy machine may take minutes for the boot.
    assert timedelta(hours=2, minutes=30) < deadline - datetime.now(UTC) < timedelta(hours=3)
    assert is_kept_over_a_reboot(hosts.without_tag)


def test_a_host_whose_deadline_has_passed_powers_off_before_it_installs_anything(
    hosts: Hosts, service: MetadataService
):
    assert hosts.too_late.wait_for_end() == "powered off"

    asked = [request for address, request, _ in service.requests if address == hosts.too_late.address]
    assert [request for request in asked if request.endswith(".deb")] == []


def test_the_checks_object_to_a_script_without_timer_and_to_services_that_it_leaves(hosts: Hosts):
    """Shows that the assertions above would fail."""
    hosts.defective.wait_for_user_data()

    assert deadline_of(hosts.defective) is None
    assert not is_kept_over_a_reboot(hosts.defective)
    assert servers_of(hosts.defective) == {"nginx", "iperf3"}
    assert {"nginx", "iperf3"} <= processes_of(hosts.defective)


def test_the_timer_is_kept_over_a_reboot_and_a_deadline_that_passes_meanwhile_ends_the_host(
    user_data: str, hosts: Hosts
):
    """Uses a host up, hence the one without a tag."""
    machine = hosts.without_tag
    machine.wait_for_user_data()
    deadline = deadline_of(machine)
    machine.run("systemctl", "--no-block", "reboot")
    assert machine.wait_for_end() == "rebooted"

    machine.boot(user_data, {})
    machine.wait_for_systemd()
    assert deadline_of(machine) == deadline
    assert servers_of(machine) == set()

    # The timer's file now says what it would say if the host had been down until after its deadline.
    timer = f"/etc/systemd/system/{DEADLINE_TIMER}"
    passed = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    machine.run("sed", "-i", f"s/^OnCalendar=.*/OnCalendar={passed}/", timer)
    machine.run("systemctl", "--no-block", "reboot")
    assert machine.wait_for_end() == "rebooted"
    machine.boot(user_data, {})

    assert machine.wait_for_end() == "powered off"
