"""Keeps a store that a released version wrote in the lab, and what that version's queries answered over it.

`test/fixtures/releases/README.md` has the command.
"""

from __future__ import annotations

import io
import json
import lzma
import re
import sys
import tarfile
import tempfile
from pathlib import Path

from lab.runner.embedded_aws import embedded_aws
from lab.runner.paths import LabPaths
from lab.runner.query import query_result

from .releases import RELEASES, deployed, released, saved_queries
from .running_lab import Object, RunningLab, iperf3, pair, plan

# One pair is throttled, the other one is not; every kind of stream, series and figure is there.
PAIRS = [pair("c5.xlarge"), pair("m4.xlarge")]
MEASUREMENTS = [
    {"tool": "ping", "count": 10, "repetitions": 2},
    {"tool": "tracepath"},
    {"tool": "sockperf", "durationSeconds": 5},
    {"tool": "http", "scheme": "https", "parallelStreams": 2, "durationSeconds": 6},
    {"tool": "s3", "operation": "upload", "scheme": "https", "parallelStreams": 2, "durationSeconds": 6},
    iperf3(5, protocol="udp", targetBitsPerSecond=20_000_000),
    iperf3(45, parallelStreams=2),
]
TABLES = ("runs", "pairs", "measurements", "samples", "live_samples", "live_measurements", "series", "verdicts")
# Pages, which today's version writes anew, and the answers to queries are not data.
NOT_KEPT = re.compile(r"athena-results/|.*\.html$")
PRESET = 9 | lzma.PRESET_EXTREME
THROTTLED = "SELECT min(measurement_id) FROM measurements WHERE run_id = '{}' AND onset_seconds IS NOT NULL"


def keep_store(version: str) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        assembly, paths = released(version, Path(temporary, "assembly")), LabPaths(Path(temporary, "lab"))
        paths.renew()
        with embedded_aws(paths, with_hosts=True) as aws:
            lab = deployed(aws, assembly)
            run_ids = [_completed(lab, compareTo) for compareTo in ({}, {"compareTo": "previous"})]
            ((day, throttled),) = lab.query(f"SELECT current_date, ({THROTTLED.format(run_ids[0])})")
            kept = {"day": day, "runIds": run_ids, "throttled": throttled}
            queries = saved_queries(lab, kept) | _tables(run_ids)
            kept["queries"] = {name: _answer(lab, sql) for name, sql in queries.items()}
            _pack(lab, run_ids[1], RELEASES / version / "store.tar.xz")
    packed = lzma.compress(json.dumps(kept).encode(), preset=PRESET)
    (RELEASES / version / "answers.json.xz").write_bytes(packed)


def _completed(lab: RunningLab, settings: Object) -> str:
    run = lab.run(plan("kept", PAIRS, MEASUREMENTS, concurrency=2, seed=1, **settings))
    assert run.status == "SUCCEEDED", run.cause
    key = f"reports/{run.run_id}/published.json"
    lab.wait_for(key, lambda: lab.keys(key))
    return run.run_id


def _tables(run_ids: list[str]) -> dict[str, str]:
    """Queries for every row of every table and view."""
    named = ", ".join(f"'{run_id}'" for run_id in run_ids)
    return {table: f"SELECT * FROM {table} WHERE run_id IN ({named})" for table in TABLES}


def _answer(lab: RunningLab, sql: str) -> Object:
    result = query_result(lab.aws, lab.deployment, sql)
    return {"sql": sql, "names": result.names, "rows": result.rows}


def _pack(lab: RunningLab, second_run_id: str, archive: Path) -> None:
    """Packs what is in objects uncompressed, because it is alike. Objects of hosts, of which a manifest has the digest,
    and those with metadata, which says where parts begin, are packed as they are. Those of one run are enough.
    """
    with lzma.open(archive, "wb", preset=PRESET) as compressed, tarfile.open(fileobj=compressed, mode="w") as packed:
        for key in lab.keys(""):
            if NOT_KEPT.match(key) or (key.startswith("raw/") and second_run_id in key):
                continue
            found = lab.aws.s3.get_object(Bucket=lab.deployment.bucket, Key=key)
            is_exact = key.startswith("raw/") or found["Metadata"]
            body = found["Body"].read() if is_exact else lab.read(key)
            entry = tarfile.TarInfo(key)
            entry.size, entry.pax_headers = len(body), found["Metadata"]
            packed.addfile(entry, io.BytesIO(body))


if __name__ == "__main__":
    keep_store(sys.argv[1])
