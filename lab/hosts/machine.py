"""One host as seen from this machine: namespaces, a private root, and the process that holds them."""

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from lab.hosts.commands import namespace_path, tool

AGENT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/snap/bin"
_HERE = Path(__file__).resolve().parent
_PLAIN_SYSTEM = json.loads((_HERE / "plain-system.json").read_text())
# host-init.sh writes these files for each host.
_FILES_OF_THE_HOST = (Path("/etc/hostname"), Path("/etc/hosts"), Path("/etc/resolv.conf"))
_OWN_NAMESPACES = ("--mount", "--pid", "--uts", "--ipc")
# If the host's root is also root outside, dropping these capabilities keeps a document from changing the machine.
_DROPPED_CAPABILITIES = "-sys_module,-sys_time,-sys_boot,-sys_rawio,-syslog,-mknod,-audit_control"


class HostCreationError(RuntimeError):
    """A host could not be created; the message quotes the tool that failed."""


def prepare_tools(directory: Path) -> Path:
    """Creates the files that hosts share: the lab's programs, and an /etc of links to the machine's files. `plain`
    holds what replaces them on plain systems: a python3 without boto3, and program folders without the tools.
    """
    shutil.rmtree(directory, ignore_errors=True)
    programs = directory / "bin"
    programs.mkdir(parents=True)
    for program in (_HERE / "bin").iterdir():
        shutil.copy(program, programs)
    # Hosts use the lab's own interpreter, because older versions of boto3, such as a distribution's, ignore
    # AWS_ENDPOINT_URL.
    plain = directory / "plain"
    for folder, option in ((programs, ""), (plain / "bin", "-S ")):
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("python3", "python"):
            wrapper = folder / name
            wrapper.write_text(f'#!/bin/sh\nexec "{sys.executable}" {option}"$@"\n')
            wrapper.chmod(0o755)
    for folder in _folders_with_tools():
        _link_programs(folder, plain / folder.relative_to("/"))
    (plain / "user-data-failure").write_text(f"{_PLAIN_SYSTEM['userDataFailure']}\n")
    ethtool = programs / "ethtool"
    ethtool.write_text(ethtool.read_text().replace("@REAL_ETHTOOL@", shutil.which("ethtool", path=AGENT_PATH) or ""))
    _link_tree(Path("/etc"), directory / "etc", Path("/.etc"))
    return directory


def _folders_with_tools() -> list[Path]:
    """Returns the machine's program folders, all below /usr, that contain a measuring tool."""
    folders = sorted({Path(os.path.realpath(folder)) for folder in AGENT_PATH.split(":")})
    return [folder for folder in folders if any((folder / tool).exists() for tool in _PLAIN_SYSTEM["lacks"])]


def _link_programs(source: Path, copy: Path) -> None:
    copy.mkdir(parents=True)
    for entry in source.iterdir():
        if entry.name not in _PLAIN_SYSTEM["lacks"]:
            (copy / entry.name).symlink_to(Path("/.usr") / entry.relative_to("/usr"))


def _link_tree(source: Path, copy: Path, target: Path) -> None:
    copy.mkdir()
    for entry in source.iterdir():
        if entry in _FILES_OF_THE_HOST:
            continue
        if entry.is_symlink():
            (copy / entry.name).symlink_to(entry.readlink())
        elif entry.is_dir() and os.access(entry, os.R_OK | os.X_OK):
            _link_tree(entry, copy / entry.name, target / entry.name)
        else:
            (copy / entry.name).symlink_to(target / entry.name)


class Machine:
    """The running part of a host. Its network namespace must exist already."""

    def __init__(self, name: str, network_namespace: str, tools: Path, directory: Path, has_tools: bool) -> None:
        root, state = directory / "root", directory / "state"
        root.mkdir(parents=True, exist_ok=True)
        state.mkdir(exist_ok=True)
        argv = [tool("nsenter"), f"--net={namespace_path(network_namespace)}"]
        argv += [tool("unshare"), *_OWN_NAMESPACES, "--fork", "--kill-child=SIGKILL"]
        argv += ["/bin/sh", str(_HERE / "host-init.sh"), str(root), str(tools), str(state), name]
        argv += ["with-tools" if has_tools else "plain"]
        argv += _interpreter_directories()
        errors = directory / "init.log"
        with errors.open("wb") as log:
            self._holder = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, env={"PATH": AGENT_PATH}
            )
        assert self._holder.stdout is not None
        line = self._holder.stdout.readline()
        self._holder.stdout.close()
        if not line.strip().isdigit():
            self._holder.kill()
            self._holder.wait()
            raise HostCreationError(f"host {name}: must start, got: {errors.read_text().strip() or 'no reason'}")
        self.process_id = int(line)

    @property
    def is_running(self) -> bool:
        return self._holder.poll() is None

    def kill(self) -> None:
        # The end of the process that holds the namespaces would also kill process 1, but a moment later.
        if self.is_running:
            with suppress(ProcessLookupError):
                os.kill(self.process_id, signal.SIGKILL)
            self._holder.kill()
        self._holder.wait()

    def command(self, argv: list[str]) -> list[str]:
        """Returns the command line that runs `argv` as the agent does: as root in the host's namespaces."""
        enter = [tool("nsenter"), f"--target={self.process_id}", *_OWN_NAMESPACES, "--net", "--wdns=/"]
        if not _is_user_namespace():
            enter += ["setpriv", f"--bounding-set={_DROPPED_CAPABILITIES}"]
        return [*enter, *argv]


def _interpreter_directories() -> list[str]:
    wanted = {os.path.realpath(sys.prefix), os.path.realpath(sys.base_prefix), sys.prefix, sys.base_prefix}
    return sorted(path for path in wanted if not path.startswith("/usr/") and path != "/usr")


def _is_user_namespace() -> bool:
    return Path("/proc/self/uid_map").read_text().split()[2] != "4294967295"
