"""The ways in which Systems Manager ends a command, against AWS's own description of them.

botocore's model has no list of the status details, only their documentation: a list of "Name: description", which says
of each final one that it is a terminal state.
"""

from __future__ import annotations

import html
import re

import pytest
from test_sdk_arguments import flatten

from lab.aws.wire import service_model

TERMINAL = re.compile(r"<li>\s*<p>([A-Za-z ]+): (?:(?!</li>).)*This is a terminal state", re.DOTALL)


def documented(shape: str) -> set[str]:
    """Returns the names of the final states of an invocation that is no success, without their blanks."""
    text = html.unescape(service_model("ssm").shape_for(shape).members["StatusDetails"].documentation)
    return {name.replace(" ", "") for name in TERMINAL.findall(re.sub(r"</?code>", "", text))} - {"Success"}


@pytest.mark.parametrize("shape", ["GetCommandInvocationResult", "CommandInvocation", "CommandPlugin"])
def test_each_documented_status_has_its_sentence_in_the_pair_machine(shape: str, template: dict) -> None:
    names = documented(shape)
    assert {"DeliveryTimedOut", "Undeliverable", "Terminated"} <= names
    definitions = "".join(
        flatten(resource["Properties"]["DefinitionString"])
        for resource in template["Resources"].values()
        if resource["Type"] == "AWS::StepFunctions::StateMachine"
    )
    assert {name for name in names if f'"{name}":"' not in definitions} == set()
