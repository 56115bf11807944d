"""Runs a command inside the lab's own namespaces, so that nothing in it reaches outside and everything ends with it.

The command gets a network namespace with only a loopback interface, its own mounts and its own process ids. An ordinary
user also gets a user namespace, in which it is uid 0. If the caller of `enter` is killed by any signal, the kernel
kills the namespace's first process, and with it every process, interface, mount and port of the lab.
"""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

INSIDE_VARIABLE = "NETWORK_BENCHMARK_LAB_NAMESPACE"
TEMPORARY_FOLDER = "/run/tmp"
# These file systems are the lab's own and vanish with it.
OWN_FILE_SYSTEMS = ("/run", "/dev/shm")

_PR_SET_PDEATHSIG = 1
# On Debian, an ordinary user's PATH lacks sbin, which contains ip, tc and ethtool.
_SYSTEM_PATH = ":/usr/local/sbin:/usr/sbin:/sbin"
# Kernel settings that may forbid an ordinary user's namespaces: name, forbidding value, permitting value.
_SETTINGS = (
    ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
    ("kernel.unprivileged_userns_clone", "0", "1"),
    ("user.max_user_namespaces", "0", "10000"),
)

# The shell that is process 1 of the lab; its end ends everything. It waits for the command instead of replacing itself,
# because process 1 has no default signal actions and would leave zombies.
_FIRST_PROCESS = r"""
set -eu
ip link set lo up
mount -t tmpfs -o mode=755 tmpfs /run
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mkdir -m 1777 "$TMPDIR"
echo 0 > /proc/sys/net/ipv4/ip_forward
trap '' INT
trap 'kill -TERM "$command" 2>/dev/null' TERM HUP
# A shell starts background commands with Ctrl-C ignored and without standard input.
exec 3<&0
env --default-signal=INT,QUIT "$@" <&3 3<&- &
command=$!
while :; do
  code=0
  wait "$command" || code=$?
  kill -0 "$command" 2>/dev/null || exit "$code"
done
"""


class NamespaceRefusedError(RuntimeError):
    """This machine does not let the caller create the lab's namespaces; the message has a command that allows it."""


def is_inside() -> bool:
    return os.environ.get(INSIDE_VARIABLE) == "1"


def namespace_command(argv: list[str]) -> list[str]:
    unshare = ["unshare", "--net", "--mount", "--pid", "--ipc", "--fork", "--mount-proc", "--kill-child=SIGKILL"]
    if os.geteuid() != 0:
        unshare[1:1] = ["--user", "--map-root-user"]
    return [*unshare, "--", "sh", "-c", _FIRST_PROCESS, "lab", *argv]


def missing_settings() -> list[str]:
    """Returns the kernel settings, as name=value, that an ordinary user needs changed to create namespaces."""
    return [f"{name}={permitting}" for name, forbidding, permitting in _SETTINGS if _reads(name, forbidding)]


def require_permitted() -> None:
    """Raises, with the exact command to run, if this machine forbids the namespaces or lacks a tool for them."""
    for tool, package in (("unshare", "util-linux"), ("ip", "iproute2"), ("tc", "iproute2"), ("mount", "mount")):
        if shutil.which(tool, path=_search_path()) is None:
            raise NamespaceRefusedError(f"{tool}: must be installed, run: sudo apt-get install -y {package}")
    command = namespace_command(["true"])
    probe = subprocess.run(command, env=_environment(), capture_output=True, text=True, timeout=30, check=False)
    if probe.returncode != 0:
        raise NamespaceRefusedError(_refusal(probe.stderr.strip()))


def enter(argv: list[str], when_started: Callable[[int], None] = lambda _: None) -> int:
    """Runs `argv` in the lab's namespaces and returns its exit code (128 + signal if a signal ended it).

    `when_started` is called with the id of a process in those namespaces, for `command_inside`.
    """
    require_permitted()
    parent = os.getpid()

    def die_with_parent() -> None:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)

    child = subprocess.Popen(namespace_command(argv), env=_environment(), preexec_fn=die_with_parent)  # noqa: PLW1509
    when_started(child.pid)
    # Ctrl-C reaches the command through the terminal's process group, so this process only waits for its end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: _ask_to_end(child))
    code = child.wait()
    return code if code >= 0 else 128 - code


def command_inside(process_id: int, argv: list[str], temporary_folder: str) -> list[str]:
    """Returns the command line that runs `argv` in the network of another lab, to which `process_id` belongs.

    The command is uid 0 there, but sees the machine's own files: in the machine's folder for temporary files, root may
    own the folder that a program derives from the user's number.
    """
    nsenter = ["nsenter", f"--target={process_id}", "--net"]
    if os.geteuid() != 0:
        nsenter += ["--user", "--preserve-credentials"]
    return [*nsenter, "--", "env", f"{INSIDE_VARIABLE}=1", f"TMPDIR={temporary_folder}", *argv]


def _ask_to_end(child: "subprocess.Popen[bytes]") -> None:
    # unshare blocks SIGTERM, so the signal goes to the first process inside, which passes it on to the command.
    try:
        first_process = int(Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()[0])
        os.kill(first_process, signal.SIGTERM)
    except (OSError, IndexError):
        child.kill()


def _search_path() -> str:
    return os.environ.get("PATH", "") + _SYSTEM_PATH


def _environment() -> dict[str, str]:
    # The lab has its own folder for temporary files. Some programs derive a folder's name in /tmp from the user's
    # number; root may already have created that folder outside.
    return {**os.environ, "PATH": _search_path(), "TMPDIR": TEMPORARY_FOLDER, INSIDE_VARIABLE: "1"}


def _refusal(reason: str) -> str:
    rerun = 'sudo -E env PATH="$PATH" npm run lab'
    changes = missing_settings()
    if os.geteuid() == 0:
        line = f"{rerun}   (as a root that may make namespaces; in a container: docker run --privileged)"
    elif changes:
        line = f"sudo sysctl -w {' '.join(changes)}   (or run the lab as root: {rerun})"
    else:
        line = rerun
    return f"the lab's namespaces: must be permitted on this machine, got: {reason or 'a silent failure'}; run: {line}"


def _reads(setting: str, value: str) -> bool:
    file = Path("/proc/sys", *setting.split("."))
    return file.exists() and file.read_text().strip() == value


def main() -> NoReturn:
    if len(sys.argv) < 2:
        sys.exit("usage: python -m lab.namespace COMMAND [ARGUMENT...] | --missing-settings")
    if sys.argv[1:] == ["--missing-settings"]:
        for setting in missing_settings():
            print(setting)
        sys.exit()
    try:
        sys.exit(enter(sys.argv[1:]))
    except NamespaceRefusedError as refused:
        sys.exit(str(refused))


if __name__ == "__main__":
    main()
