"""Checks a plan before anything runs, with the program that judges plans by the facts of an account in a file."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.runner import LabError
from lab.runner.account_facts import account_facts
from lab.runner.paths import REPOSITORY
from lab.runner.store import Store

_WITH_PROBLEMS = 1
_UNREADABLE = 2


def problems_of(plan_file: Path, store: Store, context: Mapping[str, str] | None = None) -> list[str]:
    """Returns every problem for which the service would refuse the plan, one line each.

    With `context`, also what the deployment would refuse of it.

    Raises LabError when the file has no plan.
    """
    with TemporaryDirectory(prefix="network-benchmark-lab-") as folder:
        facts_file = Path(folder, "facts.json")
        facts_file.write_text(json.dumps({**account_facts(store), "context": context or {}}, default=str))
        argv = ["bash", "scripts/run-bundle.sh", "check-plan", str(plan_file), str(facts_file)]
        done = subprocess.run(argv, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode == _UNREADABLE:
        raise LabError(f"--plan {done.stderr.strip()}")
    problems = done.stdout.splitlines()
    if done.returncode not in (0, _WITH_PROBLEMS) or (done.returncode == _WITH_PROBLEMS) != bool(problems):
        raise LabError(f"bin/check-plan.ts ended with code {done.returncode}: {done.stdout}{done.stderr}")
    return problems
