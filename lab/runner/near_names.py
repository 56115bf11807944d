"""Which table, view or column a query most likely meant where Athena knows none of the name that stands in it."""

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches

from lab.runner.deployment import Deployment
from lab.runner.embedded_aws import EmbeddedAws

# By the name of a table or view, its columns with those that partition it.
Relations = Mapping[str, Sequence[str]]

# Fewer letters are in many names by chance, and more names are no help.
_MIN_PART_LETTERS = 3
_MAX_LISTED = 6
_UNKNOWN_RELATION = re.compile(r"TABLE_NOT_FOUND: .*'(?:[^'.]+\.)*([^'.]+)' does not exist")
_UNKNOWN_COLUMN = re.compile(r"COLUMN_NOT_FOUND: .*'(?:[^'.]+\.)*([^'.]+)' cannot be resolved")


def meant(reason: str, query: str, relations: Callable[[], Relations]) -> str:
    """Returns what is to be added to Athena's reason; nothing where it is no unknown name.

    `relations` is called only if a name is unknown.
    """
    relation, column = _UNKNOWN_RELATION.match(reason), _UNKNOWN_COLUMN.match(reason)
    if relation is not None:
        names = sorted(relations())
        return _suggestion(relation[1], names) or f"; there are {', '.join(names)}"
    if column is None:
        return ""
    known = relations()
    words = set(re.findall(r"\w+", query.lower()))
    asked = [name for name in sorted(known) if name in words] or sorted(known)
    columns = sorted({each for name in asked for each in known[name]})
    return _suggestion(column[1], columns) or f"; docs/reference/columns.md lists the columns of {', '.join(asked)}"


def _suggestion(written: str, names: list[str]) -> str:
    """Prefers the name that differs by slips of typing to those of which only a part is written (`onset`)."""
    word = written.lower()
    near = get_close_matches(word, names, n=1) or _with_part(word, names)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _with_part(word: str, names: list[str]) -> list[str]:
    found = [name for name in names if word in name] if len(word) >= _MIN_PART_LETTERS else []
    return found if len(found) <= _MAX_LISTED else []


def relations_in(aws: EmbeddedAws, deployment: Deployment) -> Relations:
    """Returns the tables and views of the deployed database, as Glue describes them."""
    pages = aws.glue.get_paginator("get_tables").paginate(DatabaseName=deployment.database)
    return {
        table["Name"]: [
            column["Name"] for column in [*table["StorageDescriptor"]["Columns"], *table.get("PartitionKeys", [])]
        ]
        for page in pages
        for table in page["TableList"]
    }
