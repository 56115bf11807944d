"""The lab that the modules of one process share: a deployment takes a minute, and only one embedded AWS can run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from permissions.recorded import RecordedCalls

from lab.runner.paths import LabPaths
from lab.runner.session import deployed_lab

from .running_lab import RunningLab

Settings = dict[str, Any]


class SharedLab:
    """Deploys a lab when a module asks for one, and keeps it for the next module that asks for no settings either."""

    def __init__(self, new_folder: Callable[[], Path]) -> None:
        self._new_folder = new_folder
        self._stack = ExitStack()
        self._kept: RunningLab | None = None

    @contextmanager
    def taken(self, settings: Settings, is_sound: Callable[[], bool]) -> Iterator[RunningLab]:
        """Gives a lab without faults to a module, and ends it if a test failed or it has settings of its own.

        At the end, every call in it must have been allowed, and the user's own networks must be as they were.
        """
        if settings:
            self.end()
        lab = self._kept = self._kept or self._deployed(settings)
        lab.record_calls()
        before = lab.user_networks()
        try:
            yield lab
            lab.clear()
            assert lab.user_networks() == before
            assert RecordedCalls(lab.aws, lab.deployment).denied() == []
        except BaseException:
            self.end()
            raise
        if settings or not is_sound():
            self.end()

    def end(self) -> None:
        """Makes room for another embedded AWS."""
        self._kept = None
        self._stack.close()

    def _deployed(self, settings: Settings) -> RunningLab:
        given = {"report": lambda event: None, **settings}
        return RunningLab(*self._stack.enter_context(deployed_lab(LabPaths(self._new_folder()), **given)))
