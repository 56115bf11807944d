"""`lab athena`: queries the kept store or the running lab, and suggests names for unknown ones."""

import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryDirectory

from lab import namespace
from lab.runner import LabError
from lab.runner.deployment import Deployment
from lab.runner.embedded_aws import EmbeddedAws
from lab.runner.paths import REPOSITORY, FolderLock, LabPaths

QUERIES = REPOSITORY / "queries"
HINT = "npm run lab -- queries lists the named queries"
# Exit code of a query whose lab ended before it had answered (EX_TEMPFAIL of sysexits.h).
LAB_HAS_ENDED = 75
_ATTEMPTS = 60
_PAUSE_SECONDS = 0.5
QUERY_DEADLINE_SECONDS = 120

Row = list[str | None]
# The columns of each table and view, including those that partition it, by its name.
Relations = Mapping[str, Sequence[str]]

# Parts of fewer letters match many names by chance, and longer lists do not help.
_MIN_PART_LETTERS = 3
_MAX_LISTED = 6
_UNKNOWN_RELATION = re.compile(r"TABLE_NOT_FOUND: .*'(?:[^'.]+\.)*([^'.]+)' does not exist")
_UNKNOWN_COLUMN = re.compile(r"COLUMN_NOT_FOUND: .*'(?:[^'.]+\.)*([^'.]+)' cannot be resolved")


def named_queries() -> dict[str, Path]:
    return {file.stem: file for file in sorted(QUERIES.glob("*.sql"), key=lambda file: file.stem)}


def question_of(file: Path) -> str:
    """Returns the question that a named query answers: the first sentence below the title in its head."""
    lines = file.read_text().splitlines()
    head = " ".join(line.removeprefix("--").strip() for line in lines[1:] if line.startswith("--"))
    return re.split(r"(?<=[.?])\s", head, maxsplit=1)[0]


def no_row_hint(paths: LabPaths, text: str, *run_ids: str) -> str:
    """Explains that a query gave no row; for a named query, also with which parameters, and how to change them.

    If the parameters name a run, it gives the command that queries the newest run, the last of `run_ids`.
    """
    file = named_queries().get(text)
    if file is None:
        return "no row"
    block = re.search(r"^WITH params AS \(\n  SELECT\n(.+?)\n\)", file.read_text(), re.MULTILINE | re.DOTALL)
    if block is None:
        raise LabError(f"{file}: must begin with its parameters, WITH params AS (")
    # The run id in the file is an example, which no run of the lab has.
    runs = (
        f"`{paths.silent_command('runs')}` lists the ids of the runs, the newest last.\n"
        if " AS run_id" in block[1]
        else ""
    )
    example = re.search(r"'([^']+)' AS run_id", block[1])
    if run_ids and example is not None and "measurement_id" not in block[1]:
        of_newest = f"athena \"$(sed 's/{example[1]}/{run_ids[-1]}/' queries/{text}.sql)\""
        runs += f"To query the newest run, {run_ids[-1]}:\n  {paths.silent_command(of_newest)}\n"
    copied = paths.silent_command('athena "$(cat my-query.sql)"')
    return (
        f"no row. The parameters of {text} are:\n\n{block[1]}\n\n{runs}"
        f"To query with other parameters, change them in a copy of queries/{text}.sql:\n"
        f"  cp queries/{text}.sql my-query.sql\n"
        f"  {copied}"
    )


def require_query(text: str) -> None:
    """Raises LabError for what is neither SQL nor the name of a query."""
    if not text.strip():
        raise LabError(f"query: must be SQL or the name of a query, got nothing; {HINT}")
    if re.fullmatch(r"[\w.-]+", text) and text not in named_queries():
        near = get_close_matches(text, named_queries(), n=3, cutoff=0.5)
        meant = f"did you mean {' or '.join(near)}? " if near else ""
        raise LabError(f"query: must be SQL or the name of a query, got {text}; {meant}{HINT}")


