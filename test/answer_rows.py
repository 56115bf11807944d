"""What the rows of the view `answers` are by the answer in `summary.json`, spelled without the product's columns."""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]


def differing_cells(found: list[Row], summary: Row) -> list[str]:
    """The cells of a run's rows, which are in order, that are not as its summary has them."""
    expected = expected_rows(summary)
    if len(found) != len(expected):
        return [f"{len(expected)} rows expected, got {len(found)}"]
    return [
        f"{wanted['label']} {name}: must be {value!r}, got {row[name]!r}"
        for row, wanted in zip(found, expected, strict=True)
        for name, value in wanted.items()
        if _plain(row[name]) != value
    ]


def expected_rows(summary: Row) -> list[Row]:
    answer = summary.get("answer", {"rows": []})
    return [_expected(summary, answer, row, position) for position, row in enumerate(answer["rows"], 1)]


def _expected(summary: Row, answer: Row, row: Row, position: int) -> Row:
    sustained = row["sustained"]
    return {
        "position": position,
        "run_id": summary["runId"],
        "plan_name": summary["planName"],
        "question": answer["question"],
        "label": row["label"],
        "client_type": row["clientType"],
        "server_type": row["serverType"],
        "pair_count": row["pairCount"],
        "setting": row.get("setting"),
        **_of_figure(sustained, "sustained", "bits_per_second"),
        "sustained_bound": sustained and sustained["bound"],
        **_of_figure(row["burst"], "burst", "bits_per_second"),
        **_of_figure(row["burstSeconds"], "burst", "seconds"),
        "bucket_bits": row["bucketBits"] and row["bucketBits"]["value"],
        "bucket_bits_at_least": row["bucketBitsAtLeast"],
        "mean_bits_per_second": row["meanBitsPerSecond"] and row["meanBitsPerSecond"]["value"],
        "pair_hourly_usd": row["pairHourlyUsd"],
        "sustained_bits_per_second_per_usd": row["sustainedBitsPerSecondPerUsd"],
        "confidence": row["confidence"],
        "contended_count": row["contended"]["contendedCount"],
        "holds": [
            (
                *(hold[name] for name in ("bitsPerSecond", "kind", "seconds", "lowSeconds", "highSeconds")),
                *(hold[name] for name in ("reachedPairCount", "pairCount")),
                hold.get("setting"),
            )
            for hold in row["holds"]
        ],
        "round_trips": [
            (
                trips["name"],
                *_of_figure(trips["p50Micros"], "p50", "micros").values(),
                *_of_figure(trips["p99Micros"], "p99", "micros").values(),
            )
            for trips in row["roundTrips"]
        ],
        "scaled_model": answer.get("scaledModel", {}).get("name"),
    }


def _of_figure(figure: Row | None, name: str, unit: str) -> Row:
    ends = {f"{name}_{unit}": "value", f"{name}_low_{unit}": "low", f"{name}_high_{unit}": "high"}
    return {column: figure and figure[end] for column, end in ends.items()}


def _plain(cell: Any) -> Any:
    """An array of structs as a list of tuples, whichever engine read it."""
    if not isinstance(cell, list):
        return cell
    return [tuple(item.values()) if isinstance(item, dict) else tuple(item) for item in cell]
