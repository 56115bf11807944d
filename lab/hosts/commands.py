"""Calls iproute2 and nft: one process for many changes, and errors that name the change that failed."""

import os
import shutil
import subprocess

_SEARCH_PATH = os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin"


class NetworkCommandError(RuntimeError):
    """The kernel or a tool rejected a change of the lab's network."""


def tool(name: str) -> str:
    """Returns the full path of a system tool, also for a user whose PATH lacks sbin."""
    path = shutil.which(name, path=_SEARCH_PATH)
    if path is None:
        raise NetworkCommandError(f"{name}: must be installed, got no such program")
    return path


def run(argv: list[str], standard_input: str | None = None) -> str:
    """Runs one tool to its end and returns its output."""
    result = subprocess.run(
        [tool(argv[0]), *argv[1:]], input=standard_input, capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        change = " ".join(argv) + (f" <<< {standard_input.strip()}" if standard_input else "")
        raise NetworkCommandError(f"{change}: must succeed, got exit code {result.returncode}: {result.stderr.strip()}")
    return result.stdout


def ip(*changes: str, namespace: str | None = None) -> None:
    """Makes changes with `ip` in this order, inside a network namespace if one is given."""
    where = ["-n", namespace] if namespace else []
    run(["ip", *where, "-batch", "-"], "\n".join(changes) + "\n")


def nft(rules: str, namespace: str) -> None:
    """Changes a namespace's packet rules, all of them or none."""
    run(["nsenter", f"--net={namespace_path(namespace)}", tool("nft"), "-f", "-"], rules)


def set_kernel_values(namespace: str, values: dict[str, str]) -> None:
    """Sets kernel values below net/ in one network namespace."""
    script = "".join(f"echo {value} > /proc/sys/net/{name}\n" for name, value in values.items())
    run(["nsenter", f"--net={namespace_path(namespace)}", "sh", "-e"], script)


def namespace_path(namespace: str) -> str:
    return f"/run/netns/{namespace}"
