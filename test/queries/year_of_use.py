"""What a year of use costs a named query, as its first comment says: 800 runs of ten pairs, three half hours each.

Athena's price is 5 USD per TB, and at least that of 10 MB; S3's are 0.0004 USD per 1,000 GETs and 0.005 per 1,000 LISTs
(us-east-1, November 2026).
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlglot
from sqlglot import exp

RUNS = 800
# With the day of a year ago; Athena lists the objects of each.
DAYS = 366
# Of the object that a run has in a table: `npm run bench:store -- --only tables_by_run`, per run. Of `samples` it is
# that of the metric throughput: `--only throttle_screen_of_all_days`, less that of `measurements`.
OBJECT_BYTES = {"measurements": 12_200, "pairs": 2_100, "runs": 470, "samples": 412_000}


@dataclass(frozen=True)
class Use:
    gets: int
    lists: int
    byte_count: int

    @property
    def usd(self) -> float:
        return max(self.byte_count, 10e6) * 5e-12 + self.gets * 0.4e-6 + self.lists * 5e-6

    @property
    def words(self) -> str:
        return f"{self.byte_count / 1e6:.1f} MB in {self.gets:,} GETs and {self.lists:,} LISTs, for {self.usd:.4f} USD"


# Of two days, in which one run has 380 objects of each measurement: `npm run bench:store -- --only live_throughput`.
LIVE_RUN = Use(gets=30 * 380, lists=2, byte_count=30 * 422_000)

# Half an hour of iperf3 with eight streams, and a day of three runs: test/athena/test_reads_of_one_measurement.py.
ONE_MEASUREMENT = Use(gets=4, lists=2, byte_count=390_000 + 3 * OBJECT_BYTES["measurements"])


def sentence(sql: str) -> str:
    """The sentence for a query on the tables that have an object per run, or on the live samples of one run."""
    uses = [table.name for table in sqlglot.parse_one(sql, read="trino").find_all(exp.Table)]
    if "live_samples" in uses:
        return f"For a run of ten pairs it reads {LIVE_RUN.words}."
    if "measurement_samples" in uses:
        return f"However many runs there are, it reads {ONE_MEASUREMENT.words}."
    sizes = [OBJECT_BYTES[name] for name in uses if name in OBJECT_BYTES]
    year = Use(RUNS * len(sizes), DAYS * len(sizes), RUNS * sum(sizes))
    return f"For a year of use it reads {year.words}."
