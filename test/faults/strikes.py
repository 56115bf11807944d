"""How each kind of fault is injected, and taken back."""

from __future__ import annotations

import time
from typing import Any

from faults.fault import Fault
from faults.subject import Object, Run
from faults.witness import Witness


class Strike:
    """A fault that does nothing; the kinds replace what they need."""

    def __init__(self, fault: Fault, run: Run, witness: Witness) -> None:
        self.fault, self.run, self.witness = fault, run, witness
        self.details = fault.details
        self.facts: Object = {}

    def prepare(self) -> None:
        """Before the run begins."""

    def strike(self) -> bool:
        """At the fault's moment; returns whether there was something to break."""
        return True

    def lift(self) -> bool:
        """After the run's end; returns whether something went on until now."""
        return False

    def has_struck(self) -> bool:
        """After everything, whether the fault has met anything."""
        return True


class KillHosts(Strike):
    def strike(self) -> bool:
        victims = [host for host in self.witness.hosts(self.run.run_id) if host.role in self.details["roles"]]
        # A pending host may have no machine yet, so that there is no power to cut.
        victims = [host for host in victims if host.pair_id == "p0001" and host.state == "running"]
        self.facts = {"killed": [host.name for host in victims], "killedAt": time.time()}
        for host in victims:
            self.run.lab.control("POST", "kill-host", instance=host.name)
        return bool(victims)


class EndExecution(Strike):
    """Stops the run or its pair, once or twice, as a person does."""

    def strike(self) -> bool:
        for _ in range(self.details["times"]):
            self.run.stop(self._arn())
        return True

    def _arn(self) -> str:
        return self.run.arn if self.details["what"] == "run" else self.run.pair_arn("p0001")


class TimeOut(EndExecution):
    def strike(self) -> bool:
        self.run.lab.control("POST", "time-out", execution=self._arn())
        return True


class LabFaults(EndExecution):
    """Faults of the embedded AWS for this run alone; some stop the run, too."""

    def prepare(self) -> None:
        if self.fault.trigger == "before":
            self._inject()

    def strike(self) -> bool:
        if self.fault.trigger != "before":
            self._inject()
        if "what" in self.details:
            super().strike()
        return True

    def lift(self) -> bool:
        taken = sum(self.run.lab.control("GET", "faults", where)["taken"] for where in self._wheres())
        self.facts["requestsMet"] = taken
        if "lift_after_seconds" not in self.details:
            return False
        time.sleep(self.details["lift_after_seconds"])
        for where in self._wheres():
            self.run.lab.control("DELETE", "faults", where)
        return True

    def has_struck(self) -> bool:
        # A run that was stopped was struck in any case.
        return "what" in self.details or bool(self.facts["requestsMet"])

    def _inject(self) -> None:
        for fault in self._faults():
            self.run.lab.control("POST", "faults", fault)

    def _faults(self) -> list[dict[str, Any]]:
        return [
            fault | {"where": {name: text.format(run=self.run.run_id) for name, text in fault["where"].items()}}
            for fault in self.details["faults"]
        ]

    def _wheres(self) -> list[dict[str, str]]:
        wheres: list[dict[str, str]] = []
        for fault in self._faults():
            if fault["where"] not in wheres:
                wheres.append(fault["where"])
        return wheres


class SlowMetal(Strike):
    """Makes all bare-metal hosts of the lab slow; only faults of this kind have any."""

    def prepare(self) -> None:
        self.run.lab.control("POST", "bare-metal", self.details["slow"])

    def lift(self) -> bool:
        metal = [one for one in self.witness.hosts(self.run.run_id) if one.role == self.details["role"]]
        self.facts = {"metalSeconds": [round(one.last_seen - one.first_seen, 1) for one in metal]}
        return False


class LosePackets(Strike):
    def prepare(self) -> None:
        self.run.lab.control("POST", "path-faults", self.details["path"])


class OnHost(Strike):
    """Runs a command as root on the first pair's host of a role."""

    def strike(self) -> bool:
        hosts = [one for one in self.witness.hosts(self.run.run_id) if one.state == "running"]
        for host in hosts:
            if (host.pair_id, host.role) == ("p0001", self.details["role"]):
                argv = ["sh", "-c", self.details["command"]]
                self.run.lab.control("POST", "host-command", argv, instance=host.name)
                return True
        return False


class DamageChunk(Strike):
    def strike(self) -> bool:
        chunks = self.run.chunk_keys("p0001", self.details["role"])
        if not chunks:
            return False
        lab, key = self.run.lab, chunks[0]
        body = lab.raw(key)
        match self.details["how"]:
            case "garbage":
                lab.write(key, bytes(range(256)) * 4)
            case "cut":
                lab.write(key, body[: len(body) // 2])
            case "empty":
                lab.write(key, b"")
            case "doubled":
                lab.write(key, body)
            case "deleted":
                lab.delete(key)
            case how:
                raise ValueError(f"how: must be a way to damage a chunk, got {how}")
        self.facts = {"damaged": key}
        return True


class DeleteRecord(Strike):
    def strike(self) -> bool:
        key = f"reports/{self.run.run_id}/{self.details['name']}"
        if self.run.lab.read(key) is None:
            return False
        self.run.lab.delete(key)
        self.facts = {"deleted": key}
        return True


STRIKES: dict[str, type[Strike]] = {
    "host killed while it measures": KillHosts,
    "both hosts killed": KillHosts,
    "host killed before it measures": KillHosts,
    "bare metal slow": SlowMetal,
    "nothing happens": Strike,
    "credits are spent": Strike,
    "expectation not met": Strike,
    "zones are crossed": Strike,
    "path cut": LosePackets,
    "path lossy": LosePackets,
    "tool prints nonsense": OnHost,
    "host's disk full": OnHost,
    "execution stopped": EndExecution,
    "execution timed out": TimeOut,
    "chunk damaged": DamageChunk,
    "record deleted": DeleteRecord,
}


def strike_of(fault: Fault, run: Run, witness: Witness) -> Strike:
    return STRIKES.get(fault.kind, LabFaults)(fault, run, witness)
