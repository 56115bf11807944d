"""Reads declared tables and views from Glue, and answers SHOW TABLES and DESCRIBE with them."""

import re
from typing import Any

from lab.aws import embedded
from lab.aws.athena.tables import declared_columns
from lab.aws.wire import AwsError


class QueryFailedError(Exception):
    """The query can't run; the message is the execution's StateChangeReason."""


_NAME = r'[`"]?(\w+)[`"]?'
_SHOW_TABLES = re.compile(rf"\s*SHOW\s+TABLES(?:\s+(?:IN|FROM)\s+{_NAME})?\s*;?\s*", re.IGNORECASE)
_DESCRIBE = re.compile(rf"\s*DESC(?:RIBE)?\s+(?:{_NAME}\.)?{_NAME}\s*;?\s*", re.IGNORECASE)


def catalogue_rows(query: str, database: str) -> list[list[str | None]] | None:
    """Returns the names of the columns and the rows of SHOW TABLES or DESCRIBE; None for any other statement.

    Athena itself gives these statements no row with the names of the columns.
    """
    if show := _SHOW_TABLES.fullmatch(query):
        names = sorted(_names_in(show[1] or database))
        return [[name] for name in ["tab_name", *names]]
    if describe := _DESCRIBE.fullmatch(query):
        found = glue_table(describe[1] or database, describe[2].lower())
        partitions = {key["Name"] for key in found.get("PartitionKeys", [])}
        columns = declared_columns(found).items()
        return [
            ["col_name", "data_type", "comment"],
            *([name, kind, "partition" if name in partitions else None] for name, kind in columns),
        ]
    return None


def glue_table(schema: str, name: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = embedded.call("glue", "GetTable", DatabaseName=schema, Name=name)["Table"]
    except AwsError as error:
        raise QueryFailedError(
            f"TABLE_NOT_FOUND: line 1:1: Table 'awsdatacatalog.{schema}.{name}' does not exist"
        ) from error
    return found


def _names_in(schema: str) -> list[str]:
    try:
        # The list of an unknown database would be empty.
        embedded.call("glue", "GetDatabase", Name=schema)
        return [table["Name"] for table in embedded.call("glue", "GetTables", DatabaseName=schema)["TableList"]]
    except AwsError as error:
        raise QueryFailedError(f"SCHEMA_NOT_FOUND: line 1:1: Schema '{schema}' does not exist") from error