def run_beside(lock: FolderLock, paths: LabPaths, text: str, form: str | None = None) -> int | None:
    """Queries the lab that holds the lock, and returns the exit code; None if the lock has become the caller's.

    `form` is how the rows are printed, if not as a table: csv or json.
    """
    options = ["--of-running-lab"] if form is None else ["--of-running-lab", f"--{form}"]
    for _ in range(_ATTEMPTS):
        if lock.take():
            return None
        process_id = lock.process_id()
        if process_id is not None and Path(f"/proc/{process_id}").exists():
            argv = [sys.executable, "-m", "lab", "--folder", str(paths.root), "athena", *options, "--", text]
            with TemporaryDirectory() as folder:
                done = subprocess.run(namespace.command_inside(process_id, argv, folder), check=False)
            if done.returncode != LAB_HAS_ENDED:
                return done.returncode
        time.sleep(_PAUSE_SECONDS)
    raise LabError(f"the lab in {paths.root} is starting or ending and does not answer; ask again in a moment")


@dataclass(frozen=True)
class QueryResult:
    """Values as Athena writes them; None is NULL."""

    names: list[str]
    types: list[str]
    rows: list[Row]


def query_result(aws: EmbeddedAws, deployment: Deployment, query: str) -> QueryResult:
    """Returns the result of SQL text or of a named query; raises LabError with Athena's reason if it fails."""
    sql = _deployed_queries(aws, deployment).get(query, query)
    started = aws.athena.start_query_execution(
        QueryString=sql,
        QueryExecutionContext={"Database": deployment.database},
        WorkGroup=deployment.workgroup,
    )
    execution_id = started["QueryExecutionId"]
    deadline = time.monotonic() + QUERY_DEADLINE_SECONDS
    while True:
        status = aws.athena.get_query_execution(QueryExecutionId=execution_id)["QueryExecution"]["Status"]
        if status["State"] == "SUCCEEDED":
            break
        if status["State"] in ("FAILED", "CANCELLED"):
            reason = status.get("StateChangeReason", status["State"])
            suggestion = meant(reason, sql, lambda: _relations_in(aws, deployment))
            raise LabError(f"Athena: {reason}{suggestion}")
        if time.monotonic() > deadline:
            raise LabError(f"Athena: no result after {QUERY_DEADLINE_SECONDS} s")
        time.sleep(0.1)
    pages = list(aws.athena.get_paginator("get_query_results").paginate(QueryExecutionId=execution_id))
    columns = pages[0]["ResultSet"]["ResultSetMetadata"]["ColumnInfo"]
    # The first row repeats the names.
    [_, *rows] = [
        [cell.get("VarCharValue") for cell in row["Data"]] for page in pages for row in page["ResultSet"]["Rows"]
    ]
    return QueryResult([column["Name"] for column in columns], [column["Type"] for column in columns], rows)


def _deployed_queries(aws: EmbeddedAws, deployment: Deployment) -> dict[str, str]:
    ids = aws.athena.list_named_queries(WorkGroup=deployment.workgroup)["NamedQueryIds"]
    queries = [aws.athena.get_named_query(NamedQueryId=query_id)["NamedQuery"] for query_id in ids]
    return {query["Name"]: query["QueryString"] for query in queries}


def meant(reason: str, query: str, relations: Callable[[], Relations]) -> str:
    """Returns a suggestion to append to Athena's reason; empty unless the reason is an unknown name.

    `relations` is called only if a name is unknown.
    """
    relation, column = _UNKNOWN_RELATION.match(reason), _UNKNOWN_COLUMN.match(reason)
    if relation is not None:
        names = sorted(relations())
        return _suggestion(relation[1], names) or f"; there are {', '.join(names)}"
    if column is None:
        return ""
    known = relations()
    words = set(re.findall(r"\w+", query.lower()))
    asked = [name for name in sorted(known) if name in words] or sorted(known)
    columns = sorted({each for name in asked for each in known[name]})
    return _suggestion(column[1], columns) or f"; docs/reference/columns.md lists the columns of {', '.join(asked)}"


def _suggestion(written: str, names: list[str]) -> str:
    """Suggests a name with a typing error first, and otherwise those that contain the word (`onset`)."""
    word = written.lower()
    near = get_close_matches(word, names, n=1) or _with_part(word, names)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _with_part(word: str, names: list[str]) -> list[str]:
    found = [name for name in names if word in name] if len(word) >= _MIN_PART_LETTERS else []
    return found if len(found) <= _MAX_LISTED else []


def _relations_in(aws: EmbeddedAws, deployment: Deployment) -> Relations:
    pages = aws.glue.get_paginator("get_tables").paginate(DatabaseName=deployment.database)
    return {
        table["Name"]: [
            column["Name"] for column in [*table["StorageDescriptor"]["Columns"], *table.get("PartitionKeys", [])]
        ]
        for page in pages
        for table in page["TableList"]
    }
