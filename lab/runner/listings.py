"""Tables of what the lab has (instance types, named queries, runs), and the deletion of its files."""

import json
import shutil
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

from lab.hosts.profiles import DEFAULT_PATH, Profile, Profiles
from lab.runner.paths import LabPaths
from lab.runner.query import named_queries, question_of
from lab.runner.store import Copies, Store

Rows = list[list[str]]


def types_table(time_divisor: float | None) -> tuple[Rows, str]:
    described = json.loads(DEFAULT_PATH.read_text())
    sources = {name: fields["source"] for name, fields in described["instanceTypes"].items()}
    profiles = Profiles.load()
    if time_divisor is not None:
        profiles = profiles.with_time_divisor(time_divisor)
    headings = ["type", "burst Gbit/s", "baseline Gbit/s", "bucket Gbit", "full burst s", "zones", "figures"]
    rows = [_type_row(profile, sources[name]) for name, profile in sorted(profiles.instance_types.items())]
    cap = profiles.flow_cap(in_cluster_group=False) / 1e9
    scale = (
        f"Rates are those of EC2 divided by {described['scale']['rateDivisor']}, and a burst at full rate ends "
        f"{profiles.time_divisor:g} times sooner than on EC2 (--time-divisor). One flow carries at most {cap:g} Gbit/s."
    )
    return [headings, *rows], "\n".join([scale, *(f"{name}: {words}." for name, words in described["sources"].items())])


def _type_row(profile: Profile, source: str) -> list[str]:
    peak, baseline, bucket = profile.peak_bits_per_second, profile.baseline_bits_per_second, profile.bucket_bits
    credits = ["", ""] if bucket is None else [f"{bucket / 1e9:.3g}", f"{bucket / (peak - baseline):.0f}"]
    zones = ", ".join(profile.offered_zones)
    return [profile.instance_type, f"{peak / 1e9:.3g}", f"{baseline / 1e9:.3g}", *credits, zones, source]


def queries_table() -> Rows:
    return [["query", "answers"], *([name, question_of(file)] for name, file in named_queries().items())]


def runs_table(paths: LabPaths, lab_since: datetime | None) -> Rows:
    """Returns a row per run in the store, oldest first, and copies reports that are only in the store.

    `lab_since` is when the lab that runs in the folder began; None if there is none.
    """
    store = Store(paths)
    rows = [_run_row(paths, store, run_id, lab_since) for run_id in store.run_ids()]
    return [["run", "started", "plan", "outcome", "verdicts", "report"], *rows]


def _run_row(paths: LabPaths, store: Store, run_id: str, lab_since: datetime | None) -> list[str]:
    copies = Copies(paths, store.objects())
    summary, report = copies.document(run_id, "summary.json"), copies.report(run_id)
    if summary is None:
        planned = json.loads((store.objects() / "reports" / run_id / "plan.json").read_text())
        # A run ends with its lab, so a run without a summary either belongs to the running lab or was interrupted.
        is_running = lab_since is not None and datetime.fromisoformat(planned["createdAt"]) >= lab_since
        outcome = "running" if is_running else "interrupted"
        return [run_id, _minute(planned["createdAt"]), planned["plan"]["name"], outcome, "", ""]
    described: dict[str, Any] = json.loads(summary.read_text())
    words = Counter(_word(one["verdict"]) for one in described["measurements"] if one.get("verdict"))
    verdicts = ", ".join(f"{count} {word}" for word, count in sorted(words.items()))
    row = [run_id, _minute(described["createdAt"]), described["planName"], described["outcome"]]
    return [*row, verdicts, "" if report is None else str(report)]


def _word(verdict: dict[str, Any]) -> str:
    """Returns the verdict's kind, with its cause in brackets."""
    kind, cause = verdict["kind"], verdict["cause"]
    return str(kind) if cause in (None, kind) else f"{kind} ({cause})"


def _minute(instant: str) -> str:
    return f"{instant[:16].replace('T', ' ')} UTC"


def counted(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"


def megabytes_of(paths: LabPaths) -> dict[str, float]:
    return {what: _megabytes_in(folder) for what, folder in paths.contents.items() if folder.exists()}


def _megabytes_in(folder: Path) -> float:
    return sum(file.lstat().st_size for file in folder.rglob("*") if not file.is_dir()) / 1e6


def what_labs_left(paths: LabPaths) -> str | None:
    """Returns what `clean` would delete, in words; None if nothing is there."""
    store = Store(paths)
    store.put_back()
    sizes = megabytes_of(paths)
    if not sizes:
        return None
    parts = ", ".join(f"{what} {size:.1f} MB" for what, size in sizes.items())
    return f"{counted(len(store.run_ids()), 'run')}; {parts}; {sum(sizes.values()):.1f} MB in all"


def clean(paths: LabPaths) -> None:
    """Deletes the store and everything else that labs have left, but not the user's own files."""
    for folder in paths.contents.values():
        if folder.exists():
            shutil.rmtree(folder)
    paths.index.unlink(missing_ok=True)
