#!/usr/bin/env python3
"""Times `npm run lab` and prints the waits before and after measuring as one JSON line, in seconds.

  python3 research/bench-lab.py [--fresh] [-- ARGUMENTS OF THE LAB]

`--fresh` first removes what set-up installed in the checkout (node_modules, .cache), so that set-up is timed too. All
figures come from the lab's own NDJSON progress, which is polled once a second and therefore accurate to about a second,
and from the run's summary.
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "scripts"))

from child_processes import end_by_signals, running  # noqa: E402

Object = dict[str, Any]
BEFORE_THE_VERDICT = ("Measure", "Collect", "Analyse")


def unix_seconds(iso: str) -> float:
    return datetime.fromisoformat(iso).timestamp()


def waits(events: list[Object], summary: Object) -> Object:
    """Returns the longest of each kind of wait over all measurements."""
    to_first_sample, to_verdict = [], []
    for pair_id in {m["pairId"] for m in summary["measurements"]}:
        states = [(e["unixSeconds"], e["state"]) for e in events if e["event"] == "state" and e["subject"] == pair_id]
        measured = [m for m in summary["measurements"] if m["pairId"] == pair_id and "startedAt" in m]
        online = next(at for at, state in states if state.startswith(("Prepare", "Serve")))
        # A tool prints its first line one interval after its start.
        to_first_sample.append(min(unix_seconds(m["startedAt"]) for m in measured) + 1 - online)
        for ended in (unix_seconds(m["endedAt"]) for m in measured):
            later = [at for at, state in states if at >= ended and not state.startswith(BEFORE_THE_VERDICT)]
            to_verdict += [at - ended for at in later[:1]]
    return {
        "hostsOnlineToFirstSampleSeconds": round(max(to_first_sample), 1),
        "lastSampleToVerdictSeconds": round(max(to_verdict), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true", help="first remove what set-up installed in the checkout")
    parser.add_argument("lab", nargs="*", help="arguments of the lab")
    options = parser.parse_args()
    end_by_signals()
    if options.fresh:
        for folder in ("node_modules", ".cache"):
            shutil.rmtree(REPOSITORY / folder, ignore_errors=True)

    started = time.monotonic()
    command = ["npm", "run", "--silent", "lab", "--", "--json", *options.lab]
    with running(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as lab:
        printed, _ = lab.communicate()
    if lab.returncode != 0:
        raise SystemExit(f"lab: must end with exit code 0, got {lab.returncode}")
    total_seconds = time.monotonic() - started

    events = [json.loads(line) for line in printed.splitlines()]
    summary = json.loads(Path(events[-1]["summary"]).read_text())
    measuring: Counter[str] = Counter()
    for measurement in summary["measurements"]:
        measuring[measurement["pairId"]] += measurement["durationSeconds"]
    longest_pair_seconds = max(measuring.values())
    figures = {
        "outcome": summary["outcome"],
        "totalSeconds": round(total_seconds, 1),
        "deploySeconds": next((e["seconds"] for e in events if e["event"] == "deployed"), 0),
        "longestPairMeasuringSeconds": longest_pair_seconds,
        "onTopOfMeasuringSeconds": round(total_seconds - longest_pair_seconds, 1),
        **waits(events, summary),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
