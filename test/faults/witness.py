"""What the campaign sees for itself: which resources exist over time, and which tools run on which host.

Nothing here asks the product. The resources are the embedded AWS's own list, and the tools are the kernel's processes.
"""

import itertools
import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from faults.subject import MEASURED, Lab

RUN_TAG, PAIR_TAG, ROLE_TAG = (f"network-benchmark:{name}" for name in ("run-id", "pair-id", "role"))
LOOK_SECONDS = 0.5
# On a machine with time for it, a look comes every half second; at these intervals, everything takes far longer.
BUSY_LOOK_SECONDS, LONGEST_LOOK_SECONDS = 1.5, 10
FOREIGN_TAG = "somebody-elses"
PROGRAM, ARGUMENT = (str(MEASURED[name]).encode() for name in ("program", "argument"))
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Resource:
    """Something that costs money or gets in the way, from its first to its last sighting (Unix seconds)."""

    kind: str
    name: str
    run_id: str
    pair_id: str
    role: str
    first_seen: float
    last_seen: float
    state: str = ""
    is_gone: bool = False
    instance_type: str = ""
    zone: str = ""
    tags: dict[str, str] = field(default_factory=dict)
    admits: list[str] = field(default_factory=list)
    """From where a security group has let traffic in."""


@dataclass
class Tool:
    """The measuring process on a client, from its start by the kernel's clock to its last sighting."""

    instance_id: str
    started: float
    last_seen: float
    is_over: bool = False
    missed: float | None = None
    """The first look after its last sighting."""


@dataclass
class Witness:
    """Looks twice a second until it is closed."""

    lab: Lab
    resources: dict[str, Resource] = field(default_factory=dict)
    tools: dict[tuple[int, float], Tool] = field(default_factory=dict)
    looks: list[float] = field(default_factory=list)
    """When it looked (Unix seconds)."""
    failure: BaseException | None = None

    def __post_init__(self) -> None:
        self._is_closed = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="witness", daemon=True)
        self._boot_time = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)

    def __enter__(self) -> "Witness":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_closed.set()
        self._thread.join()

    def of_run(self, run_id: str) -> list[Resource]:
        self._require_alive()
        with self._lock:
            return [one for one in self.resources.values() if one.run_id == run_id]

    def hosts(self, run_id: str) -> list[Resource]:
        return [one for one in self.of_run(run_id) if one.kind == "instances"]

    def tools_of(self, run_id: str) -> list[Tool]:
        mine = {host.name for host in self.hosts(run_id)}
        with self._lock:
            return [tool for tool in self.tools.values() if tool.instance_id in mine]

    def was_busy(self, since: float) -> bool:
        """Returns whether the machine let it look far less often than twice a second."""
        looks = [at for at in self.looks if at >= since]
        gaps = [later - earlier for earlier, later in itertools.pairwise(looks)]
        return bool(gaps) and (max(gaps) > LONGEST_LOOK_SECONDS or sum(gaps) / len(gaps) > BUSY_LOOK_SECONDS)

    def _require_alive(self) -> None:
        if self.failure is not None:
            raise RuntimeError("the witness has died, so that nothing can be judged") from self.failure

    def _run(self) -> None:
        while not self._is_closed.wait(LOOK_SECONDS):
            try:
                self.looks.append(time.time())
                self._look_at_resources(self.lab.control("GET", "resources", tag=RUN_TAG))
                self._look_at_tools()
            except BaseException as error:
                self.failure = error
                return

    def _look_at_resources(self, found: dict[str, list[dict[str, Any]]]) -> None:
        now = time.time()
        seen = set()
        with self._lock:
            for kind, items in found.items():
                for item in items:
                    if RUN_TAG not in item.get("tags", {}) or item["tags"].get(FOREIGN_TAG):
                        continue
                    name = item.get("id") or item["name"]
                    seen.add(name)
                    tags = item["tags"]
                    new = Resource(kind, name, tags[RUN_TAG], tags.get(PAIR_TAG, ""), tags.get(ROLE_TAG, ""), now, now)
                    new.instance_type, new.zone, new.tags = item.get("type", ""), item.get("zone", ""), tags
                    resource = self.resources.setdefault(name, new)
                    resource.last_seen, resource.is_gone = now, False
                    resource.state = str(item.get("state", ""))
                    resource.admits += [one for one in item.get("admits", []) if one not in resource.admits]
            for name, resource in self.resources.items():
                resource.is_gone = name not in seen

    def _look_at_tools(self) -> None:
        now = time.time()
        running = set()
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            try:
                arguments = (folder / "cmdline").read_bytes().split(b"\0")
                if not arguments[0].endswith(PROGRAM) or ARGUMENT not in arguments:
                    continue
                instance_id, started = _host_of(folder), self._boot_time + _start_seconds(folder)
            except OSError:
                continue  # the process has ended while it was looked at
            if instance_id is not None:
                key = (int(folder.name), started)
                running.add(key)
                with self._lock:
                    self.tools.setdefault(key, Tool(instance_id, started, now)).last_seen = now
        with self._lock:
            for key, tool in self.tools.items():
                tool.is_over = key not in running
                tool.missed = (tool.missed or now) if tool.is_over else None


def _host_of(process: Path) -> str | None:
    variables = (process / "environ").read_text(errors="replace").split("\0")
    return dict(variable.partition("=")[::2] for variable in variables).get("AWS_SSM_INSTANCE_ID")


def _start_seconds(process: Path) -> float:
    """Returns when a process began, in seconds since the machine did."""
    # The name of a program may contain spaces and brackets, so the fields are counted from its end.
    return int((process / "stat").read_text().rpartition(")")[2].split()[19]) / CLOCK_TICKS
