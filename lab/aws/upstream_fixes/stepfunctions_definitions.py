"""Step Functions: refuses the definitions that AWS refuses. check_definition.mjs also runs AWS's own linter and AWS's
version of JSONata.
"""

import functools
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lab.aws import embedded

CHECK = Path(__file__).with_name("check_definition.mjs")


@embedded.fix("stepfunctions._validate_definition_jsonata")
def _validate(original: Callable[[str], str | None], definition: str) -> str | None:
    return original(definition) or problems(definition)


@embedded.fix("provisioners._sfn_definition")
def _definition(original: Callable[..., str], properties: dict[str, Any]) -> str:
    text = original(properties)
    found = problems(text)
    if found is not None:
        raise ValueError(f"Invalid State Machine Definition: {found}")
    return text


@functools.cache
def problems(definition: str) -> str | None:
    """Returns what AWS would refuse, one problem per line."""
    check = subprocess.run(["node", CHECK], input=definition, capture_output=True, text=True, check=False)
    if check.returncode != 0:
        raise RuntimeError(f"{CHECK.name} failed: {check.stderr}")
    return check.stdout or None
