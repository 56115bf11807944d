"""`npm run lab` runs the whole service on this machine: `--help` has its options, and docs/lab.md explains them."""

import argparse
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from botocore.exceptions import BotoCoreError

from lab import namespace
from lab.hosts.path_fault import PathFault, PathFaultError
from lab.hosts.profiles import Profiles, UnknownInstanceTypeError
from lab.runner import LabError
from lab.runner.check_plan import check_plan
from lab.runner.deployment import FREE_CONTEXT
from lab.runner.embedded_aws import EmbeddedAws
from lab.runner.environment import forget_the_callers_account
from lab.runner.listings import (
    clean,
    counted,
    megabytes_of,
    queries_table,
    runs_table,
    types_table,
    what_labs_left,
)
from lab.runner.output import Output, csv_lines, ndjson_lines, query_table
from lab.runner.paths import FULL_BYTES, REPOSITORY, RUN_BYTES, FolderLock, LabPaths, with_space
from lab.runner.progress import saying
from lab.runner.prove import prove
from lab.runner.query import LAB_HAS_ENDED, QueryResult, no_row_hint, query_result, require_query, run_beside
from lab.runner.run_plan import delete_payload, follow_run, start_run
from lab.runner.session import deployed_lab, kept_lab
from lab.runner.status_line import ERASE
from lab.runner.store import Store, copy_saved_runs

ENDED_BY_SIGTERM = 128 + signal.SIGTERM
DEFAULT_PLAN = REPOSITORY / "examples/plans/lab-default.json"


