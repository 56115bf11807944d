"""Tests of when the tool's lines are cut into chunks, with a clock that only the test moves."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "ssm-documents" / "shared"))
import tool_run  # noqa: E402


class Clock:
    """Stands in for the module `time`: each pause takes a second, and one of them stops the tool."""

    def __init__(self, end: float) -> None:
        self.now = 0.0
        self._end = end
        self.tool: tool_run.ToolRun | None = None

    def monotonic(self) -> float:
        return self.now

    def sleep(self, _: float) -> None:
        self.now += 1
        if self.now == self._end and self.tool is not None:
            self.tool.terminate()


class Lines:
    """Records at which times chunks were cut; it is full once, at `full_at`."""

    def __init__(self, clock: Clock, full_at: float) -> None:
        self._clock = clock
        self._full_at = full_at
        self.cut_at: list[float] = []
        self.is_over_limit = False

    @property
    def is_full(self) -> bool:
        return self._clock.now == self._full_at

    def add_lines(self, source: str, lines: list[str]) -> None:
        """The lines themselves do not matter here."""

    def cut(self) -> None:
        self.cut_at.append(self._clock.now)


@pytest.mark.parametrize(
    ("full_at", "cut_at"), [(-1, [10, 19, 29, 38]), (13, [10, 13, 19, 29, 38])], ids=["by time", "also by size"]
)
def test_chunks_are_cut_every_nine_and_a_half_seconds(monkeypatch, full_at, cut_at):
    """A late cut does not move the next one. At most 10 s may be lost, of which the upload takes half a second."""
    assert tool_run.CHUNK_SECONDS == 9.5
    clock = Clock(end=40)
    monkeypatch.setattr(tool_run, "time", clock)
    lines = Lines(clock, full_at)
    tool = clock.tool = tool_run.ToolRun(lines, ["yes"])

    tool.start()
    tool.follow()

    assert lines.cut_at == cut_at
    assert tool.signal_name == signal.SIGTERM.name
