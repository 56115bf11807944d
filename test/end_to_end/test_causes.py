"""A verdict names why a rate fell, for each thing that the lab can make it fall by.

Every fall begins at second 15 of the load, but those of credits and of packets, which last as long as the lab's cards
allow; too many fragments are too many from the beginning on.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from lab.runner.run_plan import RunResult

from .running_lab import Object, RunningLab, iperf3, pair, plan

SECONDS = 45
# Both are far above and below what the faults leave, and the machine carries them.
LOAD_BITS_PER_SECOND, LOW_LOAD_BITS_PER_SECOND = 200_000_000, 60_000_000


class Case(NamedTuple):
    """A pair of one type, and what its verdict must be."""

    instance_type: str
    fault: str | None
    kinds: tuple[str, ...]
    causes: tuple[str, ...]


# Types have one case each, because a fault is of a type.
CASES = {
    # A policer leaves no trace but the level and what it drops.
    "policer above the baseline": Case("m5.large", "policer=120mbit@15", ("drop",), ("path_limit", "not_known")),
    "policer below the baseline": Case("c5.large", "policer=40mbit@15", ("drop",), ("path_limit", "not_known")),
    "10 % loss": Case("c5.xlarge", "loss=10%@15", ("drop", "shift", "ramp", "noisy"), ("packet_loss",)),
    "30 % loss": Case("m5.xlarge", "loss=30%@15", ("drop", "shift", "ramp", "outage"), ("packet_loss",)),
    "MTU black hole": Case("m5.2xlarge", "mtu=1500@15", ("outage",), ("outage",)),
    "CPU taken away": Case("c5.2xlarge", "cpu=5%@15", ("drop",), ("cpu",)),
    "credits": Case("m6i.large", None, ("drop",), ("network_credits",)),
    "packet rate": Case("c6i.large", None, ("drop",), ("packet_rate",)),
    "fragments": Case("c5.9xlarge", None, ("steady", "noisy", "outage", "insufficient"), ("fragment_rate",)),
}
OTHERS = [name for name, case in CASES.items() if "network_credits" not in case.causes]


def pairs(*names: str) -> list[Object]:
    return [pair(CASES[name].instance_type) for name in names]


@pytest.fixture(scope="module")
def measured(lab: RunningLab) -> dict[str, Object]:
    """Returns the measurement of each case; runs that need little of the machine go on together."""
    lab.path_faults(*(f"{case.instance_type}:{case.fault}" for case in CASES.values() if case.fault))
    falling = ("policer above the baseline", "10 % loss", "30 % loss", "MTU black hole", "CPU taken away")
    load = iperf3(SECONDS, targetBitsPerSecond=LOAD_BITS_PER_SECOND)
    low_load = iperf3(SECONDS, targetBitsPerSecond=LOW_LOAD_BITS_PER_SECOND)
    packets = iperf3(SECONDS, mssBytes=536)
    datagrams = iperf3(SECONDS, protocol="udp", datagramBytes=16384, targetBitsPerSecond=80_000_000)
    together: list[list[Object]] = [
        [plan("faults", pairs(*falling), [load], concurrency=2)],
        [
            plan("low load", pairs("policer below the baseline"), [low_load]),
            plan("fragments", pairs("fragments"), [datagrams]),
        ],
        [plan("credits", pairs("credits"), [iperf3(SECONDS)]), plan("packets", pairs("packet rate"), [packets])],
    ]
    found: dict[str, Object] = {}
    names = {case.instance_type: name for name, case in CASES.items()}
    for plans in together:
        for execution in [lab.start(each) for each in plans]:
            for measurement in _measurements(lab.follow(execution)):
                found[names[measurement["clientType"]]] = measurement
    return found


def _measurements(result: RunResult) -> list[Object]:
    assert result.summary is not None, result.cause
    measurements: list[Object] = result.summary["measurements"]
    return measurements


def _said(measurement: Object) -> str:
    return json.dumps(measurement["verdict"], indent=1)


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_names_the_cause(measured: dict[str, Object], name: str) -> None:
    verdict = measured[name]["verdict"]
    assert verdict["cause"] in CASES[name].causes, _said(measured[name])
    assert verdict["kind"] in CASES[name].kinds, _said(measured[name])


@pytest.mark.parametrize("name", OTHERS)
def test_nothing_is_said_of_credits_where_they_are_not_the_cause(measured: dict[str, Object], name: str) -> None:
    verdict = measured[name]["verdict"]
    assert _credit_figures(verdict) == {"bucketBits": None, "refillSeconds": None, "holdTimes": []}, _said(
        measured[name]
    )
    assert verdict["throttledBy"] is None


def test_real_credits_have_a_bucket(measured: dict[str, Object]) -> None:
    verdict = measured["credits"]["verdict"]
    assert verdict["bucketBits"] == pytest.approx(16e9, rel=0.1), _said(measured["credits"])


def _credit_figures(verdict: Object) -> dict[str, Any]:
    return {name: verdict[name] for name in ("bucketBits", "refillSeconds", "holdTimes")}
