"""A verdict names why a rate fell, for each thing that the lab can make it fall by.

Every fall begins at second 15 of the load, but those of credits and of packets, which last as long as the lab's cards
allow; too many fragments are too many from the beginning on.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from lab.hosts.profiles import Profiles
from lab.runner.deployment import STACK_NAME
from lab.runner.paths import REPOSITORY
from lab.runner.run_plan import RunResult

from .running_lab import Object, RunningLab, iperf3, is_disturbed, pair, plan

SECONDS = 45
# The two with a target are far above and below what the faults leave, and the machine carries them.
LOADS = {
    "load": iperf3(SECONDS, targetBitsPerSecond=200_000_000),
    "low load": iperf3(SECONDS, targetBitsPerSecond=60_000_000),
    # Of several UDP streams, iperf3 3.12 may lose the first datagram on a busy machine, and gives up after 30 s.
    "fragments": iperf3(
        SECONDS, protocol="udp", datagramBytes=16384, targetBitsPerSecond=80_000_000, parallelStreams=1
    ),
    "no target": iperf3(SECONDS),
    "small packets": iperf3(SECONDS, mssBytes=536),
}


class Case(NamedTuple):
    """A pair of one type, and what its verdict must be."""

    instance_type: str
    fault: str | None
    kinds: tuple[str, ...]
    causes: tuple[str, ...]
    load: str = "load"


# How a rate scatters while TCP repeats lost segments decides the shape of its fall.
UNDER_LOSS = ("drop", "drops", "shift", "ramp", "noisy")
# Types have one case each, because a fault is of a type.
CASES = {
    # A policer leaves no trace but the level and what it drops.
    "policer above the baseline": Case("m5.large", "policer=120mbit@15", ("drop",), ("path_limit", "not_known")),
    "policer below the baseline": Case(
        "c5.large", "policer=40mbit@15", ("drop",), ("path_limit", "not_known"), "low load"
    ),
    "10 % loss": Case("c5.xlarge", "loss=10%@15", UNDER_LOSS, ("packet_loss",)),
    "30 % loss": Case("m5.xlarge", "loss=30%@15", (*UNDER_LOSS, "outage"), ("packet_loss",)),
    "MTU black hole": Case("m5.2xlarge", "mtu=1500@15", ("outage",), ("outage",)),
    "CPU taken away": Case("c5.2xlarge", "cpu=5%@15", ("drop",), ("cpu",)),
    "credits": Case("m6i.large", None, ("drop",), ("network_credits",), "no target"),
    "packet rate": Case("c6i.large", None, ("drop",), ("packet_rate",), "small packets"),
    "fragments": Case(
        "c5.9xlarge", None, ("steady", "noisy", "outage", "insufficient"), ("fragment_rate",), "fragments"
    ),
}
TOGETHER = (
    ("policer above the baseline", "10 % loss", "30 % loss", "MTU black hole", "CPU taken away"),
    ("policer below the baseline", "fragments"),
    ("credits", "packet rate"),
)
OTHERS = [name for name, case in CASES.items() if "network_credits" not in case.causes]


def pairs(*names: str) -> list[Object]:
    return [pair(CASES[name].instance_type) for name in names]


@pytest.fixture(scope="module")
def measured(lab: RunningLab) -> dict[str, Object]:
    """Returns the measurement of each case; cases that need little of the machine are measured together.

    A case that other work on this machine disturbed, or kept from being measured, is measured once more.
    """
    lab.path_faults(*(f"{case.instance_type}:{case.fault}" for case in CASES.values() if case.fault))
    found: dict[str, Object] = {}
    for names in TOGETHER:
        found |= _measure(lab, names)
    disturbed = [name for name in found if found[name]["verdict"] is None or _is_disturbed(name, found)]
    return found | _measure(lab, disturbed)


def _measure(lab: RunningLab, names: Sequence[str]) -> dict[str, Object]:
    executions = [
        lab.start(plan(load, pairs(*same), [LOADS[load]], concurrency=2))
        for load in LOADS
        if (same := [name for name in names if CASES[name].load == load])
    ]
    by_type = {CASES[name].instance_type: name for name in names}
    measurements = [each for execution in executions for each in _measurements(lab.follow(execution))]
    return {by_type[each["clientType"]]: each for each in measurements}


def _measurements(result: RunResult) -> list[Object]:
    assert result.summary is not None, result.cause
    measurements: list[Object] = result.summary["measurements"]
    return measurements


def _is_disturbed(name: str, measured: dict[str, Object]) -> bool:
    """Returns whether other work kept the processors busy. Of processors taken on purpose, the cases beside it tell."""
    (together,) = (names for names in TOGETHER if name in names)
    witnesses = [each for each in together if CASES[each].causes != ("cpu",)]
    return any(is_disturbed(measured[each]) for each in ([name] if name in witnesses else witnesses))


def _said(measurement: Object) -> str:
    return json.dumps(measurement["verdict"], indent=1)


def _verdict(measurement: Object) -> Object:
    verdict: Object = measurement["verdict"]
    assert verdict is not None, json.dumps(measurement, indent=1)
    return verdict


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_names_the_cause(measured: dict[str, Object], name: str) -> None:
    verdict = _verdict(measured[name])
    if _is_disturbed(name, measured):
        # A machine that is busy both times may hold the rate back by itself, which the verdict has to say.
        assert "other work kept the processors" in verdict["explanation"]
    else:
        assert verdict["cause"] in CASES[name].causes, _said(measured[name])
        assert verdict["kind"] in CASES[name].kinds, _said(measured[name])


@pytest.mark.parametrize("name", OTHERS)
def test_nothing_is_said_of_credits_where_they_are_not_the_cause(measured: dict[str, Object], name: str) -> None:
    verdict = _verdict(measured[name])
    assert _credit_figures(verdict) == {"bucketBits": None, "refillSeconds": None, "holdTimes": []}, _said(
        measured[name]
    )
    assert verdict["throttledBy"] is None


def test_real_credits_have_a_bucket(measured: dict[str, Object]) -> None:
    measurement = measured["credits"]
    profile = Profiles.load().profile(CASES["credits"].instance_type)
    assert profile.bucket_bits is not None
    # No disturbance makes a bucket let through more than it has and earns.
    mean = measurement["statistics"]["throughputBitsPerSecond"]["mean"]
    assert mean * SECONDS < 1.05 * (profile.bucket_bits + profile.baseline_bits_per_second * SECONDS)
    # A rate that other work held below the baseline gives some of the bucket back.
    if not _is_disturbed("credits", measured):
        assert measurement["verdict"]["bucketBits"] == pytest.approx(profile.bucket_bits, rel=0.1), _said(measurement)


def test_the_commands_know_the_bucket_that_the_stack_has_measured(lab: RunningLab, measured: dict[str, Object]) -> None:
    name = CASES["credits"].instance_type
    throttled = "status = 'complete' AND verdict_cause = 'network_credits' AND throttled_by IS NOT NULL"
    rows = lab.query(f"SELECT bucket_bits FROM measurements WHERE client_type = '{name}' AND {throttled}")
    stored = [float(bits) for (bits,) in rows if bits is not None]
    assert stored or _is_disturbed("credits", measured)

    (known,) = _printed(lab, "types", name)["types"]
    (examined,) = _printed(lab, "fit", "--transfer", "1TB", "--types", name)["types"]

    bucket = known["figures"]["bucketBits"]
    if stored:
        assert (bucket["low"], bucket["high"]) == (min(stored), max(stored))
        assert bucket["source"]["name"] == "own runs"
        assert bucket["measurementCount"] == examined["measurementCount"] == len(stored)
        assert examined["bucketBits"]["value"] == bucket["value"]
    else:
        assert (bucket["value"], examined["source"]) == (None, "published_figures")


def _printed(lab: RunningLab, command: str, *arguments: str) -> Object:
    """What a command of a checkout prints of the deployed stack."""
    script = [str(REPOSITORY / "scripts/run-bundle.sh"), command, f"--stack={STACK_NAME}", "--json", *arguments]
    done = subprocess.run(["bash", *script], env=lab.aws.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed: Object = json.loads(done.stdout)
    return printed


def _credit_figures(verdict: Object) -> dict[str, Any]:
    return {name: verdict[name] for name in ("bucketBits", "refillSeconds", "holdTimes")}
