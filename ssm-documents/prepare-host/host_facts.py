"""Collects facts about this host, with the keys of `HostFacts` (domain/model/raw-chunk.ts).

A fact that the host does not report is absent.
"""

import json
import os
import platform
import re
import subprocess
import sys
from glob import glob


def output(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=2, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def content(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def found(pattern: str, text: str) -> str | None:
    match = re.search(pattern, text, re.MULTILINE)
    return match.group(1) if match else None


def agent_version() -> str | None:
    # Ubuntu's images have the agent as a snap.
    return found(r"(\d+(?:\.\d+)+)", output("/snap/amazon-ssm-agent/current/amazon-ssm-agent", "-version"))


def clock() -> dict[str, str | float]:
    """Returns the source that chrony follows and the clock's offset from it."""
    fields = output("chronyc", "-c", "tracking").strip().split(",")
    if len(fields) < 5 or not fields[1]:
        return {}
    return {"clockSource": fields[1], "clockOffsetMicros": round(float(fields[4]) * 1e6, 3)}


def interface_facts(route: str) -> dict[str, str | int | None]:
    interface = found(r"\bdev (\S+)", route)
    if interface is None:
        return {}
    driver = output("ethtool", "-i", interface)
    mtu = content(f"/sys/class/net/{interface}/mtu")
    ena_srd_mode = found(r"^\s*ena_srd_mode: (\d+)$", output("ethtool", "-S", interface))
    return {
        "networkInterface": interface,
        "networkDriver": found(r"^driver: (\S+)", driver),
        "networkDriverVersion": found(r"^version: (\S+)", driver),
        "queueCount": len(glob(f"/sys/class/net/{interface}/queues/rx-*")) or None,
        "mtuBytes": int(mtu) if mtu else None,
        # The driver's code for ENA Express: 0 off, 1 on, 3 on for UDP too (2, UDP alone, does nothing).
        "enaSrdMode": int(ena_srd_mode) if ena_srd_mode else None,
    }


def host_facts() -> dict[str, object]:
    route = output("ip", "-o", "route", "show", "default")
    facts = {
        "instanceId": os.environ.get("AWS_SSM_INSTANCE_ID"),
        "kernel": platform.release(),
        "operatingSystem": platform.freedesktop_os_release().get("PRETTY_NAME"),
        "architecture": platform.machine(),
        "vcpuCount": os.cpu_count(),
        **interface_facts(route),
        # A route may set its own algorithm, which overrides the host's.
        "congestionControl": found(r"\bcongctl (\S+)", route) or content("/proc/sys/net/ipv4/tcp_congestion_control"),
        **clock(),
        "agentVersion": agent_version(),
    }
    return {name: fact for name, fact in facts.items() if fact not in (None, "")}


def main() -> None:
    path = sys.argv[1]
    with open(f"{path}.part", "w", encoding="utf-8") as file:
        json.dump(host_facts(), file)
    os.replace(f"{path}.part", path)


main()
