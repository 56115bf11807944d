"""Functions that crash, time out or run twice."""

import random
from typing import Any

from lab.campaign.kinds.kind import Kind, delay

FUNCTIONS = [
    "PlanRun",
    "LaunchPair",
    "ConnectPair",
    "AnalyseMeasurement",
    "DisconnectPair",
    "SummariseRun",
    "IngestChunk",
]
CRASHES = {"Runtime.ExitError": "crashes", "Sandbox.Timedout": "times out"}


def _function_fault(name: str, code: str, **settings: Any) -> dict[str, Any]:
    where = {"detail.object.key": "*/{run}/*"} if name == "IngestChunk" else {"runId": "{run}"}
    return {"action": f"function:*{name}*", "code": code, "where": where, **settings}


def _crash(draw: random.Random) -> dict[str, Any]:
    name, code, after = draw.choice(FUNCTIONS), draw.choice(sorted(CRASHES)), draw.random() < 0.5
    fault = _function_fault(name, code, after=after, delay_seconds=delay(draw, 0, 2))
    return {
        "outcome": "green",
        "trigger": "before",
        "delay_seconds": 0.0,
        "words": f"{name} {CRASHES[code]} once, {'after' if after else 'before'} its work",
        "details": {"faults": [fault]},
    }


def _doubled(draw: random.Random) -> dict[str, Any]:
    name = draw.choice(FUNCTIONS)
    return {
        "outcome": "green",
        "trigger": "before",
        "delay_seconds": 0.0,
        "words": f"{name} runs twice at the same moment",
        "details": {"faults": [_function_fault(name, "Doubled")]},
    }


KINDS: dict[str, Kind] = {
    "function crashes": Kind(6, _crash),
    "function runs twice": Kind(3, _doubled),
}
