"""`npm run faults` breaks runs in the lab at random moments, and holds what comes of them against its invariants.

npm run faults -- --count 200 --seed 7     the faults 0 to 199 of this seed
npm run faults -- --only 31 --seed 7       one of them again, alone
npm run faults -- --planted                defects in the product, to each of which the campaign must object
npm run faults -- --record                 what the rows of runs have that nothing befell, after a change of the product
npm run faults -- --count 10 --own-subnets --kind "host killed while it measures" --kind "execution stopped"
"""

import argparse
import re
import sys
import time
from collections.abc import Callable
from dataclasses import replace

from faults.campaign import ALLOWED_SECONDS, record, run_campaign
from faults.defects import DEFECTS
from faults.fault import KINDS, Fault, between_own_subnets, draw_fault
from faults.planted import first_fault, run_planted
from faults.table import table, totals
from faults.unharmed import shape_of
from lab import namespace
from lab.runner import LabError
from lab.runner.environment import forget_the_callers_account
from lab.runner.paths import REPOSITORY, FolderLock, LabPaths

# Enough to draw every plan.
DECKS, RUNS_OF_A_PLAN = 6, 1
FOLDER = REPOSITORY / ".lab" / "faults"


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="npm run faults --", description="Breaks runs in the lab at random moments.")
    parser.add_argument("--count", type=_whole_from(1), default=20, help="how many faults (20)")
    parser.add_argument("--seed", type=int, default=1, help="what the faults are drawn from (1)")
    parser.add_argument("--only", type=_whole_from(0), help="make only the fault of this number again")
    parser.add_argument("--at-once", type=_whole_from(1), default=8, help="how many runs at the same time (8)")
    parser.add_argument(
        "--kind", action="append", choices=KINDS, default=[], help="only faults of this kind; repeatable"
    )
    own_subnets = "runs between two networks of the user's own, except for faults of a load balancer"
    parser.add_argument("--own-subnets", action="store_true", help=own_subnets)
    parser.add_argument("--list", action="store_true", help="print the faults and make none")
    planted = "plant each defect of test/faults/defects.py instead, and expect an objection to it"
    parser.add_argument("--planted", action="store_true", help=planted)
    recorded = "make a run of each plan instead, and write what it leaves to test/fixtures/faults"
    parser.add_argument("--record", action="store_true", help=recorded)
    return parser.parse_args(arguments)


def _whole_from(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch("[0-9]+", text) or int(text) < least:
            raise argparse.ArgumentTypeError(f"must be a whole number from {least}, got {text}")
        return int(text)

    return read


def faults_of(options: argparse.Namespace) -> list[Fault]:
    numbers = range(options.count) if options.only is None else [options.only]
    drawn = [draw_fault(options.seed, number, options.kind) for number in numbers]
    return [between_own_subnets(fault) for fault in drawn] if options.own_subnets else drawn


_MOMENTS = {
    "launched": "the launch",
    "running": "the hosts are running",
    "measuring": "the first sample",
    "measured": "the end of its tools",
    "ended": "the end of the run",
}


def _moment(fault: Fault) -> str:
    if fault.trigger == "before":
        return f" ({fault.delay_seconds} s after the start)" if fault.delay_seconds else " (from the start)"
    return f" ({fault.delay_seconds} s after {_MOMENTS[fault.trigger]})"


def main(arguments: list[str]) -> int:
    options = parse_arguments(arguments)
    faults = faults_of(options)
    if options.list:
        for fault in faults:
            print(f"{fault.number:4}  {fault.kind}: {fault.words}{_moment(fault)}")
        return 0
    try:
        if not namespace.is_inside():
            FolderLock(LabPaths(FOLDER)).require()
            return namespace.enter([sys.executable, "-m", "faults", *arguments])
        forget_the_callers_account()
        return _run(options, faults)
    except (LabError, namespace.NamespaceRefusedError) as error:
        print(f"faults: {error}", file=sys.stderr)
        return 2


def _run(options: argparse.Namespace, faults: list[Fault]) -> int:
    started = time.monotonic()
    folder = FOLDER / "state"
    if options.record:
        record(plain_runs(), {kind: first_fault(kind) for one in DEFECTS for kind in one.kinds}, folder)
        return 0
    if options.planted:
        found = run_planted(folder)
        seen = [one for one in found if one.is_seen]
        print(f"\nobjected to {len(seen)} of {len(found)} defects in {(time.monotonic() - started) / 60:.1f} minutes")
        return 0 if len(seen) == len(found) else 1
    outcome = run_campaign(faults, options.at_once, folder)
    seconds = time.monotonic() - started
    print(f"\n{table(outcome.records)}\n\n{totals(outcome, seconds, ALLOWED_SECONDS)}")
    return 0 if outcome.is_success else 1


def plain_runs() -> list[Fault]:
    """Returns some runs of every plan of a deck that may end green, which nothing befalls."""
    drawn = [draw_fault(1, number) for number in range(DECKS * sum(kind.share for kind in KINDS.values()))]
    plans = {shape_of(one): one for one in drawn if one.outcome != "red" and not {"path", "slow"} & {*one.details}}
    runs = [one for one in plans.values() for _ in range(RUNS_OF_A_PLAN) if not one.needs_own_lab]
    plain = draw_fault(1, 0, ["nothing happens"])
    return [
        replace(
            one, number=number, kind=plain.kind, trigger="before", delay_seconds=0.0, details={}, words=shape_of(one)
        )
        for number, one in enumerate(runs)
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
