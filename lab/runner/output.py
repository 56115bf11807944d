"""Prints progress, results and rows: lines and tables for people, NDJSON or CSV for programs."""

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence

from lab.runner import LabError
from lab.runner.paths import REPOSITORY, LabPaths
from lab.runner.progress import Event, Progress
from lab.runner.query import QueryResult
from lab.runner.run_plan import RunResult
from lab.runner.status_line import StatusLine

_NUMBERS = ("tinyint", "smallint", "integer", "int", "bigint", "float", "real", "double", "decimal")
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_CSV_SPECIAL = re.compile(r'[",\r\n]')


class Output:
    def __init__(self, as_json: bool, paths: LabPaths) -> None:
        self._as_json = as_json
        self._paths = paths
        self._started = time.monotonic()
        self._progress = Progress(time.monotonic)
        self._status = StatusLine(self._progress.status, sys.stdout)
        if not as_json:
            self._status.start()

    def progress(self, event: Event) -> None:
        if self._as_json:
            elapsed = round(time.monotonic() - self._started, 1)
            print(json.dumps({**event, "unixSeconds": round(time.time(), 1), "elapsedSeconds": elapsed}), flush=True)
            return
        line = self._progress.line(event)
        if line is None:
            self._status.renew()
        else:
            self._status.print(line)

    def stop(self) -> None:
        """Says from now on that the lab stops. A signal's handler may call it, because it prints nothing itself."""
        self._progress.stop()

    def end(self) -> None:
        self._status.end()

    def result(self, result: RunResult) -> None:
        self.end()
        summary = result.summary
        if self._as_json:
            print(json.dumps(_result_event(result)), flush=True)
            return
        if result.forecast_folder is not None:
            forecast = _program("bin/forecast-table.ts", str(result.forecast_folder))
            print(f"\n{forecast}\n\nA dry run: nothing was launched", flush=True)
            return
        if summary is None or not summary["measurements"]:
            print(f"\n{result.error}: {result.cause}", file=sys.stderr)
            if result.report_path is not None:
                print(f"\nreport:  {result.report_path}", flush=True)
            self._print_mails(result)
            return
        print()
        print(_program("bin/verdict-table.ts", str(result.summary_path)))
        print(f"\nreport:  {result.report_path}")
        not_updated = f"the page that covers all runs was not updated; see {self._paths.aws_log} for the reason"
        print(f"runs:    {result.index_path or not_updated}")
        self._print_mails(result)
        all_rows = self._paths.silent_command('athena "SELECT * FROM measurements"')
        print(f"query:   {all_rows}")
        print(f"         {self._paths.silent_command('athena throttle-onsets')}")
        print(f"summary: {result.summary_path}", flush=True)

    def _print_mails(self, result: RunResult) -> None:
        if result.mail_paths is not None:
            for path in result.mail_paths or (f"no mail was written; see {self._paths.aws_log} for the reason",):
                print(f"mail:    {path}", flush=True)


def _result_event(result: RunResult) -> Event:
    summary = result.summary
    return {
        "event": "result",
        "runId": result.run_id,
        "status": result.status,
        "outcome": summary["outcome"] if summary else (result.output or {}).get("outcome"),
        "error": result.error,
        "cause": result.cause,
        "summary": str(result.summary_path) if result.summary_path else None,
        "report": str(result.report_path) if result.report_path else None,
        "index": str(result.index_path) if result.index_path else None,
        "mails": None if result.mail_paths is None else [str(path) for path in result.mail_paths],
    }


def query_table(rows: Sequence[Sequence[str | None]]) -> str:
    """Returns a query's rows, the first of which is the header, as a table in which NULL is empty."""
    return _program("bin/text-table.ts", standard_input=json.dumps([[cell or "" for cell in row] for row in rows]))


def _program(*command: str, standard_input: str = "") -> str:
    """Returns what a program of `bin/` prints, because the report's code makes the tables.

    The program writes to a pipe and is therefore told the terminal's width; without one, a table has all columns.
    """
    argv = [str(REPOSITORY / "node_modules/.bin/tsx"), *command]
    environment = dict(os.environ)
    if "COLUMNS" not in environment and sys.stdout.isatty():
        environment["COLUMNS"] = str(os.get_terminal_size(sys.stdout.fileno()).columns or 80)
    done = subprocess.run(
        argv, cwd=REPOSITORY, input=standard_input, stdout=subprocess.PIPE, text=True, check=True, env=environment
    )
    return done.stdout.rstrip()


def csv_lines(result: QueryResult) -> Iterator[str]:
    """Yields the header and the rows as RFC 4180 has them; an empty field is NULL, and "" is an empty text."""
    yield ",".join(_csv_cell(name) for name in result.names)
    for row in result.rows:
        yield ",".join(_csv_cell(value) for value in row)


def _csv_cell(value: str | None) -> str:
    if value is None:
        return ""
    if value == "" or _CSV_SPECIAL.search(value):
        return '"' + value.replace('"', '""') + '"'
    return value


def ndjson_lines(result: QueryResult) -> Iterator[str]:
    """Yields an object per row. Raises LabError if two columns have the same name."""
    twice = [name for name, count in Counter(result.names).items() if count > 1]
    if twice:
        raise LabError(f"--json: each column must have its own name, got {', '.join(twice)} twice; rename one with AS")
    keys = [json.dumps(name) for name in result.names]
    for row in result.rows:
        cells = zip(keys, result.types, row, strict=True)
        yield "{" + ", ".join(f"{key}: {_json_value(kind, value)}" for key, kind, value in cells) + "}"


def _json_value(kind: str, value: str | None) -> str:
    """Writes numbers with Athena's digits; NaN and Infinity, which JSON lacks, become texts."""
    if value is None:
        return "null"
    if kind == "boolean":
        return value
    if kind.startswith(_NUMBERS) and _JSON_NUMBER.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)
