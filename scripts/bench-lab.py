#!/usr/bin/env python3
"""Times `npm run lab` and prints the waits before and after measuring as one JSON line, in seconds.

  python3 scripts/bench-lab.py [--fresh] [-- ARGUMENTS OF THE LAB]

`--fresh` first removes what set-up installed in the checkout (node_modules, .cache), so that set-up is timed too. All
figures come from the lab's own NDJSON progress, which is polled once a second and therefore accurate to about a second,
and from the run's summary.
"""

import argparse
import json
import shutil
import subprocess
import time
from datetime import datetime
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
Object = dict[str, Any]


def unix_seconds(iso: str) -> float:
    return datetime.fromisoformat(iso).timestamp()


def first_after(events: list[Object], pair_id: str, at: float, leaving: tuple[str, ...]) -> float | None:
    """Returns when the pair was first seen in a state other than `leaving`, at or after `at`."""
    seen = [e for e in events if e["event"] == "state" and e["subject"] == pair_id and e["unixSeconds"] >= at]
    return next((e["unixSeconds"] for e in seen if not e["state"].startswith(leaving)), None)


def waits(events: list[Object], summary: Object) -> Object:
    """Returns the longest of each wait over all measurements."""
    to_first_sample, to_verdict = [], []
    for pair_id in {m["pairId"] for m in summary["measurements"]}:
        measured = sorted(
            (m for m in summary["measurements"] if m["pairId"] == pair_id and "startedAt" in m),
            key=lambda m: m["startedAt"],
        )
        online = next(
            e["unixSeconds"]
            for e in events
            if e["event"] == "state" and e["subject"] == pair_id and e["state"].startswith(("Prepare", "Serve"))
        )
        # A tool prints its first line one interval after its start.
        to_first_sample.append(unix_seconds(measured[0]["startedAt"]) + 1 - online)
        for measurement in measured:
            ended = unix_seconds(measurement["endedAt"])
            analysed = first_after(events, pair_id, ended, ("Measure", "Collect", "Analyse"))
            if analysed is not None:
                to_verdict.append(analysed - ended)
    return {
        "hostsOnlineToFirstSampleSeconds": round(max(to_first_sample), 1),
        "lastSampleToVerdictSeconds": round(max(to_verdict), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true", help="first remove what set-up installed in the checkout")
    parser.add_argument("lab", nargs="*", help="arguments of the lab")
    options = parser.parse_args()
    if options.fresh:
        for folder in ("node_modules", ".cache"):
            shutil.rmtree(REPOSITORY / folder, ignore_errors=True)

    started = time.monotonic()
    command = ["npm", "run", "--silent", "lab", "--", "--json", *options.lab]
    done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=True)
    total_seconds = time.monotonic() - started

    events = [json.loads(line) for line in done.stdout.splitlines()]
    summary = json.loads(Path(events[-1]["summary"]).read_text())
    measuring: dict[str, float] = {}
    for measurement in summary["measurements"]:
        pair_id = measurement["pairId"]
        measuring[pair_id] = measuring.get(pair_id, 0) + measurement["durationSeconds"]
    longest_pair_seconds = max(measuring.values())
    figures = {
        "outcome": summary["outcome"],
        "totalSeconds": round(total_seconds, 1),
        "deploySeconds": next(e["seconds"] for e in events if e["event"] == "deployed"),
        "longestPairMeasuringSeconds": longest_pair_seconds,
        "onTopOfMeasuringSeconds": round(total_seconds - longest_pair_seconds, 1),
        **waits(events, summary),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
