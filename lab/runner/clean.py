"""`lab clean`: empties the lab's folder, and says of what."""

import shutil
from pathlib import Path

from lab.runner.paths import LabPaths
from lab.runner.store import Store


def megabytes_of(paths: LabPaths) -> dict[str, float]:
    """Returns the size of what the lab keeps in its folder, by what it is: the bytes of its files."""
    return {what: _megabytes_in(folder) for what, folder in paths.contents.items() if folder.exists()}


def _megabytes_in(folder: Path) -> float:
    return sum(file.lstat().st_size for file in folder.rglob("*") if not file.is_dir()) / 1e6


def clean(paths: LabPaths) -> str:
    """Deletes the store and everything else that labs have left, and returns a sentence about it.

    Whatever else the user keeps in the folder stays.
    """
    store = Store(paths)
    store.put_back()
    run_count = len(store.run_ids())
    sizes = megabytes_of(paths)
    for what in sizes:
        shutil.rmtree(paths.contents[what])
    paths.index.unlink(missing_ok=True)
    if not sizes:
        return f"{paths.root} was empty"
    parts = ", ".join(f"{what} {size:.1f} MB" for what, size in sizes.items())
    runs = "1 run" if run_count == 1 else f"{run_count} runs"
    return f"deleted from {paths.root}: {runs}; {parts}; {sum(sizes.values()):.1f} MB in all"
