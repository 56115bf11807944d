"""The assembly of a deployment is kept for as long as nothing changes that it is made from."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.runner import LabError
from lab.runner.assembly import DEPLOYED_SOURCES, MOST_KEPT, fingerprint, put_assembly
from lab.runner.paths import REPOSITORY

# What the repository has and the deployed stack is not made from.
NOT_DEPLOYED = {"docs", "lab", "node_modules", "research", "schemas", "scripts", "test"}


class Synthesis:
    """Writes an assembly that says which one it is."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, folder: Path) -> None:
        self.count += 1
        folder.mkdir()
        (folder / "template.json").write_text(str(self.count))


@pytest.fixture
def put(tmp_path: Path) -> Callable[..., str]:
    synthesis = Synthesis()

    def made(**context: str) -> str:
        put_assembly(tmp_path / "cdk.out", context, synthesis, tmp_path / "kept")
        return (tmp_path / "cdk.out" / "template.json").read_text()

    return made


def test_an_assembly_is_made_once_for_each_setting(put: Callable[..., str], tmp_path: Path) -> None:
    assert [put(), put(peering="true"), put()] == ["1", "2", "1"]
    # What is done to the copy does not change what is kept.
    (tmp_path / "cdk.out" / "template.json").write_text("changed")
    assert put() == "1"


def test_a_plan_that_is_deployed_with_it_is_part_of_it(put: Callable[..., str], tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text("{}")
    first = put(canaryPlan=str(plan))
    plan.write_text('{"name": "another"}')
    assert put(canaryPlan=str(plan)) != first


def test_only_those_used_last_are_kept(put: Callable[..., str], tmp_path: Path) -> None:
    oldest = put()
    for number in range(MOST_KEPT - 1):
        put(tags=f"A={number}")
    assert put() == oldest
    put(tags="A=one more")
    assert put() == oldest
    assert len([each for each in (tmp_path / "kept").iterdir() if each.is_dir()]) == MOST_KEPT
    assert put(tags="A=0") == str(MOST_KEPT + 2)


def test_what_could_not_be_made_is_not_kept(put: Callable[..., str], tmp_path: Path) -> None:
    def failing(folder: Path) -> None:
        folder.mkdir()
        raise LabError("cdk synth failed")

    with pytest.raises(LabError, match="cdk synth failed"):
        put_assembly(tmp_path / "cdk.out", {}, failing, tmp_path / "kept")
    assert put() == "1"


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
