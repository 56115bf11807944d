#!/usr/bin/env python3
"""Times how long `npm run lab` takes to refuse a plan with five mistakes of three kinds; prints the seconds as JSON.

  python3 scripts/bench-refused-plan.py [COUNT]

The mistakes are of the plan's form, of the lab's instance types and of the runs in the store.
"""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

REPOSITORY = Path(__file__).resolve().parents[1]
MISTAKES = 5
PLAN = {
    "name": "Five mistakes",
    "pairs": [
        {"clientType": "c5.xlarge", "serverType": "c5.xlarge", "placment": "cluster"},
        {"clientType": "m7i.large", "serverType": "c5.xlarg"},
    ],
    "measurements": [{"tool": "iperf3", "durationSeconds": 3}],
    "compareTo": "no-such-run",
}


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    seconds = []
    with TemporaryDirectory() as folder:
        file = Path(folder, "plan.json")
        file.write_text(json.dumps(PLAN))
        command = ["npm", "run", "--silent", "lab", "--", "--json", "--folder", f"{folder}/lab", "--plan", str(file)]
        for _ in range(count):
            started = time.monotonic()
            done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
            seconds.append(round(time.monotonic() - started, 2))
            found = json.loads(done.stdout)["problems"]
            if len(found) != MISTAKES:
                raise SystemExit(f"problems: must be {MISTAKES}, got {found}")
    print(json.dumps({"medianSeconds": statistics.median(seconds), "seconds": seconds}))


if __name__ == "__main__":
    main()
