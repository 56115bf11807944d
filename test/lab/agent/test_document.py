"""Reading a Command document: what the agent accepts, and what the lab rejects because it has no rule for it."""

from __future__ import annotations

from typing import Any

import pytest

from lab.agent.document import (
    InvalidDocumentError,
    InvalidParametersError,
    compile_pattern,
    read_document,
    resolve_parameters,
    service_parameter_problems,
    substitute,
    timeout_seconds,
)


def make_document(**overrides: Any) -> dict[str, Any]:
    step = {"action": "aws:runShellScript", "name": "measure", "inputs": {"runCommand": ["true"]}}
    return {"schemaVersion": "2.2", "parameters": {}, "mainSteps": [step], **overrides}


def make_step(**overrides: Any) -> dict[str, Any]:
    return make_document(
        mainSteps=[{"action": "aws:runShellScript", "name": "measure", "inputs": {"runCommand": ["true"]}, **overrides}]
    )


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (make_document(schemaVersion="2.0"), "schemaVersion: must be \"2.2\", got '2.0'"),
        (make_document(schemaVersion=2.2), "schemaVersion: must be"),
        (make_document(mainSteps=[]), "mainSteps: must have a step"),
        (make_document(mainStep=[]), "got mainStep "),
        (make_step(action="aws:runPowerShellScript"), "action: must be aws:runShellScript"),
        (make_step(name="abc"), "name: must be 4 or more"),
        (make_step(name="../../etc"), "name: must be 4 or more"),
        (make_step(inputs={"runCommands": ["true"]}), "got runCommands"),
        (make_step(inputs={}), "runCommand: must be there"),
        (make_step(timeoutSeconds=10), "got timeoutSeconds"),
        (make_step(onFailure="exit"), "got onFailure"),
        (make_step(precondition={"StringNotEquals": ["a", "b"]}), "must be StringEquals"),
        (make_step(precondition={"StringEquals": ["a", "b"]}), "must have platformType or a parameter"),
        (make_document(parameters={"a-b": {"type": "String"}}), "name must be letters and digits"),
        (make_document(parameters={"Map": {"type": "StringMap"}}), "type: must be one of"),
        (
            make_document(parameters={"A": {"type": "StringList", "interpolationType": "ENV_VAR"}}),
            "ENV_VAR of a String",
        ),
        (make_document(parameters={"A": {"type": "String", "allowedPattern": "^(?!x)$"}}), "without lookaround"),
        (make_document(parameters={"A": {"type": "String", "allowedPattern": "^(a$"}}), "must be a regular expression"),
    ],
)
def test_rejects_a_document_that_would_have_another_meaning_on_ec2(content: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidDocumentError) as refusal:
        read_document(content)

    assert problem in str(refusal.value)


def test_rejects_two_steps_with_one_name() -> None:
    step = make_document()["mainSteps"][0]

    with pytest.raises(InvalidDocumentError, match="names must be unique, got measure, measure"):
        read_document(make_document(mainSteps=[step, step]))


@pytest.mark.parametrize(
    ("pattern", "value", "matches"),
    [
        ("^[a-z]+$", "abc", True),
        ("[a-z]+", "rm -rf / abc", True),  # find, not match: an unanchored pattern lets anything through
        ("^[a-z]+$", "abc\n", False),  # Python's own $ would accept it
        ("^[a-z]+$", "abc\nrm", False),
        ("^[0-9]+$", "\u0663", False),  # an Arabic digit
        (r"^a\$$", "a$", True),
        ("^[$]$", "$", True),
        (r"^a\z", "a", True),
    ],
)
def test_an_allowed_pattern_has_the_agents_meaning(pattern: str, value: str, matches: bool) -> None:
    assert (compile_pattern(pattern).search(value) is not None) is matches


@pytest.mark.parametrize(
    ("template", "values", "expected"),
    [
        ("echo {{ A }} {{A}}", {"A": "x"}, "echo x x"),
        ("echo {{ B }}", {"A": "x"}, "echo {{ B }}"),
        ("{{ A }}", {"A": "{{ A }}"}, "{{ A }}"),
        ("a {{ L }}", {"L": ["1", "2"]}, 'a ["1","2"]'),
        ("{{ L }}", {"L": ["1", "2"]}, ["1", "2"]),
        (["{{ L }}"], {"L": ["1", "2"]}, ["1", "2"]),
        ({"in": ["{{ A }}", "b"]}, {"A": "x"}, {"in": ["x", "b"]}),
        ("{{ A }}", {"A": "costs $$5"}, "costs $5"),
        ("n {{ N }}", {"N": 7}, "n 7"),
    ],
)
def test_substitutes_once_and_textually(template: Any, values: dict[str, Any], expected: Any) -> None:
    assert substitute(template, values) == expected


def test_rejects_a_parameter_store_reference() -> None:
    with pytest.raises(InvalidDocumentError, match="Parameter Store"):
        substitute("echo {{ssm:secret}}", {})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("5", 5),
        ("5.9", 5),
        (5.9, 5),
        ("nan", 3600),
        (172_800, 172_800),
        ("4", 3600),
        (172_801, 3600),
        ("abc", 3600),
        ("", 3600),
        (None, 3600),
    ],
)
def test_takes_an_unreadable_timeout_as_an_hour(given: Any, expected: int) -> None:
    inputs = {} if given is None else {"timeoutSeconds": given}

    assert timeout_seconds(inputs) == expected


PARAMETERS = {
    "Port": {"type": "String", "allowedPattern": "^[0-9]{4}$", "default": "5201"},
    "Mode": {"type": "String", "allowedValues": ["tcp", "udp"], "default": "tcp"},
    "Name": {"type": "String", "maxChars": 4},
}


def test_the_agent_drops_unknown_names_and_does_not_check_values_and_lengths() -> None:
    document = read_document(make_document(parameters=PARAMETERS))

    values = resolve_parameters(document, {"Name": ["longer"], "Mode": ["sctp"], "Other": ["x"]})

    assert values == {"Port": "5201", "Mode": "sctp", "Name": "longer"}


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({}, "parameters.Name: must be given"),
        ({"Name": ["a", "b"]}, "parameters.Name: must be a list of one value, got 2"),
        ({"Name": ["a"], "Port": ["52010"]}, "parameters.Port: must match"),
    ],
)
def test_the_agent_rejects_missing_and_wrong_values(given: dict[str, list[str]], problem: str) -> None:
    document = read_document(make_document(parameters=PARAMETERS))

    with pytest.raises(InvalidParametersError, match=problem):
        resolve_parameters(document, given)


def test_service_reports_all_problems_at_once() -> None:
    document = read_document(make_document(parameters=PARAMETERS))

    problems = service_parameter_problems(
        document, {"Other": ["x"], "Mode": ["sctp"], "Name": ["longer"], "Port": ["x"]}
    )

    assert [problem.split(":")[0] for problem in problems] == [
        "parameters.Other",
        "parameters.Port",
        "parameters.Mode",
        "parameters.Name",
    ]
    assert service_parameter_problems(document, {"Name": ["abc"]}) == []
