"""A link with a delay between two interfaces: a namespace without addresses in which a forwarder runs."""

import subprocess
import sys
from pathlib import Path

from lab.hosts.commands import NetworkCommandError, ip, namespace_path, set_kernel_values, tool


class DelayLine:
    """Makes the interfaces `first` and `second` (namespace, name) and carries packets between them.

    The forwarder starts in the background; call `wait_until_ready` before the first packet.
    """

    def __init__(
        self, name: str, first: tuple[str, str], second: tuple[str, str], one_way_micros: int, mtu_bytes: int
    ) -> None:
        self.name = name
        self._namespace = f"delay-{name}"
        ip(f"netns add {self._namespace}")
        set_kernel_values(self._namespace, {"ipv6/conf/all/disable_ipv6": "1"})
        ip(
            *(
                f"link add name {interface} mtu {mtu_bytes} netns {namespace} type veth"
                f" peer name {side} mtu {mtu_bytes} netns {self._namespace}"
                for (namespace, interface), side in ((first, "first"), (second, "second"))
            )
        )
        ip("link set first up", "link set second up", namespace=self._namespace)
        argv = [
            tool("nsenter"),
            f"--net={namespace_path(self._namespace)}",
            sys.executable,
            str(Path(__file__).with_name("zone_delay.py")),
            "first",
            "second",
            str(one_way_micros),
        ]
        self._forwarder = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self._is_ready = False

    def wait_until_ready(self) -> None:
        """Waits for the forwarder: earlier packets would be lost, and TCP would retry them only after a second."""
        if self._is_ready:
            return
        assert self._forwarder.stdout is not None
        if self._forwarder.stdout.readline() != b"ready\n":
            self._forwarder.kill()
            raise NetworkCommandError(f"delay {self.name}: must start, got exit code {self._forwarder.wait()}")
        self._is_ready = True

    @property
    def is_carrying(self) -> bool:
        return self._forwarder.poll() is None

    def close(self) -> None:
        """Ends the forwarder and removes both interfaces."""
        self._forwarder.kill()
        self._forwarder.wait()
        if self._forwarder.stdout is not None:
            self._forwarder.stdout.close()
        ip(f"netns del {self._namespace}")
