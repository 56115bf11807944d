"""The rows of a run that nothing befell, by its plan, as recorded when the product was right.

Every run that ends green must have the same value in every column that another run of the plan would have, too, and
a value wherever that run has one: `npm run faults -- --record` writes the file again after a change of the product.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from faults.fault import Fault
from faults.stored import Object, Stored

PATH = Path(__file__).parents[1] / "fixtures" / "faults" / "unharmed.json"
TABLES = ("runs", "pairs", "measurements")
# Each run, machine or deployment has its own; what they may be is for the other invariants.
VARIES = re.compile(
    r".*(_at|_id|_uri|_bits_per_second|_bits|_percent|_micros|_usd|_seconds|_bytes|_packets|_length|_version|_model|_cpu)"
    r"|plan_name|retransmits|explanation|confidence|(client|server)_(kernel|operating_system|architecture|vcpu_count|"
    r"network_interface|network_driver|queue_count|queue_disciplines|congestion_control|clock_.*|has_tcp_.*)"
    r"|(bucket|refill|onset|burst|baseline|sustained)_.*"
)
SAME = re.compile(
    r"published_.*|expected_.*|upper_usd|.*_hourly_usd|duration_seconds|mtu_bytes|(client|server)_(zone|zone_id)"
    r"|scaled_model|.*_bound"
)
# Their details have figures; which of them there are does not depend on the run.
NAMED = {"witnesses": "name", "examined_causes": "cause"}
# Of the machine's other work, of what one plan expects, of who started it, of the day of the prices, and the answer,
# whose figures stand in the other columns (test/athena/test_answers.py compares them).
OF_ONE_RUN = re.compile(r"cpu_contention|expectations(_.*)?|started_by|price_list|answers")
# Says of the machine that it was busy, and nothing of the run.
CONTENTION = "cpu_contention"
PRESENT, ABSENT = "a value", "no value"
OF_A_VERDICT = re.compile(
    r"(verdict|sustained|held|throttled|bucket|refill|onset|burst|baseline|if_network)_?.*|examined_causes|witnesses"
    r"|confidence|warnings|hold_times|straggler_count|stream_bits_per_second"
)
# A shorter series has one of two verdicts, as it scatters.
JUDGED_SECONDS = 20
OF_A_PAIR = {"pair_id", "run_outcome"}


def shape_of(fault: Fault) -> str:
    """Returns what decides the columns of a run's rows: its plan but for the name."""
    types = "-".join(
        [*fault.instance_types.values(), *(fault.types[name] for name in ("zoneRelation",) if name in fault.types)]
    )
    return f"{fault.measurement_seconds} s, {fault.pair_count} pairs, {fault.path}, {fault.placement}, {types}"


def normal(row: Object) -> Object:
    """Returns each column that has a value: with it, where every run of the plan has the same."""
    found: Object = {}
    for name, value in row.items():
        if value is None or OF_ONE_RUN.fullmatch(name):
            continue
        if name in NAMED:
            found[name] = sorted({one[NAMED[name]] for one in value} - {CONTENTION})
        elif VARIES.fullmatch(name) and not SAME.fullmatch(name):
            found[name] = PRESENT
        else:
            found[name] = value
    return found


def add(shapes: Object, fault: Fault, store: Stored) -> None:
    """Adds what the rows of an unharmed run have to what those of its plan had before."""
    columns = shapes.setdefault(shape_of(fault), {})
    for table in TABLES:
        for row in store.rows[table]:
            found, known = normal(row), columns.setdefault(table, {})
            before = {name: [ABSENT] for name in found if known} | known
            for name in {*found, *known} - OF_A_PAIR:
                values, value = before.get(name, []), found.get(name, ABSENT)
                known[name] = values if value in values else [*values, value]


@cache
def recorded() -> Object:
    shapes: Object = json.loads(PATH.read_text()) if PATH.exists() else {}
    return shapes


def write(shapes: Object) -> None:
    PATH.parent.mkdir(parents=True, exist_ok=True)
    lines = [f" {json.dumps(f'{shape}')}: {json.dumps(shapes[shape], sort_keys=True)}" for shape in sorted(shapes)]
    PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def as_unharmed(fault: Fault, store: Stored, is_busy: bool) -> list[str]:
    """Returns the columns that a run nothing befell has otherwise, where one of this plan is recorded; those of the
    verdict may be others on a busy machine, or of a short run.
    """
    expected = recorded().get(shape_of(fault))
    if expected is None:
        return []
    broken = []
    for table in TABLES:
        for row in store.rows.get(table, []):
            found = normal(row)
            for name in sorted({*found, *expected[table]} - OF_A_PAIR):
                due, got = expected[table].get(name, [ABSENT]), found.get(name, ABSENT)
                is_open = is_busy or fault.measurement_seconds < JUDGED_SECONDS
                if got not in due and not (is_open and OF_A_VERDICT.fullmatch(name)):
                    words = " or ".join(str(one) for one in due)
                    broken.append(f"{table} must have {name} {words} as an unharmed run has, has {got}")
    return broken
