"""The rows of a run: in `live_measurements` while it goes on, and at its end each once in few objects of the tables."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lab.runner.paths import REPOSITORY

from .running_lab import RunningLab, iperf3, pair, plan

SECONDS = 15
# A run as the version before folding stored it.
OLD_LAYOUT = REPOSITORY / "test/fixtures/old-layout"
OLD_RUN = "run-1"
LONGER_THAN_A_TEST = 600
# What summarise-run writes after the summary, in this order.
WRITES = [
    ("s3:PutObject", "measurements/*"),
    ("s3:PutObject", "samples/metric=interface/*"),
    ("s3:PutObject", "samples/metric=throughput/*"),
    ("s3:PutObject", "runs/*"),
    ("s3:PutObject", "reports/*/report.html"),
]


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


@pytest.fixture
def old_run(lab: RunningLab) -> list[list[str | None]]:
    """Stores a run as it was before runs were folded; returns what a query finds of its measurements."""
    for key in [key for key in lab.keys("") if OLD_RUN in key]:
        lab.aws.s3.delete_object(Bucket=lab.deployment.bucket, Key=key)
    for file in (one for one in OLD_LAYOUT.rglob("*") if one.is_file()):
        lab.aws.s3.upload_file(str(file), lab.deployment.bucket, str(file.relative_to(OLD_LAYOUT)))
    found = measurements_of(lab, OLD_RUN)
    assert [row[0] for row in found] == ["p0001-m01", "p0001-m02", "p0002-m01", "p0002-m02"]
    assert samples_of(lab, OLD_RUN) == []
    return found


def measurements_of(lab: RunningLab, run_id: str) -> list[list[str | None]]:
    return lab.query(
        "SELECT measurement_id, day, status, tool, client_type, onset_seconds, throughput_mean_bits_per_second,"
        f" cost_usd FROM measurements WHERE run_id = '{run_id}' ORDER BY 1"
    )


def samples_of(lab: RunningLab, run_id: str) -> list[list[str | None]]:
    return lab.query(
        "SELECT measurement_id, metric, host_role, stream, count(*), min(start_seconds), max(start_seconds),"
        " sum(throughput_bits_per_second), sum(received_bits_per_second)"
        f" FROM samples WHERE run_id = '{run_id}' GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"
    )


def old_keys(lab: RunningLab) -> list[str]:
    return [*lab.keys("samples/day="), *(key for key in lab.keys("measurements/") if key.endswith(".ndjson"))]


@contextmanager
def migration(lab: RunningLab) -> Iterator[subprocess.Popen[str]]:
    command = ["npm", "run", "--silent", "migrate", "--", lab.deployment.bucket, "--endpoint-url", lab.aws.endpoint_url]
    environment = {name: value for name, value in lab.aws.environment.items() if name != "AWS_ENDPOINT_URL"}
    with subprocess.Popen(
        command,
        cwd=REPOSITORY,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        yield process


def migrated(lab: RunningLab) -> tuple[int, str, str]:
    with migration(lab) as process:
        printed, complaint = process.communicate(timeout=120)
        return process.returncode, printed, complaint


MOVED = f"{OLD_RUN}: moved the rows of 6 objects, and deleted these\n"
NOTHING_LEFT = "nothing is left of the old layout\n"


@pytest.mark.parametrize(
    ("action", "key", "after", "repeated"),
    [
        pytest.param("s3:PutObject", f"parts/{OLD_RUN}/*", False, MOVED, id="first part"),
        pytest.param("s3:PutObject", f"measurements/*/{OLD_RUN}.*", True, MOVED, id="measurements"),
        pytest.param("s3:PutObject", f"samples/*/{OLD_RUN}.*", True, MOVED, id="first samples"),
        pytest.param("s3:DeleteObjects", None, False, MOVED, id="before the deletion"),
        pytest.param("s3:DeleteObjects", None, True, NOTHING_LEFT, id="after the deletion"),
    ],
)
def test_a_migration_that_is_killed_at_a_request_is_completed_by_its_repetition(
    lab: RunningLab, old_run: list[list[str | None]], action: str, key: str | None, after: bool, repeated: str
) -> None:
    where = {"caller": "operator"} | ({} if key is None else {"Key": key})
    lab.fault(action, "InternalError", where=where, after=after, times=None, delay_seconds=LONGER_THAN_A_TEST)
    with migration(lab) as process:
        lab.wait_for(f"{action} of {where}", lambda: lab.times_met(where) > 0 or process.poll() is not None)
        assert process.poll() is None, process.communicate()
        os.killpg(process.pid, signal.SIGKILL)
    lab.clear_faults()

    assert migrated(lab) == (0, repeated, "")

    assert old_keys(lab) == []
    assert measurements_of(lab, OLD_RUN) == old_run
    stored = sum(len(gzip.decompress(file.read_bytes()).splitlines()) for file in OLD_LAYOUT.rglob("samples/*/*.gz"))
    assert sum(int(row[4] or 0) for row in samples_of(lab, OLD_RUN)) == stored > 100
