"""Tests of the samples taken beside the tool: when, of what, and where the driver has counters."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from document_hosts import wait_for

sys.path.insert(0, str(Path(__file__).parents[2] / "ssm-documents" / "shared"))
import sampling  # noqa: E402

OWN = os.getpid()


class Clock:
    """Stands in for the module `time` and for the sampler's event: time passes only by waiting."""

    def __init__(self, end: float) -> None:
        self.now = 0.0
        self._end = end

    def monotonic(self) -> float:
        return self.now

    def wait(self, seconds: float) -> bool:
        self.now += seconds
        return self.now >= self._end


@pytest.fixture
def samples() -> list[tuple[str, dict]]:
    return []


@pytest.fixture
def make_sampler(samples):
    def make(interface: str = "lo", process_id: int = OWN) -> sampling.Sampler:
        stream = SimpleNamespace(add=lambda source, **content: samples.append((source, content["counters"])))
        return sampling.Sampler(stream, interface, process_id)

    return make


class TestTiming:
    def test_samples_every_second_from_the_start(self, make_sampler, monkeypatch):
        assert self.sample_times(make_sampler(), monkeypatch, takes_seconds=lambda number: 0.25) == [0, 1, 2, 3, 4]

    def test_after_a_slow_sample_the_next_comes_at_once_and_the_others_stay_on_the_grid(
        self, make_sampler, monkeypatch
    ):
        second_takes_long = {1: 2.5}

        times = self.sample_times(make_sampler(), monkeypatch, lambda number: second_takes_long.get(number, 0))

        assert times == [0, 1, 3.5, 4]

    def sample_times(self, sampler, monkeypatch, takes_seconds) -> list[float]:
        clock = Clock(end=5)
        times: list[float] = []

        def sample() -> None:
            times.append(clock.now)
            clock.now += takes_seconds(len(times) - 1)

        monkeypatch.setattr(sampling, "time", clock)
        monkeypatch.setattr(sampler, "_ended", clock)
        monkeypatch.setattr(sampler, "sample", sample)
        sampler.run()
        return times


def test_samples_the_interfaces_counters(make_sampler, samples):
    make_sampler().sample()

    counters = dict(samples)["interface"]
    assert counters.keys() == {*sampling.INTERFACE_COUNTERS, "tcp_timeouts"}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (
            "NIC statistics:\n     tx_drops: 7\n     bw_in_allowance_exceeded: 0\n     bw_out_allowance_exceeded: 12\n",
            {"bw_in_allowance_exceeded": 0, "bw_out_allowance_exceeded": 12},
        ),
        (
            "NIC statistics:\n     pps_allowance_exceeded: 0\n     ena_srd_mode: 1\n     ena_srd_tx_pkts: 90\n"
            "     ena_srd_eligible_tx_pkts: 100\n     ena_srd_rx_pkts: 8\n     ena_srd_resource_utilization: 3\n",
            {"pps_allowance_exceeded": 0, "ena_srd_tx_pkts": 90, "ena_srd_eligible_tx_pkts": 100, "ena_srd_rx_pkts": 8},
        ),
        ("NIC statistics:\n     rx_queue_0_drops: 3\n", None),
        ("no stats available\n", None),
    ],
    ids=["ENA", "ENA with ENA Express", "another driver", "no statistics"],
)
def test_samples_the_drivers_counters_if_the_driver_has_them(
    make_sampler, samples, tmp_path, monkeypatch, answer, expected
):
    calls = tmp_path / "calls"
    ethtool = tmp_path / "ethtool"
    ethtool.write_text(f"#!/bin/sh\necho \"$*\" >>{calls}\nprintf '%s' '{answer}'\n")
    ethtool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(sampling, "ETHTOOL_SECONDS", 300)
    sampler = make_sampler()

    sampler.sample()
    sampler.sample()

    counted = [counters for source, counters in samples if source == "ethtool"]
    if expected is None:
        assert counted == []
        assert calls.read_text() == "-S lo\n", "one question is enough"
    else:
        assert counted == [expected, expected]


# A second of processor time each: by the tool, by a child that has ended, and by a grandchild that still runs. Each
# process prints what it has used itself, so that start-up costs, which differ with the machine's load, are known.
BURN = "import time\nwhile time.process_time() < 1: pass\nprint(time.process_time(), flush=True)"
TOOL = f"""
import subprocess, sys, time
burn = {BURN!r}
subprocess.run([sys.executable, "-c", burn], check=True)
then_wait = burn + "\\ntime.sleep(600)"
running = subprocess.Popen(["sh", "-c", '"$@"; true', "sh", sys.executable, "-c", then_wait], stdout=subprocess.PIPE)
print(running.stdout.readline().decode(), end="", flush=True)
exec(burn)
time.sleep(600)
"""


