"""How long the forwarders waited for a processor: never 0 where the kernel does not count it."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_support import TEST_PROFILES

from lab.hosts.forwarder import waited_seconds
from lab.hosts.region import Region


@pytest.mark.parametrize(
    ("content", "expected_seconds"),
    [("33052450 686284930 24\n", 0.68628493), ("33052450 0 24\n", 0), ("0 0 0\n", None), ("", None), (None, None)],
    ids=["recorded", "never waited", "a kernel that does not count", "empty", "a kernel without it"],
)
def test_a_forwarder_that_never_waited_is_not_one_whose_waiting_is_not_counted(
    tmp_path: Path, content: str | None, expected_seconds: float | None
) -> None:
    schedstat = tmp_path / "schedstat"
    if content is not None:
        schedstat.write_text(content)
    assert waited_seconds(schedstat) == expected_seconds


class ServiceThatWaited:
    """A service of a region without zones, of which only the waiting matters."""

    is_running = True

    def __init__(self, seconds: float | None) -> None:
        self.waited_seconds = seconds

    def join_zone(self, zone: str, router: str) -> None: ...
    def add_address(self, address: str, zone: str) -> None: ...
    def remove_address(self, address: str) -> None: ...
    def close(self) -> None: ...


@pytest.mark.parametrize(
    ("of_services", "expected_seconds"), [((), 0), ((1.5, 0.0, 2.0), 3.5), ((1.5, None, 2.0), None)]
)
def test_what_one_forwarder_waited_and_nobody_knows_is_missing_in_the_sum(
    of_services: tuple[float | None, ...], expected_seconds: float | None
) -> None:
    region = Region(TEST_PROFILES)
    for seconds in of_services:
        region.add_service(ServiceThatWaited(seconds))
    assert region.waited_seconds == expected_seconds
