"""The rows of a run: in `live_measurements` while it goes on, and at its end each once in few objects of the tables."""

from __future__ import annotations

import pytest

from .running_lab import RunningLab, iperf3, pair, plan
from .shared_lab import Settings

SECONDS = 15
# What summarise-run writes after the summary, in this order.
WRITES = [
    ("s3:PutObject", "measurements/*"),
    ("s3:PutObject", "samples/metric=interface/*"),
    ("s3:PutObject", "samples/metric=throughput/*"),
    ("s3:PutObject", "runs/*"),
    ("s3:PutObject", "reports/*/report.html"),
]


@pytest.fixture(scope="module")
def lab_settings() -> Settings:
    """A lab of its own, because these tests count all rows of the store."""
    return {"context": {}}


@pytest.fixture(scope="module")
def run_id(lab: RunningLab) -> str:
    """Returns a run that has ended; what queries answer while it goes on is looked at on the way."""
    arn = lab.start(plan("folded", [pair("m4.4xlarge")], [{"tool": "ping", "count": 5}, iperf3(SECONDS)]))
    run = lab.run_id(arn)

    def live() -> list[list[str | None]]:
        return lab.query(f"SELECT measurement_id, tool, status FROM live_measurements WHERE run_id = '{run}'")

    assert lab.wait_for("a live row", live)[0] == ["p0001-m01", "ping", "complete"]
    assert lab.query("SELECT count(*) FROM measurements") == [["0"]]
    result = lab.follow(arn)
    assert result.status == "SUCCEEDED", result.cause
    assert live() == []
    return run


def summarised(run_id: str) -> dict[str, object]:
    return {"runId": run_id, "pairs": [{"pairIndex": 0, "status": "complete"}], "interruptedReason": None}


def table_objects(lab: RunningLab) -> dict[str, bytes]:
    return {key: lab.read(key) for table in ("measurements/", "samples/", "runs/") for key in lab.keys(table)}


def test_a_run_has_one_object_per_metric_and_one_of_its_measurements(lab: RunningLab, run_id: str) -> None:
    objects = table_objects(lab)
    assert [key for key in objects if key.startswith("measurements/")] == [
        key for key in objects if key.endswith(f"/{run_id}.ndjson.gz")
    ]
    metrics = [key.split("/")[1] for key in objects if key.startswith("samples/")]
    assert len(metrics) == len(set(metrics)) >= 3
    measured = lab.query("SELECT measurement_id FROM measurements ORDER BY 1")
    assert measured == [["p0001-m01"], ["p0001-m02"]]
    assert lab.measured_seconds(run_id, "p0001-m02") == list(range(SECONDS))


def test_naming_a_metric_reads_only_its_rows(lab: RunningLab, run_id: str) -> None:
    found = lab.query(f"SELECT DISTINCT metric FROM samples WHERE metric = 'throughput' AND run_id = '{run_id}'")
    assert found == [["throughput"]]


@pytest.mark.parametrize(("action", "key"), WRITES)
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_summary_that_ends_at_a_write_leaves_no_row_twice_and_is_made_whole_by_its_repetition(
    lab: RunningLab, run_id: str, action: str, key: str, after: bool
) -> None:
    whole = table_objects(lab)
    for one in whole:
        lab.aws.s3.delete_object(Bucket=lab.deployment.bucket, Key=one)
    lab.fault(action, "AccessDenied", where={"Key": key}, after=after)

    with pytest.raises(AssertionError, match="AccessDenied"):
        lab.invoke("summarise-run", summarised(run_id))
    assert without_end(table_objects(lab)).items() <= without_end(whole).items()
    lab.invoke("summarise-run", summarised(run_id))

    assert without_end(table_objects(lab)) == without_end(whole)


def without_end(objects: dict[str, bytes]) -> dict[str, bytes]:
    """The row of a run says when it was summarised, so that it is compared by its key only."""
    return {key: b"" if key.startswith("runs/") else body for key, body in objects.items()}


def test_an_analysis_that_comes_after_the_summary_is_in_the_tables(lab: RunningLab, run_id: str) -> None:
    whole = table_objects(lab)
    for one in [key for key in whole if not key.startswith("runs/")]:
        lab.aws.s3.delete_object(Bucket=lab.deployment.bucket, Key=one)
    event = {"runId": run_id, "pairIndex": 0, "measurementIndex": 1, "acceptTruncated": False, "failureReason": None}

    lab.invoke("analyse-measurement", event)

    assert table_objects(lab) == whole
    assert lab.query("SELECT count(*) FROM live_measurements") == [["0"]]
