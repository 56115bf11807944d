"""What must agree: plan, hosts that were seen, rows of the tables, summary, report, and the digest of all runs."""

from __future__ import annotations

import math
import re
from collections import Counter
from datetime import datetime

from faults.conduct import Course
from faults.fault import Fault
from faults.figures import profile_of
from faults.readable import report_text
from faults.witness import Resource, Tool
from lab.runner.deployment import STACK_NAME, scale_tags

# What the plan says in the summary's words and in the table's.
NAMES = {
    "status": "status",
    "sampleCount": "sample_count",
    "startedAt": "started_at",
    "endedAt": "ended_at",
    "reason": "reason",
    "warnings": "warnings",
    "clientType": "client_type",
    "serverType": "server_type",
}
VERDICT_NAMES = {
    "kind": "verdict_kind",
    "cause": "verdict_cause",
    "onsetSeconds": "onset_seconds",
    "burstBitsPerSecond": "burst_bits_per_second",
    "baselineBitsPerSecond": "baseline_bits_per_second",
    "bucketBits": "bucket_bits",
    "confidence": "confidence",
    "explanation": "explanation",
}
# How far the product's clock may be from the witness's, who looks twice a second.
CLOCK_SECONDS = 5
# A run of some seconds between virtual hosts needs no longer on AWS either; bare metal has 45 minutes to begin and end.
LONGEST_LIFE_SECONDS = 4 * 3_600
RUN_TAG, STACK_TAG, EXPIRY_TAG = (f"network-benchmark:{name}" for name in ("run-id", "stack", "expires-at"))


def agreement(fault: Fault, course: Course, resources: list[Resource], tools: list[Tool], outcome: str) -> list[str]:
    return [
        *_rows_are_the_runs(fault, course),
        *_hosts_are_the_plans(fault, course, resources),
        *_tags(course, resources),
        *_summary_is_the_tables(fault, course),
        *_counts(fault, course),
        *(_times(course, resources, tools) if outcome == "green" else []),
        *(_made(fault, resources) if outcome == "green" else []),
        *_report(course, outcome),
        *_digest(course),
    ]


def _rows_are_the_runs(fault: Fault, course: Course) -> list[str]:
    """Every row in an object of the run says that it is the run's, and is of something that was planned."""
    broken = []
    pairs = {one.partition("-")[0] for one in fault.measurement_ids}
    for table, rows in course.store.rows.items():
        for name, allowed in (
            ("run_id", {course.run_id}),
            ("measurement_id", {*fault.measurement_ids}),
            ("pair_id", pairs),
            ("direction", {"forward"}),
            ("verdict_direction", {"forward"}),
        ):
            wrong = {str(row[name]) for row in rows if row.get(name) not in (None, *allowed)}
            if wrong:
                broken.append(f"{table} must be of {course.run_id}, has {name} {sorted(wrong)}")
    once = {"runs": ["run_id"], "pairs": ["pair_id"]}
    series = ["metric", "measurement_id", "host_role", "direction", "stream", "start_seconds"]
    for table, key in (once | {"samples": series, "measurement_samples": series}).items():
        counts = Counter(tuple(row.get(name) for name in key) for row in course.store.rows.get(table, []))
        if twice := [place for place, count in counts.items() if count > 1]:
            broken.append(f"{table} must have each row once, has {twice[0]} more often, and {len(twice) - 1} others")
    # A run without a plan has a summary with the reason, and no row.
    if course.summary is not None and course.store.documents.get("plan"):
        for table, planned in (("runs", {course.run_id}), ("pairs", pairs)):
            found = {row.get(once[table][0]) for row in course.store.rows.get(table, [])}
            if found != planned:
                broken.append(f"{table} must have {sorted(planned)}, has {sorted(map(str, found))}")
    return broken


def _hosts_are_the_plans(fault: Fault, course: Course, resources: list[Resource]) -> list[str]:
    """Client and server are the hosts that were seen with these roles, of the types that were planned."""
    seen = {one.name: one for one in resources if one.kind == "instances"}
    broken = [
        f"{one.name} must be of type {planned} as the {one.role}, is {one.instance_type}"
        for one in seen.values()
        if (planned := fault.instance_types.get(one.role)) not in (None, one.instance_type)
    ]
    for row in course.store.rows.get("measurements", []):
        for role, planned in fault.instance_types.items():
            if row[f"{role}_type"] != planned:
                broken.append(f"{row['measurement_id']} must have a {role} of {planned}, has {row[f'{role}_type']}")
            host = seen.get(row.get(f"{role}_instance_id") or "")
            if row.get(f"{role}_instance_id") is None:
                continue
            if host is None or (host.role, host.pair_id) != (role, row["pair_id"]):
                broken.append(f"{row['measurement_id']} must name its {role}, names {row[f'{role}_instance_id']}")
            elif row.get(f"{role}_zone") != host.zone:
                broken.append(f"{host.name} must be in {host.zone}, is in {row.get(f'{role}_zone')}")
            profile = profile_of(planned)
            published = (profile.baseline_bits_per_second, profile.peak_bits_per_second)
            said = tuple(row.get(f"published_{role}_{name}_bits_per_second") for name in ("baseline", "peak"))
            if said not in (published, (None, None)):
                broken.append(f"{row['measurement_id']} must have {published} published of the {role}, has {said}")
    return broken


