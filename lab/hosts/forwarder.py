"""Network namespaces of the lab, in each of which a process forwards traffic."""

import subprocess
import sys
from pathlib import Path

from lab.hosts.commands import MTU_BYTES, NetworkCommandError, ip, namespace_path, set_kernel_values, tool, veth

_DELAY_PROGRAM = Path(__file__).with_name("zone_delay.py")


class Forwarder:
    """A namespace and its forwarding process; a subclass adds links, calls `_start`, and knows when it is ready."""

    def __init__(self, namespace: str, kernel_values: dict[str, str]) -> None:
        self.namespace = namespace
        self._is_ready = False
        ip(f"netns add {namespace}")
        set_kernel_values(namespace, kernel_values)

    def _start(self, *command: str) -> None:
        argv = [tool("nsenter"), f"--net={namespace_path(self.namespace)}", *command]
        self._process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def _becomes_ready(self) -> bool:
        raise NotImplementedError

    def wait_until_ready(self) -> None:
        """Waits until the process forwards: earlier packets would be lost, and TCP retries them only after a second."""
        self._is_ready = self._is_ready or self._becomes_ready()
        if not self._is_ready:
            self._process.kill()
            exit_code = self._process.wait()
            raise NetworkCommandError(f"forwarder of {self.namespace}: must start, got exit code {exit_code}")

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    @property
    def waited_seconds(self) -> float | None:
        """How long the process's first thread was ready to run but waited for a processor. None if unknown: the kernel
        does not count it, or the process has ended (see `is_running`).
        """
        return waited_seconds(Path(f"/proc/{self._process.pid}/schedstat"))

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.kill()
        self._process.wait()
        ip(f"netns del {self.namespace}")


def waited_seconds(schedstat: Path) -> float | None:
    """Returns how long a thread has waited for a processor (`schedstat`); None if the kernel does not count it."""
    try:
        # The fields are time on a processor, time waiting for one, and turns (Documentation/scheduler/sched-stats.rst).
        on_processor, waited, turns = map(int, schedstat.read_text().split())
    except (OSError, ValueError):
        return None
    # A kernel that has the file but does not count shows three zeros, even if the process has run.
    return waited / 1e9 if on_processor or waited or turns else None


class DelayLine(Forwarder):
    """Creates two interfaces (namespace, name) with a delay between them; its own namespace has no addresses."""

    def __init__(
        self,
        name: str,
        first: tuple[str, str],
        second: tuple[str, str],
        one_way_micros: int,
        mtu_bytes: int = MTU_BYTES,
    ) -> None:
        super().__init__(f"delay-{name}", {"ipv6/conf/all/disable_ipv6": "1"})
        ip(
            veth(first, (self.namespace, "first"), mtu_bytes),
            veth(second, (self.namespace, "second"), mtu_bytes),
        )
        ip("link set first up", "link set second up", namespace=self.namespace)
        self._start(sys.executable, str(_DELAY_PROGRAM), "first", "second", str(one_way_micros))

    def _becomes_ready(self) -> bool:
        assert self._process.stdout is not None
        with self._process.stdout as output:
            return output.readline() == b"ready\n"

    def set_delay(self, one_way_micros: int) -> None:
        """Sets the delay of the packets that arrive from now on."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{one_way_micros}\n".encode())
        self._process.stdin.flush()
