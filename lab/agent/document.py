"""Reads a Command document as the SSM agent does: its steps and its parameters, whose values it substitutes.

The real agent ignores unknown keys, so a mistyped key becomes an empty script that succeeds. The lab rejects every key
that it has no rule for, so that a document that passes has the same meaning on EC2.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

MIN_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS, DEFAULT_TIMEOUT_SECONDS = 5, 172_800, 3600
_SUPPORTED_SCHEMA = "2.2"
_PARAMETER_NAME = re.compile(r"[a-zA-Z0-9]+")
# PluginName in GetCommandInvocation has at least four characters, and the name is part of a path and of an S3 key.
_STEP_NAME = re.compile(r"[A-Za-z0-9_-]{4,128}")
# Matches an escaped character, a character class, or a `$` at the end of the text.
_PATTERN_PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^]\\])*\]|\$", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{\{\s*([\w:.-]+)\s*\}\}")
_KNOWN_KEYS = {
    "document": "schemaVersion description parameters mainSteps",
    "step": "action name inputs precondition",
    "inputs": "runCommand workingDirectory timeoutSeconds onFailure onSuccess finallyStep",
    "parameter": "type description default displayType interpolationType allowedPattern allowedValues"
    " minChars maxChars minItems maxItems",
}
_TYPES = ("String", "StringList", "Integer", "Boolean")


class InvalidDocumentError(ValueError):
    """The document breaks the agent's rules, or has a key or value that the lab has no rule for."""


class InvalidParametersError(ValueError):
    """A value is missing, has the wrong type or does not match its pattern."""


@dataclass(frozen=True)
class Step:
    """One step of mainSteps, before parameters are substituted."""

    name: str
    inputs: dict[str, Any]
    precondition: dict[str, list[str]] | None


@dataclass(frozen=True)
class Document:
    """A document whose every key the lab knows."""

    parameters: dict[str, dict[str, Any]]
    steps: list[Step]


def read_document(content: dict[str, Any]) -> Document:
    """Checks a document that was parsed from JSON or YAML, and returns its parameters and steps."""
    _require_known("document", content, "document")
    version = content.get("schemaVersion")
    _require(version == _SUPPORTED_SCHEMA, f'schemaVersion: must be "{_SUPPORTED_SCHEMA}", got {version!r}')
    parameters = content.get("parameters") or {}
    for name, parameter in parameters.items():
        _check_parameter(name, parameter)
    steps = [_read_step(index, step, parameters) for index, step in enumerate(content.get("mainSteps") or [])]
    _require(bool(steps), "mainSteps: must have a step, got none (the agent says: Unsupported schema format)")
    names = [step.name for step in steps]
    _require(
        len(set(names)) == len(names),
        f"mainSteps: names must be unique, got {', '.join(names)} (the agent merges their outputs)",
    )
    return Document(parameters, steps)


def resolve_parameters(document: Document, given: dict[str, list[str]]) -> dict[str, Any]:
    """Returns each parameter's value, given or default, after checking its pattern; other names are ignored."""
    return {name: _resolve(name, parameter, given) for name, parameter in document.parameters.items()}


def _resolve(name: str, parameter: dict[str, Any], given: dict[str, list[str]]) -> Any:
    if name in given:
        value = _typed(name, parameter["type"], given[name])
    elif "default" in parameter:
        value = parameter["default"]
    else:
        raise InvalidParametersError(f"parameters.{name}: must be given, got nothing and it has no default")
    if "allowedPattern" in parameter:
        pattern = compile_pattern(parameter["allowedPattern"])
        for element in _elements(value):
            if not pattern.search(_as_text(element)):
                raise InvalidParametersError(
                    f"parameters.{name}: must match {parameter['allowedPattern']}, got {element!r}"
                )
    return value


