#!/usr/bin/env python3
"""Replays generated traces with iperf3 over the lab's token buckets, and judges what `npm run fit` says of them.

    .cache/venv/bin/python research/replay-traces.py [--seed 1] [--traces 30] [--at-once 2] [--out FOLDER]

A trace is a plan of rates, by its seed. New hosts play it from full credits over a kernel bucket (tbf) that is larger
than it needs, about as large, or smaller. Each rate is a run of `iperf3 -b`, because a single run would catch up after
a rest. The first throttle ends it: packets wait in the card's queue for half a second, while it sends no more than the
baseline, by the kernel's counters. fit gets the plan as CSV, in averages over a sixtieth of it, as minutes are of an
hour, and the bucket as measured with another pair of hosts, so that this one's may be 13 % larger or smaller.
SEED.json in FOLDER has the plan, the answer, and the bits of each second. A busy machine plays a trace again.
Exit code: 0; 1 when fewer than 28 of 30 answers are right, or a trace was throttled that never should be.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "test" / "lab")]

from host_support import TEST_PROFILES, Fleet, Pair, make_pair, make_profile, running, wait_for  # noqa: E402

from lab import namespace  # noqa: E402

MEGA = 1_000_000
TRACE_SECONDS, INTERVALS = 45, 60
# The credits that a plan needs, as a share of the bucket.
KINDS = {"roomy": (0.5, 0.88), "edge": (0.88, 1.14), "scarce": (1.5, 4.0)}
# Of a frame of 9,015 bytes, which the bucket pays for and the plan means: a segment of TCP with time stamps.
PAYLOAD_SHARE = 8949 / 9015
# A run's server may still be busy with the last one.
PORTS = range(5201, 5205)
READ_SECONDS, READINGS_OF_A_THROTTLE, BASELINE_TOLERANCE = 0.1, 6, 1.2
LEAST_PLAYED_SHARE = 0.95
# Whole seconds, and bits per second.
Rate = tuple[int, float]


class Reading(NamedTuple):
    seconds: float
    sent_bits: int
    waiting: int


@dataclass(frozen=True)
class Trace:
    seed: int
    kind: str
    baseline: int
    peak: int
    bucket: int
    rates: list[Rate]

    def bits_until(self, at: float) -> float:
        bits = 0.0
        for seconds, rate in self.rates:
            bits += rate * min(seconds, max(0.0, at))
            at -= seconds
        return bits

    def as_csv(self) -> str:
        length = sum(seconds for seconds, _ in self.rates) / INTERVALS
        starts = [length * number for number in range(INTERVALS)]
        rates = [(self.bits_until(at + length) - self.bits_until(at)) / length for at in starts]
        lines = [f"{at},{max(0.0, rate)}" for at, rate in zip(starts, rates, strict=True)]
        return "\n".join(["seconds,out_bits_per_second", *lines])


@dataclass(frozen=True)
class Replay:
    trace: Trace
    answer: dict[str, Any]
    first_throttle: float | None
    played_share: float
    sent_bits_at_seconds: list[int]

    @property
    def is_right(self) -> bool:
        throttled, low, high = (self.answer[name] for name in ("throttled", "low", "high"))
        if throttled == "never" or self.first_throttle is None:
            return self.first_throttle is None and throttled != "certainly"
        return self.is_near or bool(low <= self.first_throttle <= (high or float("inf")))

    @property
    def is_near(self) -> bool:
        first, value = self.first_throttle, self.answer["value"]
        return first is not None and value is not None and abs(first - value) <= 0.05 * value

    def __str__(self) -> str:
        seconds = [self.answer[name] for name in ("value", "low", "high")] + [self.first_throttle]
        value, low, high, first = (f"{'-' if each is None else f'{each:.1f}':>4}" for each in seconds)
        said = f"fit says {self.answer['throttled']:<9} at {value} ({low} to {high}); seen at {first}"
        judged = f"{self.played_share:.1%} played: {'right' if self.is_right else 'wrong'}"
        return f"{self.trace.seed:>4} {self.trace.kind:<6} {said}, {judged}"


def generated(seed: int) -> Trace:
    rng, kind = random.Random(seed), [*KINDS][seed % len(KINDS)]
    baseline, peak = rng.randint(15, 40) * MEGA, rng.randint(120, 200) * MEGA
    # Without this burst, a plan may need next to nothing.
    rates = [(8, 0.8 * peak)]
    while sum(seconds for seconds, _ in rates) < TRACE_SECONDS:
        some = piece(rng, baseline, peak)
        rates = rng.choice([some + rates, rates + some])
    changes = [(rate - baseline) * seconds for seconds, rate in rates]
    needed = max(accumulate(changes, lambda missing, change: max(0.0, missing + change), initial=0.0))
    return Trace(seed, kind, baseline, peak, round(needed / rng.uniform(*KINDS[kind])), rates)


def piece(rng: random.Random, baseline: float, peak: float) -> list[Rate]:
    """Returns a rest, a burst, a ramp up or down, or spikes of a second."""
    high, low = rng.uniform(0.3, 0.95) * peak, rng.choice([0, 1, 1]) * rng.uniform(0.2, 0.9) * baseline
    steps, seconds = rng.randint(3, 6), rng.randint(1, 2)
    ramp = [(seconds, baseline / 2 + (high - baseline / 2) * step / steps) for step in range(1, steps + 1)]
    rest, burst = [(rng.randint(1, 6), low)], [(rng.randint(3, 10), high)]
    return rng.choice([rest, burst, ramp, ramp[::-1], [(1, high), (seconds, low)] * 3])


def answers_to(traces: list[Trace]) -> list[dict[str, Any]]:
    asked = [{"csv": one.as_csv(), "baseline": one.baseline, "peak": one.peak, "bucket": one.bucket} for one in traces]
    command = ["bash", str(REPOSITORY / "scripts/with-node.sh"), "tsx", str(REPOSITORY / "research/fit-replays.ts")]
    printed = subprocess.run(command, input=json.dumps(asked), stdout=subprocess.PIPE, text=True, check=True).stdout
    return list(json.loads(printed))


def replayed(fleet: Fleet, trace: Trace, answer: dict[str, Any]) -> Replay:
    for _ in range(3):
        pair = make_pair(fleet, f"trace-{trace.seed}")
        with ExitStack() as processes:
            readings = played(fleet, trace, pair, processes)
        fleet.destroy_host(pair.client)
        fleet.destroy_host(pair.server)
        first = first_throttle(readings, trace.baseline)
        end = next(one for one in reversed(readings) if first is None or one.seconds == first)
        by_second = list({int(one.seconds): one.sent_bits for one in readings}.values())
        replay = Replay(trace, answer, first, end.sent_bits / trace.bits_until(end.seconds), by_second)
        if replay.played_share >= LEAST_PLAYED_SHARE:
            break
    return replay


def played(fleet: Fleet, trace: Trace, pair: Pair, processes: ExitStack) -> list[Reading]:
    for port in PORTS:
        processes.enter_context(running(fleet.command(pair.server, ["sh", "-c", f"iperf3 -s -p {port} 2>/dev/null"])))
    wait_for("iperf3's servers", lambda: all(fleet.is_listening(pair.server, port) for port in PORTS))
    script, due = ["echo begins"], 0
    for number, (seconds, rate) in enumerate(trace.rates):
        port, payload = PORTS[number % len(PORTS)], int(rate * PAYLOAD_SHARE)
        # To iperf3, zero is no limit. All shells start at once, because a busy machine takes long to start them.
        if rate > 0:
            load = f"iperf3 -c {pair.address} -p {port} -l 16K -t {seconds} -b {payload}"
            script.append(f"(sleep {due}; exec {load}) >/dev/null &")
        due += seconds
    command = fleet.command(pair.client, ["sh", "-c", "\n".join([*script, "wait"])])
    processes.enter_context(running(command)).readline()
    begin = time.monotonic()
    readings = [reading_of(fleet, pair, begin)]
    while readings[-1].seconds < due and first_throttle(readings, trace.baseline) is None:
        time.sleep(READ_SECONDS)
        readings.append(reading_of(fleet, pair, begin))
    return readings


def reading_of(fleet: Fleet, pair: Pair, begin: float) -> Reading:
    found = re.search(r"Sent (\d+) bytes .* backlog \S+ (\d+)p", fleet.queue(pair.client, "up0"), re.DOTALL)
    assert found
    return Reading(time.monotonic() - begin, 8 * int(found[1]), int(found[2]))


def first_throttle(readings: list[Reading], baseline: float) -> float | None:
    for at in range(len(readings) - READINGS_OF_A_THROTTLE + 1):
        some = readings[at : at + READINGS_OF_A_THROTTLE]
        most = BASELINE_TOLERANCE * baseline * (some[-1].seconds - some[0].seconds)
        if all(one.waiting for one in some) and some[-1].sent_bits - some[0].sent_bits <= most:
            return some[0].seconds
    return None


def replay_all(traces: list[Trace], at_once: int, out: Path | None) -> list[Replay]:
    made = [make_profile(f"trace-{one.seed}", one.peak, one.baseline, one.bucket) for one in traces]
    types = TEST_PROFILES.instance_types | {one.instance_type: one for one in made}
    flow_caps = dict.fromkeys(TEST_PROFILES.flow_cap_bits_per_second, 1000 * MEGA)
    profiles = replace(TEST_PROFILES, instance_types=types, flow_cap_bits_per_second=flow_caps)
    replays = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(at_once) as pool:
        fleet = Fleet(Path(folder), 4566, profiles)
        for replay in pool.map(lambda *one: replayed(fleet, *one), traces, answers_to(traces)):
            replays.append(replay)
            print(replay, flush=True)
            if out:
                (out / f"{replay.trace.seed}.json").write_text(json.dumps(asdict(replay)) + "\n")
        fleet.close()
    return replays


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="of the first trace; the others have the next ones")
    parser.add_argument("--traces", type=int, default=30)
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    if not namespace.is_inside():
        return namespace.enter([sys.executable, *sys.argv])
    traces = [generated(seed) for seed in range(arguments.seed, arguments.seed + arguments.traces)]
    replays = replay_all(traces, arguments.at_once, arguments.out)
    right = sum(one.is_right for one in replays if one.played_share >= LEAST_PLAYED_SHARE)
    never = [one.first_throttle is not None for one in replays if one.answer["throttled"] == "never"]
    near = [one.is_near for one in replays if one.first_throttle is not None]
    print(f"{right} of {len(replays)} within 5 % or inside the interval; {len(never)} said never, ", end="")
    print(f"{sum(never)} of these were throttled; {sum(near)} of {len(near)} throttles within 5 %")
    return 1 if any(never) or right < 28 / 30 * len(replays) else 0


if __name__ == "__main__":
    sys.exit(main())
