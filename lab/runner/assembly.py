"""Keeps what `cdk synth` writes, for each state of sources and settings, because it takes most of a deployment."""

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from lab.runner.paths import REPOSITORY

# Everything that `cdk deploy` reads. test/lab/runner/test_assembly.py compares it with the repository's folders.
DEPLOYED_SOURCES = (
    "bin",
    "browser",
    "cdk.json",
    "domain",
    "examples",
    "lambdas",
    "lib",
    "package-lock.json",
    "package.json",
    "queries",
    "ssm-documents",
    "tsconfig.json",
    "views",
)
ASSEMBLIES = REPOSITORY / ".cache" / "assemblies"
# The tests of the lab deploy some twenty settings; an assembly takes 15 MB.
MOST_KEPT = 24
# The context key whose value is a file that is read.
READ_FILE = "canaryPlan"


def fingerprint(context: Mapping[str, str], root: Path = REPOSITORY) -> str:
    digest = hashlib.sha256(json.dumps(dict(context), sort_keys=True).encode())
    files = [*_files_of(root), *([root / context[READ_FILE]] if READ_FILE in context else [])]
    for file in files:
        digest.update(f"{os.path.relpath(file, root)}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _files_of(root: Path) -> Iterator[Path]:
    for name in DEPLOYED_SOURCES:
        source = root / name
        files = [source] if source.is_file() else sorted(file for file in source.rglob("*") if file.is_file())
        # Whatever imports a script of the hosts may leave its bytecode beside it.
        yield from (file for file in files if file.suffix != ".pyc")


def put_assembly(
    folder: Path, context: Mapping[str, str], synthesize: Callable[[Path], None], kept: Path = ASSEMBLIES
) -> None:
    """Makes `folder` the assembly of the sources as they are; calls `synthesize` with a folder if none is kept of them.

    Another process that needs the same assembly waits for it. Raises what `synthesize` does.
    """
    kept.mkdir(parents=True, exist_ok=True)
    with (kept / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        one = kept / fingerprint(context)
        if not one.exists():
            unfinished = kept / "unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            synthesize(unfinished)
            unfinished.rename(one)
        os.utime(one)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(one, folder)
        by_use = sorted((each for each in kept.iterdir() if each.is_dir()), key=lambda each: each.stat().st_mtime)
        for each in by_use[:-MOST_KEPT]:
            shutil.rmtree(each)
