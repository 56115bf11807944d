"""The store that the lab keeps over runs: the embedded AWS's state with all objects of S3, and a record of its origin.

Copies of the runs' documents beside it can be read without an embedded AWS. A run is copied when it ends. The service
saves an interrupted run later, while another lab runs.
"""

import dataclasses
import hashlib
import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.aws.settings import ACCOUNT_ID, BEING_WRITTEN, MINISTACK_VERSION
from lab.runner.deployment import Deployment
from lab.runner.paths import REPOSITORY, LabPaths

# Raise this if states of earlier versions can't be used any more.
STATE_VERSION = 1
USER_ACCOUNT = REPOSITORY / "lab" / "user-account.json"
# The embedded AWS keeps an object's metadata in a file with this suffix beside it.
_METADATA = ".meta.json"
# The lab's account has no page in the AWS console.
_CONSOLE_LINK = re.compile(r'<a\s[^>]*href="https://[\w-]+\.console\.[^"]*"[^>]*>[^<]*</a\s*>')
_CONSOLE_LINK_ALONE = re.compile(rf"<small>\s*{_CONSOLE_LINK.pattern}\s*</small>")
# A subnet as DescribeSubnets shows it.
Subnet = dict[str, Any]


@dataclass(frozen=True)
class KeptDeployment:
    """The last deployment to the store."""

    deployment: Deployment
    sources: str
    """Fingerprint of the sources and settings that it was deployed from."""
    subnets: list[Subnet]
    """Of the stack and of the account."""


class Store:
    """The store in a lab's folder. Only the holder of the lab's lock may change it."""

    def __init__(self, paths: LabPaths) -> None:
        self._paths = paths

    @property
    def is_empty(self) -> bool:
        return not _record_in(self._paths.aws_state).exists()

    def kept_deployment(self) -> KeptDeployment:
        recorded = json.loads(_record_in(self._paths.aws_state).read_text())
        return KeptDeployment(Deployment(**recorded["deployment"]), recorded["sources"], recorded["subnets"])

    def record(self, kept: KeptDeployment) -> None:
        """Records what is deployed; call it after the embedded AWS has saved its state."""
        recorded = {"state": _state_identity(), **dataclasses.asdict(kept)}
        file = _record_in(self._paths.aws_state)
        partial = file.with_suffix(".partial")
        partial.write_text(json.dumps(recorded))
        partial.replace(file)

    def reason_to_replace(self) -> str | None:
        recorded = json.loads(_record_in(self._paths.aws_state).read_text())
        if recorded.get("state") != _state_identity():
            return "the store was made by another version of the lab"
        if (self._paths.aws_state / BEING_WRITTEN).exists():
            return "the lab was killed while writing the store"
        return None

    def objects(self) -> Path:
        """Returns the folder of the results: each object is a file named by its key, with its metadata beside it."""
        return _results_in(self._paths.aws_state)

    def subnets(self) -> list[Subnet]:
        return [] if self.is_empty else self.kept_deployment().subnets

    def planned_run_ids(self) -> list[str]:
        """Returns the runs whose plans are in the store; a refused plan is not."""
        return [] if self.is_empty else [file.parent.name for file in self.objects().glob("reports/*/plan.json")]

    def run_ids(self) -> list[str]:
        """Returns the runs with a plan or a summary in the store, oldest first."""
        if self.is_empty:
            return []
        began: dict[str, float] = {}
        for name in ("plan.json", "summary.json"):
            for file in self.objects().glob(f"reports/*/{name}"):
                began.setdefault(file.parent.name, file.stat().st_mtime)
        return sorted(began, key=lambda run_id: began[run_id])

    def clear(self) -> None:
        """Deletes a state without results, e.g. of a lab that was killed during its first deployment."""
        shutil.rmtree(self._paths.aws_state, ignore_errors=True)
        self._paths.aws_state.mkdir(parents=True)

    def set_aside(self) -> None:
        """Makes room for a new state, to which `carry_over` then moves the results."""
        self._paths.aws_state.rename(self._paths.replaced_state)
        self._paths.aws_state.mkdir()

    def put_back(self) -> None:
        """Undoes `set_aside`, including that of a lab that was killed before `carry_over`."""
        if self._paths.replaced_state.exists():
            shutil.rmtree(self._paths.aws_state, ignore_errors=True)
            self._paths.replaced_state.rename(self._paths.aws_state)

    def carry_over(self) -> None:
        """Moves the results of the state that was set aside to the new one, and deletes the rest of the old one."""
        source, target = _results_in(self._paths.replaced_state), self.objects()
        if source.exists():
            shutil.rmtree(target, ignore_errors=True)
            target.parent.mkdir(parents=True, exist_ok=True)
            source.rename(target)
        shutil.rmtree(self._paths.replaced_state)


class Copies:
    """Copies of the documents among a store's `objects`, each at its key below the lab's folder."""

    def __init__(self, paths: LabPaths, objects: Path) -> None:
        self._folder = paths.root
        self._objects = objects

    def document(self, run_id: str, name: str) -> Path | None:
        return self._copy(f"reports/{run_id}/{name}")

    def report(self, run_id: str) -> Path | None:
        """Returns the copy of a run's report, with the files of its series, to which it links, or None."""
        report = self.document(run_id, "report.html")
        if report is not None:
            for file in sorted((self._objects / "reports" / run_id / "series").glob("*")):
                if not file.name.endswith(_METADATA):
                    self.document(run_id, f"series/{file.name}")
        return report

    def forecast(self, run_id: str) -> Path:
        """Copies a dry run's plan and forecast, and returns their folder."""
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
        """Copies an object unless the copy is already up to date."""
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
    """Returns the page without links to the console, and without small print that is only such a link."""
    return _CONSOLE_LINK.sub("", _CONSOLE_LINK_ALONE.sub("", page))


def _state_identity() -> str:
    """Returns a hash of everything that must be unchanged for a lab to continue with a state."""
    parts = [str(STATE_VERSION).encode(), MINISTACK_VERSION.encode(), USER_ACCOUNT.read_bytes()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _record_in(state: Path) -> Path:
    return state / "deployment.json"


def _results_in(state: Path) -> Path:
    return objects_in(state, json.loads(_record_in(state).read_text())["deployment"]["bucket"])


def objects_in(state: Path, bucket: str) -> Path:
    return state / "s3" / ACCOUNT_ID / bucket
