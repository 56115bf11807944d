"""What a lab has measured stays: for the next run's comparison, for queries during it, and after a refused plan."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from .user_lab import Event, events_until, folder_of_a_lab, run_lab, start_lab

PLAN = {
    "name": "Kept",
    "pairs": [{"clientType": "m4.xlarge", "serverType": "m4.xlarge"}],
    "measurements": [{"tool": "iperf3", "durationSeconds": 15}],
    "compareTo": "previous",
}
# Two that the schema knows, two of the lab's account, one of the store.
WRONG_PLAN = PLAN | {
    "pairs": [
        {"clientType": "m4.xlarge", "serverType": "m4.xlarge", "placment": "cluster"},
        {"clientType": "m7i.large", "serverType": "c5.xlarg"},
    ],
    "measurements": [{"tool": "iperf3", "durationSeconds": 3}],
    "compareTo": "no-such-run",
}
WRONG_PATHS = [
    "plan.compareTo",
    "plan.measurements[0].durationSeconds",
    "plan.pairs[0].placment",
    "plan.pairs[1].clientType",
    "plan.pairs[1].serverType",
]
RUNS = "SELECT DISTINCT run_id FROM measurements ORDER BY 1"


class LabOfAUser:
    """The command as a user gives it, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "lab"
        self.plan = folder / "plan.json"

    def start_run(self, plan: Event) -> subprocess.Popen[str]:
        self.plan.write_text(json.dumps(plan))
        return start_lab(self.folder, "--json", "--plan", str(self.plan))

    def printed(self, *arguments: str) -> str:
        done = run_lab(self.folder, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def column(self, query: str) -> list[str]:
        """Returns the values of a query's only column."""
        return self.printed("athena", query).splitlines()[2:]


@pytest.fixture
def lab() -> Iterator[LabOfAUser]:
    with folder_of_a_lab() as folder:
        yield LabOfAUser(folder)


def test_what_was_measured_is_there_for_the_next_run(lab: LabOfAUser) -> None:
    first = events_until(lab.start_run(PLAN), "result")[-1]
    assert (first["outcome"], first["status"]) == ("complete", "SUCCEEDED")

    killed = lab.start_run(PLAN)
    before = events_until(killed, "throughput")
    assert "deploying" not in [event["event"] for event in before]
    (killed_id,) = [event["runId"] for event in before if event["event"] == "started"]
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()

    second = lab.start_run(PLAN)
    begun = events_until(second, "throughput")
    assert [event["runIds"] for event in begun if event["event"] == "interrupted"] == [[killed_id]]
    (second_id,) = [event["runId"] for event in begun if event["event"] == "started"]
    assert first["runId"] in lab.column(RUNS)
    live = f"SELECT count(*) AS seconds FROM live_samples WHERE run_id = '{second_id}' AND metric = 'throughput'"
    (seconds,) = lab.column(live)
    assert int(seconds) > 0
    result = events_until(second, "result")[-1]
    second.communicate()
    assert result["outcome"] == "complete"
    summary = json.loads(Path(result["summary"]).read_text())
    assert summary["comparedRun"]["earlierRunId"] == first["runId"]
    # The run whose lab was killed has been saved meanwhile, with what it had measured.
    saved = lab.folder / "reports" / killed_id
    linked = re.findall(r'href="(series/[^"]+)"', (saved / "report.html").read_text())
    assert linked
    tables = [gzip.decompress((saved / name).read_bytes()) for name in linked]
    assert [table.partition(b",")[0] for table in tables] == [b"second"] * len(linked)
    assert len(summary["comparedRun"]["cells"]) == 1

    record = lab.folder / "state/deployment.json"
    written = record.stat().st_mtime_ns
    refused = lab.start_run(WRONG_PLAN)
    output, errors = refused.communicate(timeout=600)
    assert refused.returncode == 1
    (event,) = [json.loads(line) for line in output.splitlines()]
    assert event["event"] == "refused"
    assert sorted(problem.split(": must be ")[0] for problem in event["problems"]) == WRONG_PATHS
    assert "did you mean" in errors
    assert record.stat().st_mtime_ns == written
    assert {first["runId"], second_id} <= set(lab.column(RUNS))

    listed = lab.printed("runs")
    assert [run_id in listed for run_id in (first["runId"], killed_id, second_id)] == [True] * 3
    assert str(lab.folder / "reports" / first["runId"] / "report.html") in listed
    assert not (lab.folder / "state/tmp").exists()
    assert "3 runs; store " in lab.printed("clean", "--yes")
    assert [entry.name for entry in lab.folder.iterdir()] == ["lock"]
