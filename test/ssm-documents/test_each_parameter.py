"""Each parameter that a document of a tool declares changes what the document executes.

A parameter that the script ignores would be accepted, stored as part of the measurement's identity and never applied.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from document_hosts import processes_of, shim, wait_for
from measurement_parameters import PARAMETERS, last_line

DOCUMENTS = Path(__file__).parents[2] / "ssm-documents"
# Records what would be started, with the lists of flows that a tool reads, and begins the stream that serve-ping waits
# for.
SYSTEMD_RUN = """
for argument in "$@"; do
  printf '%s\\n' "$argument"
  [[ $argument != */flows-* ]] || cat "$argument"
done >>"$TEST_HOST/executed"
mkdir -p "/var/lib/network-benchmark/spool/$SSM_RunId/$SSM_MeasurementId/server"
"""
# A server listens at once, and nobody holds a port.
SS = '[[ $1 != -Hln ]] || echo "LISTEN 0 1"'

# The agent's own limit of the step: no input of the script.
OF_THE_STEP = "ExecutionTimeoutSeconds"


def others(value: str, pattern: str) -> list[str]:
    """Returns other values that the pattern of the parameter allows."""
    words = re.fullmatch(r"\^\(([a-z_|]+)\)\$", pattern)
    numbers = [str(2 * int(value) or 1), "0"] if value.isdigit() else []
    candidates = [*(words[1].split("|") if words else []), *numbers, f"{value[:-1]}3", f"{value}x"]
    return [one for one in candidates if one != value and re.fullmatch(pattern, one)]


@pytest.fixture
def executed(make_host):
    """Returns a function that runs a document on a host where programs are only recorded, and returns the record."""
    host = make_host("i-recorder")
    shim(host, "systemd-run", SYSTEMD_RUN)
    shim(host, "ss", SS)
    host.state.mkdir(parents=True)
    (host.state / "host-facts.json").write_text("{}")
    programs = host.directory / "opt" / "network-benchmark"
    programs.mkdir(parents=True)
    (programs / "stream.py").touch()
    record = host.directory / "executed"

    def run(document: str, parameters: dict[str, str]) -> str:
        record.unlink(missing_ok=True)
        result = host.run(document, parameters)
        assert result.status == "Success", (result, last_line(result.stdout) if result.stdout else None)
        # A server is started behind the document's back.
        wait_for("the end of what was started", lambda: record.exists() and not processes_of(host))
        return record.read_text()

    return run


def without_effect(run, document: str, declared: dict[str, dict[str, str]]) -> list[str]:
    """Returns the declared parameters of which no other value changes what is executed."""
    base = PARAMETERS[document]
    usual = run(document, base)

    def has_effect(name: str) -> bool:
        values = others(base[name], declared[name]["allowedPattern"])
        return any(run(document, {**base, name: value}) != usual for value in values)

    return [name for name in declared if name != OF_THE_STEP and not has_effect(name)]


def test_every_document_of_a_tool_is_here(documents):
    assert sorted(PARAMETERS) == sorted(name for name in documents if name.startswith(("measure-", "serve-")))


@pytest.mark.parametrize("document", PARAMETERS)
def test_refuses_a_host_that_is_not_prepared(make_host, document):
    result = make_host("i-raw").run(document, PARAMETERS[document])

    assert (result.status, result.exit_code) == ("Failed", 1)
    assert "prepare-host has not completed" in last_line(result.stdout)["reason"]


@pytest.mark.parametrize("document", PARAMETERS)
def test_each_declared_parameter_changes_what_is_executed(executed, documents, document):
    assert without_effect(executed, document, documents[document]["parameters"]) == []


def test_a_parameter_that_the_script_ignores_is_named(executed, documents):
    step = documents["measure-iperf3"]["mainSteps"][0]["inputs"]
    script = step["runCommand"]
    assert '  iperf3+=(-w "$SSM_SocketBufferBytes")' in script
    step["runCommand"] = [":" if "iperf3+=(-w" in line else line for line in script]
    try:
        found = without_effect(executed, "measure-iperf3", documents["measure-iperf3"]["parameters"])
    finally:
        step["runCommand"] = script
    assert found == ["SocketBufferBytes"]


@pytest.mark.parametrize("program", sorted(DOCUMENTS.glob("*/*.py")), ids=lambda path: path.name)
def test_each_option_of_a_program_is_read(program):
    options = re.findall(r'add_argument\(\s*"(?:--)?([a-z-]+)"', program.read_text())
    # A program may hand its options on to a part of its own in the same folder.
    parts = "".join(part.read_text() for part in program.parent.glob("*.py"))
    assert [name for name in options if not re.search(rf"arguments\.{name.replace('-', '_')}\b", parts)] == []
