"""Runs iproute2 and nft: one process makes many changes, and errors name the change that failed."""

import os
import shutil
import subprocess
from pathlib import Path

# As on EC2. Only links to places outside the networks have another MTU.
MTU_BYTES = 9001
_TCP_LISTENING = "0A"
_SEARCH_PATH = os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin"


class NetworkCommandError(RuntimeError):
    """The kernel or a tool rejected a change of the lab's network."""


def tool(name: str) -> str:
    """Returns the full path of a system tool, even if the user's PATH lacks sbin."""
    path = shutil.which(name, path=_SEARCH_PATH)
    if path is None:
        raise NetworkCommandError(f"{name}: must be installed, got no such program")
    return path


def run(argv: list[str], standard_input: str | None = None) -> str:
    result = subprocess.run(
        [tool(argv[0]), *argv[1:]], input=standard_input, capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        change = " ".join(argv) + (f" <<< {standard_input.strip()}" if standard_input else "")
        raise NetworkCommandError(f"{change}: must succeed, got exit code {result.returncode}: {result.stderr.strip()}")
    return result.stdout


def ip(*changes: str, namespace: str | None = None) -> None:
    if not changes:
        return
    where = ["-n", namespace] if namespace else []
    run(["ip", *where, "-batch", "-"], "\n".join(changes) + "\n")


def tc(*changes: str, namespace: str) -> None:
    run(["tc", "-n", namespace, "-batch", "-"], "\n".join(changes) + "\n")


def veth(end: tuple[str, str], other: tuple[str, str], mtu_bytes: int = MTU_BYTES) -> str:
    ends = [f"name {name} mtu {mtu_bytes} netns {namespace}" for namespace, name in (end, other)]
    return f"link add {ends[0]} type veth peer {ends[1]}"


def nft(rules: str, namespace: str) -> None:
    """Changes a namespace's packet rules atomically."""
    run(["nsenter", f"--net={namespace_path(namespace)}", tool("nft"), "-f", "-"], rules)


def set_kernel_values(namespace: str, values: dict[str, str]) -> None:
    script = "".join(f"echo {value} > /proc/sys/net/{name}\n" for name, value in values.items())
    run(["nsenter", f"--net={namespace_path(namespace)}", "sh", "-e"], script)


def namespace_path(namespace: str) -> str:
    return f"/run/netns/{namespace}"


def is_listening(process_id: int, port: int) -> bool:
    tables = Path(f"/proc/{process_id}/net")
    lines = [line for name in ("tcp", "tcp6") for line in (tables / name).read_text().splitlines()[1:]]
    return any(
        fields[3] == _TCP_LISTENING and int(fields[1].rpartition(":")[2], 16) == port
        for fields in (line.split() for line in lines)
    )
