"""Step Functions: definitions that AWS refuses.

MiniStack: CreateStateMachine and UpdateStateMachine parse the expressions, by a JSONata of another version; a stack's
state machine is created from any definition.
AWS: all refuse what ValidateStateMachineDefinition has an ERROR for, such as states that nothing leads to, a missing
Next, a Catch on a Pass, or expressions that are not JSONata 2.0.6
(https://docs.aws.amazon.com/step-functions/latest/apireference/API_ValidateStateMachineDefinition.html,
https://docs.aws.amazon.com/step-functions/latest/dg/transforming-data.html).
Fix: AWS's own linter and the JSONata of that version read the definition as well, in check_definition.mjs.
"""

import functools
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lab.aws import embedded

CHECK = Path(__file__).with_name("check_definition.mjs")


def install() -> None:
    embedded.STATES_VALIDATE.wrap(_checked)
    embedded.CLOUDFORMATION_DEFINITION.wrap(_required)


def _checked(original: Callable[[str], str | None]) -> Callable[[str], str | None]:
    def validate(definition: str) -> str | None:
        return original(definition) or problems(definition)

    return validate


def _required(original: Callable[..., str]) -> Callable[..., str]:
    def definition(properties: dict[str, Any]) -> str:
        text = original(properties)
        found = problems(text)
        if found is not None:
            raise ValueError(f"Invalid State Machine Definition: {found}")
        return text

    return definition


@functools.cache
def problems(definition: str) -> str | None:
    """What AWS would object to, one problem per line."""
    check = subprocess.run(["node", CHECK], input=definition, capture_output=True, text=True, check=False)
    if check.returncode != 0:
        raise RuntimeError(f"{CHECK.name} failed: {check.stderr}")
    return check.stdout or None