# What a pair needs beside its hosts, by its path and its placement.
NEEDS = {"public": {"securityGroups"}, "own": {"securityGroups"}, "cluster": {"placementGroups"}}
NEEDS |= {"nlb": {"securityGroups", "loadBalancers", "targetGroups"}}


def _made(fault: Fault, resources: list[Resource]) -> list[str]:
    """What the plan asks for was made: groups, a load balancer, and hosts in the same zone or in two."""
    due = {"instances"} | NEEDS.get(fault.path, set()) | NEEDS.get(fault.placement, set())
    made = {one.kind for one in resources}
    broken = [] if due == made else [f"must have made {sorted(due)}, has made {sorted(made)}"]
    for number in range(fault.pair_count):
        zones = {one.zone for one in resources if one.kind == "instances" and one.pair_id == f"p{number + 1:04d}"}
        wanted = 2 if fault.types.get("zoneRelation") == "other_zone" else 1
        if len(zones) != wanted and fault.path != "own":
            broken.append(f"its hosts must be in {wanted} zones, are in {sorted(zones)}")
    return broken


def _tags(course: Course, resources: list[Resource]) -> list[str]:
    """What was made for a run can be found, billed and removed by its tags, and lets in nobody but the run's hosts."""
    expected = {RUN_TAG: course.run_id, STACK_TAG: STACK_NAME, **scale_tags()}
    broken = []
    for one in resources:
        wrong = [key for key, value in expected.items() if one.tags.get(key) != value]
        lives = seconds(one.tags[EXPIRY_TAG]) - one.first_seen if one.tags.get(EXPIRY_TAG) else 0
        if not 0 < lives < LONGEST_LIFE_SECONDS:
            wrong.append(EXPIRY_TAG)
        if wide := [source for source in one.admits if not source.endswith("/32")]:
            broken.append(f"{one.name} must let in single addresses, lets in {wide}")
        if wrong:
            broken.append(f"{one.name} must have the tags of its run, has wrong {', '.join(wrong)}")
    return broken


def _summary_is_the_tables(fault: Fault, course: Course) -> list[str]:
    if course.summary is None:
        return []
    rows = {row["measurement_id"]: row for row in course.store.rows.get("measurements", [])}
    said = {one["measurementId"]: one for one in course.summary.get("measurements", [])}
    missing = sorted({*fault.measurement_ids} - {*said}) if course.store.documents.get("plan") else []
    broken = [f"the summary must have {missing}, has {sorted(said)}"] if missing else []
    for name, one in said.items():
        row = rows.get(name, {})
        verdict = one.get("verdict") or {}
        pairs = [(column, one.get(field), row.get(column)) for field, column in NAMES.items() if row]
        pairs += [
            (column, verdict.get(field), row.get(column)) for field, column in VERDICT_NAMES.items() if verdict and row
        ]
        mean = ((one.get("statistics") or {}).get("throughputBitsPerSecond") or {}).get("mean")
        pairs.append(("throughput_mean_bits_per_second", mean, row.get("throughput_mean_bits_per_second")))
        broken += [
            f"{name} must have the same {column} in summary and table, has {a} and {b}"
            for column, a, b in pairs
            if a != b and not (column == "reason" and _says_the_same(a, b))
        ]
        whole = len(course.stored.get(name, ())) == fault.measurement_seconds
        if one.get("status") == "complete" and not whole:
            broken.append(f"{name} must not be complete with {len(course.stored.get(name, ()))} s, is")
    return broken


def _says_the_same(reason: str | None, other: str | None) -> bool:
    """The reaper of a pair that never measured may write, right after the summary, that the pair's execution failed."""
    return reason is not None and other is not None and (reason in other or other in reason)


def _counts(fault: Fault, course: Course) -> list[str]:
    """A run is complete when all of its measurements are, and the row of the run counts them."""
    summary = course.summary
    if summary is None:
        return []
    statuses = Counter(one.get("status") for one in summary.get("measurements", []))
    broken = []
    if summary["outcome"] == "complete" and statuses != {"complete": fault.pair_count}:
        broken.append(f"a complete run must have {fault.pair_count} complete measurements, has {dict(statuses)}")
    for row in course.store.rows.get("runs", []):
        for status in ("complete", "truncated", "failed"):
            if row.get(f"{status}_count") != statuses[status]:
                broken.append(
                    f"the run's row must count {statuses[status]} {status}, counts {row.get(f'{status}_count')}"
                )
        if not str(row.get("report_uri")).endswith(f"/reports/{summary['runId']}/report.html"):
            broken.append(f"the run's row must name its report, names {row.get('report_uri')}")
        if row.get("outcome") != summary["outcome"]:
            broken.append(f"the run's row must say {summary['outcome']}, says {row.get('outcome')}")
    return broken


