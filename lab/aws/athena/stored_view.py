"""Views as Athena stores them in Glue: `/* Presto View: <base64 of JSON> */`."""

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any

COMMENT = "Presto View"
PREFIX, SUFFIX = "/* Presto View: ", " */"


@dataclass(frozen=True)
class StoredView:
    sql: str
    schema: str
    """Where tables that the query names without a database are."""
    columns: dict[str, str]
    """The declared columns with their Hive types."""


def is_view(definition: dict[str, Any]) -> bool:
    return definition.get("TableType") == "VIRTUAL_VIEW"


def stored_view(definition: dict[str, Any]) -> StoredView:
    """Raises ValueError where the definition is none that Athena would have stored."""
    name = definition["Name"]
    text = (definition.get("ViewOriginalText") or "").strip()
    parameters = definition.get("Parameters") or {}
    # As in Trino's connector, a description takes the place of the comment.
    comment = definition.get("Description") or parameters.get("comment")
    if parameters.get("presto_view") != "true":
        raise ValueError(f"INVALID_VIEW: view {name}: parameter presto_view must be true")
    if comment != COMMENT:
        raise ValueError(
            f"INVALID_VIEW: view {name}: description or parameter comment must be {COMMENT}, got {comment}"
        )
    if not (text.startswith(PREFIX) and text.endswith(SUFFIX)):
        raise ValueError(f"INVALID_VIEW: view {name}: ViewOriginalText must be {PREFIX}<base64>{SUFFIX}")
    try:
        stored = json.loads(base64.b64decode(text[len(PREFIX) : -len(SUFFIX)], validate=True))
        sql, schema, names = stored["originalSql"], stored["schema"], [column["name"] for column in stored["columns"]]
    except (binascii.Error, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"INVALID_VIEW: view {name}: ViewOriginalText can't be decoded: {error!r}") from error
    columns = {column["Name"]: column["Type"] for column in definition["StorageDescriptor"]["Columns"]}
    if names != list(columns):
        raise ValueError(
            f"INVALID_VIEW: view {name}: columns must be those of the StorageDescriptor, {list(columns)}, got {names}"
        )
    return StoredView(sql, schema, columns)
