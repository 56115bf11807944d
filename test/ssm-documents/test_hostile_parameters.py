"""Hostile strings never reach a shell as code: three defences, each tested with the earlier ones switched off.

1. the pattern, which service and agent check; 2. the environment, through which an agent with ENV_VAR passes values;
3. the script's own check, for a runner that checks nothing.
"""

from __future__ import annotations

import pytest
from measurement_parameters import PARAMETERS, PREPARE, last_line, probe_parameters

DOCUMENTS = {"prepare-host": PREPARE, "probe-path": probe_parameters(), **PARAMETERS}
CODE = [
    "$(touch /var/lib/canary)",
    "`touch /var/lib/canary`",
    "$$(touch /var/lib/canary)",
    "; touch /var/lib/canary",
    "& touch /var/lib/canary #",
    "| touch /var/lib/canary",
    "\ntouch /var/lib/canary\n",
    '"; touch /var/lib/canary; "',
    "'; touch /var/lib/canary; '",
    '"$(touch /var/lib/canary)"',
    "x[$(touch /var/lib/canary)]",
    ">/var/lib/canary",
    "1\n",
]
HOSTILE = [
    *CODE,
    "",
    " ",
    "${IFS}",
    "../../etc/passwd",
    "-oProxyCommand=touch",
    "--help",
    "{{ RunId }}",
    "{{ssm:secret}}",
    "1 2",
    "*",
    "~root",
    "\x1b]0;title\x07",
    "p0001\u2028",
    "\uff11\uff12\uff13\uff14",  # digits, but not ASCII's
    "a" * 5000,
]
CASES = [
    pytest.param(document, parameter, id=f"{document}-{parameter}")
    for document, parameters in DOCUMENTS.items()
    for parameter in parameters
]
# One test per parameter suffices, because every document has the same check. The time limit is always pasted, but its
# pattern allows only digits.
ENV_VAR_CASES = {case.values[1]: case for case in CASES if case.values[1] != "ExecutionTimeoutSeconds"}.values()


def around(valid: str) -> list[str]:
    """Returns a valid value with code on each side of it, which a pattern without anchors would admit."""
    code = "$(touch /var/lib/canary)"
    return [f"{code}{valid}", f"{valid}{code}", f"{valid}\n{code}", f"{code}\n{valid}"]


@pytest.fixture
def canary(make_host):
    """Returns a host and the file that appears if hostile code runs on it."""
    host = make_host("i-target")
    return host, host.directory / "lib" / "canary"


@pytest.mark.parametrize(("document", "parameter"), CASES)
@pytest.mark.parametrize("agent_is_new", [True, False], ids=["env-var", "pasted"])
def test_the_agent_refuses_before_any_script_runs(canary, document, parameter, agent_is_new):
    host, file = canary
    host.agent.knows_environment_interpolation = agent_is_new

    for value in [*HOSTILE, *around(DOCUMENTS[document][parameter])]:
        result = host.run(document, {**DOCUMENTS[document], parameter: value})
        assert (result.status, result.exit_code) == ("Failed", None), value
    assert not file.exists()


@pytest.mark.parametrize(("document", "parameter"), ENV_VAR_CASES)
def test_the_script_refuses_when_the_agent_checks_nothing(canary, document, parameter):
    host, file = canary
    host.agent.checks_patterns = False
    assert host.documents[document]["parameters"][parameter]["interpolationType"] == "ENV_VAR"

    for value in [*CODE, *around(DOCUMENTS[document][parameter])]:
        result = host.run(document, {**DOCUMENTS[document], parameter: value})
        assert (result.status, result.exit_code) == ("Failed", 1), value
        assert result.stderr == f"{parameter}: must match its pattern\n"
    assert not file.exists()


def test_values_that_the_patterns_admit_are_harmless_when_pasted(make_host):
    """An agent without ENV_VAR pastes values between double quotes, where all that the patterns allow is inert."""
    host = make_host("i-old", knows_environment_interpolation=False)
    longest = {"RunId": "aZ09-_" * 12, "BucketName": "a.-9" * 15 + "abc", "TargetBitsPerSecond": "9" * 12}

    result = host.run("measure-iperf3", {**PARAMETERS["measure-iperf3"], **longest})

    # The document ran as far as the script's own first check.
    assert "prepare-host has not completed" in last_line(result.stdout)["reason"]
