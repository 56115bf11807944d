"""CloudWatch: metrics from the logs of functions, and alarms as AWS evaluates them.

Log lines of a function in the embedded metric format become data points
(https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html).
As on AWS, a line that lacks the value of a metric or of a dimension becomes none.

MiniStack evaluates an alarm only when a request publishes a data point, ignores dimensions, and has no treatment of
missing data. The lab follows AWS's rules
(https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html), once a second and over periods
that end now. AWS's periods begin at whole minutes, so its alarms come up to a minute later.
"""

import datetime
import json
import logging
import operator
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from lab.aws import embedded

logger = logging.getLogger("lab.cloudwatch")
Datum = dict[str, Any]
# CloudWatch accepts at most this many data points per request.
MOST_DATA = 1000


def _with_metrics(
    original: Callable[..., Any], func: Any, request_id: str, log_text: str, *arguments: Any, **keywords: Any
) -> Any:
    found = original(func, request_id, log_text, *arguments, **keywords)
    # The event loop may be writing this log and must not wait. CloudWatch extracts metrics with a delay, too.
    if '"_aws"' in (log_text or ""):
        embedded.in_background(_publish, log_text)
    return found


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
    """Yields the data points in a log line, each with its namespace."""
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


PAUSE_SECONDS = 1.0
Alarm = dict[str, Any]

BREACHES = {
    "GreaterThanOrEqualToThreshold": operator.ge,
    "GreaterThanThreshold": operator.gt,
    "LessThanThreshold": operator.lt,
    "LessThanOrEqualToThreshold": operator.le,
}


def install() -> None:
    embedded.LAMBDA_LOGS.wrap(_with_metrics)
    embedded.CLOUDWATCH_EVALUATE.replace(lambda _: None)
    threading.Thread(target=_evaluate_for_ever, daemon=True, name="lab-alarms").start()


def _evaluate_for_ever() -> None:
    while True:
        time.sleep(PAUSE_SECONDS)
        try:
            with embedded.lab_scope():
                evaluate(datetime.datetime.now(datetime.UTC))
        except Exception:
            logger.exception("alarms were not evaluated")


def evaluate(now: datetime.datetime) -> None:
    """Sets every alarm to the state of its metric; MiniStack announces the alarms that have changed."""
    for alarm in embedded.call("cloudwatch", "DescribeAlarms")["MetricAlarms"]:
        values = [_value(alarm, now, index) for index in range(alarm["EvaluationPeriods"])]
        state, reason = state_of(alarm, values)
        if state != alarm["StateValue"]:
            embedded.call(
                "cloudwatch", "SetAlarmState", AlarmName=alarm["AlarmName"], StateValue=state, StateReason=reason
            )


def state_of(alarm: Alarm, values: list[float | None]) -> tuple[str, str]:
    """Returns an alarm's state and reason from the value of each period, newest first; None where data are missing."""
    breaches, threshold = BREACHES[alarm["ComparisonOperator"]], alarm["Threshold"]
    needed: int = alarm.get("DatapointsToAlarm") or alarm["EvaluationPeriods"]
    treatment = alarm.get("TreatMissingData", "missing")
    known = [value for value in values if value is not None]
    if not known and treatment == "missing":
        return "INSUFFICIENT_DATA", "Insufficient Data: no datapoints were received"
    if not known and treatment == "ignore":
        return alarm["StateValue"], "no datapoints were received, and missing data are ignored"
    missing = len(values) - len(known) if treatment == "breaching" else 0
    count = missing + sum(1 for value in known if breaches(value, threshold))
    said = f"{len(known)} datapoints {known} were received, {count} breaching, {needed} are needed"
    return ("ALARM", f"Threshold Crossed: {said}") if count >= needed else ("OK", f"Threshold not crossed: {said}")


def _value(alarm: Alarm, now: datetime.datetime, index: int) -> float | None:
    period = datetime.timedelta(seconds=alarm["Period"])
    end = now - index * period
    found = embedded.call(
        "cloudwatch",
        "GetMetricStatistics",
        Namespace=alarm["Namespace"],
        MetricName=alarm["MetricName"],
        Dimensions=alarm.get("Dimensions", []),
        StartTime=end - period,
        EndTime=end,
        Period=60,
        Statistics=["SampleCount", "Sum", "Minimum", "Maximum"],
    )["Datapoints"]
    if not found:
        return None
    match alarm["Statistic"]:
        case "Sum" | "SampleCount" as name:
            return float(sum(point[name] for point in found))
        case "Minimum":
            return float(min(point["Minimum"] for point in found))
        case "Maximum":
            return float(max(point["Maximum"] for point in found))
        case "Average":
            return float(sum(point["Sum"] for point in found) / sum(point["SampleCount"] for point in found))
        case other:
            raise ValueError(f"alarm {alarm['AlarmName']}: the lab knows no statistic {other}")
