"""Chunks and records of a run that are lost, damaged or deleted."""

import random
from typing import Any

from faults.kinds.kind import BEHIND, LONG_SECONDS, Kind, Trigger, delay, from_the_start

# A chunk is uploaded every ten seconds, so that one is there after these. None holds more, on a busy machine either.
FIRST_CHUNK_SECONDS = 12


def _chunk_event(draw: random.Random) -> dict[str, Any]:
    code = draw.choice(["Lost", "Doubled", "Late"])
    happens = {"Lost": "is lost", "Doubled": "comes twice", "Late": "comes after the next one's"}
    where = {"object.key": "*/{run}/*.ndjson.gz"}
    fault = {"action": "event:Object Created", "code": code, "where": where, "delay_seconds": delay(draw, 8, 12)}
    words = f"the event of a chunk {happens[code]}"
    drawn = from_the_start(words, fault, outcome="green", measurement_seconds=LONG_SECONDS)
    drawn["details"]["live_may_lack_seconds"] = FIRST_CHUNK_SECONDS if code == "Lost" else 0
    return drawn


def _chunk_damaged(draw: random.Random) -> dict[str, Any]:
    how, role = draw.choice(["garbage", "cut", "deleted", "empty", "doubled"]), draw.choice(["client", "server"])
    late = draw.random() < 0.2
    return {
        # The receiver's stream, here the server's, has the samples; the sender's has what explains them.
        "outcome": "green" if how == "doubled" or late else "red" if role == "server" else "either",
        "trigger": "ended" if late else "measuring",
        "delay_seconds": 0.0 if late else delay(draw, FIRST_CHUNK_SECONDS, LONG_SECONDS - 4),
        "words": f"the {role}'s first chunk: {how}{', after the run' if late else ''}",
        "details": {"how": how, "role": role},
        "measurement_seconds": LONG_SECONDS,
    }


def _deleted(draw: random.Random) -> dict[str, Any]:
    name, words = draw.choice([("plan.json", "the run's plan"), ("pairs/p0001.json", "the record of the pair's hosts")])
    trigger: Trigger = draw.choice(
        ["measuring", "measured"] if "pairs" in name else ["launched", "measuring", "measured"]
    )
    return {
        "outcome": "either",
        "trigger": trigger,
        "delay_seconds": delay(draw, 0, 3),
        "words": f"{words} is deleted",
        "details": {"name": name},
    }


KINDS: dict[str, Kind] = {
    "chunk's event goes astray": Kind(3, _chunk_event),
    "chunk damaged": Kind(4, _chunk_damaged),
    "record deleted": Kind(3, _deleted, ("teardown", *BEHIND)),
}
