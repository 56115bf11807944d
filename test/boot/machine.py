"""A host that boots: systemd as process 1 in namespaces of its own, on a layer over the root of make_host_root.py.

Powering off and rebooting are the kernel's: the first process of a process namespace that asks for one of them ends by
the signal that says which (reboot(2)). A reboot is the same disk switched on again.
"""

from __future__ import annotations

import signal
import subprocess
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from metadata_service import MetadataService, host_tree

from lab.hosts.commands import ip, namespace_path, run

_HERE = Path(__file__).resolve().parent
_OWN_NAMESPACES = ("--mount", "--pid", "--uts", "--ipc", "--cgroup")
# Far longer than any step takes, for a machine that is busy with other work.
PATIENCE_SECONDS = 240
_POLL_SECONDS = 0.1
# Of the image's settings, those that need hardware, other packages or the internet's archive. Without hardware nothing
# names the datasource. The file's name comes last, because the distributions' packages have settings of their own.
_CLOUD_CONFIG = """
datasource_list: [Ec2]
network: {config: disabled}
locale: C.UTF-8
apt: {preserve_sources_list: true}
"""
# How the kernel ends the first process of a namespace (reboot(2)), as `unshare` passes it on.
_ENDS = {signal.SIGINT: "powered off", signal.SIGHUP: "rebooted"}


class Machine:
    """One host with a disk of its own. `number` gives it its addresses."""

    def __init__(self, folder: Path, root: Path, service: MetadataService, number: int) -> None:
        self.instance_id = f"i-{number:017x}"
        self.address, self.gateway = f"10.9.{number}.2", f"10.9.{number}.1"
        self._network, self._link = f"boot-{number}", f"boot{number}"
        self._root, self._service, self._folder = root, service, folder
        self._holder: subprocess.Popen[bytes] | None = None
        for part in ("disk", "work", "root", "cgroups"):
            (folder / part).mkdir(parents=True)
        self.write("etc/cloud/cloud.cfg.d/99-image.cfg", _CLOUD_CONFIG)
        self.write("etc/apt/sources.list", f"deb [trusted=yes] http://{self.gateway} /\n")
        self.write("etc/hostname", f"ip-{self.address.replace('.', '-')}\n")
        # Names that EC2's resolver answers are refused at once instead of waited for.
        self.write("etc/resolv.conf", "")
        run(["mount", "-t", "cgroup2", "cgroup2", str(folder / "cgroups")])
        self._control_group = folder / "cgroups" / f"network-benchmark-{uuid.uuid4().hex}"
        self._control_group.mkdir()

    def write(self, path: str, text: str) -> None:
        """Writes a file of the host's disk while the host is off."""
        file = self._folder / "disk" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def read(self, path: str) -> str:
        """Reads a file that the host has written to its disk."""
        return (self._folder / "disk" / path).read_text()

    def boot(self, user_data: str, tags: dict[str, str]) -> None:
        """Switches the host on. User data and tags are what the metadata service answers it from now on."""
        self._service.hosts[self.address] = host_tree(self.instance_id, self.address, user_data, tags)
        ip(
            f"netns add {self._network}",
            f"link add {self._link} type veth peer name ens5 netns {self._network}",
            f"addr add {self.gateway}/24 dev {self._link}",
            f"link set {self._link} up",
        )
        ip(f"addr add {self.address}/24 dev ens5", "link set ens5 up", namespace=self._network)
        ip("link set lo up", f"route add default via {self.gateway}", namespace=self._network)
        # The process joins its control group before it makes the namespace that has this group as its root.
        argv = ["sh", "-c", 'echo $$ >"$1"/cgroup.procs; shift; exec "$@"', "join", str(self._control_group)]
        argv += ["nsenter", f"--net={namespace_path(self._network)}"]
        argv += ["unshare", *_OWN_NAMESPACES, "--fork", "--kill-child=SIGKILL"]
        argv += ["sh", str(_HERE / "machine.sh"), str(self._root), str(self._folder)]
        self._holder = subprocess.Popen(argv, stdin=subprocess.DEVNULL)

    @property
    def is_on(self) -> bool:
        return self._holder is not None and self._holder.poll() is None

    @property
    def console(self) -> str:
        return (self._folder / "console").read_text(errors="replace")

    def command(self, *argv: str) -> list[str]:
        """Returns the command line that runs `argv` as root on the host, in the control group of its first process."""
        assert self._holder is not None
        (first,) = _children_of(self._holder.pid)
        environment = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"]
        return ["nsenter", f"--target={first}", *_OWN_NAMESPACES, "--net", "--wdns=/", *environment, *argv]

    def run(self, *argv: str, accepts: tuple[int, ...] = (0,), standard_input: str = "") -> str:
        """Runs a command on the host and returns what it prints."""
        done = subprocess.run(
            self.command(*argv),
            input=standard_input,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )
        assert done.returncode in accepts, f"{argv}: exit code {done.returncode}: {done.stderr or done.stdout}"
        return done.stdout

    def wait_until(self, what: str, is_so: Callable[[], bool]) -> None:
        """Waits while the host is on."""
        deadline_seconds = time.monotonic() + PATIENCE_SECONDS
        while not is_so():
            assert self.is_on, f"{what}: the host has ended; console: {self.console[-2000:]}"
            assert time.monotonic() < deadline_seconds, (
                f"{what}: not within {PATIENCE_SECONDS} s; {self.console[-2000:]}"
            )
            time.sleep(_POLL_SECONDS)

    def wait_for_systemd(self) -> None:
        """Waits until everything that starts at boot has started, well or not."""
        self.wait_until("systemd", self._has_booted)

    def _has_booted(self) -> bool:
        assert self._holder is not None
        # Until its first process is systemd, the host's namespaces are not whole.
        first = next(iter(_children_of(self._holder.pid)), None)
        if first is None or Path(f"/proc/{first}/comm").read_text() != "systemd\n":
            return False
        asked = subprocess.run(
            self.command("systemctl", "is-system-running"), capture_output=True, text=True, check=False
        )
        return asked.stdout.strip() in ("running", "degraded")

    def wait_for_user_data(self) -> None:
        """Waits until cloud-init has run everything, which it says where prepare-host looks for it."""
        finished = self._folder / "disk" / "var/lib/cloud/instances" / self.instance_id / "boot-finished"
        self.wait_until("user data", finished.exists)

    def wait_for_end(self) -> str:
        """Waits until the host has ended by itself; returns `powered off` or `rebooted`."""
        assert self._holder is not None
        code = self._holder.wait(PATIENCE_SECONDS)
        self._remove_network()
        return _ENDS.get(-code if code < 0 else code - 128, f"exit code {code}")

    def kill(self) -> None:
        """Ends the host like a power cut, and removes what is not on its disk."""
        if self._holder is not None and self.is_on:
            self._holder.kill()
            self._holder.wait()
            self._remove_network()
        (self._control_group / "cgroup.kill").write_text("1")
        # The kernel ends the processes a moment later; until then their groups are busy.
        while "populated 1" in (self._control_group / "cgroup.events").read_text():
            time.sleep(_POLL_SECONDS)
        groups = [self._control_group, *(path for path in self._control_group.rglob("*") if path.is_dir())]
        for group in sorted(groups, key=lambda path: len(path.parts), reverse=True):
            group.rmdir()

    def _remove_network(self) -> None:
        ip(f"link del {self._link}", f"netns del {self._network}")


def _children_of(process_id: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process_id}/task/{process_id}/children").read_text().split()]
