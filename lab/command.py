"""`npm run lab` runs the whole service on this machine.

npm run lab                          run examples/plans/lab-default.json
npm run lab -- --plan FILE           run another plan
npm run lab -- --json                progress and result as NDJSON
npm run lab -- --time-divisor 1      network credits that last as long as on EC2 (by default they last a twentieth)
npm run lab -- --folder DIR          keep state, logs and reports in DIR instead of .lab/
npm run --silent lab -- athena SQL   query the last run's measurements (SQL, or the name of a query in queries/)
npm run prove -- --lab               what `npm run prove` can prove without an account
"""

import argparse
import fcntl
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from lab import namespace
from lab.runner import LabError
from lab.runner.athena import run_query
from lab.runner.disk import FULL_BYTES, RUN_BYTES, with_space
from lab.runner.environment import forget_the_callers_account
from lab.runner.output import Output, query_table
from lab.runner.paths import REPOSITORY, LabPaths
from lab.runner.prove import prove
from lab.runner.run_plan import follow_run, start_run
from lab.runner.session import deployed_lab, kept_lab

ENDED_BY_SIGTERM = 128 + signal.SIGTERM
DEFAULT_PLAN = REPOSITORY / "examples/plans/lab-default.json"


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="npm run lab --", description="Runs the whole benchmark on this machine.")
    parser.add_argument("--plan", type=_from_caller, default=DEFAULT_PLAN, help="benchmark plan (JSON) to run")
    parser.add_argument("--folder", type=_from_caller, default=LabPaths().root, help="state, logs and reports")
    parser.add_argument("--json", action="store_true", help="print progress and result as NDJSON")
    parser.add_argument("--time-divisor", type=_above_zero, help="how many times sooner than on EC2 credits run out")
    commands = parser.add_subparsers(dest="command")
    athena = commands.add_parser("athena", help="query the last run's measurements")
    athena.add_argument("query", help="SQL, or the name of a query in queries/")
    commands.add_parser("prove", help="put the claims of docs/on-aws.md to the test", add_help=False)
    # What comes after `prove` is for bin/prove.ts to read.
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command != "prove":
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    options.prove_arguments = rest
    return options


def _above_zero(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a number above 0, got {text}")
    return value


def _from_caller(text: str) -> Path:
    """Resolves a relative path from the folder in which the user typed it: npm changes to the package's folder."""
    return Path(os.environ.get("LAB_CALLER_FOLDER", os.getcwd()), text).resolve()


def run_prove(paths: LabPaths, options: argparse.Namespace) -> int:
    output = Output(as_json=False)
    with with_space(paths.root, RUN_BYTES), deployed_lab(paths, output.progress, options.time_divisor) as (aws, _):
        return prove(aws, options.prove_arguments, _from_caller("."))


def read_plan(file: Path) -> dict[str, Any]:
    """Returns the plan as written in the file; the handler plan-run checks it."""
    try:
        plan: dict[str, Any] = json.loads(file.read_text())
        return plan
    except OSError as error:
        raise LabError(f"--plan {file}: {error.strerror}") from error
    except ValueError as error:
        raise LabError(f"--plan {file}: must be JSON: {error}") from error


def lock(paths: LabPaths) -> None:
    """Locks the file `lock` in the lab's folder until this process, and with it the lab, ends."""
    for mounted in namespace.OWN_FILE_SYSTEMS:
        if paths.root.is_relative_to(mounted):
            raise LabError(f"{paths.root}: must not be below {mounted}, where the lab mounts a file system of its own")
    try:
        paths.root.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise LabError(f"{paths.root}: must be a folder, got a file in its place; move the file away") from error
    try:
        fcntl.flock(os.open(paths.lock, os.O_RDWR | os.O_CREAT, 0o666), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise LabError(f"another lab is running in {paths.root}; stop it or wait for its end") from error


def run_lab(paths: LabPaths, options: argparse.Namespace) -> int:
    plan_file, output = options.plan, Output(options.json)
    plan = read_plan(plan_file)
    with (
        with_space(paths.root, RUN_BYTES),
        deployed_lab(paths, output.progress, options.time_divisor) as (aws, deployment),
    ):
        execution_arn = start_run(aws, deployment, plan)
        aws.save_state()
        run_id = execution_arn.rsplit(":", 1)[1]
        output.progress({"event": "started", "runId": run_id, "plan": str(plan_file)})
        result = follow_run(aws, deployment, execution_arn, output.progress)
    output.result(result)
    return 0 if result.status == "SUCCEEDED" else 1


def stop(*_: object) -> None:
    """Signal handler: prints a line, because the embedded AWS then takes some seconds to write its state."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("lab: stopping; what was measured so far stays in the lab's folder", file=sys.stderr, flush=True)
    raise KeyboardInterrupt


def enter_namespaces(arguments: list[str]) -> int:
    code = namespace.enter([sys.executable, "-m", "lab", *arguments])
    if code == ENDED_BY_SIGTERM:
        # It had just begun to start, so that it could not say so itself.
        print("lab: stopped", file=sys.stderr)
    return code


def main(arguments: list[str]) -> int:
    options = parse_arguments(arguments)
    paths = LabPaths(options.folder)
    try:
        if not namespace.is_inside():
            read_plan(options.plan)
            lock(paths)
            return enter_namespaces(arguments)
        forget_the_callers_account()
        signal.signal(signal.SIGINT, stop)
        signal.signal(signal.SIGTERM, stop)
        if options.command == "prove":
            return run_prove(paths, options)
        if options.command != "athena":
            return run_lab(paths, options)
        with with_space(paths.root, FULL_BYTES), kept_lab(paths) as (aws, deployment):
            print(query_table(run_query(aws, deployment, options.query)))
        return 0
    except (LabError, namespace.NamespaceRefusedError) as error:
        print(f"lab: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        if isinstance(error, ConnectionError):
            raise
        where = error.filename or paths.root
        print(f"lab: {where}: {error.strerror}; mend it, or choose another folder with --folder", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("lab: stopped", file=sys.stderr)
        return 130
