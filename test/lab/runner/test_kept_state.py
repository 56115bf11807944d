"""The store that the lab keeps: when it can be used again, and that its results survive when it can't."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from kept_store import deployment, kept_store, put_object

from lab.aws.settings import ACCOUNT_ID, BEING_WRITTEN
from lab.runner import store as store_module
from lab.runner.paths import REPOSITORY, LabPaths
from lab.runner.store import DEPLOYED_SOURCES, KeptDeployment, Store, fingerprint

# What the repository has and the deployed stack is not made from.
NOT_DEPLOYED = {"docs", "lab", "node_modules", "research", "schemas", "scripts", "test"}


def kept(paths: LabPaths, bucket: str, *keys: str) -> Store:
    """Makes a store with such a bucket, and an object of each key."""
    store = kept_store(paths, bucket)
    for key in keys:
        put_object(store, key, key)
    return store


def test_a_store_that_this_lab_made_can_be_used_again(tmp_path: Path) -> None:
    store = kept(LabPaths(tmp_path), "results", "reports/r1/plan.json")
    assert not store.is_empty
    assert store.reason_to_replace() is None
    assert store.kept_deployment() == KeptDeployment(deployment("results"), "sources", [])
    assert store.run_ids() == ["r1"]
    assert store.objects() == tmp_path / "state" / "s3" / ACCOUNT_ID / "results"


def test_a_store_of_another_version_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = kept(LabPaths(tmp_path), "results")
    monkeypatch.setattr(store_module, "STATE_VERSION", store_module.STATE_VERSION + 1)
    assert store.reason_to_replace() == "it was made by another version of the lab"


def test_a_store_that_a_kill_has_torn_is_replaced(tmp_path: Path) -> None:
    store = kept(LabPaths(tmp_path), "results")
    (tmp_path / "state" / BEING_WRITTEN).touch()
    assert store.reason_to_replace() == "the lab was killed while it wrote it"


def test_the_results_of_a_replaced_store_are_carried_over(tmp_path: Path) -> None:
    store = kept(LabPaths(tmp_path), "old", "reports/r1/plan.json", "runs/day=2026-11-23/r1.ndjson")
    store.set_aside()
    assert store.is_empty
    store.record(KeptDeployment(deployment("new"), "sources", []))
    store.carry_over()
    assert (store.objects() / "reports/r1/plan.json").read_text() == "reports/r1/plan.json"
    assert (store.objects() / "runs/day=2026-11-23/r1.ndjson").exists()
    assert sorted(entry.name for entry in tmp_path.iterdir() if "state" in entry.name) == ["state"]


def test_a_lab_that_was_killed_before_it_carried_the_results_over_has_them_still(tmp_path: Path) -> None:
    store = kept(LabPaths(tmp_path), "old", "reports/r1/plan.json")
    store.set_aside()
    store.record(KeptDeployment(deployment("half-made"), "sources", []))
    Store(LabPaths(tmp_path)).put_back()
    assert store.kept_deployment().deployment.bucket == "old"
    assert (store.objects() / "reports/r1/plan.json").exists()


def test_a_changed_source_or_setting_changes_the_fingerprint(tmp_path: Path) -> None:
    for name in DEPLOYED_SOURCES:
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / "deep" / "file").write_text("one")
    seen = {fingerprint({}, tmp_path), fingerprint({"peering": "true"}, tmp_path)}
    for name in DEPLOYED_SOURCES:
        (tmp_path / name / "deep" / "file").write_text("two")
        seen.add(fingerprint({}, tmp_path))
        (tmp_path / name / "deep" / "file").rename(tmp_path / name / "deep" / "renamed")
        seen.add(fingerprint({}, tmp_path))
        (tmp_path / name / "deep" / "renamed.pyc").write_text("bytecode")
        seen.add(fingerprint({}, tmp_path))
    assert len(seen) == 2 + 2 * len(DEPLOYED_SOURCES)


def own_folders() -> set[str]:
    """Returns the folders that git knows; in a copy without git, those that it does not ignore."""
    if (REPOSITORY / ".git").exists():
        listed = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
        return {name.split("/")[0] for name in listed.splitlines() if "/" in name}
    ignored = {line.rstrip("/") for line in (REPOSITORY / ".gitignore").read_text().splitlines()}
    return {path.name for path in REPOSITORY.iterdir() if path.is_dir()} - ignored


def test_every_folder_of_the_repository_is_a_source_or_known_not_to_be_one() -> None:
    folders = {name for name in own_folders() if not name.startswith(".")}
    assert folders - set(DEPLOYED_SOURCES) - NOT_DEPLOYED == set()
    assert [name for name in DEPLOYED_SOURCES if not (REPOSITORY / name).exists()] == []
