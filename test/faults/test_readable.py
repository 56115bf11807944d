"""Reasons that a reader without the source understands, and what the campaign calls unreadable."""

import pytest

from faults.readable import complaint

GOOD = [
    "host server i-0123456789abcdef0 is no longer running (shutting-down: Client.InstanceInitiatedShutdown)",
    "the run was stopped: Stopped: by hand",
    "teardown: Ec2.Ec2Exception: You are not authorized to perform this operation.",
    "the pair's execution was stopped: the run was stopped; nothing came from the client",
    "p0001-m01: prepare-host: Ssm.SdkClientException: Unable to execute HTTP request: Connection reset",
    "launching the hosts: UnauthorizedOperation: You are not authorized to perform RunInstances.",
    "plan.pairs[0].clientType: must be an instance type, got 1",
    "p0001-m01: server: intervals cover 24.3 of 25.31 s (forward)",
]
BAD = {
    "TypeError: Cannot read properties of undefined (reading 'pairs')": "an error of JavaScript",
    "no result\n    at handler (/var/task/index.js:12:3)": "a stack trace",
    'the pair failed: {"errorType":"Error","trace":[]}': "raw JSON",
    "the run took undefined seconds and ended": "a missing value",
    "it ended so:\nTraceback (most recent call last):": "a stack trace",
    "p0001-m01: NoSuchKey: The specified key does not exist.": "an object without a name",
    "lab: KeyError of the lab's own": "an error of Python",
    "failed": "says too little",
    "Runtime.ExitError: Runtime exited with error: exit status 1": "begins with the name of an error",
    "p0001-m01: UnauthorizedOperation: You are not authorized": "begins with the name of an error",
    "the pair's execution timed out: States.Timeout": "only the name of an error",
    "no end of the stream; reading it failed: SlowDown": "only the name of an error",
    "launching the hosts: LaunchFailedError: no room in any zone": "an error of the product's own",
    "launching the hosts: Error: no room in any zone": "an error of JavaScript",
    "the pair's execution was stopped: the run ended as ABORTED": "a state or of a status",
    "an error occurred while executing the state 'Measure: wait'": "a state or of a status",
    "the hosts that remain are []": "raw JSON",
    "word " * 600: "characters",
}


@pytest.mark.parametrize("reason", GOOD)
def test_a_sentence_can_be_read(reason: str) -> None:
    assert complaint(reason) is None


@pytest.mark.parametrize(("reason", "problem"), BAD.items())
def test_what_only_a_programmer_reads_is_named(reason: str, problem: str) -> None:
    assert problem in (complaint(reason) or "")
