"""Copies of a run's documents beside the store: whoever looks at a report needs no embedded AWS for it.

A run that ends is copied when it does. One that was interrupted is saved later, by the service, while another lab runs.
"""

import re
import shutil
from pathlib import Path

from lab.runner.paths import LabPaths
from lab.runner.store import Store

# The embedded AWS keeps the metadata of an object in a file beside it.
_METADATA = ".meta.json"
# The lab's account has no page in the AWS console.
_CONSOLE_LINK = re.compile(r'<a\s[^>]*href="https://[\w-]+\.console\.[^"]*"[^>]*>[^<]*</a\s*>')
_CONSOLE_LINK_ALONE = re.compile(rf"<small>\s*{_CONSOLE_LINK.pattern}\s*</small>")


class Copies:
    """The copies of the documents among `objects`, a store's; each is at its key below the lab's folder."""

    def __init__(self, paths: LabPaths, objects: Path) -> None:
        self._folder = paths.root
        self._objects = objects

    def document(self, run_id: str, name: str) -> Path | None:
        return self._copy(f"reports/{run_id}/{name}")

    def report(self, run_id: str) -> Path | None:
        """Returns the copy of a run's report, with the files of its series, to which it links; None without one."""
        report = self.document(run_id, "report.html")
        if report is not None:
            for file in sorted((self._objects / "reports" / run_id / "series").glob("*")):
                if not file.name.endswith(_METADATA):
                    self.document(run_id, f"series/{file.name}")
        return report

    def forecast(self, run_id: str) -> Path:
        """Returns the folder with the copies of what the table of a dry run is made of."""
        for name in ("plan.json", "forecast.json"):
            self.document(run_id, name)
        return self._folder / "reports" / run_id

    def index(self) -> Path | None:
        """Returns the copy of the page over all runs, without links to the console."""
        index = self._copy("index.html")
        if index is not None:
            index.write_text(without_console_links(index.read_text()))
        return index

    def _copy(self, key: str) -> Path | None:
        """Makes a copy anew if the store has a later version."""
        source, target = self._objects / key, self._folder / key
        if not source.exists():
            return None
        if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        return target


def copy_saved_runs(paths: LabPaths) -> None:
    store = Store(paths)
    for run_id in store.run_ids():
        copies = Copies(paths, store.objects())
        copies.document(run_id, "summary.json")
        copies.report(run_id)


def without_console_links(page: str) -> str:
    """Returns the page without its links to the console, and without small print that is only such a link."""
    return _CONSOLE_LINK.sub("", _CONSOLE_LINK_ALONE.sub("", page))
