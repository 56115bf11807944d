"""CPU credits of T types: what a host without them carries, and the steal that its /proc/stat counts."""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from host_support import Fleet, loading, make_pair, make_profile, rates_of, received_bytes, wait_for

from lab.hosts.processor import Processor, ProcStat
from lab.hosts.profiles import Profile
from lab.hosts.settings import HostSettings

SHARED = Path(__file__).parents[3] / "ssm-documents" / "shared"
PEAK_BYTES = 100_000_000 // 8


def burstable(launch_seconds: float) -> Profile:
    made = make_profile("burstable", 100_000_000, 100_000_000, None)
    return replace(made, burstable_cpu=True, cpu_baseline_percent=20, cpu_launch_seconds=launch_seconds)


def load(processor: Processor, seconds: int, share_of_peak: float) -> None:
    for _ in range(seconds):
        processor.pass_time(1, int(PEAK_BYTES * share_of_peak))


def test_launch_credits_run_out_under_load_and_come_back_at_rest() -> None:
    processor = Processor(burstable(launch_seconds=8), "standard")
    # At the peak, a fifth of what is spent is earned: eight seconds last for ten.
    load(processor, 9, 1)
    assert (processor.is_held, processor.steal_seconds) == (False, 0)
    load(processor, 1, 1)
    assert processor.is_held
    assert processor.peak_bits_per_second == 20_000_000

    load(processor, 5, 0.2)
    # Two processors, each refused four fifths of a second.
    assert processor.is_held
    assert processor.steal_seconds == pytest.approx(5 * 2 * 0.8)

    load(processor, 5, 0)
    assert not processor.is_held
    assert processor.steal_seconds == pytest.approx(5 * 2 * 0.8), "a host at rest is refused nothing"


def test_what_a_late_tick_let_a_host_send_without_credits_is_paid_for_later() -> None:
    processor = Processor(burstable(launch_seconds=8), "standard")
    load(processor, 9, 1)
    processor.pass_time(2, 2 * PEAK_BYTES)
    # It owes 0.8 s of work. At rest it earns that in four seconds, and in a fifth one the credits that end a hold.
    load(processor, 4, 0)
    assert processor.is_held
    load(processor, 1, 0)
    assert not processor.is_held


def test_half_a_second_above_the_peak_uses_half_a_second_and_half_of_what_is_granted_counts_as_busy() -> None:
    processor = Processor(burstable(launch_seconds=8), "standard")
    changes = [processor.pass_time(0.5, int(PEAK_BYTES * 0.75)) for _ in range(20)]
    assert changes == [False] * 19 + [True]

    processor.pass_time(1, int(PEAK_BYTES * 0.09))
    assert processor.steal_seconds == 0
    processor.pass_time(1, int(PEAK_BYTES * 0.1))
    assert processor.steal_seconds == pytest.approx(2 * 0.8)
    # A fault leaves it a tenth of its processors.
    processor.pass_time(1, int(PEAK_BYTES * 0.05), 0.1)
    assert processor.steal_seconds == pytest.approx(2 * 0.8 + 2 * 0.9)


def test_without_launch_credits_a_host_is_held_from_its_launch_on() -> None:
    processor = Processor(burstable(launch_seconds=0), "standard")
    assert (processor.is_held, processor.peak_bits_per_second) == (True, 20_000_000)


@pytest.mark.parametrize(
    ("profile", "credits"),
    [(burstable(0), "unlimited"), (make_profile("steady", 100_000_000, 100_000_000, None), None)],
)
def test_a_host_with_unlimited_credits_or_of_another_type_is_never_held(profile: Profile, credits: str | None) -> None:
    processor = Processor(profile, credits)
    load(processor, 100, 1)
    assert (processor.is_held, processor.steal_seconds) == (False, 0)


@pytest.mark.parametrize(("is_burstable_cpu", "expected_seconds"), [(False, 5.5), (True, 4)])
def test_what_the_machine_withholds_is_steal_of_a_host_that_cannot_lack_cpu_credits(
    tmp_path: Path, is_burstable_cpu: bool, expected_seconds: float
) -> None:
    stat = ProcStat(tmp_path / "stat", is_burstable_cpu)
    size = (tmp_path / "stat").stat().st_size
    stat.write(lacking_seconds=4, withheld_seconds=1.5)

    steal_ticks = int((tmp_path / "stat").read_text().split()[8])
    assert steal_ticks / os.sysconf("SC_CLK_TCK") == expected_seconds
    assert (tmp_path / "stat").stat().st_size == size, "the file is written in place"


@pytest.mark.parametrize(("is_burstable_cpu", "field_count"), [(False, 4 + 3), (True, 4 + 6)])
def test_what_the_machine_withholds_and_nobody_knows_is_no_steal_of_0(
    tmp_path: Path, is_burstable_cpu: bool, field_count: int
) -> None:
    def fields() -> list[str]:
        return (tmp_path / "stat").read_text().partition("\n")[0].split()[1:]

    stat = ProcStat(tmp_path / "stat", is_burstable_cpu)
    size = (tmp_path / "stat").stat().st_size
    assert len(fields()) == field_count, "nothing has been read yet"
    stat.write(lacking_seconds=4, withheld_seconds=1.5)
    assert len(fields()) == 10
    stat.write(lacking_seconds=4, withheld_seconds=None)
    assert len(fields()) == field_count
    assert (tmp_path / "stat").stat().st_size == size, "the file is written in place"


@pytest.mark.parametrize("credits", ["standard", "unlimited"])
def test_a_host_carries_what_its_credits_let_it_and_its_kernel_counts_the_rest(fleet: Fleet, credits: str) -> None:
    pair = make_pair(fleet, "burstable", client_settings=HostSettings(cpu_credits=credits))

    def steal_seconds() -> float:
        """What the product reads on the host."""
        files = [SHARED / name for name in ("sampling.py", "tool_run.py")]
        line = "".join(f"cat >/tmp/{file.name} <<'END'\n{file.read_text()}\nEND\n" for file in files)
        done = fleet.run(pair.client, line + "cd /tmp && python3 -c 'import sampling; print(sampling.steal_time())'")
        return float(re.findall(r"'steal_seconds': ([\d.]+)", done.stdout)[0])

    assert steal_seconds() == 0
    # A fifth of 200 Mbit/s, as soon as what was earned at rest is spent.
    megabits = 40 if credits == "standard" else 200
    limit = (f"{megabits}Mbit", None)
    with loading(fleet, pair, "-P 4"):
        wait_for("the limit", lambda: rates_of(fleet.queue(pair.client, "up0")) == limit)
        began, before = time.monotonic(), received_bytes(fleet, pair.server)
        if credits == "standard":
            # Two processors, each refused four fifths of each second in which there is more to send.
            wait_for("steal", lambda: steal_seconds() > 2 * 0.8 * 4)
        else:
            wait_for("bytes", lambda: received_bytes(fleet, pair.server) > before + 100_000_000)
            assert steal_seconds() == 0
            assert rates_of(fleet.queue(pair.client, "up0")) == limit

        def mean_megabits() -> float:
            return (received_bytes(fleet, pair.server) - before) * 8 / 1e6 / (time.monotonic() - began)

        # A busy machine changes the card's limit late; the host pays for what it sent until then.
        wait_for("a mean rate below the limit", lambda: mean_megabits() < 1.1 * megabits)
