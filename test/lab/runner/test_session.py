"""On which state a lab starts: it goes on with the kept one, or replaces it, and never loses what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from kept_store import deployment, put_object

from lab.runner import LabError, embedded_aws, session
from lab.runner.deployment import EVERY_PART, FREE_CONTEXT, DeploymentFailedError
from lab.runner.paths import LabPaths
from lab.runner.progress import Event
from lab.runner.session import deployed_lab, kept_lab
from lab.runner.store import KeptDeployment, Store


class FakeLab:
    """Stands in for the embedded AWS and the CDK: says which bucket is deployed, and can refuse an update."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.paths = LabPaths(folder)
        self.store = Store(self.paths)
        self.sources = "new sources"
        self.refuses_update = self.refuses_all = False
        self.events: list[Event] = []
        self.starts: list[str] = []
        self.deployed: list[dict[str, str]] = []
        monkeypatch.setattr(session, "embedded_aws", self._embedded_aws)
        monkeypatch.setattr(session, "deploy", self._deploy)
        monkeypatch.setattr(session, "describe_deployment", lambda _: deployment(self._bucket()))
        monkeypatch.setattr(session, "fingerprint", lambda context: f"{self.sources}{context.get('notify', '')}")
        monkeypatch.setattr(session, "stop_interrupted_runs", lambda *_: [])

    def keep(self, bucket: str, key: str) -> None:
        """A store of the same sources, with one object."""
        self.paths.renew()
        self.store.record(KeptDeployment(deployment(bucket), self.sources, []))
        (self.paths.aws_state / "account").write_text(bucket)
        put_object(self.store, key)

    def run(self, **context: str) -> str:
        """Opens the lab once, and returns the bucket that it has then."""
        with deployed_lab(self.paths, self.events.append, context=context) as (_, deployed):
            return deployed.bucket

    @property
    def event_names(self) -> list[str]:
        return [event["event"] for event in self.events]

    def _bucket(self) -> str:
        account = self.paths.aws_state / "account"
        if not account.exists():
            account.write_text("bucket-of-a-new-account")
        return account.read_text()

    @contextmanager
    def _embedded_aws(self, *_: Any, **__: Any) -> Iterator[Any]:
        self.starts.append(self._bucket())
        ec2 = SimpleNamespace(describe_subnets=lambda: {"Subnets": []})
        yield SimpleNamespace(
            save_state=lambda: None, endpoint_url="", session=SimpleNamespace(client=lambda *_, **__: ec2)
        )

    def _deploy(self, _: Any, context: Mapping[str, str]) -> float:
        self.deployed.append(dict(context))
        is_new = self._bucket() == "bucket-of-a-new-account"
        if self.refuses_all or (self.refuses_update and not is_new):
            raise DeploymentFailedError("cdk deploy failed; UPDATE_ROLLBACK_COMPLETE")
        return 1.0


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeLab:
    return FakeLab(tmp_path, monkeypatch)


def test_an_empty_folder_gets_an_account(lab: FakeLab) -> None:
    assert lab.run() == "bucket-of-a-new-account"
    assert lab.event_names == ["deploying", "deployed"]


def test_nothing_is_deployed_again(lab: FakeLab) -> None:
    lab.keep("kept", "reports/r1/plan.json")
    assert lab.run() == "kept"
    assert lab.event_names == []


def test_a_setting_is_deployed_for_the_runs_that_have_it(lab: FakeLab) -> None:
    lab.keep("kept", "reports/r1/plan.json")
    for context in ({"notify": "me@example.com"}, {"notify": "me@example.com"}, {}):
        assert lab.run(**context) == "kept"
    assert lab.deployed == [{**EVERY_PART, "notify": "me@example.com"}, EVERY_PART]


def test_what_becomes_of_a_run_at_its_end_is_deployed_only_where_it_is_asked_for() -> None:
    assert set(FREE_CONTEXT).isdisjoint(EVERY_PART)


def test_changed_sources_are_deployed_to_the_kept_account(lab: FakeLab) -> None:
    lab.keep("kept", "reports/r1/plan.json")
    lab.sources = "other sources"
    assert lab.run() == "kept"
    assert lab.event_names == ["deploying", "deployed"]
    assert lab.store.kept_deployment().sources == "other sources"
    assert lab.store.run_ids() == ["r1"]


def test_an_account_that_cannot_be_updated_is_replaced_and_its_results_are_carried_over(lab: FakeLab) -> None:
    lab.keep("kept", "reports/r1/plan.json")
    lab.sources, lab.refuses_update = "other sources", True
    assert lab.run() == "bucket-of-a-new-account"
    assert lab.event_names == ["deploying", "storeReplaced", "deploying", "deployed"]
    assert "UPDATE_ROLLBACK_COMPLETE" in lab.events[1]["reason"]
    assert lab.starts == ["kept", "bucket-of-a-new-account", "bucket-of-a-new-account"]
    assert lab.store.run_ids() == ["r1"]
    assert not lab.paths.replaced_state.exists()


def test_sources_that_nothing_accepts_leave_the_store_as_it_is(lab: FakeLab) -> None:
    lab.keep("kept", "reports/r1/plan.json")
    lab.sources, lab.refuses_all = "broken sources", True
    with pytest.raises(DeploymentFailedError):
        lab.run()
    assert lab.store.run_ids() == ["r1"]
    assert lab.store.kept_deployment().deployment.bucket == "kept"
    lab.sources, lab.refuses_all = "mended sources", False
    assert lab.run() == "kept"


def test_a_lab_that_was_killed_while_it_replaced_the_store_starts_again_with_the_old_one(lab: FakeLab) -> None:
    lab.keep("kept", "reports/r1/plan.json")
    lab.store.set_aside()
    (lab.paths.aws_state / "account").write_text("half-made")
    assert lab.run() == "kept"
    assert lab.store.run_ids() == ["r1"]


def test_a_state_whose_first_deployment_was_killed_is_thrown_away(lab: FakeLab) -> None:
    lab.paths.renew()
    (lab.paths.aws_state / "account").write_text("half-made")
    assert lab.run() == "bucket-of-a-new-account"


def test_queries_wait_for_a_run_that_renews_the_store(lab: FakeLab, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LabError, match="no run to query yet"), kept_lab(lab.paths):
        pass
    lab.keep("kept", "reports/r1/plan.json")
    with kept_lab(lab.paths) as (_, deployed):
        assert deployed.bucket == "kept"
    monkeypatch.setattr("lab.runner.store.STATE_VERSION", -1)
    with (
        pytest.raises(LabError, match="will replace this store, because the store was made by another version"),
        kept_lab(lab.paths),
    ):
        pass


def test_an_embedded_aws_that_had_to_be_killed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded_aws, "STOP_DEADLINE_SECONDS", 0)
    paths = LabPaths(tmp_path)
    paths.renew()
    with (
        pytest.raises(LabError, match="did not end within 0 s and was killed; the next lab starts from the state"),
        embedded_aws.embedded_aws(paths, with_hosts=False),
    ):
        pass
