"""Runs that are stopped while what removes their resources fails."""

import random
from typing import Any

from faults.kinds.functions import CRASHES
from faults.kinds.kind import BEHIND, LONG_SECONDS, Kind, delay


def _stopped_with(draw: random.Random, words: str, *faults: dict[str, Any]) -> dict[str, Any]:
    return {
        "outcome": "red",
        "trigger": "measuring",
        "delay_seconds": delay(draw, 1, LONG_SECONDS - 4),
        "words": f"the run is stopped, and {words}",
        "details": {"faults": list(faults), "what": "run", "times": 1},
        "measurement_seconds": LONG_SECONDS,
        "loses_seconds": True,
    }


def _reaper(draw: random.Random) -> dict[str, Any]:
    code, after = draw.choice([*sorted(CRASHES), "Doubled"]), draw.random() < 0.5
    words = "runs twice" if code == "Doubled" else f"{CRASHES[code]} once, {'after' if after else 'before'} its work"
    settings = {} if code == "Doubled" else {"after": after}
    fault = {"action": "function:*ReapRun*", "code": code, "where": {"detail.name": "{run}"}, **settings}
    return _stopped_with(draw, f"the reaper {words}", fault)


def _status_event(draw: random.Random) -> dict[str, Any]:
    code = draw.choice(["Lost", "Doubled", "Late"])
    words = {"Lost": "all events about it are lost", "Doubled": "its events come twice", "Late": "its events come late"}
    return _stopped_with(draw, words[code], _astray(code, delay(draw, 2, 15)))


def _astray(code: str, delay_seconds: float = 0.0) -> dict[str, Any]:
    """Returns the fault of all events about the ends of the run's executions."""
    action, where = "event:Step Functions Execution Status Change", {"name": "{run}*"}
    return {"action": action, "code": code, "times": None, "where": where, "delay_seconds": delay_seconds}


def _sweeper(draw: random.Random) -> dict[str, Any]:
    code, after = draw.choice(sorted(CRASHES)), draw.random() < 0.5
    words = f"{CRASHES[code]} once, {'after' if after else 'before'} its work"
    # A sweep is about all runs. Lambda invokes it again a minute after a crash, which delays the other runs by little.
    crash = {"action": "function:*SweepOrphans*", "code": code, "after": after, "where": {}}
    return _stopped_with(draw, f"only the sweeper is left, which {words}", _astray("Lost"), crash)


KINDS: dict[str, Kind] = {
    "run stopped while its reaper crashes": Kind(3, _reaper, BEHIND),
    "run stopped, its events go astray": Kind(3, _status_event, BEHIND),
    "run stopped while its sweeper crashes": Kind(1, _sweeper, BEHIND),
}
