"""What a statement costs in Athena and S3, by hand."""

from __future__ import annotations

from collections import Counter

import pytest
from bench_iceberg import Step
from benched_store import Asked
from counting_store import Requests


def step(megabytes: float) -> Step:
    requests = Requests(Counter(iceberg=900), Counter(iceberg=int(megabytes * 1e6)), heads=100, lists=30)
    return Step("question", Asked(requests, 1.0, 0.5, 0, [], None), Counter(PUTs=70, bytes=5, deleted=11))


@pytest.mark.parametrize(
    ("megabytes", "scanned_usd"),
    [(1, 0.00005), (10, 0.00005), (30, 0.00015)],
)
def test_a_statement_costs_its_bytes_its_reads_and_its_writes(megabytes: float, scanned_usd: float) -> None:
    # 1,000 GETs and HEADs cost 0.0004 USD, 100 LISTs and PUTs 0.0005 USD; deletions are free.
    assert step(megabytes).usd == pytest.approx(scanned_usd + 0.0009)


def test_a_line_has_its_figures_in_the_order_of_the_heading() -> None:
    assert step(30).line().split() == [
        "question",
        "1.0",
        "0.5",
        "900",
        "100",
        "30",
        "30.00",
        "70",
        "0.00",
        "11",
        "0.001050",
    ]