def test_the_processor_time_is_that_of_the_tool_and_its_descendants_each_counted_once():
    tool = subprocess.Popen([sys.executable, "-c", TOOL], stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        assert tool.stdout is not None
        used_seconds = [float(tool.stdout.readline()) for _ in range(3)]
        processor_time = sampling.ProcessorTime(tool.pid)
        first = processor_time.read()
        # The grandchild's shell, and with it the time of both, leaves the tree: what was counted stays counted.
        (shell,) = sampling.children_of(tool.pid)
        subprocess.run(["kill", "-KILL", str(shell)], check=True)
        wait_for("end of the shell", lambda: not sampling.children_of(shell))
        second = processor_time.read()
    finally:
        os.killpg(tool.pid, 9)
        tool.wait()

    assert first is not None and second is not None
    # One process missing would take a second off; one counted twice would add one. The rest is what starting and ending
    # processes takes, and the kernel's ticks.
    used = first["user_seconds"] + first["system_seconds"]
    assert -0.5 < used - sum(used_seconds) < 0.5
    assert all(second[kind] >= first[kind] for kind in first)
    assert processor_time.read() is None


def show_as(monkeypatch, hidden: str, shown: Path) -> None:
    """Lets the sampler read a recorded file in the place of the machine's."""
    read = open
    either = lambda path, mode: read(shown if path == hidden else path, mode)  # noqa: E731
    monkeypatch.setattr(sampling, "open", either, raising=False)


def test_samples_the_hosts_steal_beside_the_tools_processor_time(make_sampler, samples, monkeypatch, tmp_path):
    # Recorded on a virtual machine: user nice system idle iowait irq softirq steal guest guest_nice.
    stat = tmp_path / "stat"
    stat.write_text("cpu  5912 40 2210 77120 310 0 190 1234 0 0\ncpu0 2950 20 1100 38560 150 0 100 600 0 0\nintr 5\n")
    show_as(monkeypatch, "/proc/stat", stat)

    make_sampler().sample()

    counters = dict(samples)["cpu"]
    assert counters["steal_seconds"] == 1234 / sampling.TICKS_PER_SECOND
    assert counters.keys() >= {"user_seconds", "system_seconds", "steal_seconds"}


@pytest.mark.parametrize("content", [None, "", "cpu  1 2 3 4\n"], ids=["no file", "empty", "an old kernel's"])
def test_a_host_that_counts_no_steal_has_none_in_its_samples(make_sampler, samples, monkeypatch, tmp_path, content):
    stat = tmp_path / "stat"
    if content is not None:
        stat.write_text(content)
    show_as(monkeypatch, "/proc/stat", stat)

    make_sampler().sample()

    assert "steal_seconds" not in dict(samples)["cpu"]


# Recorded on a machine of two processors, five seconds apart, beside four busy loops and other programs.
PRESSURES = [
    f"some {averages} total={total}\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
    for averages, total in (
        ("avg10=97.62 avg60=98.47 avg300=97.88", 1443807695),
        ("avg10=98.24 avg60=98.52 avg300=97.91", 1448949514),
    )
]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (PRESSURES[0], {"pressure_seconds": 1443.807695}),
        (PRESSURES[1], {"pressure_seconds": 1448.949514}),
        (None, {}),
        ("", {}),
        ("some avg10=0.00 avg60=0.00 avg300=0.00\n", {}),
    ],
    ids=["recorded", "recorded later", "a kernel without it", "a kernel that does not count", "another form"],
)
def test_samples_how_long_anything_on_the_host_waited_for_a_processor(monkeypatch, tmp_path, content, expected):
    pressure = tmp_path / "cpu"
    if content is not None:
        pressure.write_text(content)
    show_as(monkeypatch, "/proc/pressure/cpu", pressure)

    assert sampling.processor_pressure() == expected


class TestWaiting:
    """The tool's threads, each with the text of its /proc/<pid>/task/<thread>/schedstat."""

    @pytest.fixture
    def waited(self, monkeypatch, tmp_path):
        tasks = tmp_path / str(OWN) / "task"
        processor_time = sampling.ProcessorTime(OWN)
        monkeypatch.setattr(sampling, "glob", SimpleNamespace(glob=lambda pattern: self.found(tasks, pattern)))

        def read(**texts: str) -> float | None:
            shutil.rmtree(tasks, ignore_errors=True)
            for thread, text in texts.items():
                (tasks / thread).mkdir(parents=True)
                (tasks / thread / "schedstat").write_text(text)
            counted = processor_time.read()
            assert counted is not None
            return counted.get("waiting_seconds")

        return read

    @staticmethod
    def found(tasks: Path, pattern: str) -> list[str]:
        return sorted(map(str, tasks.glob("*/schedstat"))) if pattern.endswith("schedstat") else []

    def test_is_the_sum_over_the_threads(self, waited):
        # Recorded of two busy threads, five seconds apart; the second one was started in between.
        first = waited(t1="33052450 686284930 24\n")
        second = waited(t1="181465521 5176091785 292\n", t2="163830412 4272057115 247\n")
        assert first == pytest.approx(0.686284930)
        assert second == pytest.approx(5.176091785 + 4.272057115)

    def test_of_a_thread_that_ended_stays_counted(self, waited):
        waited(t1="0 1000000000 1\n", t2="0 2000000000 1\n")
        assert waited(t1="0 1500000000 2\n") == 3.5

    def test_of_a_thread_that_always_got_its_turn_is_0(self, waited):
        assert waited(t1="1000000 0 1\n") == 0

    def test_of_a_new_thread_with_an_old_number_counts_from_0(self, waited):
        waited(t1="0 4000000000 1\n")
        assert waited(t1="0 100000000 1\n") == 4
        assert waited(t1="0 300000000 2\n") == pytest.approx(4.2)

    @pytest.mark.parametrize(
        "texts",
        [{}, {"t1": ""}, {"t1": "unknown\n"}, {"t1": "0 0 0\n"}],
        ids=["no file", "empty", "another form", "a kernel that has the file and does not count"],
    )
    def test_is_absent_where_the_kernel_does_not_count_it(self, waited, texts):
        assert waited(**texts) is None


def test_the_kernel_has_a_file_for_each_thread_of_a_process():
    ending = threading.Event()
    thread = threading.Thread(target=ending.wait)
    thread.start()
    try:
        read = sampling.run_delays(OWN)
        assert f"/proc/{OWN}/task/{thread.native_id}/schedstat" in read
        assert f"/proc/{OWN}/task/{OWN}/schedstat" in read
    finally:
        ending.set()
        thread.join()


def test_the_default_interface_is_that_of_the_default_route():
    assert sampling.default_interface() in os.listdir("/sys/class/net")
