"""Athena: workgroups that enforce their location, and queries in Athena's own dialect over the Glue tables' objects."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlparse

import duckdb
import sqlglot
from ministack.core.responses import error_response_json
from ministack.services import athena, glue, s3
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify

from lab.aws import patching
from lab.aws.athena_tables import athena_text, athena_type, create_view

logger = logging.getLogger("lab.athena")


def install() -> None:
    for name in ("_workgroups", "_executions", "_detect_statement_type"):
        patching.require(athena, name)
    patching.require(glue, "_tables")
    for name in ("_buckets", "_put_object"):
        patching.require(s3, name)
    patching.wrap(athena, "_start_query_execution", _in_its_workgroup)
    patching.replace(athena, "_execute_query", _execute)
    patching.replace(athena, "_parse_ddl", lambda _: None)  # the lab reads: a statement that writes fails below


def _in_its_workgroup(original: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    def start(request: dict[str, Any]) -> Any:
        name = request.get("WorkGroup", "primary")
        workgroup = athena._workgroups.get(name)
        if workgroup is None:
            return error_response_json("InvalidRequestException", f"WorkGroup {name} is not found.", 400)
        configuration = workgroup.get("Configuration", {})
        location = configuration.get("ResultConfiguration", {}).get("OutputLocation")
        enforced = str(configuration.get("EnforceWorkGroupConfiguration", True)).lower() == "true"
        if location and (enforced or not request.get("ResultConfiguration", {}).get("OutputLocation")):
            request = request | {"ResultConfiguration": {"OutputLocation": location.rstrip("/") + "/"}}
        return original(request)

    return start


async def _execute(query_id: str, query: str, database: str, *_: Any) -> None:
    """Runs a query that is already on record; its results are in the store before it shows as SUCCEEDED."""
    execution = athena._executions[query_id]
    status, statistics = execution["Status"], execution["Statistics"]
    status["State"] = "RUNNING"
    started = time.monotonic()
    try:
        result = await asyncio.to_thread(_run_blocking, query, database)
        _check_cutoff(execution["WorkGroup"], result["scanned_bytes"])
        _write_results(execution["ResultConfiguration"]["OutputLocation"], result)
        execution["_results"] = {"columns": result["columns"], "rows": result["rows"]}
        execution["_column_types"] = result["column_types"]
        statistics["DataScannedInBytes"] = result["scanned_bytes"]
        status["State"] = "SUCCEEDED"
    except ValueError as error:
        status.update(State="FAILED", StateChangeReason=str(error))
    except Exception as error:  # a caller who polls must see an end
        logger.exception("%s: the lab's Athena failed", query_id)
        status.update(State="FAILED", StateChangeReason=f"GENERIC_INTERNAL_ERROR: {error}")
    statistics["EngineExecutionTimeInMillis"] = round((time.monotonic() - started) * 1000)
    statistics["TotalExecutionTimeInMillis"] = statistics["EngineExecutionTimeInMillis"]
    status["CompletionDateTime"] = time.time()


def _check_cutoff(workgroup: str, scanned_bytes: int) -> None:
    limit = athena._workgroups[workgroup].get("Configuration", {}).get("BytesScannedCutoffPerQuery")
    if limit is not None and scanned_bytes > int(limit):
        raise ValueError(f"Bytes scanned limit was exceeded: must be at most {limit}, got {scanned_bytes}")


def _write_results(location: str, result: dict[str, Any]) -> None:
    """Athena's CSV: every value in quotes, NULL as nothing at all."""
    rows = [result["columns"], *result["rows"]]
    lines = [
        ",".join("" if value is None else '"' + value.replace('"', '""') + '"' for value in row) + "\n" for row in rows
    ]
    url = urlparse(location)
    status, _, body = s3._put_object(
        url.netloc, url.path.lstrip("/"), "".join(lines).encode(), {"content-type": "text/csv"}
    )
    if status >= 300:
        raise ValueError(f"Unable to write to the output location {location}: {body.decode(errors='replace')}")


