"""`npm run faults` breaks runs in the lab at random moments, and holds what comes of them against its invariants.

npm run faults -- --count 200 --seed 7     the faults 0 to 199 of this seed
npm run faults -- --only 31 --seed 7       one of them again, alone
npm run faults -- --count 10 --own-subnets --kind "host killed while it measures" --kind "execution stopped"
"""

import argparse
import re
import sys
import time
from collections.abc import Callable

from faults.campaign import ALLOWED_SECONDS, run_campaign
from faults.fault import KINDS, Fault, between_own_subnets, draw_fault
from faults.table import table, totals
from lab import namespace
from lab.runner import LabError
from lab.runner.environment import forget_the_callers_account
from lab.runner.paths import REPOSITORY, FolderLock, LabPaths

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
        started = time.monotonic()
        records = run_campaign(faults, options.at_once, FOLDER / "state")
    except (LabError, namespace.NamespaceRefusedError) as error:
        print(f"faults: {error}", file=sys.stderr)
        return 2
    print(f"\n{table(records)}\n\n{totals(records, time.monotonic() - started, ALLOWED_SECONDS)}")
    return 1 if any(record.verdict.broken for record in records) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
