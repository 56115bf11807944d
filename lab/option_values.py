"""What a value of an option must be; the error says what it is instead."""

import argparse
import os
from pathlib import Path

from lab.hosts.path_fault import PathFault, PathFaultError
from lab.hosts.profiles import Profiles, UnknownInstanceTypeError
from lab.runner.deployment import FREE_CONTEXT


def above_zero(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a number above 0, got {text}")
    return value


def fault(text: str) -> str:
    try:
        instance_type = PathFault.parse(text).instance_type
        if instance_type is not None:
            Profiles.load().profile(instance_type)
    except (PathFaultError, UnknownInstanceTypeError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or key not in FREE_CONTEXT:
        raise argparse.ArgumentTypeError(f"must be KEY=VALUE with a KEY of {', '.join(FREE_CONTEXT)}, got {text}")
    if value.startswith("arn:"):
        raise argparse.ArgumentTypeError(
            f"must name e-mail addresses, because the lab has no topic of yours, got {text}"
        )
    return key, value


def from_caller(text: str) -> Path:
    """Resolves a relative path from the folder in which the user typed it: npm changes to the package's folder."""
    return Path(os.environ.get("LAB_CALLER_FOLDER", os.getcwd()), text).resolve()
