"""The query about packets per second, over few rows: every answer can be checked by hand."""

from __future__ import annotations

from query_runner import TODAY, Row, Tables, answer


def packets(number: int, baseline: float, **changes: object) -> Row:
    types = {"client_type": "c5.large", "server_type": "c5.xlarge", "cell": "c5.large packets ", "setting": "packets"}
    verdict = {"verdict_cause": "packet_rate", "packets_limited_by": "sender", "packet_bytes": 92}
    figures = {"baseline_packets_per_second": baseline, "burst_packets_per_second": 2 * baseline}
    ids = {"run_id": "r", "measurement_id": f"p{number:04}-m01", "day": TODAY, "kind": "packets", "status": "complete"}
    return (
        ids | types | {"direction": "forward"} | verdict | figures | {"packet_onset_seconds": 10.0 * number} | changes
    )


def test_medians_by_way_of_measuring_and_limit(tables: Tables) -> None:
    rows = [packets(1, 400e3), packets(2, 410e3), packets(3, 430e3), packets(4, 100e3, verdict_cause="cpu")]
    bound, limited = answer(tables, "packets-per-second-by-type", *rows)
    assert (limited["verdict_cause"], limited["limiting_type"]) == ("packet_rate", "c5.large")
    assert (limited["measurement_count"], limited["onset_median_seconds"]) == (3, 20)
    assert limited["burst_median_packets_per_second"] == 820e3
    figures = [limited[f"baseline_{name}_packets_per_second"] for name in ("min", "median", "max")]
    assert figures == [400e3, 410e3, 430e3]
    assert (bound["verdict_cause"], bound["baseline_median_packets_per_second"]) == ("cpu", 100e3)


def test_the_limiting_type_is_that_of_the_limiting_end(tables: Tables) -> None:
    ends = [("sender", "forward"), ("receiver", "forward"), ("sender", "reverse"), ("receiver", "reverse")]
    rows = [
        packets(number, 1e3, cell=f"cell {number}", packets_limited_by=end, direction=direction)
        for number, (end, direction) in enumerate(ends)
    ]
    rows.append(packets(9, 1e3, cell="cell 9", packets_limited_by=None, verdict_cause="not_known"))
    found = answer(tables, "packets-per-second-by-type", *rows)
    assert [row["limiting_type"] for row in found] == ["c5.large", "c5.xlarge", "c5.xlarge", "c5.large", None]


def test_throughput_and_what_was_not_judged_have_no_row(tables: Tables) -> None:
    others = [
        packets(1, 1e3, kind="throughput"),
        packets(2, 1e3, status="failed"),
        packets(3, 1e3, baseline_packets_per_second=None, verdict_cause="insufficient"),
    ]
    assert answer(tables, "packets-per-second-by-type", *others) == []
