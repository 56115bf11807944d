"""ENA Express on and off in a run: a repetition measures both between the same zones, or says where it could not."""

from __future__ import annotations

from collections import defaultdict

from .running_lab import RunningLab, pair, plan

TYPE = "m6i.8xlarge"
VCPUS = 32
# The lab's account maps names to ids in another order.
ZONE_IDS = {"us-east-1a": "use1-az4", "us-east-1b": "use1-az6", "us-east-1c": "use1-az1"}
COLUMNS = """
    pair_id, repetition, ena_express, client_zone, server_zone, client_zone_id, server_zone_id, is_displaced, cell
"""


def test_conditions_are_measured_between_the_same_zones_and_what_found_no_room_stands_apart(lab: RunningLab) -> None:
    pairs = [pair(TYPE, zoneRelation="other_zone", enaExpress=express) for express in ("off", "both")]
    ping = {"tool": "ping", "count": 5}
    lab.set_quota("L-1216C47A", 2 * len(pairs) * 3 * VCPUS)
    # The repetitions start in the zones a and b, a and c, b and a; one host of the second finds no room.
    lab.fault("RunInstances", "InsufficientInstanceCapacity", where={"zone": "us-east-1c"})

    arn = lab.start(plan("same zones", pairs, [ping], repetitions=3, concurrency=6))
    result = lab.follow(arn)

    assert (result.status, result.error) == ("SUCCEEDED", None)
    rows = lab.query(f"SELECT {COLUMNS} FROM measurements WHERE run_id = '{lab.run_id(arn)}'")
    assert len(rows) == 6
    places, displaced, cells = defaultdict(list), [], defaultdict(set)
    for pair_id, repetition, express, client, server, client_id, server_id, is_displaced, cell in rows:
        assert (client_id, server_id) == (ZONE_IDS[client], ZONE_IDS[server])
        cells[express, is_displaced].add(cell)
        if is_displaced == "true":
            displaced.append((pair_id, repetition, client, server))
        else:
            places[repetition].append((client, server))
    assert {repetition: set(found) for repetition, found in places.items()} == {
        "1": {("us-east-1a", "us-east-1b")},
        "2": {("us-east-1a", "us-east-1c")},
        "3": {("us-east-1b", "us-east-1a")},
    }
    ((pair_id, repetition, *zones),) = displaced
    assert (repetition, tuple(zones) == ("us-east-1a", "us-east-1c")) == ("2", False)
    # Each condition is a cell, and the displaced measurement one of its own.
    assert all(len(found) == 1 for found in cells.values())
    assert len(set.union(*cells.values())) == len(cells) == 3
    (of_pair,) = lab.query(
        f"SELECT client_zone_id, server_zone_id, is_displaced FROM pairs WHERE pair_id = '{pair_id}' "
        f"AND run_id = '{lab.run_id(arn)}'"
    )
    assert of_pair == [*(ZONE_IDS[zone] for zone in zones), "true"]
    report = lab.read(f"reports/{lab.run_id(arn)}/report.html").decode()
    assert "1 pair displaced to other subnets" in report
