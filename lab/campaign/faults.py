"""What the campaign injects, and what must come of it.

Each kind draws its details from the generator that it is given, so that a seed and a number make a fault again. The
outcome is judged by what AWS and the plan promise: a run whose every planned second was measured may be green, and a
run that lost something must be red.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

Outcome = Literal["green", "red", "either"]
Trigger = Literal["before", "launched", "measuring", "measured", "ended"]
# A kill is only interesting once the host has chunks that it has not uploaded yet.
SHORT_SECONDS, LONG_SECONDS = 6, 24
# A chunk is uploaded every ten seconds, so that one is there after these.
FIRST_CHUNK_SECONDS = 12.0


@dataclass(frozen=True)
class Fault:
    """One fault: everything that is needed to make it again."""

    number: int
    kind: str
    outcome: Outcome
    """How the run must end; `either` leaves it to what was measured."""
    trigger: Trigger
    delay_seconds: float
    """From the trigger until the fault."""
    words: str
    details: dict[str, Any] = field(default_factory=dict)
    measurement_seconds: int = SHORT_SECONDS
    pair_count: int = 1
    path: str = "private"
    placement: str = "none"
    loses_seconds: bool = False
    """Whether the measurement is cut off, so that its last seconds may be lost."""
    needs_own_lab: bool = False
    """Whether it is a fault of a lab, which then has no other run."""


Draw = Callable[[random.Random], dict[str, Any]]
KINDS: dict[str, tuple[int, Draw]] = {}


def kind(name: str, share: int) -> Callable[[Draw], Draw]:
    """Enters a kind in the deck; `share` is how many of its cards are of this kind."""

    def enter(draw: Draw) -> Draw:
        KINDS[name] = (share, draw)
        return draw

    return enter


def draw_fault(seed: int, number: int) -> Fault:
    """Returns fault `number` of a seed. Every kind occurs once before the deck is shuffled again."""
    cards = [name for name, (share, _) in KINDS.items() for _ in range(share)]
    random.Random(f"{seed}/deck/{number // len(cards)}").shuffle(cards)
    name = cards[number % len(cards)]
    drawn = KINDS[name][1](random.Random(f"{seed}/{number}"))
    return Fault(number=number, kind=name, **drawn)


def _delay(draw: random.Random, low: float, high: float) -> float:
    return round(draw.uniform(low, high), 1)


@kind("host killed while it measures", 5)
def _kill_measuring(draw: random.Random) -> dict[str, Any]:
    role = draw.choice(["client", "server"])
    return {
        "outcome": "red",
        "trigger": "measuring",
        "delay_seconds": _delay(draw, 1, LONG_SECONDS - 4),
        "words": f"the {role} dies like in a power cut",
        "details": {"roles": [role]},
        "measurement_seconds": LONG_SECONDS,
        "pair_count": draw.choice([1, 1, 2]),
        "loses_seconds": True,
    }


@kind("both hosts killed", 2)
def _kill_both(draw: random.Random) -> dict[str, Any]:
    return {
        "outcome": "red",
        "trigger": "measuring",
        "delay_seconds": _delay(draw, 1, LONG_SECONDS - 4),
        "words": "both hosts die in the same second",
        "details": {"roles": ["client", "server"]},
        "measurement_seconds": LONG_SECONDS,
        "loses_seconds": True,
    }


@kind("host killed before it measures", 2)
def _kill_early(draw: random.Random) -> dict[str, Any]:
    role = draw.choice(["client", "server"])
    return {
        "outcome": "red",
        "trigger": "launched",
        "delay_seconds": _delay(draw, 0, 2),
        "words": f"the {role} dies before anything is measured",
        "details": {"roles": [role]},
        "measurement_seconds": LONG_SECONDS,
    }


@kind("execution stopped", 5)
def _stop(draw: random.Random) -> dict[str, Any]:
    what, times = draw.choice(["run", "pair"]), draw.choice([1, 2])
    measuring = draw.random() < 0.6
    return {
        "outcome": "red",
        # A pair's execution begins some seconds after its run's.
        "trigger": "measuring" if measuring else draw.choice(["before", "launched"] if what == "run" else ["launched"]),
        "delay_seconds": _delay(draw, 1, LONG_SECONDS - 4) if measuring else _delay(draw, 0.5, 2),
        "words": f"the {what} is stopped{' twice' if times == 2 else ''}",
        "details": {"what": what, "times": times},
        "measurement_seconds": LONG_SECONDS,
        "loses_seconds": measuring,
        "placement": draw.choice(["none", "cluster"]),
    }


@kind("execution timed out", 3)
def _time_out(draw: random.Random) -> dict[str, Any]:
    what = draw.choice(["run", "pair"])
    return {
        "outcome": "red",
        "trigger": "measuring",
        "delay_seconds": _delay(draw, 1, LONG_SECONDS - 4),
        "words": f"the {what} times out",
        "details": {"what": what},
        "measurement_seconds": LONG_SECONDS,
        "loses_seconds": True,
    }


@dataclass(frozen=True)
class Call:
    """A call that a run makes: its action, its error that passes, and the pair that makes it."""

    action: str
    throttle: str
    pair: dict[str, str] = field(default_factory=dict)


CLUSTER, PUBLIC, BALANCED = {"placement": "cluster"}, {"path": "public"}, {"path": "nlb"}
EC2_THROTTLE, JSON_THROTTLE, S3_THROTTLE = "RequestLimitExceeded", "ThrottlingException", "SlowDown"
CALLS = [
    Call("RunInstances", EC2_THROTTLE),
    Call("DescribeInstances", EC2_THROTTLE),
    Call("TerminateInstances", EC2_THROTTLE),
    Call("DescribePlacementGroups", EC2_THROTTLE),
    Call("CreatePlacementGroup", EC2_THROTTLE, CLUSTER),
    Call("DeletePlacementGroup", EC2_THROTTLE, CLUSTER),
    Call("CreateSecurityGroup", EC2_THROTTLE, PUBLIC),
    Call("AuthorizeSecurityGroupIngress", EC2_THROTTLE, PUBLIC),
    Call("DeleteSecurityGroup", EC2_THROTTLE, PUBLIC),
    Call("ssm:DescribeInstanceInformation", JSON_THROTTLE),
    Call("ssm:SendCommand", JSON_THROTTLE),
    Call("ssm:ListCommandInvocations", JSON_THROTTLE),
    Call("states:StartExecution", JSON_THROTTLE),
    Call("athena:StartQueryExecution", "TooManyRequestsException"),
    Call("s3:PutObject", S3_THROTTLE),
    Call("s3:GetObject", S3_THROTTLE),
    Call("s3:ListObjectsV2", S3_THROTTLE),
    Call("elasticloadbalancing:CreateLoadBalancer", "Throttling", BALANCED),
    Call("elasticloadbalancing:CreateListener", "Throttling", BALANCED),
    Call("elasticloadbalancing:DeleteLoadBalancer", "Throttling", BALANCED),
]
CALLS_BY_ACTION = {call.action: call for call in CALLS}
OF_RUN = {"about": "*{run}*"}
"""The text that a fault's `where` must have; the run's id takes the place of {run}."""


def _api_fault(call: Call, code: str, words: str, **settings: Any) -> dict[str, Any]:
    return {
        "trigger": "before",
        "delay_seconds": 0.0,
        "words": words,
        "details": {"faults": [{"action": call.action, "code": code, "where": OF_RUN, **settings}]},
        **call.pair,
    }


@kind("API throttled", 6)
def _throttled(draw: random.Random) -> dict[str, Any]:
    call, times = draw.choice(CALLS), draw.choice([1, 2, 3])
    words = f"{call.action} is throttled {times} time{'s' if times > 1 else ''}"
    return {"outcome": "green", **_api_fault(call, call.throttle, words, times=times)}


# Not SendCommand: after an answer that leaves open whether it was sent, a measurement is given up and not repeated.
@kind("API fails once", 3)
def _fails_once(draw: random.Random) -> dict[str, Any]:
    call = draw.choice([call for call in CALLS if call.action != "ssm:SendCommand"])
    return {"outcome": "green", **_api_fault(call, "InternalFailure", f"{call.action} fails once", times=1)}


# Without these calls nothing can be measured, or something that was made for the run cannot be removed.
NEEDED = [
    "RunInstances",
    "CreatePlacementGroup",
    "AuthorizeSecurityGroupIngress",
    "ssm:SendCommand",
    "states:StartExecution",
    "elasticloadbalancing:CreateListener",
    "TerminateInstances",
    "DeletePlacementGroup",
    "DescribePlacementGroups",
    "s3:PutObject",
]


@kind("API refused for good", 5)
def _refused(draw: random.Random) -> dict[str, Any]:
    call = CALLS_BY_ACTION[draw.choice(NEEDED)]
    code = "AccessDenied" if ":" in call.action else "UnauthorizedOperation"
    message = f"You are not authorized to perform {call.action}."
    drawn = _api_fault(call, code, f"{call.action} is refused until after the run", times=None, message=message)
    drawn["details"]["lift_after_seconds"] = _delay(draw, 0, 20)
    return {"outcome": "red", **drawn}


@kind("run stopped while its removal is refused", 3)
def _refused_removal(draw: random.Random) -> dict[str, Any]:
    actions = ["TerminateInstances", "DescribeInstances", "DeletePlacementGroup", "DeleteSecurityGroup"]
    call = CALLS_BY_ACTION[draw.choice(actions)]
    seconds = _delay(draw, 2, 40)
    words = f"the run is stopped, and {call.action} is refused for {seconds:.0f} s after it"
    drawn = _api_fault(call, "UnauthorizedOperation", words, times=None)
    drawn["details"] |= {"lift_after_seconds": seconds, "what": "run", "times": 1}
    drawn |= {"trigger": "measuring", "delay_seconds": _delay(draw, 1, LONG_SECONDS - 4)}
    return {"outcome": "red", **drawn, "measurement_seconds": LONG_SECONDS, "loses_seconds": True}


@kind("API answers now and then", 3)
def _now_and_then(draw: random.Random) -> dict[str, Any]:
    pattern, code = draw.choice([("Describe*", EC2_THROTTLE), ("ssm:*", JSON_THROTTLE), ("s3:*", S3_THROTTLE)])
    probability = draw.choice([0.1, 0.2, 0.3])
    words = f"{pattern} is throttled {probability:.0%} of the time"
    settings = {"times": None, "probability": probability, "seed": draw.randrange(2**31)}
    return {"outcome": "either", **_api_fault(Call(pattern, code), code, words, **settings)}


# What can be asked again without harm; a command or a group that may have been made is another matter.
REPEATED = ["RunInstances", "DescribeInstances", "TerminateInstances", "s3:PutObject", "ssm:ListCommandInvocations"]
NOT_ALWAYS_REPEATED = ["ssm:SendCommand", "CreatePlacementGroup", "states:StartExecution", "CreateSecurityGroup"]


@kind("API's answer lost", 4)
def _answer_lost(draw: random.Random) -> dict[str, Any]:
    call = CALLS_BY_ACTION[draw.choice([*REPEATED, *NOT_ALWAYS_REPEATED])]
    drawn = _api_fault(call, "ConnectionLost", f"{call.action} does its work, and its answer is lost", after=True)
    return {"outcome": "green" if call.action in REPEATED else "either", **drawn}


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


@kind("function crashes", 6)
def _crash(draw: random.Random) -> dict[str, Any]:
    name, code, after = draw.choice(FUNCTIONS), draw.choice(sorted(CRASHES)), draw.random() < 0.5
    fault = _function_fault(name, code, after=after, delay_seconds=_delay(draw, 0, 2))
    return {
        "outcome": "green",
        "trigger": "before",
        "delay_seconds": 0.0,
        "words": f"{name} {CRASHES[code]} once, {'after' if after else 'before'} its work",
        "details": {"faults": [fault]},
    }


@kind("function runs twice", 3)
def _doubled(draw: random.Random) -> dict[str, Any]:
    name = draw.choice(FUNCTIONS)
    return {
        "outcome": "green",
        "trigger": "before",
        "delay_seconds": 0.0,
        "words": f"{name} runs twice at the same moment",
        "details": {"faults": [_function_fault(name, "Doubled")]},
    }


def _stopped_with(draw: random.Random, words: str, *faults: dict[str, Any]) -> dict[str, Any]:
    return {
        "outcome": "red",
        "trigger": "measuring",
        "delay_seconds": _delay(draw, 1, LONG_SECONDS - 4),
        "words": f"the run is stopped, and {words}",
        "details": {"faults": list(faults), "what": "run", "times": 1},
        "measurement_seconds": LONG_SECONDS,
        "loses_seconds": True,
    }


@kind("run stopped while its reaper crashes", 3)
def _reaper(draw: random.Random) -> dict[str, Any]:
    code, after = draw.choice([*sorted(CRASHES), "Doubled"]), draw.random() < 0.5
    words = "runs twice" if code == "Doubled" else f"{CRASHES[code]} once, {'after' if after else 'before'} its work"
    settings = {} if code == "Doubled" else {"after": after}
    fault = {"action": "function:*ReapRun*", "code": code, "where": {"detail.name": "{run}"}, **settings}
    return _stopped_with(draw, f"the reaper {words}", fault)


@kind("run stopped, its events go astray", 3)
def _status_event(draw: random.Random) -> dict[str, Any]:
    code = draw.choice(["Lost", "Doubled", "Late"])
    words = {"Lost": "all events about it are lost", "Doubled": "its events come twice", "Late": "its events come late"}
    action, where = "event:Step Functions Execution Status Change", {"name": "{run}*"}
    fault = {"action": action, "code": code, "times": None, "where": where, "delay_seconds": _delay(draw, 2, 15)}
    return _stopped_with(draw, words[code], fault)


@kind("chunk's event goes astray", 3)
def _chunk_event(draw: random.Random) -> dict[str, Any]:
    code = draw.choice(["Lost", "Doubled", "Late"])
    words = {"Lost": "is lost", "Doubled": "comes twice", "Late": "comes after the next one's"}
    where = {"object.key": "*/{run}/*.ndjson.gz"}
    fault = {"action": "event:Object Created", "code": code, "where": where, "delay_seconds": _delay(draw, 8, 12)}
    return {
        "outcome": "green",
        "trigger": "before",
        "delay_seconds": 0.0,
        "words": f"the event of a chunk {words[code]}",
        "details": {"faults": [fault]},
        "measurement_seconds": LONG_SECONDS,
    }


@kind("chunk damaged", 4)
def _chunk_damaged(draw: random.Random) -> dict[str, Any]:
    how, role = draw.choice(["garbage", "cut", "deleted", "empty", "doubled"]), draw.choice(["client", "server"])
    late = draw.random() < 0.2
    return {
        # The receiver's stream, here the server's, has the samples; the sender's has what explains them.
        "outcome": "green" if how == "doubled" or late else "red" if role == "server" else "either",
        "trigger": "ended" if late else "measuring",
        "delay_seconds": 0.0 if late else _delay(draw, FIRST_CHUNK_SECONDS, LONG_SECONDS - 4),
        "words": f"the {role}'s first chunk: {how}{', after the run' if late else ''}",
        "details": {"how": how, "role": role},
        "measurement_seconds": LONG_SECONDS,
    }


@kind("record deleted", 3)
def _deleted(draw: random.Random) -> dict[str, Any]:
    name, words = draw.choice([("plan.json", "the run's plan"), ("pairs/p0001.json", "the record of the pair's hosts")])
    trigger: Trigger = draw.choice(
        ["measuring", "measured"] if "pairs" in name else ["launched", "measuring", "measured"]
    )
    return {
        "outcome": "either",
        "trigger": trigger,
        "delay_seconds": _delay(draw, 0, 3),
        "words": f"{words} is deleted",
        "details": {"name": name},
    }


def _own_lab(how: str, words: str, **details: Any) -> Draw:
    def draw_moment(draw: random.Random) -> dict[str, Any]:
        # A run of a lab takes about a minute, half of which is its deployment.
        moment = _delay(draw, 2, 35)
        return {
            "outcome": "red",
            "trigger": "before",
            "delay_seconds": moment,
            "words": f"a lab {words} after {moment:.0f} s",
            "details": {"how": how, **details},
            "measurement_seconds": LONG_SECONDS,
            "needs_own_lab": True,
        }

    return draw_moment


kind("lab interrupted", 1)(_own_lab("interrupted", "is interrupted like by Ctrl-C"))
kind("lab terminated", 1)(_own_lab("terminated", "is asked to end like by a system that shuts down"))
kind("lab killed", 1)(_own_lab("killed", "is killed"))
kind("embedded AWS killed", 1)(_own_lab("embedded AWS killed", "loses its embedded AWS"))
kind("lab's disk full", 1)(_own_lab("disk full", "finds its disk full", disk_megabytes=400))