def _run_blocking(query: str, database: str) -> dict[str, Any]:
    """Raises ValueError with the reason that the execution then shows as its StateChangeReason."""
    statement = _parse(query)
    with duckdb.connect(":memory:") as connection:
        connection.execute("SET TimeZone = 'UTC'")
        schemas: dict[str, dict[str, dict[str, str]]] = {}
        scanned_bytes = 0
        for table in _tables_of(statement):
            schema = table.db or database
            definition = glue._tables.get(f"{schema}/{table.name}".lower())
            if definition is None:
                raise ValueError(
                    f"TABLE_NOT_FOUND: line 1:1: Table 'awsdatacatalog.{schema}.{table.name}' does not exist"
                )
            columns_of_table, table_bytes = create_view(connection, schema, definition)
            schemas.setdefault(schema, {})[table.name.lower()] = columns_of_table
            scanned_bytes += table_bytes
            table.set("db", exp.to_identifier(schema, quoted=True))
            table.set("catalog", None)
        try:
            result = connection.execute(_for_duckdb(statement, schemas).sql(dialect="duckdb"))
            columns = [(column[0], athena_type(str(column[1]))) for column in result.description or []]
            rows = result.fetchall()
        except duckdb.Error as error:
            logger.info("query failed: %s", error)
            raise ValueError(f"SYNTAX_ERROR: {str(error).splitlines()[0]}") from error
    return {
        "columns": [name for name, _ in columns],
        "column_types": [kind for _, kind in columns],
        "rows": [[athena_text(value) for value in row] for row in rows],
        "scanned_bytes": scanned_bytes,
    }


def _parse(query: str) -> exp.Expression:
    try:
        statements = [statement for statement in sqlglot.parse(query, read="athena") if statement is not None]
    except SqlglotError as error:
        raise ValueError(f"SYNTAX_ERROR: {str(error).splitlines()[0]}") from error
    if len(statements) != 1:
        raise ValueError(f"SYNTAX_ERROR: must be one statement, got {len(statements)}")
    if not isinstance(statements[0], exp.Query):
        raise ValueError(f"NOT_SUPPORTED: the lab's Athena answers SELECT only, got {statements[0].key.upper()}")
    return statements[0]


def _tables_of(statement: exp.Expression) -> list[exp.Table]:
    """Tables of the store: every named relation that is no common table expression and no function."""
    ctes = {cte.alias_or_name for cte in statement.find_all(exp.CTE)}
    return [
        table
        for table in statement.find_all(exp.Table)
        if isinstance(table.this, exp.Identifier) and (table.db or table.name not in ctes)
    ]


def _for_duckdb(statement: exp.Expression, schemas: dict[str, dict[str, dict[str, str]]]) -> exp.Expression:
    """What the dialects call the same and mean differently: names of unnamed columns, format(), integer division."""
    for position, column in enumerate(statement.selects):
        if not column.is_star and not isinstance(column, (exp.Alias, exp.Column, exp.Dot)):
            column.replace(exp.alias_(column.copy(), f"_col{position}"))
    for function in list(statement.find_all(exp.Format, exp.Anonymous)):
        if isinstance(function, exp.Format) or function.name.lower() == "format":
            function.replace(exp.Anonymous(this="printf", expressions=_arguments(function)))
    try:
        typed = qualify(
            statement.copy(), schema=schemas, dialect="athena", validate_qualify_columns=False, quote_identifiers=False,
            expand_stars=False, isolate_tables=False,
        )  # fmt: skip
        return annotate_types(typed, schema=schemas, dialect="athena")
    except SqlglotError as error:
        # Types are for the division of integers only; DuckDB judges the statement itself.
        logger.info("types of the query are not known: %s", error)
        return statement


def _arguments(function: exp.Expression) -> list[exp.Expression]:
    first = [function.this] if isinstance(function, exp.Format) else []
    return [argument.copy() for argument in first + function.expressions]
