"""Metrics in the embedded metric format: lines of a function's log that CloudWatch makes data points of.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
A line that names a metric without giving its value, or a dimension without a value, makes no data point, as on AWS.
"""

import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

from lab.aws import embedded

logger = logging.getLogger("lab.cloudwatch")
Datum = dict[str, Any]
# CloudWatch takes so many with one request.
MOST_DATA = 1000


def install() -> None:
    embedded.LAMBDA_LOGS.wrap(_with_metrics)


def _with_metrics(original: Callable[..., Any]) -> Callable[..., Any]:
    def emit(func: Any, request_id: str, log_text: str, *arguments: Any, **keywords: Any) -> Any:
        found = original(func, request_id, log_text, *arguments, **keywords)
        # CloudWatch extracts them a moment later, too. The logs may be written by the event loop, which must not wait.
        if '"_aws"' in (log_text or ""):
            embedded.in_background(_publish, log_text)
        return found

    return emit


def _publish(log_text: str) -> None:
    by_namespace: dict[str, list[Datum]] = {}
    for line in log_text.splitlines():
        for namespace, datum in data_of(line):
            by_namespace.setdefault(namespace, []).append(datum)
    for namespace, data in by_namespace.items():
        for start in range(0, len(data), MOST_DATA):
            embedded.call(
                "cloudwatch", "PutMetricData", Namespace=namespace, MetricData=data[start : start + MOST_DATA]
            )


def data_of(line: str) -> Iterator[tuple[str, Datum]]:
    """The data points of a line of a log, each with its namespace."""
    try:
        entry = json.loads(line)
    except ValueError:
        return
    if not isinstance(entry, dict) or not isinstance(entry.get("_aws"), dict):
        return
    seconds = entry["_aws"]["Timestamp"] / 1000
    for directive in entry["_aws"].get("CloudWatchMetrics", []):
        for names in directive.get("Dimensions") or [[]]:
            if any(name not in entry for name in names):
                logger.warning("no metric, a dimension has no value: %s", line)
                continue
            dimensions = [{"Name": name, "Value": entry[name]} for name in names]
            for metric in directive["Metrics"]:
                value = entry.get(metric["Name"])
                if value is None:
                    logger.warning("no metric, %s has no value: %s", metric["Name"], line)
                    continue
                datum = {
                    "MetricName": metric["Name"],
                    "Dimensions": dimensions,
                    "Timestamp": seconds,
                    "Unit": metric.get("Unit", "None"),
                    "Values": value if isinstance(value, list) else [value],
                }
                yield directive["Namespace"], datum
