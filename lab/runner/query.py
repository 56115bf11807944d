"""`lab athena`: a query on the kept store, or on the lab that is running."""

import difflib
import re
import subprocess
import sys
import time
from pathlib import Path

from lab import namespace
from lab.runner import LabError
from lab.runner.lock import FolderLock
from lab.runner.paths import REPOSITORY, LabPaths

QUERIES = REPOSITORY / "queries"
HINT = "npm run lab -- queries lists the named ones"
# Of a query whose lab has ended before it had answered (EX_TEMPFAIL of sysexits.h).
LAB_HAS_ENDED = 75
_ATTEMPTS = 60
_PAUSE_SECONDS = 0.5


def named_queries() -> dict[str, Path]:
    return {file.stem: file for file in sorted(QUERIES.glob("*.sql"), key=lambda file: file.stem)}


def question_of(file: Path) -> str:
    """Returns the question that a named query answers: the first sentence below the title in its head."""
    lines = file.read_text().splitlines()
    head = " ".join(line.removeprefix("--").strip() for line in lines[1:] if line.startswith("--"))
    return re.split(r"(?<=[.?])\s", head, maxsplit=1)[0]


def no_row_hint(text: str, *run_ids: str) -> str:
    """Says that a query gave no row; of a named one also with which parameters, and how it is asked with others.

    A query whose parameters name a run and nothing of it comes with the command that asks it of the newest run: the
    last of `run_ids`.
    """
    file = named_queries().get(text)
    if file is None:
        return "no row"
    block = re.search(r"^WITH params AS \(\n  SELECT\n(.+?)\n\)", file.read_text(), re.MULTILINE | re.DOTALL)
    if block is None:
        raise LabError(f"{file}: must begin with its parameters, WITH params AS (")
    # The id in the file is an example, which no run of the lab has.
    runs = (
        "`npm run --silent lab -- runs` lists the ids of the runs, the newest last.\n"
        if " AS run_id" in block[1]
        else ""
    )
    example = re.search(r"'([^']+)' AS run_id", block[1])
    if run_ids and example is not None and "measurement_id" not in block[1]:
        runs += (
            f"To ask about the newest run, {run_ids[-1]}:\n"
            f"  npm run --silent lab -- athena \"$(sed 's/{example[1]}/{run_ids[-1]}/' queries/{text}.sql)\"\n"
        )
    return (
        f"no row. The parameters of {text} are:\n\n{block[1]}\n\n{runs}"
        f"To ask with others, change them in a copy of queries/{text}.sql:\n"
        f"  cp queries/{text}.sql my-query.sql\n"
        '  npm run --silent lab -- athena "$(cat my-query.sql)"'
    )


def require_query(text: str) -> None:
    """Raises LabError for what is neither SQL nor the name of a query."""
    if not text.strip():
        raise LabError(f"query: must be SQL or the name of a query, got nothing; {HINT}")
    if re.fullmatch(r"[\w.-]+", text) and text not in named_queries():
        near = difflib.get_close_matches(text, named_queries(), n=3, cutoff=0.5)
        meant = f"did you mean {' or '.join(near)}? " if near else ""
        raise LabError(f"query: must be SQL or the name of a query, got {text}; {meant}{HINT}")


def run_beside(lock: FolderLock, paths: LabPaths, text: str, form: str | None = None) -> int | None:
    """Asks the lab that holds the lock, and returns the exit code; None when nobody holds it any more.

    The caller holds it then. `form` is how the rows are printed, if not as a table: csv or json.
    """
    options = ["--of-running-lab"] if form is None else ["--of-running-lab", f"--{form}"]
    for _ in range(_ATTEMPTS):
        if lock.take():
            return None
        process_id = lock.process_id()
        if process_id is not None and Path(f"/proc/{process_id}").exists():
            argv = [sys.executable, "-m", "lab", "--folder", str(paths.root), "athena", *options, "--", text]
            done = subprocess.run(namespace.command_inside(process_id, argv), check=False)
            if done.returncode != LAB_HAS_ENDED:
                return done.returncode
        time.sleep(_PAUSE_SECONDS)
    raise LabError(f"the lab in {paths.root} is starting or ending and does not answer; ask again in a moment")
