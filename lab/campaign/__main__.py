"""`npm run faults` breaks runs in the lab at random moments, and holds what comes of them against its invariants.

npm run faults -- --count 200 --seed 7     the faults 0 to 199 of this seed
npm run faults -- --only 31 --seed 7       one of them again, alone
"""

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from lab import namespace
from lab.campaign.conduct import Conductor
from lab.campaign.faults import Fault, draw_fault
from lab.campaign.judge import judge
from lab.campaign.subject import Lab
from lab.campaign.table import Record, table, totals
from lab.campaign.witness import Witness
from lab.runner import LabError
from lab.runner.environment import forget_the_callers_account
from lab.runner.paths import REPOSITORY, LabPaths
from lab.runner.session import fresh_lab

# One second in the campaign stands for fifteen of the waits of state machines, queues and schedules.
WAIT_DIVISOR = 15
# docs/architecture.md: what teardown and reaper left goes with the next sweep, which comes every quarter of an hour.
SWEEP_SECONDS = 900 / WAIT_DIVISOR
# What is not scaled: the sweep itself, and the end of a host.
REMOVAL_SECONDS = 30
ALLOWED_SECONDS = SWEEP_SECONDS + REMOVAL_SECONDS
FOLDER = REPOSITORY / ".lab" / "faults"


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="npm run faults --", description="Breaks runs in the lab at random moments.")
    parser.add_argument("--count", type=_from_one, default=20, help="how many faults (20)")
    parser.add_argument("--seed", type=int, default=1, help="what the faults are drawn from (1)")
    parser.add_argument("--only", type=int, help="make only the fault of this number again")
    parser.add_argument("--at-once", type=_from_one, default=8, help="how many runs at the same time (8)")
    parser.add_argument("--list", action="store_true", help="print the faults and make none")
    return parser.parse_args(arguments)


def _from_one(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, got {text}")
    return value


def faults_of(options: argparse.Namespace) -> list[Fault]:
    numbers = range(options.count) if options.only is None else [options.only]
    return [draw_fault(options.seed, number) for number in numbers]


def run_campaign(faults: list[Fault], seed: int, at_once: int, folder: Path) -> list[Record]:
    """Makes the faults in one lab; returns their records in the order of their numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    records: list[Record] = []
    with (
        fresh_lab(LabPaths(folder / "lab"), lambda event: None, wait_divisor=WAIT_DIVISOR) as (aws, deployment),
        (folder / f"seed-{seed}.jsonl").open("w") as file,
    ):
        lab = Lab(aws, deployment)
        with Witness(lab) as witness, ThreadPoolExecutor(at_once) as pool:
            conductor = Conductor(lab, witness, ALLOWED_SECONDS + REMOVAL_SECONDS)

            def make(fault: Fault) -> Record:
                started = time.monotonic()
                course = conductor.conduct(fault, f"f{fault.number:04d}")
                evidence = witness.of_run(course.run_id), witness.tools_of(course.run_id)
                removals = lab.control("GET", "removals")["removals"]
                verdict = judge(fault, course, *evidence, removals, ALLOWED_SECONDS)
                return Record(fault, course, verdict, time.monotonic() - started)

            for done in as_completed([pool.submit(make, fault) for fault in faults]):
                record = done.result()
                records.append(record)
                file.write(record.as_json() + "\n")
                file.flush()
                broken = "; ".join(record.verdict.broken)
                print(
                    f"{len(records)}/{len(faults)}  {record.fault.number} {record.fault.words}: "
                    f"{record.verdict.outcome}, {record.seconds:.0f} s{'  BROKEN: ' + broken if broken else ''}",
                    flush=True,
                )
    return sorted(records, key=lambda record: record.fault.number)


def main(arguments: list[str]) -> int:
    options = parse_arguments(arguments)
    faults = faults_of(options)
    if options.list:
        print(
            "\n".join(
                f"{fault.number:4}  {fault.kind}: {fault.words} ({fault.trigger} + {fault.delay_seconds} s)"
                for fault in faults
            )
        )
        return 0
    try:
        if not namespace.is_inside():
            return namespace.enter([sys.executable, "-m", "lab.campaign", *arguments])
        forget_the_callers_account()
        started = time.monotonic()
        records = run_campaign(faults, options.seed, options.at_once, FOLDER)
    except (LabError, namespace.NamespaceRefusedError) as error:
        print(f"faults: {error}", file=sys.stderr)
        return 2
    print(f"\n{table(records)}\n\n{totals(records, time.monotonic() - started, ALLOWED_SECONDS)}")
    return 1 if any(record.verdict.broken for record in records) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
