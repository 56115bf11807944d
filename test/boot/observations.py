"""What a host that boots shows of itself, as systemd and dpkg say it."""

from __future__ import annotations

from datetime import UTC, datetime

from machine import Machine

DEADLINE_TIMER = "network-benchmark-deadline.timer"
# Programs of the tools' packages that serve; started by a package they would disturb every measurement.
SERVERS = {"iperf3", "sockperf", "nginx"}


def deadline_of(machine: Machine) -> datetime | None:
    """Returns when the deadline's timer elapses; None when systemd has no such instant."""
    shown = machine.run("systemctl", "show", DEADLINE_TIMER, "--property=NextElapseUSecRealtime", "--value").strip()
    if shown in ("", "n/a", "infinity"):
        return None
    return datetime.strptime(shown, "%a %Y-%m-%d %H:%M:%S UTC").replace(tzinfo=UTC)


def is_kept_over_a_reboot(machine: Machine) -> bool:
    return machine.run("systemctl", "is-enabled", DEADLINE_TIMER, accepts=(0, 1, 4)).strip() == "enabled"


def processes_of(machine: Machine) -> set[str]:
    """Returns the names of all processes but this look's own."""
    return set(machine.run("ps", "-eo", "comm=").split()) - {"ps"}


def enabled_services(machine: Machine) -> set[str]:
    listed = machine.run("systemctl", "list-unit-files", "--type=service", "--state=enabled", "--no-legend", "--plain")
    return {line.split()[0].removesuffix(".service") for line in listed.splitlines() if line}


def servers_of(machine: Machine) -> set[str]:
    """Returns the tools' servers that run now or will run after a reboot."""
    return SERVERS & (processes_of(machine) | enabled_services(machine))


def package_versions(machine: Machine) -> dict[str, str]:
    shown = machine.run("dpkg-query", "--show", "--showformat=${Package} ${Version} ${db:Status-Status}\n")
    fields = [line.split() for line in shown.splitlines()]
    return {name: version for name, version, status in fields if status == "installed"}


def active_timers(machine: Machine) -> set[str]:
    listed = machine.run("systemctl", "list-units", "--type=timer", "--state=active", "--no-legend", "--plain")
    return {line.split()[0] for line in listed.splitlines()}


def running_units(machine: Machine) -> set[str]:
    """Returns the services and scopes that have a process: together these are all processes of the host."""
    kinds = ("--type=service,scope", "--state=running,activating,deactivating")
    listed = machine.run("systemctl", "list-units", *kinds, "--no-legend", "--plain")
    return {line.split()[0] for line in listed.splitlines()}


def units_of(machine: Machine, program: str) -> set[str]:
    """Returns the units in whose control groups processes of this name run; empty when there is no such process."""
    # This machine may have hierarchies of version 1 too; that of version 2 has the number 0.
    script = f"for id in $(pgrep --exact {program}); do sed -n 's/^0:://p' /proc/$id/cgroup 2>/dev/null; done; true"
    return {path.rpartition("/")[2] for path in machine.run("sh", "-c", script).splitlines()}
