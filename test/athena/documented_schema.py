"""The schema of the store as docs/reference/columns.md has it: a program that knows nothing else can write rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lab.runner.paths import REPOSITORY

DOCUMENT = REPOSITORY / "docs/reference/columns.md"
Row = dict[str, Any]


@dataclass(frozen=True)
class Column:
    name: str
    type: str
    values: tuple[str, ...]
    """All that it can have; empty for a column of any values of the type."""
    is_partition: bool


@dataclass(frozen=True)
class Table:
    name: str
    objects: str
    """The names of the objects, with `<column>` for a column's value; empty for a view."""
    key: tuple[str, ...]
    columns: dict[str, Column]

    def object_of(self, row: Row) -> str:
        return re.sub(r"<(\w+)>", lambda found: str(row[found[1]]), self.objects)

    def stored(self, row: Row) -> Row:
        """The row without its partitions and its missing values. Raises ValueError for what is not documented."""
        for name, value in row.items():
            if name not in self.columns:
                raise ValueError(f"{self.name}: must have documented columns only, got {name}")
            _check(f"{self.name}.{name}", self.columns[name], value)
        return {name: value for name, value in row.items() if value is not None and not self.columns[name].is_partition}


def documented_tables(document: str | None = None) -> dict[str, Table]:
    """The tables and views by name."""
    text = (DOCUMENT.read_text() if document is None else document).partition("## Tables and views")[2]
    tables: dict[str, Table] = {}
    for section in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        name = section.partition("\n")[0]
        objects, key = (re.search(rf"{label}: `([^`]+)`", section) for label in ("Objects", "Key"))
        columns = [_column(line) for line in section.splitlines() if line.startswith("| `")]
        view = re.search(r"^Columns: all of `(\w+)`, and$", section, re.MULTILINE)
        shared = {} if view is None else tables[view[1]].columns
        tables[name] = Table(
            name,
            "" if objects is None else objects[1],
            () if key is None else tuple(key[1].split(", ")),
            shared | {column.name: column for column in columns},
        )
    return tables


def cell_of(row: Row) -> str:
    """By the columns that the document lists, each followed by a space."""
    listed = re.search(r"<!-- cell:.*?-->(.*?)<!--", DOCUMENT.read_text(), re.DOTALL)
    assert listed is not None
    names = re.findall(r"`(\w+)`", listed[1])
    shown = {name: row.get(name) for name in names} | {"is_displaced": row.get("is_displaced") or None}
    return "".join(f"{name}={_in_a_cell(value)} " for name, value in shown.items() if value is not None)


def _in_a_cell(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _column(line: str) -> Column:
    name, kind, values, meaning = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
    return Column(
        name.strip("`"), kind.strip("`"), tuple(re.findall(r"`([^`]+)`", values)), meaning.startswith("Partition: ")
    )


_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "date": (str,),
    "bigint": (int,),
    "double": (int, float),
    "boolean": (bool,),
}


def _check(where: str, column: Column, value: Any) -> None:
    if value is None:
        return
    if column.values and value not in column.values:
        raise ValueError(f"{where}: must be one of {', '.join(column.values)}, got {value!r}")
    _check_type(where, column.type, value)


def fields_of(struct: str) -> dict[str, str]:
    """The Hive types of the fields of a struct, which may be arrays of structs themselves."""
    fields = {}
    depth, field = 0, ""
    for character in struct.removeprefix("struct<")[:-1] + ",":
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == "," and depth == 0:
            name, _, kind = field.partition(":")
            fields[name] = kind
            field = ""
        else:
            field += character
    return fields


def _check_type(where: str, kind: str, value: Any) -> None:
    if kind.startswith("array<"):
        for item in value:
            _check_type(where, kind[len("array<") : -1], item)
    elif kind.startswith("struct<"):
        fields = fields_of(kind)
        for name, item in value.items():
            if item is not None:
                _check_type(f"{where}.{name}", fields[name], item)
    elif not isinstance(value, _PYTHON_TYPES[kind]) or (isinstance(value, bool) and kind != "boolean"):
        raise ValueError(f"{where}: must be a {kind}, got {value!r}")
