"""Runs queries/throttle-screen.sql over labelled series and prints one prediction per line for a scorer.

python research/score-screen.py FILE.jsonl[.gz] … > predictions.jsonl

Each line of a file has `id`, `dt` (s), `t` (starts, s) and `bps` (bits per second). The query is translated for DuckDB
as in the lab.
"""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import sqlglot

QUERY = Path(__file__).resolve().parents[1] / "queries/throttle-screen.sql"
CLASSES = {
    "fall": "burst_then_throttle",
    "periodic": "periodic_recharge",
    "no_fall": "steady",
    "insufficient": "insufficient",
}


def predictions(files: list[str]) -> Iterator[dict[str, object]]:
    """Yields one prediction per series. One query reads all series, so each gets an equal share of its time."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(
        "CREATE TABLE series AS SELECT id, dt, t, bps FROM read_json(?, format = 'newline_delimited', "
        "columns = {id: 'VARCHAR', dt: 'DOUBLE', t: 'DOUBLE[]', bps: 'DOUBLE[]'})",
        [files],
    )
    connection.execute(
        "CREATE TABLE samples AS SELECT id AS run_id, 'p0001-m01' AS measurement_id, 'forward' AS direction, "
        "'throughput' AS metric, 'sum' AS stream, unnest(t) AS start_seconds, dt AS length_seconds, "
        "unnest(bps) AS throughput_bits_per_second, current_date AS day FROM series"
    )
    connection.execute(
        "CREATE TABLE measurements AS SELECT id AS run_id, 'p0001-m01' AS measurement_id, 'a' AS client_type, "
        "'b' AS server_type, 'forward' AS verdict_direction, NULL::VARCHAR AS verdict_kind, "
        "NULL::VARCHAR AS verdict_cause, NULL::DOUBLE AS onset_seconds, current_date AS day FROM series"
    )
    # DuckDB's `reduce` lacks the last function, which in this query changes nothing; sqlglot warns of each.
    (sql,) = sqlglot.transpile(
        QUERY.read_text(), read="athena", write="duckdb", unsupported_level=sqlglot.ErrorLevel.IGNORE
    )
    started = time.perf_counter()
    cursor = connection.execute(sql)
    rows = cursor.fetchall()
    milliseconds = (time.perf_counter() - started) * 1000
    names = [column[0] for column in cursor.description]
    for values in rows:
        row = dict(zip(names, values, strict=True))
        prediction = {
            "id": row["run_id"],
            "verdict": CLASSES[row["shape"]],
            "throttled": bool(row["is_throttled"]),
            "ms": milliseconds / len(rows),
        }
        if row["is_throttled"]:
            prediction |= {
                "onset_s": row["onset_seconds"],
                "burst_bps": row["burst_gbits_per_second"] * 1e9,
                "baseline_bps": row["baseline_gbits_per_second"] * 1e9,
                "capacity_bits": row["bucket_gbits"] * 1e9,
            }
        yield prediction


def main() -> None:
    for prediction in predictions(sys.argv[1:]):
        print(json.dumps(prediction))


if __name__ == "__main__":
    main()