def _above_zero(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a number above 0, got {text}")
    return value


def _fault(text: str) -> str:
    try:
        instance_type = PathFault.parse(text).instance_type
        if instance_type is not None:
            Profiles.load().profile(instance_type)
    except (PathFaultError, UnknownInstanceTypeError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or key not in FREE_CONTEXT:
        raise argparse.ArgumentTypeError(f"must be KEY=VALUE with a KEY of {', '.join(FREE_CONTEXT)}, got {text}")
    if value.startswith("arn:"):
        raise argparse.ArgumentTypeError(
            f"must name e-mail addresses, because the lab has no topic of yours, got {text}"
        )
    return key, value


def _from_caller(text: str) -> Path:
    """Resolves a relative path from the user's own folder, because npm changes to the package's folder."""
    return Path(os.environ.get("LAB_CALLER_FOLDER", os.getcwd()), text).resolve()


class _Parser(argparse.ArgumentParser):
    """Argument parser that suggests the nearest command for an unknown one."""

    def error(self, message: str) -> NoReturn:
        wrong = re.search(r"invalid choice: '(.*)' \(choose from (.*)\)", message)
        if wrong:
            word, commands = wrong[1], re.findall(r"\w+", wrong[2])
            meant = [f"--plan {word}"] if word.endswith(".json") else get_close_matches(word, commands, 1)
            message += "".join(f"; did you mean {each}?" for each in meant)
        super().error(message)


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    parser = _Parser(prog="npm run lab --", description="Runs the whole benchmark on this machine.")
    parser.add_argument("--plan", type=_from_caller, default=DEFAULT_PLAN, help="benchmark plan (JSON) to run")
    parser.add_argument("--folder", type=_from_caller, default=LabPaths().root, help="store, logs and reports")
    parser.add_argument("--json", action="store_true", help="print progress and result as NDJSON")
    parser.add_argument("--time-divisor", type=_above_zero, help="how many times sooner than on EC2 credits run out")
    words = "[TYPE:]KIND[=AMOUNT][@START[+SECONDS]], a fault of the path to the hosts (docs/lab.md); may be repeated"
    parser.add_argument("--fault", type=_fault, action="append", default=[], help=words.replace("%", "%%"))
    words = f"deploy with a setting of docs/reporting.md ({', '.join(FREE_CONTEXT)}); may be given several times"
    parser.add_argument("-c", "--context", type=_setting, action="append", default=[], metavar="KEY=VALUE", help=words)
    # A command takes its options after its word, too, where the default must not replace what stands before it.
    folder = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    folder.add_argument("--folder", type=_from_caller, help="store, logs and reports")
    scale = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    scale.add_argument("--time-divisor", type=_above_zero, help="how many times sooner than on EC2 credits run out")
    commands = parser.add_subparsers(dest="command")
    athena = commands.add_parser(
        "athena", parents=[folder], help="query everything measured so far, also while a run is on"
    )
    athena.add_argument("query", help="SQL, or the name of a query in queries/")
    forms = athena.add_mutually_exclusive_group()
    for form, what in (("csv", "CSV"), ("json", "one JSON object per line")):
        words = f"print {what}, with every digit and with NULL as it is, instead of a table"
        forms.add_argument(f"--{form}", action="store_const", const=form, dest="form", help=words)
    athena.add_argument("--of-running-lab", action="store_true", help=argparse.SUPPRESS)
    commands.add_parser("queries", help="list the named queries")
    commands.add_parser("types", parents=[scale], help="list the lab's instance types, as their figures are scaled")
    commands.add_parser("runs", parents=[folder], help="list the runs in the store, with their reports")
    words = "delete the store, the reports and everything else in the lab's folder"
    cleaning = commands.add_parser("clean", parents=[folder], help=words)
    cleaning.add_argument("--yes", action="store_true", help="do not ask")
    commands.add_parser("prove", help="put the claims of docs/on-aws.md to the test", add_help=False)
    # test/on-aws/main.ts parses the arguments of `prove`.
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command != "prove":
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    options.prove_arguments = rest
    if options.command == "athena" and options.json and options.form is None:
        options.form = "json"
    return options


@contextmanager
def ends_with(output: Output) -> Iterator[None]:
    """Ends the progress with the block, however it ends, and has it say so when a signal stops the lab."""
    stop_on_signals(output.stop)
    try:
        yield
    finally:
        output.end()


def run_prove(paths: LabPaths, options: argparse.Namespace) -> int:
    output = Output(False, paths)
    output.progress({"event": "starting"})
    with (
        ends_with(output),
        with_space(paths.root, RUN_BYTES),
        deployed_lab(paths, output.progress, options.time_divisor) as (aws, _),
    ):
        output.end()
        return prove(aws, options.prove_arguments, _from_caller("."))


def run_lab(paths: LabPaths, options: argparse.Namespace) -> int:
    output = Output(options.json, paths)
    plan: dict[str, Any] = json.loads(options.plan.read_text())
    output.progress({"event": "starting"})
    with (
        ends_with(output),
        with_space(paths.root, RUN_BYTES),
        deployed_lab(paths, output.progress, options.time_divisor, context=dict(options.context)) as (aws, deployment),
    ):
        aws.set_path_faults(options.fault)
        execution_arn = start_run(aws, deployment, plan)
        aws.save_state()
        run_id = execution_arn.rsplit(":", 1)[1]
        output.progress({"event": "started", "runId": run_id, "plan": str(options.plan)})
        result = follow_run(aws, deployment, execution_arn, output.progress)
        delete_payload(aws)
    # Meanwhile the service has saved runs that were interrupted earlier.
    copy_saved_runs(paths)
    output.result(result)
    if not options.json:
        runs, megabytes = counted(len(Store(paths).run_ids()), "run"), sum(megabytes_of(paths).values())
        print(f"store:   {runs}, {megabytes:.0f} MB in {paths.root} ({paths.command('clean')} empties it)")
    return 0 if result.status == "SUCCEEDED" else 1


def print_result(paths: LabPaths, result: QueryResult, form: str | None, query: str, *run_ids: str) -> None:
    """Prints the rows as CSV or NDJSON, or as a table for people; hints at the cause if there are none."""
    match form:
        case "csv":
            lines = list(csv_lines(result))
        case "json":
            lines = list(ndjson_lines(result))
        case _:
            lines = [query_table([result.names, *result.rows])]
    try:
        for line in lines:
            print(line)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has closed the pipe, e.g. `head`. Python must not write the remaining output when it exits either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if form is None and not result.rows:
        print(no_row_hint(paths, query, *run_ids), file=sys.stderr)


def answer_query(paths: LabPaths, options: argparse.Namespace) -> int:
    with with_space(paths.root, FULL_BYTES), ExitStack() as stack:
        with saying("starting the embedded AWS for the query"):
            aws, deployment = stack.enter_context(kept_lab(paths))
            result = query_result(aws, deployment, options.query)
        print_result(paths, result, options.form, options.query, *Store(paths).run_ids())
    return 0


def answer_beside_run(paths: LabPaths, options: argparse.Namespace) -> int:
    store = Store(paths)
    if store.is_empty:
        raise LabError("no run to query yet: the lab is making its first deployment")
    try:
        result = query_result(EmbeddedAws(paths), store.kept_deployment().deployment, options.query)
    except BotoCoreError:
        return LAB_HAS_ENDED
    print_result(paths, result, options.form, options.query, *store.run_ids())
    return 0


def clean_if_agreed(paths: LabPaths, is_agreed: bool) -> int:
    left = what_labs_left(paths)
    if left is None:
        print(f"{paths.root} was empty")
        return 0
    if not is_agreed:
        if not sys.stdin.isatty():
            raise LabError(f"--yes: must be given if standard input is not a terminal; {paths.root} has {left}")
        print(f"{paths.root} has {left}")
        if input("Delete all of it? [y/N] ").strip().lower() not in ("y", "yes"):
            print("nothing was deleted")
            return 1
    clean(paths)
    print(f"deleted from {paths.root}: {left}")
    return 0


def stop_on_signals(when_stopped: Callable[[], None] = lambda: None) -> None:
    """Prints a line when a signal comes, because the embedded AWS takes some seconds to write its state."""

    def stop(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        when_stopped()
        # On a terminal, this takes the place of the progress and of the ^C behind it.
        erased = ERASE if sys.stderr.isatty() else ""
        words = "stopping: the hosts end and the store is saved; what was measured so far stays in the lab's folder"
        print(f"{erased}lab: {words}", file=sys.stderr, flush=True)
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)


def enter_namespaces(lock: FolderLock, arguments: list[str]) -> int:
    code = namespace.enter([sys.executable, "-m", "lab", *arguments], lock.tell_process)
    if code == ENDED_BY_SIGTERM:
        # The inner process was only starting, so it has printed nothing itself.
        print("lab: stopped, and nothing of it goes on", file=sys.stderr)
    return code


def refuse_plan(options: argparse.Namespace, problems: list[str]) -> int:
    if options.json:
        print(json.dumps({"event": "refused", "plan": str(options.plan), "problems": problems}), flush=True)
    count = counted(len(problems), "problem")
    print("\n".join([f"lab: {options.plan}: {count}, nothing was started", *problems]), file=sys.stderr)
    return 1


def main_outside(paths: LabPaths, options: argparse.Namespace, arguments: list[str]) -> int:
    """Does what needs no namespaces, and then enters them for commands that need them."""
    match options.command:
        case "types":
            rows, scale = types_table(options.time_divisor)
            print(f"{query_table(rows)}\n\n{scale}")
            return 0
        case "queries":
            print(query_table(queries_table()))
            return 0
        case None:
            output = Output(options.json, paths)
            if not options.json:
                output.progress({"event": "checking", "plan": str(options.plan)})
            problems, warnings = check_plan(options.plan, Store(paths), dict(options.context), options.time_divisor)
            output.end()
            if problems:
                return refuse_plan(options, problems)
            if not options.json:
                print("".join(f"{line}\n" for line in warnings), end="", file=sys.stderr, flush=True)
                output.progress({"event": "entering"})
        case "athena":
            require_query(options.query)
    lock = FolderLock(paths)
    if options.command == "runs":
        lab_since = None if lock.take() else lock.held_since()
        if lab_since is None:
            Store(paths).put_back()
        print(query_table(runs_table(paths, lab_since)))
        return 0
    if options.command == "athena":
        with saying("asking the running lab"):
            code = run_beside(lock, paths, options.query, options.form)
        if code is not None:
            return code
    lock.require()
    if options.command == "clean":
        return clean_if_agreed(paths, options.yes)
    return enter_namespaces(lock, arguments)


def main_inside(paths: LabPaths, options: argparse.Namespace) -> int:
    forget_the_callers_account()
    stop_on_signals()
    match options.command:
        case "prove":
            return run_prove(paths, options)
        case "athena" if options.of_running_lab:
            return answer_beside_run(paths, options)
        case "athena":
            return answer_query(paths, options)
        case _:
            return run_lab(paths, options)


def main(arguments: list[str]) -> int:
    options = parse_arguments(arguments)
    paths = LabPaths(options.folder)
    try:
        return main_inside(paths, options) if namespace.is_inside() else main_outside(paths, options, arguments)
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
        print("lab: stopped, and nothing of it goes on", file=sys.stderr)
        return 130
