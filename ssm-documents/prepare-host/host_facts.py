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


def number(path: str) -> int | None:
    text = content(path)
    return int(text) if text.isdigit() else None


def is_set(path: str) -> bool | None:
    value = number(path)
    return None if value is None else value != 0


def ring_lengths(interface: str) -> dict[str, int | None]:
    """Returns the present lengths, which `ethtool -g` prints below the longest that the driver has."""
    present = output("ethtool", "-g", interface).partition("Current hardware settings:")[2]
    rx, tx = found(r"^RX:\s*(\d+)$", present), found(r"^TX:\s*(\d+)$", present)
    return {"rxRingLength": int(rx) if rx else None, "txRingLength": int(tx) if tx else None}


def has_byte_queue_limits(interface: str) -> bool | None:
    """Returns what AWS's check-ena-express-settings.sh finds, or None where the kernel has no such limits.

    A driver of AWS's own has a parameter for all queues; otherwise a queue whose lowest limit is 0 is limited.
    """
    enabled = number("/sys/module/ena/parameters/enable_bql")
    lowest = [number(path) for path in glob(f"/sys/class/net/{interface}/queues/tx-*/byte_queue_limits/limit_min")]
    if not lowest:
        return None if enabled is None else enabled == 1
    return enabled != 0 and 0 in lowest


def queue_disciplines(interface: str) -> str:
    """Returns the kinds from the root on: `mq fq_codel`."""
    kinds = re.findall(r"^qdisc (\S+)", output("tc", "qdisc", "show", "dev", interface), re.MULTILINE)
    return " ".join(dict.fromkeys(kinds))


def interface_facts(route: str) -> dict[str, object]:
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
        **ring_lengths(interface),
        "hasByteQueueLimits": has_byte_queue_limits(interface),
        "queueDisciplines": queue_disciplines(interface),
    }


def host_facts() -> dict[str, object]:
    route = output("ip", "-o", "route", "show", "default")
    facts = {
        "instanceId": os.environ.get("AWS_SSM_INSTANCE_ID"),
        "kernel": platform.release(),
        "operatingSystem": platform.freedesktop_os_release().get("PRETTY_NAME"),
        "architecture": platform.machine(),
        "vcpuCount": os.cpu_count(),
        "cpuModel": found(r"^Model name:\s*(\S.*)$", output("lscpu")),
        **interface_facts(route),
        # A route may set its own algorithm, which overrides the host's.
        "congestionControl": found(r"\bcongctl (\S+)", route) or content("/proc/sys/net/ipv4/tcp_congestion_control"),
        "tcpLimitOutputBytes": number("/proc/sys/net/ipv4/tcp_limit_output_bytes"),
        "hasTcpAutocorking": is_set("/proc/sys/net/ipv4/tcp_autocorking"),
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
