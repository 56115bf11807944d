"""What summarise-run asks about earlier runs, run as the named queries are."""

from __future__ import annotations

import json
import subprocess

import sqlglot
from query_runner import REPOSITORY, TODAY, Row, Tables, database_of

CELL = "client_type=c5.xlarge server_type=c5.xlarge tool=a_tool "


def query() -> str:
    run = {"runId": "this-run", "createdAt": f"{TODAY}T10:00:00.000Z", "day": str(TODAY)}
    program = (
        "import { earlierRunsQuery } from './domain/run/earlier-runs';"
        "import { throttledResult } from './test/support/measurement-results';"
        "const result = throttledResult({ clientType: 'c5.xlarge', serverType: 'c5.xlarge' });"
        f"process.stdout.write(earlierRunsQuery({json.dumps(run)}, [result]));"
    )
    command = ["node_modules/.bin/tsx", "--eval", program]
    return subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout


def test_the_previous_run_is_the_last_complete_one_of_the_plan_before_this_one(tables: Tables) -> None:
    run = {
        "runId": "this-run",
        "createdAt": f"{TODAY}T10:00:00.000Z",
        "day": str(TODAY),
        "plan": {"name": "weekly check"},
    }
    program = (
        "import { previousRunQuery } from './domain/run/earlier-runs';"
        f"process.stdout.write(previousRunQuery({json.dumps(run)}));"
    )
    command = ["node_modules/.bin/tsx", "--eval", program]
    asked = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout

    def planned(run_id: str, minute: int, **facts: object) -> Row:
        created_at = f"{TODAY}T09:{minute:02}:00.000Z"
        return {"run_id": run_id, "plan_name": "weekly check", "outcome": "complete", "created_at": created_at, **facts}

    rows = [
        planned("before", 1),
        planned("last", 2),
        planned("incomplete", 3, outcome="incomplete"),
        planned("of another plan", 4, plan_name="weekly check 2"),
        planned("this-run", 5),
        planned("later", 6, created_at=f"{TODAY}T10:00:00.001Z"),
    ]
    (translated,) = sqlglot.transpile(asked, read="athena", write="duckdb")
    assert database_of(tables, {"runs": rows}).execute(translated).fetchall() == [("last",)]
    assert database_of(tables, {"runs": rows[2:]}).execute(translated).fetchall() == []


def measured(run_id: str, pair: int, **figures: object) -> Row:
    return {
        "run_id": run_id,
        "pair_id": f"p{pair:04}",
        "measurement_id": f"p{pair:04}-m01",
        "client_type": "c5.xlarge",
        "server_type": "c5.xlarge",
        "cell": CELL,
        "status": "complete",
        "started_at": f"{TODAY}T09:59:59.999Z",
        **figures,
    }


def test_every_value_of_each_cell_comes_with_its_days_and_bounds(tables: Tables) -> None:
    rows = [
        measured("one", 1, burst_bits_per_second=9.5e9, burst_low_bits_per_second=9.4e9, observations=99)
        | {"kind": "throughput", "verdict_cause": "network_credits"},
        measured("one", 2, burst_bits_per_second=9.25e9, rtt_p99_micros=201.5, observations=100, kind="latency"),
        measured("held back", 1, rtt_p99_micros=999.5, observations=100, kind="latency", verdict_cause="packet_rate"),
        measured("two", 1, rtt_p99_micros=999.5, observations=99),
        measured("two", 1, cell=CELL + "parallel_streams=4 ", onset_seconds=60.25),
        measured("this-run", 1, burst_bits_per_second=1e9),
        measured("failed", 1, burst_bits_per_second=1e9, status="failed"),
        measured("before", 1, burst_bits_per_second=1e9, cell=None),
        # When a run is summarised again, runs that came after it on the same day are in the table too.
        measured("later", 1, burst_bits_per_second=1e9, started_at=f"{TODAY}T10:00:00.001Z"),
    ]
    (translated,) = sqlglot.transpile(query(), read="athena", write="duckdb")
    cursor = database_of(tables, {"measurements": rows}).execute(translated)
    names = [column[0] for column in cursor.description]
    found = {row["cell"]: row for row in (dict(zip(names, values, strict=True)) for values in cursor.fetchall())}
    assert set(found) == {CELL, CELL + "parallel_streams=4 "}
    common = found[CELL]
    assert (common["earlier_count"], common["pair_count"]) == (3, 3)
    assert sorted(float(value.split("@")[0]) for value in common["burst_bits_per_second"].split()) == [9.25e9, 9.5e9]
    assert common["burst_low_bits_per_second"] == 9.4e9
    # A p99 of 99 round trips is only the longest of them.
    assert common["rtt_p99_micros"] == "201.5@"
    assert common["onset_seconds"] is None
