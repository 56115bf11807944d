"""A plan is judged by the facts of the lab's account, before a lab is started."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from kept_store import kept_store, put_object

from lab.runner import LabError
from lab.runner.check_plan import account_facts, check_plan, problems_of
from lab.runner.paths import REPOSITORY, LabPaths
from lab.runner.store import Store

EXAMPLES = REPOSITORY / "examples" / "plans"
PLAN: dict[str, Any] = {
    "name": "Plan",
    "pairs": [{"clientType": "c5.xlarge", "serverType": "c5.xlarge"}],
    "measurements": [{"tool": "iperf3", "durationSeconds": 60}],
}


def problems(folder: Path, plan: dict[str, Any], store: Store | None = None) -> list[str]:
    file = folder / "plan.json"
    file.write_text(json.dumps(plan))
    return problems_of(file, store or Store(LabPaths(folder / "lab")))


@pytest.mark.parametrize("name", ["lab-default", "own-subnets", "private-hosts", "article-ping-by-placement"])
def test_a_plan_for_the_lab_is_let_pass(tmp_path: Path, name: str) -> None:
    assert problems_of(EXAMPLES / f"{name}.json", Store(LabPaths(tmp_path))) == []


def test_the_check_leaves_nothing_among_the_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = tmp_path / "machine"
    machine.mkdir()
    monkeypatch.setenv("TMPDIR", str(machine))
    monkeypatch.setattr(tempfile, "tempdir", None)
    assert problems(tmp_path, PLAN) == []
    assert list(machine.iterdir()) == []


def test_what_the_deployment_would_refuse_is_found_before_it(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(PLAN | {"measurements": [{"tool": "iperf3", "durationSeconds": 3}]}))
    store = Store(LabPaths(tmp_path / "lab"))
    assert len(problems_of(file, store, {"notify": "me@example.com", "metrics": "all"})) == 1
    of_plan, of_context = problems_of(file, store, {"notify": "me at example.com"})
    assert of_plan.startswith("plan.measurements[0].durationSeconds: must be ")
    assert of_context.startswith("context notify: must be e-mail addresses") and "me at example.com" in of_context


def test_mistakes_of_all_kinds_are_found_at_once(tmp_path: Path) -> None:
    wrong = PLAN | {
        "pairs": [
            {"clientType": "c5.xlarge", "serverType": "c5.xlarge", "placment": "cluster"},
            {"clientType": "c5.xlarg", "serverType": "m5.large", "client": {"subnetId": "subnet-0123456789abcdef0"}},
        ],
        "measurements": [{"tool": "iperf3", "durationSeconds": 3}],
        "compareTo": "no-such-run",
    }
    found = problems(tmp_path, wrong)
    paths = [problem.split(": must be ")[0] for problem in found]
    assert sorted(paths) == [
        "plan.compareTo",
        "plan.measurements[0].durationSeconds",
        "plan.pairs[0].placment",
        "plan.pairs[1].client.subnetId",
        "plan.pairs[1].clientType",
    ]
    of_type = next(problem for problem in found if "clientType" in problem.split(": ")[0])
    assert "must be one of the lab's types: c4.xlarge, " in of_type
    assert "npm run lab -- types lists them; EC2 has more" in of_type
    assert of_type.endswith('did you mean "c5.xlarge"?')
    assert not (tmp_path / "lab").exists()


def test_what_a_plan_is_too_short_for_is_said_before_it_starts(tmp_path: Path) -> None:
    def warnings(seconds: int, time_divisor: float | None = None) -> list[str]:
        file = tmp_path / "plan.json"
        file.write_text(json.dumps(PLAN | {"measurements": [{"tool": "iperf3", "durationSeconds": seconds}]}))
        found, said = check_plan(file, Store(LabPaths(tmp_path / "lab")), time_divisor=time_divisor)
        assert found == []
        return said

    # The lab's c5.xlarge is throttled after 25 s, which a minute shows; on EC2's scale of time, it does not.
    assert warnings(60) == []
    assert any("20 s of traffic is too short for a verdict" in line for line in warnings(20))
    assert any("too short to show the throttle of c5.xlarge" in line for line in warnings(60, 1))


def test_a_run_in_the_store_can_be_compared_with_and_its_subnets_be_named(tmp_path: Path) -> None:
    store = kept_store(LabPaths(tmp_path / "lab"), subnets=({"SubnetId": "subnet-0000000a"},))
    put_object(store, "reports/earlier/plan.json")
    facts = account_facts(store)
    assert facts["runIds"] == ["earlier"]
    assert facts["subnets"][-1] == {"SubnetId": "subnet-0000000a"}


def test_a_file_without_a_plan_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "missing.json"
    with pytest.raises(LabError, match=f"--plan {missing}: must be the file of a plan: no such file or directory"):
        problems_of(missing, Store(LabPaths(tmp_path / "lab")))
