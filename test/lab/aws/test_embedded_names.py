"""Only lab/aws/embedded.py knows MiniStack, and every private name in it exists in the installed version."""

import ast
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from conftest import REPOSITORY

from lab.aws import embedded

DOOR = REPOSITORY / "lab" / "aws" / "embedded.py"
PACKAGES = REPOSITORY / "lab" / "aws"


def imported(file: Path) -> set[str]:
    """The modules that a file imports anywhere in it, functions included."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def files_that_import(package: str, folder: Path) -> list[Path]:
    return [
        file
        for file in sorted(folder.rglob("*.py"))
        if any(name == package or name.startswith(f"{package}.") for name in imported(file))
    ]


def imports_of_packages() -> dict[str, set[str]]:
    """What each package or module directly below lab/aws imports of the others."""
    graph: dict[str, set[str]] = {}
    for file in PACKAGES.rglob("*.py"):
        importing = file.relative_to(PACKAGES).parts[0].removesuffix(".py")
        parts = [name.split(".") for name in imported(file) if name.startswith("lab.aws.")]
        rooms = {part[2] for part in parts if (PACKAGES / part[2]).is_dir() or (PACKAGES / f"{part[2]}.py").exists()}
        graph.setdefault(importing, set()).update(rooms - {importing})
    return graph


def test_only_one_file_of_the_lab_imports_ministack():
    assert files_that_import("ministack", REPOSITORY / "lab") == [DOOR]


def test_a_second_file_that_imports_ministack_is_found(tmp_path):
    second = tmp_path / "second.py"
    second.write_text("def late():\n    from ministack.services import ec2\n    return ec2\n")
    assert files_that_import("ministack", tmp_path) == [second]


def test_no_packages_of_the_embedded_aws_import_each_other_in_a_circle():
    graph = imports_of_packages()
    assert graph["elb"] >= {"ec2", "wire"}
    TopologicalSorter(graph).prepare()  # raises CycleError


def in_new_process(program, folder):
    environment = {"PYTHONPATH": str(REPOSITORY), "HOME": str(folder), "TMPDIR": str(folder)}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize(
    ("before", "missing"),
    [
        ("", ""),
        (
            "from ministack.services import ec2, stepfunctions; del ec2._new_vpc_id, stepfunctions._error_matches",
            "must have every name that the lab uses, lacks "
            "ec2._new_vpc_id (the user's networks have ids that never change); "
            "stepfunctions._error_matches (fix: stepfunctions_limits)",
        ),
    ],
)
def test_every_private_name_of_ministack_exists_or_is_named(tmp_path, before, missing):
    check = "from lab.aws import embedded, upstream_fixes\nembedded.require_names(embedded.PRIVATE_NAMES.values())"
    program = f"{before}\n{check}\n"
    done = in_new_process(program, tmp_path)
    assert (done.returncode == 0) == (missing == ""), done.stderr
    assert missing in done.stderr


def test_a_private_name_that_is_gone_is_neither_read_nor_replaced(tmp_path):
    program = """
from lab.aws import embedded
from lab.aws.settings import IncompatibleMinistackError
gone = embedded.PrivateName("ec2._gone", "a test")
for act in (lambda: gone.value, lambda: gone.replace(None), lambda: gone.wrap(lambda original: original)):
    try:
        act()
    except IncompatibleMinistackError as error:
        print(error)
"""
    said = "ministack: must have every name that the lab uses, lacks ec2._gone (a test)\n"
    assert in_new_process(program, tmp_path).stdout == said * 3


def test_the_table_of_fixes_names_each_file_and_what_it_touches():
    folder = PACKAGES / "upstream_fixes"
    declared = re.compile(r'embedded\.(?:fix|fix_resource|fix_value|private)\(\s*"([^"]+)"')
    shared = {
        f"embedded.{constant}.": name.path
        for constant, name in vars(embedded).items()
        if "_" in constant and isinstance(name, embedded.PrivateName)
    }
    touched = {}
    for file in folder.glob("[a-z]*.py"):
        text = file.read_text()
        touched[file.name] = set(declared.findall(text)) | {path for use, path in shared.items() if use in text}
    rows = [line.split("|") for line in (folder / "README.md").read_text().splitlines() if line.startswith("| `")]
    assert {row[1].strip(" `"): set(re.findall(r"`([^`]+)`", row[4])) for row in rows} == touched
