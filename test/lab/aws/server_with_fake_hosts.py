"""The embedded AWS with fake hosts, which write what EC2 does with them to a file."""

import asyncio
import json
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from lab.agent.invocation import Invocation, PluginResult
from lab.aws.settings import Options, configure

# These states last long enough here for a test on a busy machine to see them.
INITIAL_SECONDS = 3.0
INTERFACE_SECONDS = 15.0


class FakeFleet:
    endpoint_url = "http://198.18.0.1:4566"

    def __init__(self, journal: Path, port: int) -> None:
        self.store_endpoint_url = f"http://127.0.0.1:{port}"
        self.store_certificate_path = journal.with_name("store.pem")
        self.store_certificate_path.write_text("certificate of the store")
        self._journal = journal
        self._running: set[str] = set()
        self._lock = threading.Lock()

    def _write(self, what: str, **facts: object) -> None:
        with self._lock, self._journal.open("a") as journal:
            journal.write(json.dumps({"what": what, **facts}, default=sorted) + "\n")

    def create_host(self, instance_id, instance_type, zone, private_ip, environment, settings) -> None:
        if instance_type == "c5n.large":
            raise RuntimeError("this type's host does not start")
        self._running.add(instance_id)
        facts = {"type": instance_type, "zone": zone, "ip": private_ip}
        self._write("create", id=instance_id, **facts, environment=environment, settings=asdict(settings))

    def command(self, instance_id, argv) -> list[str]:
        """Writes to a file named after the host instead of to the host."""
        return ["sh", "-c", f"cat >{self._journal.with_name(instance_id)}"]

    def set_allowed_sources(self, instance_id, sources) -> None:
        self._write("sources", id=instance_id, sources=sources)

    def is_running(self, instance_id) -> bool:
        return instance_id in self._running

    def kill_host(self, instance_id) -> None:
        self._running.remove(instance_id)

    def destroy_host(self, instance_id) -> None:
        self._running.discard(instance_id)
        self._write("destroy", id=instance_id)

    def is_listening(self, instance_id, port) -> bool:
        """A fake host listens on the ports that end in 00, which the tests use for health checks."""
        return instance_id in self._running and port % 100 == 0

    def connect_networks(self, network, other) -> None:
        self._write("connect", networks=sorted([network, other]))

    def disconnect_networks(self, network, other) -> None:
        self._write("disconnect", networks=sorted([network, other]))

    def close(self) -> None:
        pass

    def __getattr__(self, name: str) -> Callable[..., None]:
        """A method of load balancers, which writes its arguments under these names."""
        what, facts = {
            "add_load_balancer": ("add-load-balancer", ("name", "zone", "address", "network")),
            "set_load_balancer_sources": ("load-balancer-sources", ("name", "sources")),
            "set_listener": ("listen", ("name", "port", "protocols", "instance", "target_port", "idle")),
            "remove_listener": ("remove-listener", ("name", "port")),
            "remove_load_balancer": ("remove-load-balancer", ("name",)),
        }[name]
        return lambda *arguments: self._write(what, **dict(zip(facts, arguments, strict=True)))


class FakeAgent:
    """Every command succeeds, unless its parameter Outcome says otherwise."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._outcomes: dict[tuple[str, str], str] = {}

    def run_command(self, command_id, instance_id, document, parameters, timeout_seconds) -> None:
        self._outcomes[command_id, instance_id] = parameters.get("Outcome", ["good"])[0]

    def cancel(self, command_id, instance_id=None) -> None:
        self._outcomes[command_id, instance_id] = "cancelled"

    def invocation(self, command_id, instance_id) -> Invocation:
        outcome = self._outcomes[command_id, instance_id]
        if outcome == "held" and (self._folder / f"end-{command_id}").exists():
            outcome = "good"
        invocation = Invocation(command_id, instance_id)
        status, code = {"good": ("Success", 0), "bad": ("Failed", 3), "cancelled": ("Cancelled", 137)}.get(
            outcome, ("InProgress", -1)
        )
        invocation.status = invocation.status_details = status
        invocation.response_code = code
        if code >= 0:
            invocation.plugins = [PluginResult("work", status, code, "out", "err", "out\nerr")]
        return invocation


def main() -> None:
    port, folder = int(sys.argv[1]), Path(sys.argv[2])
    options = Options(port=port, bind="127.0.0.1", state_dir=folder / "state", work_dir=None, mail_dir=folder / "mail")
    configure(options)
    # These import MiniStack, which must not be imported before `configure`.
    from lab.aws.elb import load_balancers, target_groups
    from lab.aws.start import assemble, listen

    target_groups.INITIAL_SECONDS = INITIAL_SECONDS
    load_balancers.INTERFACE_SECONDS = INTERFACE_SECONDS
    application = assemble(options, (FakeFleet(folder / "journal.ndjson", port), FakeAgent(folder)))
    asyncio.run(listen(application, options))


if __name__ == "__main__":
    main()