def _times(course: Course, resources: list[Resource], tools: list[Tool]) -> list[str]:
    """A measurement begins when the tool was seen on its client, and lasts as long as it ran."""
    broken = []
    for row in course.store.rows.get("measurements", []):
        mine = [tool for tool in tools if tool.instance_id == row.get("client_instance_id")]
        if not mine:
            continue
        tool = max(mine, key=lambda one: one.started)
        spans = {
            "started_at": (tool.started, tool.started),
            "ended_at": (tool.last_seen, tool.missed or tool.last_seen),
        }
        for name, (least, most) in spans.items():
            if row.get(name) is None or not least - CLOCK_SECONDS <= seconds(row[name]) <= most + CLOCK_SECONDS:
                broken.append(f"{row['measurement_id']} must have the tool's {name}, has {row.get(name)}")
    created = (course.summary or {}).get("createdAt")
    if (
        created is not None
        and not course.started - CLOCK_SECONDS <= seconds(created) <= (course.ended or 0) + CLOCK_SECONDS
    ):
        broken.append(f"the summary must be of this run, is of one that was planned at {created}")
    return broken


def _report(course: Course, outcome: str) -> list[str]:
    """The page says what the summary says: which run, when, how it ended, and each verdict with its rate."""
    summary, page = course.summary, course.report
    if summary is None or page is None:
        return []
    text = report_text(re.sub(r"<(script|style)[^>]*>.*?</\1>", "", page, flags=re.S))
    words = [course.run_id, summary["outcome"]]
    if created := summary.get("createdAt"):
        words.append(created[:19].replace("T", " "))
    complete = sum(one.get("status") == "complete" for one in summary.get("measurements", []))
    if outcome == "green":
        words.append(f"{complete} of {complete} measurement")
    for one in summary.get("measurements", []):
        words += [one.get("clientType") or "", (one.get("verdict") or {}).get("explanation") or ""]
        mean = ((one.get("statistics") or {}).get("throughputBitsPerSecond") or {}).get("mean")
        if mean is not None and outcome == "green":
            words.append(f"{mean / 1e9:#.3g}")
    broken = [f"the report must say {word!r}, does not" for word in dict.fromkeys(words) if word not in text]
    return broken + ([] if outcome != "green" else _cards(course, page))


def _three_digits(value: float) -> str:
    """Three digits, but no exponent and at most six decimals: a report has 0.000072 and not 7.16e-05."""
    rounded = float(f"{value:.3g}")
    return f"{value:.{min(max(2 - math.floor(math.log10(rounded)), 0), 6)}f}"


def _cards(course: Course, page: str) -> list[str]:
    """Each measurement's card in the report has its own figures, and no other's."""
    _, *parts = re.split(r'<div id="(p\d{4}-m\d+)"', page)
    cards = {name: re.sub(r"\s", "", report_text(body)) for name, body in zip(parts[::2], parts[1::2], strict=True)}
    broken = []
    for row in course.store.rows.get("measurements", []):
        words = [f"Retransmits{row.get('retransmits')}"]
        rates = [(row.get(f"throughput_{one}_bits_per_second") or 0) / 1e9 for one in ("p50", "p5", "p95")]
        if all(rates):
            words.append("{},{}to{}Gbit/s".format(*map(_three_digits, rates)))
        card = cards.get(row["measurement_id"], "")
        broken += [f"the card of {row['measurement_id']} must say {one}, does not" for one in words if one not in card]
    return broken


def _digest(course: Course) -> list[str]:
    """The digest of all runs has the run once, as its summary has it."""
    summary, entries = course.summary, course.store.history
    if summary is None:
        return []
    if len(entries) != 1:
        return [f"the digest of all runs must have the run once, has it {len(entries)} times"]
    (entry,) = entries
    broken = [] if course.store.is_in_index else ["the page over all runs must link the run's report, does not"]
    broken += [
        f"the digest must have {name} {summary.get(name)}, has {entry.get(name)}"
        for name in ("planName", "createdAt", "outcome")
        if entry.get(name) != summary.get(name)
    ]
    complete = [one for one in summary.get("measurements", []) if one.get("status") == "complete"]
    if entry.get("completeCount") != len(complete):
        broken.append(f"the digest must count {len(complete)} complete, counts {entry.get('completeCount')}")
    counted = Counter({(one["kind"], one.get("cause")): one["count"] for one in entry.get("verdictCounts", [])})
    verdicts = Counter((one["verdict"]["kind"], one["verdict"].get("cause")) for one in complete if one.get("verdict"))
    if counted != verdicts:
        broken.append(f"the digest must count the verdicts {dict(verdicts)}, counts {dict(counted)}")
    return broken


def seconds(instant: str) -> float:
    return datetime.fromisoformat(instant.replace("Z", "+00:00")).timestamp()
