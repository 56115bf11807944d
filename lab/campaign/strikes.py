"""How each kind of fault is injected, and taken back."""

from __future__ import annotations

import time

from lab.campaign.faults import Fault
from lab.campaign.subject import Object, Run
from lab.campaign.witness import Witness


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
        """After the run; returns whether something went on until now."""
        return False


class KillHosts(Strike):
    def strike(self) -> bool:
        victims = [host for host in self.witness.hosts(self.run.run_id) if host.role in self.details["roles"]]
        victims = [host for host in victims if host.pair_id == "p0001" and host.state in ("pending", "running")]
        for host in victims:
            self.run.lab.control("POST", "kill-host", instance=host.name)
        self.facts = {"killed": [host.name for host in victims], "killedAt": time.time()}
        return bool(victims)


class StopExecution(Strike):
    def strike(self) -> bool:
        arn = self.run.arn if self.details["what"] == "run" else self.run.pair_arn("p0001")
        for _ in range(self.details["times"]):
            self.run.stop(arn)
        self.facts = {"stopped": arn}
        return True


class RefuseApi(Strike):
    def prepare(self) -> None:
        self.run.lab.control("POST", "faults", {**self.details, "where": {"about": f"*{self.run.run_id}*"}})


STRIKES: dict[str, type[Strike]] = {
    "host killed while it measures": KillHosts,
    "both hosts killed": KillHosts,
    "host killed before it measures": KillHosts,
    "execution stopped": StopExecution,
    "API throttled": RefuseApi,
}


def strike_of(fault: Fault, run: Run, witness: Witness) -> Strike:
    return STRIKES[fault.kind](fault, run, witness)
