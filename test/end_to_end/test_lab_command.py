"""`npm run lab` as a new user runs it: a whole run, then queries of its results."""

from __future__ import annotations

import csv
import fcntl
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.runner.paths import REPOSITORY

from .running_lab import is_disturbed
from .user_lab import run_lab

PROFILES = json.loads((REPOSITORY / "lab/profiles.json").read_text())["instanceTypes"]
PLAN = json.loads((REPOSITORY / "examples/plans/lab-default.json").read_text())
# The lab keeps what it has measured, so that the tests must not find what an earlier test run has left.
FOLDER = REPOSITORY / ".cache" / "lab-of-the-lab-command"


def lab_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_lab(FOLDER, *arguments)


@pytest.fixture(scope="module")
def events() -> list[dict[str, Any]]:
    done = lab_command("--json")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def summary(events: list[dict[str, Any]]) -> dict[str, Any]:
    return json.loads(Path(events[-1]["summary"]).read_text())


@pytest.fixture(scope="module", autouse=True)
def _own_folder() -> Iterator[None]:
    shutil.rmtree(FOLDER, ignore_errors=True)
    yield
    shutil.rmtree(FOLDER)


def throughput_of(summary: dict[str, Any], throttled: bool) -> dict[str, Any]:
    """Returns the throughput measurement of the pair whose type has a bucket, or of the one whose type has none."""
    return next(
        m
        for m in summary["measurements"]
        if m["tool"] == "iperf3" and ("bucketBits" in PROFILES[m["clientType"]]) == throttled
    )


def test_progress_names_states_pairs_and_throughput(events: list[dict[str, Any]]) -> None:
    subjects = {event["subject"] for event in events if event["event"] == "state"}
    assert {"run", "p0001", "p0002"} <= subjects
    assert any(event["event"] == "throughput" for event in events)


def test_the_throttled_pair_is_found_where_its_bucket_was_configured_to_end(summary: dict[str, Any]) -> None:
    measurement = throughput_of(summary, throttled=True)
    profile = PROFILES[measurement["clientType"]]
    verdict = measurement["verdict"]
    peak, baseline = profile["peakBitsPerSecond"], profile["baselineBitsPerSecond"]

    bucket = profile["bucketBits"]
    # No disturbance makes a bucket let through more than it has and earns.
    seconds = measurement["durationSeconds"]
    assert measurement["statistics"]["throughputBitsPerSecond"]["mean"] * seconds < 1.05 * (bucket + baseline * seconds)
    if is_disturbed(measurement):
        assert "other work kept the processors" in verdict["explanation"]
        return
    assert verdict["cause"] == "network_credits"
    # A busy machine may add a second fall.
    assert verdict["kind"] in {"drop", "drops"}
    assert 2 * baseline < verdict["burstBitsPerSecond"] < 1.05 * peak
    # A busy machine may carry less than the peak, and then empties the bucket later, but with the same volume.
    assert verdict["onsetSeconds"] > bucket / (peak - baseline) - 2
    assert verdict["onsetLowSeconds"] <= verdict["onsetSeconds"] <= verdict["onsetHighSeconds"]
    assert verdict["baselineBitsPerSecond"] == pytest.approx(baseline, rel=0.05)
    assert 0.9 * verdict["bucketLowBits"] < bucket < 1.1 * verdict["bucketHighBits"]
    assert verdict["bucketBits"] == pytest.approx(bucket, rel=0.2)
    witnesses = {w["name"]: w["agrees"] for w in verdict["witnesses"]}
    # The counters grow at the peak, too, as on EC2, so that they need not say that it began with the fall.
    assert witnesses["ena_allowance_counters"] is not False
    assert witnesses["published_bandwidth"] is True


def test_the_steady_pair_is_not_throttled(summary: dict[str, Any]) -> None:
    measurement = throughput_of(summary, throttled=False)

    if is_disturbed(measurement):
        assert "other work kept the processors" in measurement["verdict"]["explanation"]
    else:
        # A busy machine makes a level rate noisy, or lets it dip, but does not make it fall for good.
        assert measurement["verdict"]["kind"] in ("steady", "noisy", "dips")
        assert measurement["verdict"]["onsetSeconds"] is None
    mean = measurement["statistics"]["throughputBitsPerSecond"]["mean"]
    peak = PROFILES[measurement["clientType"]]["peakBitsPerSecond"]
    assert mean < 1.05 * peak


def test_latency_has_percentiles_and_no_verdict(summary: dict[str, Any]) -> None:
    latencies = [m for m in summary["measurements"] if m["tool"] == "sockperf"]
    assert latencies
    for measurement in latencies:
        assert measurement["status"] == "complete"
        assert measurement["verdict"] is None
        rtt = measurement["statistics"]["rttMicros"]
        assert 0 < rtt["min"] <= rtt["p50"] <= rtt["p99"] <= rtt["max"]


def test_the_report_is_one_self_contained_file(events: list[dict[str, Any]], summary: dict[str, Any]) -> None:
    report = Path(events[-1]["report"]).read_text()
    assert report.count("<svg") >= 2
    assert 'src="http' not in report
    assert 'href="http' not in report.replace("https://docs.aws.amazon.com", "")
    assert summary["runId"] in report
    assert summary["tags"] == {"ScaledModel": "lab", "RateDivisor": "10", "TimeDivisor": "20"}
    assert summary["scaledModel"] == {"name": "lab", "rateDivisor": 10, "timeDivisor": 20}
    assert "its rates are EC2&#39;s divided by 10, and credits run out and come back 20 times sooner" in report


