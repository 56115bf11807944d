"""Functions that crash, time out or run twice."""

import random
from typing import Any

from faults.kinds.kind import Kind, delay, from_the_start

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
    words = f"{name} {CRASHES[code]} once, {'after' if after else 'before'} its work"
    return _with_live_rows(name, from_the_start(words, fault, outcome="green"))


def _with_live_rows(name: str, drawn: dict[str, Any]) -> dict[str, Any]:
    """Lambda invokes a function again that crashed over an event, so that no live row may be missing at the end."""
    if name == "IngestChunk":
        drawn["details"]["live_may_lack_seconds"] = 0
    return drawn


# What Lambda answers when the account's functions are busy, and when it fails itself. Nothing was invoked.
REFUSALS = ["TooManyRequestsException", "ServiceException"]


def _refused(draw: random.Random) -> dict[str, Any]:
    name = draw.choice([name for name in FUNCTIONS if name != "IngestChunk"])
    code, times = draw.choice(REFUSALS), draw.choice([1, 3, 5])
    fault = _function_fault(name, code, times=times) | {"action": "lambda:Invoke"}
    fault["where"] = fault["where"] | {"FunctionName": f"*{name}*"}
    words = f"the state machine may not invoke {name}, {times} time{'s' if times > 1 else ''} ({code})"
    return from_the_start(words, fault, outcome="green")


def _doubled(draw: random.Random) -> dict[str, Any]:
    name = draw.choice(FUNCTIONS)
    words = f"{name} runs twice at the same moment"
    return _with_live_rows(name, from_the_start(words, _function_fault(name, "Doubled"), outcome="green"))


KINDS: dict[str, Kind] = {
    "function crashes": Kind(6, _crash),
    "function not invoked": Kind(3, _refused),
    "function runs twice": Kind(3, _doubled),
}
