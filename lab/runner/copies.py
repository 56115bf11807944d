"""Copies of a run's documents beside the store: whoever looks at a report needs no embedded AWS for it.

A run that ends is copied when it does. One that was interrupted is saved later, by the service, while another lab runs.
"""

import shutil
from pathlib import Path

from lab.runner.paths import LabPaths
from lab.runner.store import Store

# The embedded AWS keeps the metadata of an object in a file beside it.
_METADATA = ".meta.json"


def copied(paths: LabPaths, store: Store, run_id: str, name: str) -> Path | None:
    """Returns the copy of a document of a run, made anew if the store has a later one; None when the run has none."""
    source, target = store.objects() / "reports" / run_id / name, paths.reports / run_id / name
    if not source.exists():
        return None
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    return target


def copied_report(paths: LabPaths, store: Store, run_id: str) -> Path | None:
    """Returns the copy of a run's report, with the files of its series, to which the report links; None without one."""
    report = copied(paths, store, run_id, "report.html")
    if report is not None:
        for file in sorted((store.objects() / "reports" / run_id / "series").glob("*")):
            if not file.name.endswith(_METADATA):
                copied(paths, store, run_id, f"series/{file.name}")
    return report


def copy_saved_runs(paths: LabPaths) -> None:
    """Copies what the store has of every run and the folder has not yet."""
    store = Store(paths)
    for run_id in store.run_ids():
        copied(paths, store, run_id, "summary.json")
        copied_report(paths, store, run_id)
