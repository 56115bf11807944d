"""The store that the lab keeps: when it can be used again, and that its results survive when it can't."""

from __future__ import annotations

from pathlib import Path

import pytest
from kept_store import deployment, kept_store, put_object

from lab.aws.settings import ACCOUNT_ID, BEING_WRITTEN
from lab.runner import store as store_module
from lab.runner.paths import LabPaths
from lab.runner.store import KeptDeployment, Store


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
    assert store.reason_to_replace() == "the store was made by another version of the lab"


def test_a_store_that_a_kill_has_torn_is_replaced(tmp_path: Path) -> None:
    store = kept(LabPaths(tmp_path), "results")
    (tmp_path / "state" / BEING_WRITTEN).touch()
    assert store.reason_to_replace() == "the lab was killed while writing the store"


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
