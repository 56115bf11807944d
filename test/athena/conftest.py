"""One store for both engines: a real lab run, made-up runs and the detection benchmark, in the deployed bucket."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from engines import ROW_DAY, Engines
from trino_distribution import fetch
from trino_server import TrinoServer

from lab.runner.deployment import Deployment
from lab.runner.embedded_aws import EmbeddedAws
from lab.runner.environment import forget_the_callers_account
from lab.runner.paths import REPOSITORY, LabPaths
from lab.runner.run_plan import follow_run, start_run
from lab.runner.session import deployed_lab

# The type's bucket ends after 13 s in the lab.
PLAN = {
    "name": "Conformance",
    "pairs": [{"clientType": "c5.large", "serverType": "c5.large"}],
    "measurements": [
        {"tool": "sockperf", "durationSeconds": 5},
        {"tool": "iperf3", "durationSeconds": 50},
    ],
}
ROW_WRITERS = [
    "test/queries/write-rows.ts",
    "test/queries/write-compared-rows.ts",
    "test/queries/write-atlas.ts",
    "test/queries/write-answers.ts",
    "test/athena/write-benchmark.ts",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Only one embedded AWS can run at a time, and that of `engines` runs until the end: other tests go first."""
    items.sort(key=lambda item: "engines" in getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engines]:
    """Both engines over a filled store. The stack is deployed by `cdk deploy`: its Glue tables are what both read."""
    forget_the_callers_account()
    paths = LabPaths(tmp_path_factory.mktemp("lab"))
    with deployed_lab(paths, print) as (aws, deployment):
        result = follow_run(aws, deployment, start_run(aws, deployment, PLAN), print)
        assert result.status == "SUCCEEDED", result
        for writer in ROW_WRITERS:
            folder = tmp_path_factory.mktemp("rows")
            subprocess.run(["node_modules/.bin/tsx", writer, str(folder), str(ROW_DAY)], cwd=REPOSITORY, check=True)
            _upload(folder, aws, deployment)
        # In the namespaces there is no way out: scripts/test-python.sh has fetched it before.
        distribution = fetch()
        with TrinoServer(distribution, tmp_path_factory.mktemp("trino"), aws, deployment) as trino:
            yield Engines(aws, deployment, trino)


def _upload(folder: Path, aws: EmbeddedAws, deployment: Deployment) -> None:
    """Every row object and summary under its own key."""
    for file in sorted([*folder.glob("*/**/*.ndjson*"), *folder.glob("reports/*/summary.json")]):
        aws.s3.put_object(Bucket=deployment.bucket, Key=str(file.relative_to(folder)), Body=file.read_bytes())
