"""What the builder leaves out of a document's Python programs changes nothing that they do."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SOURCES = {path.name: path for path in (Path(__file__).parents[2] / "ssm-documents").glob("*/*.py")}
INSTALLED = re.compile(r"install_program \S*?([a-z0-9_]+\.py) <<'END_OF_FILE'\n(.*?\n)END_OF_FILE$", re.DOTALL | re.M)


def without_docstrings(program: str) -> ast.Module:
    module = ast.parse(program)
    for node in ast.walk(module):
        is_documented = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node)
        if is_documented and len(node.body) > 1:
            node.body = node.body[1:]
    return module


def test_every_program_of_a_document_is_its_source_without_docstrings_and_comments(documents: dict) -> None:
    scripts = ["\n".join(document["mainSteps"][0]["inputs"]["runCommand"]) for document in documents.values()]
    programs = [program for script in scripts for program in INSTALLED.findall(script)]
    assert {name for name, _ in programs} == set(SOURCES)
    for name, program in programs:
        source = SOURCES[name].read_text()
        assert ast.dump(ast.parse(program)) == ast.dump(without_docstrings(source)), name
        assert len(program) < 0.95 * len(source), name


@pytest.mark.parametrize("changed", ["return 2", 'return "a"'])
def test_another_statement_or_text_is_a_difference(changed: str) -> None:
    source = 'def one():\n    """Doc."""\n    return 1\n'
    assert ast.dump(without_docstrings(source)) == ast.dump(ast.parse("def one():\n return 1\n"))
    assert ast.dump(without_docstrings(source)) != ast.dump(ast.parse(f"def one():\n {changed}\n"))