def test_the_page_over_all_runs_links_to_reports_in_the_folder_and_to_no_account(
    events: list[dict[str, Any]], summary: dict[str, Any]
) -> None:
    index = Path(events[-1]["index"]).read_text()
    assert f'href="reports/{summary["runId"]}/report.html"' in index
    assert ".console." not in index
    assert "measured in lab" in index


@pytest.mark.usefixtures("events")
def test_the_readme_s_sample_query_has_a_figure_in_every_cell() -> None:
    sample = re.search(r'lab -- athena "(SELECT .*)"', (REPOSITORY / "README.md").read_text())
    assert sample is not None
    done = lab_command("athena", sample[1], "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert rows
    assert all(value is not None for row in rows for value in row.values())


def test_athena_returns_the_measured_rows(summary: dict[str, Any]) -> None:
    seconds = next(m["durationSeconds"] for m in PLAN["measurements"] if m["tool"] == "iperf3")
    done = lab_command(
        "athena",
        "SELECT measurement_id, count(*) AS n, count(DISTINCT start_seconds) AS d, sum(length_seconds) AS covered, "
        "min(start_seconds) AS first, max(start_seconds + length_seconds) AS last "
        "FROM samples WHERE metric = 'throughput' GROUP BY measurement_id ORDER BY 1",
    )
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()[2:]]
    measured = [m["measurementId"] for m in summary["measurements"] if m["tool"] == "iperf3"]
    assert [row[0] for row in rows] == sorted(measured)
    for _, count, distinct, covered, first, last in rows:
        # On a busy machine a sample may be longer than a second, and the next ones are then shorter.
        assert int(count) == int(distinct)
        assert float(first) == 0
        assert float(covered) == pytest.approx(float(last), abs=0.5)
        assert float(last) == pytest.approx(seconds, abs=0.5)


def test_rows_say_how_busy_the_processors_were(summary: dict[str, Any]) -> None:
    figures = {
        "waiting_cpu_percent": ["/proc/self/schedstat"],
        "cpu_pressure_percent": ["/proc/pressure/cpu"],
        # The machine's own steal, and what the forwarders waited.
        "steal_cpu_percent": ["/proc/stat", "/proc/self/schedstat"],
    }
    counted = ", ".join(
        f"count(s.{name}) > 0 AS samples_{name}, count(m.client_{name}) + count(m.server_{name}) > 0 AS rows_{name}"
        for name in figures
    )
    done = lab_command(
        "athena",
        f"SELECT {counted} FROM samples s JOIN measurements m "
        "ON m.run_id = s.run_id AND m.measurement_id = s.measurement_id WHERE s.metric = 'tool_cpu'",
        "--csv",
    )
    assert done.returncode == 0, done.stderr
    # What this machine's kernel does not count is NULL and not 0.
    expected = [str(all(map(counts, files))).lower() for files in figures.values() for _ in ("samples", "rows")]
    assert done.stdout.splitlines()[1].split(",") == expected


def counts(file: str) -> bool:
    try:
        return Path(file).read_text() not in ("", "0 0 0\n")
    except OSError:
        return False


def test_a_named_query_runs_by_its_name(summary: dict[str, Any]) -> None:
    done = lab_command("athena", "throttle-onsets")
    assert done.returncode == 0, done.stderr
    assert throughput_of(summary, throttled=True)["clientType"] in done.stdout


def test_a_program_gets_every_digit_and_nulls(summary: dict[str, Any]) -> None:
    query = "SELECT measurement_id, onset_seconds, baseline_bits_per_second FROM measurements ORDER BY 1"
    verdicts = {m["measurementId"]: m["verdict"] or {} for m in summary["measurements"]}
    expected = [
        {
            "measurement_id": name,
            "onset_seconds": verdict.get("onsetSeconds"),
            "baseline_bits_per_second": verdict.get("baselineBitsPerSecond"),
        }
        for name, verdict in sorted(verdicts.items())
    ]
    assert any(row["onset_seconds"] is None for row in expected)
    objects = lab_command("athena", query, "--json")
    assert objects.returncode == 0, objects.stderr
    assert [json.loads(line) for line in objects.stdout.splitlines()] == expected
    values = lab_command("athena", "--csv", query)
    header, *rows = list(csv.reader(values.stdout.splitlines()))
    assert header == list(expected[0])
    assert [[row[0], *(float(cell) if cell else None for cell in row[1:])] for row in rows] == [
        list(row.values()) for row in expected
    ]


@pytest.mark.parametrize(
    ("query", "near", "form"),
    [
        ("SELECT clint_type FROM measurements", "client_type", []),
        ("SELECT client_type FROM measurement", "measurements", ["--json"]),
        ("SELECT 1 FROM verdict", "verdicts", ["--csv"]),
    ],
)
def test_a_failed_query_prints_no_row_and_names_the_deployed_column_table_or_view_that_was_meant(
    query: str, near: str, form: list[str]
) -> None:
    done = lab_command("athena", query, *form)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"did you mean {near}" in done.stderr


def test_a_second_start_is_rejected_and_does_not_disturb_the_first() -> None:
    with (FOLDER / "lock").open("w") as first:
        fcntl.flock(first, fcntl.LOCK_EX)
        done = lab_command()
    assert done.returncode == 1
    assert "another lab or query is running" in done.stderr
    assert (FOLDER / "state/deployment.json").exists()


def test_a_plan_that_cannot_be_read_is_named() -> None:
    done = lab_command("--plan", "no/such/plan.json")
    assert done.returncode == 1
    assert f"{REPOSITORY}/no/such/plan.json" in done.stderr