def service_parameter_problems(document: Document, given: dict[str, list[str]]) -> list[str]:
    """Returns what SendCommand itself rejects before any agent: unknown names, wrong lengths, mismatched patterns."""
    unknown = [name for name in given if name not in document.parameters]
    problems = [f"parameters.{name}: must be one of the document's, got an unknown name" for name in unknown]
    for name, parameter in document.parameters.items():
        try:
            value = _resolve(name, parameter, given)
        except InvalidParametersError as problem:
            problems.append(str(problem))
            continue
        allowed = parameter.get("allowedValues")
        for text in map(_as_text, _elements(value)):
            if allowed is not None and text not in allowed:
                problems.append(f"parameters.{name}: must be one of {', '.join(allowed)}, got {text}")
            if not _is_within(parameter, "Chars", len(text)):
                problems.append(f"parameters.{name}: must have an allowed length, got {len(text)} characters")
        if isinstance(value, list) and not _is_within(parameter, "Items", len(value)):
            problems.append(f"parameters.{name}: must have an allowed number of items, got {len(value)}")
    return problems


def _is_within(parameter: dict[str, Any], limit: str, length: int) -> bool:
    return int(parameter.get(f"min{limit}", 0)) <= length <= int(parameter.get(f"max{limit}", length))


def _elements(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def substitute(value: Any, values: dict[str, Any]) -> Any:
    """Replaces each {{ Name }} by its value, at any depth. A value that is the whole string keeps its type."""
    if isinstance(value, dict):
        return {key: substitute(item, values) for key, item in value.items()}
    if isinstance(value, list):
        whole = _PLACEHOLDER.fullmatch(value[0].strip()) if len(value) == 1 and isinstance(value[0], str) else None
        items = [substitute(item, values) for item in value]
        return items[0] if whole and isinstance(items[0], list) else items
    if not isinstance(value, str):
        return value
    whole = _PLACEHOLDER.fullmatch(value.strip())
    if whole and whole[1] in values:
        return _unescaped(values[whole[1]])
    return _PLACEHOLDER.sub(lambda found: _replacement(found, values), value)


def environment_parameters(document: Document) -> list[str]:
    """Returns the names of the parameters that the agent passes as environment variables.

    Agents older than 3.3.2746.0 put their values into the script instead.
    """
    return [name for name, parameter in document.parameters.items() if parameter.get("interpolationType") == "ENV_VAR"]


def step_inputs(document: Document, values: dict[str, Any], step: Step) -> dict[str, Any]:
    """Returns a step's inputs with the parameters substituted.

    AWS does not document what a new agent does with {{ Name }} of an ENV_VAR parameter in a script. The lab leaves it
    in place, so that a document that relies on it fails. No shell sees the other inputs, so they get the value.
    """
    hidden = environment_parameters(document)
    pasted = {name: value for name, value in values.items() if name not in hidden}
    return {key: substitute(item, pasted if key == "runCommand" else values) for key, item in step.inputs.items()}


def unmet_precondition(step: Step, values: dict[str, Any]) -> str | None:
    for left, right in (substitute(arguments, values) for arguments in (step.precondition or {}).values()):
        is_linux = "linux" in (left.lower(), right.lower())
        is_met = is_linux if "platformType" in (left, right) else left == right
        if not is_met:
            unmet = f"'\"StringEquals\": [{left}, {right}]'. Step name: {step.name}"
            return f"Step execution skipped due to unsatisfied preconditions: {unmet}"
    return None


def timeout_seconds(inputs: dict[str, Any]) -> int:
    """Returns a step's timeout in whole seconds after substitution; an unreadable or too short one becomes one hour."""
    try:
        seconds = int(float(str(inputs.get("timeoutSeconds", DEFAULT_TIMEOUT_SECONDS))))
    except (ValueError, OverflowError):
        return DEFAULT_TIMEOUT_SECONDS
    return seconds if MIN_TIMEOUT_SECONDS <= seconds <= MAX_TIMEOUT_SECONDS else DEFAULT_TIMEOUT_SECONDS


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Compiles an allowedPattern with the meaning that it has in RE2, and rejects what RE2 lacks."""
    _require(
        not re.search(r"\(\?(?:[=!]|<[=!]|\(|>)|\\[1-9]|[*+?}]\+", pattern),
        f"allowedPattern: must be without lookaround, backreference or possessive repeat (RE2), got {pattern}",
    )
    # RE2's `$` matches only the end of the text; Python's also matches before a final newline, and would admit one.
    translated = _PATTERN_PART.sub(lambda part: r"\Z" if part[0] in ("$", r"\z") else part[0], pattern)
    try:
        return re.compile(translated, re.ASCII)
    except re.error as problem:
        raise InvalidDocumentError(f"allowedPattern: must be a regular expression, got {pattern}: {problem}") from None


def _check_parameter(name: str, parameter: dict[str, Any]) -> None:
    where = f"parameters.{name}"
    _require(_PARAMETER_NAME.fullmatch(name) is not None, f"{where}: name must be letters and digits, got {name}")
    _require_known("parameter", parameter, where)
    kind = parameter.get("type")
    _require(kind in _TYPES, f"{where}.type: must be one of {', '.join(_TYPES)} in the lab, got {kind!r}")
    if "allowedPattern" in parameter:
        compile_pattern(parameter["allowedPattern"])
    values = parameter.get("allowedValues", [])
    _require(all(isinstance(value, str) for value in values), f"{where}.allowedValues: must be strings, got {values}")
    interpolation = parameter.get("interpolationType")
    _require(
        interpolation is None or (interpolation == "ENV_VAR" and kind == "String"),
        f"{where}.interpolationType: must be absent or ENV_VAR of a String, got {interpolation!r}",
    )


def _read_step(index: int, step: dict[str, Any], parameters: dict[str, Any]) -> Step:
    where = f"mainSteps[{index}]"
    _require_known("step", step, where)
    action, name, inputs = step.get("action"), step.get("name"), step.get("inputs") or {}
    _require(action == "aws:runShellScript", f"{where}.action: must be aws:runShellScript in the lab, got {action!r}")
    _require(
        _STEP_NAME.fullmatch(str(name)) is not None,
        f"{where}.name: must be 4 or more of [A-Za-z0-9_-], got {name!r}",
    )
    _require_known("inputs", inputs, f"{where}.inputs")
    _require("runCommand" in inputs, f"{where}.inputs.runCommand: must be there, got nothing")
    for operator, arguments in (step.get("precondition") or {}).items():
        _require(
            operator == "StringEquals" and len(arguments) == 2 and arguments[0] != arguments[1],
            f"{where}.precondition: must be StringEquals of two different arguments, got {operator} {arguments}",
        )
        uses_parameter = any(found in parameters for argument in arguments for found in _PLACEHOLDER.findall(argument))
        _require(
            "platformType" in arguments or uses_parameter,
            f"{where}.precondition: must have platformType or a parameter, got {arguments}",
        )
    return Step(step["name"], inputs, step.get("precondition"))


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise InvalidDocumentError(otherwise)


def _require_known(kind: str, content: Any, where: str) -> None:
    _require(isinstance(content, dict), f"{where}: must be an object, got {type(content).__name__}")
    known = _KNOWN_KEYS[kind].split()
    unknown = sorted(set(content) - set(known))
    _require(
        not unknown,
        f"{where}: must have only {', '.join(sorted(known))}, got {', '.join(unknown)} (the agent ignores it silently)",
    )


def _typed(name: str, kind: str, given: list[str]) -> Any:
    if kind == "StringList":
        return list(given)
    if len(given) != 1:
        raise InvalidParametersError(f"parameters.{name}: must be a list of one value, got {len(given)}")
    try:
        return json.loads(given[0].lower()) if kind == "Boolean" else int(given[0]) if kind == "Integer" else given[0]
    except ValueError:
        raise InvalidParametersError(f"parameters.{name}: must be of type {kind}, got {given[0]}") from None


def _replacement(found: re.Match[str], values: dict[str, Any]) -> str:
    name = found[1]
    _require(
        not name.startswith("ssm:"),
        f"{found[0]}: must be a document parameter in the lab, got a Parameter Store reference",
    )
    return _as_text(_unescaped(values[name])) if name in values else found[0]


def _unescaped(value: Any) -> Any:
    return value.replace("$$", "$") if isinstance(value, str) else value


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
