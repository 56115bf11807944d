"""What plan-run asks of earlier runs, run as the named queries are."""

from __future__ import annotations

import subprocess

import pytest
import sqlglot
from query_runner import REPOSITORY, TODAY, Row, Tables, database_of


@pytest.fixture(scope="module")
def sql() -> str:
    program = (
        "import { earlierBucketsQuery } from './domain/forecast/earlier-buckets';"
        f"process.stdout.write(earlierBucketsQuery('{TODAY}', ['c5.xlarge', 'm5.large']));"
    )
    command = ["node_modules/.bin/tsx", "--eval", program]
    return subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout


def throttled(number: int, burst: float, bucket: float, **facts: object) -> Row:
    return {
        "run_id": "r",
        "measurement_id": f"p{number:04}-m01",
        "client_type": "c5.xlarge",
        "server_type": "c5.xlarge",
        "status": "complete",
        "verdict_kind": "drop",
        "verdict_cause": "network_credits",
        "verdict_direction": "forward",
        "throttled_by": "sender",
        "burst_bits_per_second": burst,
        "baseline_bits_per_second": 1.25e9,
        "bucket_bits": bucket,
        **facts,
    }


def test_a_burst_limited_by_something_else_does_not_count_for_the_type(tables: Tables, sql: str) -> None:
    single_flows = [throttled(number, 4.96e9, 4400e9 + number) for number in (1, 2, 3)]
    rows = [
        *single_flows,
        throttled(4, 9.69e9, 4700e9),
        # Whose credits these were: the server's.
        throttled(5, 8e9, 1e9, server_type="m5.large", throttled_by="receiver"),
        throttled(6, 20e9, 9e9, throttled_by=None),
    ]
    (translated,) = sqlglot.transpile(sql, read="athena", write="duckdb")
    cursor = database_of(tables, {"measurements": rows}).execute(translated)
    names = [column[0] for column in cursor.description]
    own, other = (dict(zip(names, row, strict=True)) for row in cursor.fetchall())
    assert (own["instance_type"], own["measurement_count"]) == ("c5.xlarge", 4)
    assert own["burst_bits_per_second"] == 9.69e9
    assert (own["bucket_low_bits"], own["bucket_bits"], own["bucket_high_bits"]) == (4400e9 + 1, 4400e9 + 2, 4700e9)
    assert (other["instance_type"], other["burst_bits_per_second"]) == ("m5.large", 8e9)
