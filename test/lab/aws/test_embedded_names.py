"""Only lab/aws/embedded.py knows MiniStack, and every private name in it exists in the installed version."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

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


def package_arrows() -> set[tuple[str, str]]:
    """Which package or module directly below lab/aws imports which other one."""
    arrows = set()
    for file in PACKAGES.rglob("*.py"):
        importing = file.relative_to(PACKAGES).parts[0].removesuffix(".py")
        for name in imported(file):
            parts = name.split(".")
            if parts[:2] == ["lab", "aws"] and len(parts) > 2:
                room = PACKAGES / parts[2]
                if parts[2] != importing and (room.is_dir() or room.with_suffix(".py").exists()):
                    arrows.add((importing, parts[2]))
    return arrows


def circle(arrows: set[tuple[str, str]]) -> list[str]:
    """The packages on a circle of imports, or that lead to one; none is left when all leaves can be removed."""
    while True:
        importing = {source for source, _ in arrows}
        kept = {arrow for arrow in arrows if arrow[1] in importing}
        if kept == arrows:
            return sorted(importing)
        arrows = kept


def test_only_one_file_of_the_lab_imports_ministack():
    assert files_that_import("ministack", REPOSITORY / "lab") == [DOOR]


def test_a_second_file_that_imports_ministack_is_found(tmp_path):
    second = tmp_path / "second.py"
    second.write_text("def late():\n    from ministack.services import ec2\n    return ec2\n")
    assert files_that_import("ministack", tmp_path) == [second]


def test_no_packages_of_the_embedded_aws_import_each_other_in_a_circle():
    assert circle(package_arrows()) == []


def test_a_circle_of_imports_is_found():
    assert circle({("ec2", "elb"), ("elb", "wire")}) == []
    assert circle({("ec2", "elb"), ("elb", "ssm"), ("ssm", "ec2"), ("ssm", "wire")}) == ["ec2", "elb", "ssm"]


@pytest.mark.parametrize(
    ("before", "missing"),
    [
        ("", ""),
        (
            "from ministack.services import ec2, ssm; del ec2._tags, ssm._PUBLIC_AMI_PARAMETERS",
            "must have every name that the lab uses, lacks "
            "ministack.services.ec2._tags (resources of the lab and of MiniStack share CreateTags and DescribeTags); "
            "ministack.services.ssm._PUBLIC_AMI_PARAMETERS",
        ),
    ],
)
def test_every_private_name_of_ministack_exists_or_is_named(tmp_path, before, missing):
    program = f"{before}\nfrom lab.aws import embedded\nembedded.check_names()\n"
    environment = {"PYTHONPATH": str(REPOSITORY), "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.returncode == 0) == (missing == ""), done.stderr
    assert missing in done.stderr


def test_a_private_name_that_is_gone_is_neither_read_nor_replaced(tmp_path):
    program = """
import types
from lab.aws import embedded
from lab.aws.settings import IncompatibleMinistackError
gone = embedded.PrivateName(types.ModuleType("service"), "_gone", "a test")
for act in (lambda: gone.value, lambda: gone.replace(None), lambda: gone.wrap(lambda original: original)):
    try:
        act()
    except IncompatibleMinistackError as error:
        print(error)
"""
    environment = {"PYTHONPATH": str(REPOSITORY), "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout == "service._gone: must exist (a test), got a MiniStack without it\n" * 3, done.stderr
