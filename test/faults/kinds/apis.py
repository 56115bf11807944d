"""Calls of AWS that are refused, that fail, or whose answer is lost."""

import random
from dataclasses import dataclass, field
from typing import Any

from faults.kinds.kind import BEHIND, LONG_SECONDS, Kind, delay, from_the_start


@dataclass(frozen=True)
class Call:
    """A call that a run makes: its action, its error that passes, and the pair that makes it."""

    action: str
    throttle: str
    pair: dict[str, str] = field(default_factory=dict)
    about: str = "*{run}*"
    """The text that the request must have; the run's id takes the place of {run}."""


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
    # The campaign itself starts the run; only the start of its pairs is the product's.
    Call("states:StartExecution", JSON_THROTTLE, about="*{run}-p*"),
    Call("athena:StartQueryExecution", "TooManyRequestsException"),
    Call("s3:PutObject", S3_THROTTLE),
    Call("s3:GetObject", S3_THROTTLE),
    Call("s3:ListObjectsV2", S3_THROTTLE),
    Call("elasticloadbalancing:CreateLoadBalancer", "Throttling", BALANCED),
    Call("elasticloadbalancing:CreateListener", "Throttling", BALANCED),
    Call("elasticloadbalancing:DeleteLoadBalancer", "Throttling", BALANCED),
]
CALLS_BY_ACTION = {call.action: call for call in CALLS}


def _api_fault(call: Call, code: str, words: str, **settings: Any) -> dict[str, Any]:
    fault = {"action": call.action, "code": code, "where": {"about": call.about}, **settings}
    return from_the_start(words, fault, **call.pair)


def _throttled(draw: random.Random) -> dict[str, Any]:
    call, times = draw.choice(CALLS), draw.choice([1, 2, 3])
    words = f"{call.action} is throttled {times} time{'s' if times > 1 else ''}"
    return {"outcome": "green", **_api_fault(call, call.throttle, words, times=times)}


# Not SendCommand: after an answer that leaves open whether it was sent, a measurement is given up and not repeated.
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


def _refused(draw: random.Random) -> dict[str, Any]:
    call = CALLS_BY_ACTION[draw.choice(NEEDED)]
    code = "AccessDenied" if ":" in call.action else "UnauthorizedOperation"
    message = f"You are not authorized to perform {call.action}."
    drawn = _api_fault(call, code, f"{call.action} is refused until after the run", times=None, message=message)
    drawn["details"]["lift_after_seconds"] = delay(draw, 0, 20)
    return {"outcome": "red", **drawn}


def _refused_removal(draw: random.Random) -> dict[str, Any]:
    actions = ["TerminateInstances", "DescribeInstances", "DeletePlacementGroup", "DeleteSecurityGroup"]
    call = CALLS_BY_ACTION[draw.choice(actions)]
    seconds = delay(draw, 2, 40)
    words = f"the run is stopped, and {call.action} is refused for {seconds:.0f} s after it"
    drawn = _api_fault(call, "UnauthorizedOperation", words, times=None)
    drawn["details"] |= {"lift_after_seconds": seconds, "what": "run", "times": 1}
    drawn |= {"trigger": "measuring", "delay_seconds": delay(draw, 1, LONG_SECONDS - 4)}
    return {"outcome": "red", **drawn, "measurement_seconds": LONG_SECONDS, "loses_seconds": True}


def _now_and_then(draw: random.Random) -> dict[str, Any]:
    pattern, code = draw.choice([("Describe*", EC2_THROTTLE), ("ssm:*", JSON_THROTTLE), ("s3:*", S3_THROTTLE)])
    probability = draw.choice([0.1, 0.2, 0.3])
    words = f"{pattern} is throttled {probability:.0%} of the time"
    settings = {"times": None, "probability": probability, "seed": draw.randrange(2**31)}
    return {"outcome": "either", **_api_fault(Call(pattern, code), code, words, **settings)}


OUTAGE_SECONDS = 60


def _outage(draw: random.Random) -> dict[str, Any]:
    code = draw.choice([JSON_THROTTLE, "InternalServerError", "ServiceUnavailable"])
    words = f"Systems Manager answers nothing but {code} until the measurement's deadline has passed"
    drawn = _api_fault(Call("ssm:*", code), code, words, times=None)
    drawn["details"] |= {"lift_after_seconds": 0.0, "keeps_seconds": True}
    # Long enough that a product which gives up, after all its retries, ends the hosts before they have measured this.
    drawn |= {"trigger": "measuring", "delay_seconds": delay(draw, 0, 3), "measurement_seconds": OUTAGE_SECONDS}
    return {"outcome": "red", **drawn}


# What can be asked again without harm; a command or a group that may have been made is another matter.
REPEATED = ["RunInstances", "DescribeInstances", "TerminateInstances", "s3:PutObject", "ssm:ListCommandInvocations"]
NOT_ALWAYS_REPEATED = ["ssm:SendCommand", "CreatePlacementGroup", "states:StartExecution", "CreateSecurityGroup"]


def _answer_lost(draw: random.Random) -> dict[str, Any]:
    call = CALLS_BY_ACTION[draw.choice([*REPEATED, *NOT_ALWAYS_REPEATED])]
    drawn = _api_fault(call, "ConnectionLost", f"{call.action} does its work, and its answer is lost", after=True)
    return {"outcome": "green" if call.action in REPEATED else "either", **drawn}


KINDS: dict[str, Kind] = {
    "API throttled": Kind(6, _throttled),
    "API fails once": Kind(3, _fails_once),
    "API refused for good": Kind(5, _refused, ("teardown", "launch", *BEHIND)),
    "run stopped while its removal is refused": Kind(3, _refused_removal, BEHIND),
    "API answers now and then": Kind(3, _now_and_then, ("teardown", "launch", *BEHIND)),
    "API's answer lost": Kind(4, _answer_lost, ("teardown", "launch")),
    "API out until the deadline": Kind(1, _outage, ("teardown", *BEHIND)),
}
