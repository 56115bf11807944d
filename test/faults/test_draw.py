"""A seed and a number make a fault again, and every kind has its turn."""

import pytest

from faults.__main__ import main
from faults.fault import KINDS, between_own_subnets, draw_fault
from faults.subject import plan_of
from lab.aws.described_account import ACCOUNT


def test_a_seed_gives_the_same_faults_again_and_another_seed_others() -> None:
    faults = [draw_fault(7, number) for number in range(60)]
    assert [draw_fault(7, number) for number in range(60)] == faults
    assert [draw_fault(8, number) for number in range(60)] != faults


def test_a_fault_of_starting_pairs_spares_the_start_of_the_run() -> None:
    faults = [draw_fault(7, number) for number in range(400)]
    wheres = [one["where"] for fault in faults for one in fault.details.get("faults", []) if "StartEx" in one["action"]]
    assert wheres
    assert {where["about"] for where in wheres} == {"*{run}-p*"}


def test_every_kind_occurs_in_every_deck() -> None:
    cards = sum(kind.share for kind in KINDS.values())
    for deck in (0, 1):
        kinds = [draw_fault(7, deck * cards + number).kind for number in range(cards)]
        assert {name: kinds.count(name) for name in KINDS} == {name: kind.share for name, kind in KINDS.items()}


def test_the_list_has_a_line_for_each_fault_of_a_deck(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", "--count", "400", "--seed", "9"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 400


def test_only_the_kinds_that_are_named_are_drawn_at_moments_of_their_own() -> None:
    kinds = ["host killed while it measures", "execution stopped"]
    faults = [draw_fault(7, number, kinds) for number in range(10)]
    assert {fault.kind for fault in faults} == set(kinds)
    assert len({(fault.trigger, fault.delay_seconds) for fault in faults}) == 10


def test_runs_between_own_subnets_name_a_subnet_of_each_of_two_peered_networks() -> None:
    faults = [between_own_subnets(draw_fault(7, number)) for number in range(200)]
    assert {fault.path for fault in faults if not fault.needs_own_lab} == {"own", "nlb"}
    pair = plan_of("f0001", 6, path="own")["pairs"][0]
    vpcs = {subnet["subnetId"]: vpc["vpcId"] for vpc in ACCOUNT["vpcs"] for subnet in vpc["subnets"]}
    assert {vpcs[pair[role]["subnetId"]] for role in ("client", "server")} == set(ACCOUNT["peerings"][0])
