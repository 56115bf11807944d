"""Runs a query in Athena's dialect with DuckDB over the objects of Glue tables."""

import datetime
import decimal
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import duckdb
import sqlglot
from sqlglot import exp
from sqlglot.dialects.athena import Athena
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify

from lab.aws.athena.catalogue import QueryFailedError, catalogue_rows, glue_table
from lab.aws.athena.injected import Values, injected_partitions, injected_values
from lab.aws.athena.tables import create_relation, create_view, declared_columns, is_view, stored_view

logger = logging.getLogger("lab.athena")

NamedValues = Callable[[list[str]], list[Values]]
"""The values that a query names of these columns; raises ValueError if it names none."""


@dataclass(frozen=True)
class QueryResult:
    rows: list[list[str | None]]
    """The first has the names of the columns."""
    column_types: list[str]
    scanned_bytes: int


def run_query(query: str, database: str) -> QueryResult:
    """Runs a query; raises QueryFailedError with the reason that Athena would report."""
    listed = catalogue_rows(query, database)
    if listed is not None:
        return QueryResult(listed, ["string"] * len(listed[0]), scanned_bytes=0)
    statement = _parse(query)
    with duckdb.connect(":memory:") as connection:
        connection.execute("SET TimeZone = 'UTC'")
        translated, scanned_bytes = _translated(connection, statement, database, ())
        try:
            result = connection.execute(translated)
            described = [(column[0], ATHENA_TYPES.get(column[1].id, "varchar")) for column in result.description or []]
            rows = result.fetchall()
        except duckdb.Error as error:
            logger.info("query failed: %s", error)
            raise QueryFailedError(_reason(error)) from error
    return QueryResult(
        rows=[[name for name, _ in described], *([athena_text(value) for value in row] for row in rows)],
        column_types=[kind for _, kind in described],
        scanned_bytes=scanned_bytes,
    )


# DuckDB reports an unknown column in three wordings: with a table, without one, and in the SELECT list.
_UNKNOWN_COLUMN = re.compile(
    r"""Binder Error: (?:.* does not have a column named "(.+?)"|Referenced column "(.+?)" not found"""
    r"""|Column "(.+?)" referenced that exists in the SELECT clause)"""
)


def _reason(error: duckdb.Error) -> str:
    """Returns the reason that Athena would report for DuckDB's error."""
    text = str(error).splitlines()[0]
    unknown = _UNKNOWN_COLUMN.match(text)
    if unknown is not None:
        return f"COLUMN_NOT_FOUND: line 1:1: Column '{next(filter(None, unknown.groups()))}' cannot be resolved"
    return f"{'INVALID_CAST_ARGUMENT' if isinstance(error, duckdb.ConversionException) else 'SYNTAX_ERROR'}: {text}"


def _translated(
    connection: duckdb.DuckDBPyConnection,
    statement: exp.Query,
    database: str,
    views: tuple[str, ...],
    named_outside: NamedValues | None = None,
) -> tuple[str, int]:
    """Creates a statement's relations in DuckDB; returns the translated statement and its objects' size in bytes.

    `views` are the names of the views whose queries contain this statement. `named_outside` returns the values of
    injected partitions that the query of such a view names.
    """
    definitions: dict[tuple[str, str], dict[str, Any]] = {}
    schemas: dict[str, Any] = {}
    for table in _tables_of(statement):
        schema, name = table.db or database, table.name.lower()
        definitions[schema, name] = glue_table(schema, name)
        schemas.setdefault(schema, {})[name] = declared_columns(definitions[schema, name])
        table.set("db", exp.to_identifier(schema, quoted=True))
        table.set("catalog", None)
    typed = _for_duckdb(statement, schemas)

    def named(schema: str, name: str, partitions: list[str]) -> list[Values]:
        try:
            return injected_values(connection, typed, schema, name, partitions)
        except ValueError:
            if named_outside is None:
                raise
            return named_outside(partitions)

    scanned_bytes = 0
    for (schema, name), definition in definitions.items():
        try:
            if is_view(definition):
                scanned_bytes += _view(connection, schema, definition, views, partial(named, schema, name))
            else:
                partitions = injected_partitions(definition)
                values = named(schema, name, partitions) if partitions else [{}]
                scanned_bytes += create_relation(connection, schema, definition, values)
        except ValueError as error:
            raise QueryFailedError(str(error)) from error
    return _with_a_column_per_field(typed).sql(dialect="duckdb"), scanned_bytes


def _view(
    connection: duckdb.DuckDBPyConnection,
    schema: str,
    definition: dict[str, Any],
    views: tuple[str, ...],
    named_outside: NamedValues,
) -> int:
    """Creates a Glue view as a view of DuckDB, and returns the size of the objects behind it in bytes. Like Athena, it
    analyses the view's query at every read, and requires that its columns are still the declared ones.
    """
    full_name = f"awsdatacatalog.{schema}.{definition['Name']}"
    if full_name in views:
        raise QueryFailedError(f"VIEW_IS_RECURSIVE: line 1:1: Statement stored in view '{full_name}' is recursive")
    view = stored_view(definition)
    try:
        body, scanned_bytes = _translated(connection, _parse(view.sql), view.schema, (*views, full_name), named_outside)
        found = [column[0] for column in connection.execute(f"DESCRIBE {body}").fetchall()]
    except (QueryFailedError, duckdb.Error) as error:
        reason = str(error).splitlines()[0]
        if reason.startswith("CONSTRAINT_VIOLATION"):
            # The view is sound; the query that reads it must name more.
            raise QueryFailedError(reason) from error
        raise QueryFailedError(
            f"INVALID_VIEW: line 1:1: Failed analyzing stored view '{full_name}': {reason}"
        ) from error
    if found != list(view.columns):
        raise QueryFailedError(
            f"VIEW_IS_STALE: line 1:1: View '{full_name}' is stale or in invalid state: "
            f"columns must be {list(view.columns)}, got {found}"
        )
    create_view(connection, schema, definition["Name"], view.columns, body)
    return scanned_bytes


def _parse(query: str) -> exp.Query:
    try:
        statements = [statement for statement in sqlglot.parse(query, read="athena") if statement is not None]
    except SqlglotError as error:
        raise QueryFailedError(f"SYNTAX_ERROR: {str(error).splitlines()[0]}") from error
    if len(statements) != 1:
        raise QueryFailedError(f"SYNTAX_ERROR: must be one statement, got {len(statements)}")
    if not isinstance(statements[0], exp.Query):
        answered = "the lab's Athena answers SELECT, SHOW TABLES and DESCRIBE"
        raise QueryFailedError(f"NOT_SUPPORTED: {answered}, got {statements[0].key.upper()}")
    for element in statements[0].find_all(exp.Bracket):
        # sqlglot subtracts 1 only from a position that it knows to be an integer, which a column is not before its
        # table is known. The offset prevents that 1 is added to a position from which nothing was subtracted.
        position = element.expressions[0]
        if position.type is not None and not position.is_type(*exp.DataType.INTEGER_TYPES):
            element.set("offset", 1)
    return statements[0]


def _tables_of(statement: exp.Query) -> list[exp.Table]:
    """Returns the Glue tables in a query: named relations that are neither common table expressions nor functions."""
    ctes = {cte.alias_or_name for cte in statement.find_all(exp.CTE)}
    return [
        table
        for table in statement.find_all(exp.Table)
        if isinstance(table.this, exp.Identifier) and (table.db or table.name not in ctes)
    ]


def _for_duckdb(statement: exp.Query, schemas: dict[str, Any]) -> exp.Expr:
    """Rewrites what means something else in DuckDB: names of unnamed columns, format(), typeof(), reduce(), division of
    integers and arithmetic of dates.
    """
    for position, column in enumerate(statement.selects):
        if not column.is_star and not isinstance(column, (exp.Alias, exp.Column, exp.Dot)):
            column.replace(exp.alias_(column.copy(), f"_col{position}"))
    for function in list(statement.find_all(exp.Format, exp.Anonymous)):
        if isinstance(function, exp.Format) or function.name.lower() == "format":
            function.replace(exp.Anonymous(this="printf", expressions=_arguments(function)))
    for function in list(statement.find_all(exp.Typeof)):
        function.replace(_trino_type_name(function.copy()))
    # Rewrites inner calls first, because rewriting an outer call copies the inner ones.
    for reduction in reversed(list(statement.find_all(exp.Reduce))):
        _finish_outside(reduction)
    try:
        qualified = qualify(
            statement.copy(), schema=schemas, dialect="athena", validate_qualify_columns=False, quote_identifiers=False,
            expand_stars=False, isolate_tables=False,
        )  # fmt: skip
        typed = annotate_types(qualified, schema=schemas, dialect="athena", expression_metadata=_EXPRESSION_METADATA)
    except SqlglotError as error:
        # Only arithmetic of integers and dates needs the types; DuckDB decides whether the statement is valid.
        logger.info("types of the query are not known: %s", error)
        return statement
    _refuse_dates_beside_text(typed)
    for date in list(typed.find_all(*_DATE_ARITHMETIC)):
        other = date.args.get("expression")
        is_difference_of_dates = other is not None and other.is_type("date")
        if date.is_type("date") and not is_difference_of_dates:
            date.replace(exp.cast(date.copy(), "date"))
    return typed


def _with_a_column_per_field(statement: exp.Expr) -> exp.Expr:
    """Unnests arrays of rows as Trino does, into a column for each field; DuckDB would make one column of the row."""
    for unnest in list(statement.find_all(exp.Unnest)):
        is_one_array = len(unnest.expressions) == 1 and not unnest.args.get("offset")
        if is_one_array and len(unnest.alias_column_names) > 1:
            array = unnest.expressions[0].sql(dialect="duckdb")
            fields = sqlglot.parse_one(f"(SELECT UNNEST({array}, max_depth := 2))", read="duckdb")
            unnest.replace(exp.Lateral(this=fields, alias=unnest.args["alias"].copy()))
    return statement


# In Trino, truncating a date or adding an interval to it gives a date; DuckDB makes a timestamp of it.
_DATE_ARITHMETIC = (exp.Add, exp.Sub, exp.DateAdd, exp.DateSub, exp.TimestampTrunc)
_EXPRESSION_METADATA = {
    **Athena.EXPRESSION_METADATA,
    exp.TimestampTrunc: {"annotator": lambda annotator, function: annotator._annotate_by_args(function, "this")},
}


def _refuse_dates_beside_text(statement: exp.Expr) -> None:
    """Rejects a comparison of a date or timestamp with text, as Athena does; DuckDB would parse the text."""
    for comparison in statement.find_all(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between):
        operands = list(comparison.iter_expressions())
        has_moment = any(operand.is_type(*exp.DataType.TEMPORAL_TYPES) for operand in operands)
        if has_moment and any(operand.is_type(*exp.DataType.TEXT_TYPES) for operand in operands):
            shown = comparison.sql(dialect="athena")
            raise QueryFailedError(f"TYPE_MISMATCH: line 1:1: Cannot compare a date or timestamp with varchar: {shown}")


def _trino_type_name(function: exp.Typeof) -> exp.Case:
    """Maps DuckDB's name of a type to Trino's, for the types that the tables have."""
    name = exp.Lower(this=function)
    return (
        exp.Case(this=name)
        .when(exp.Literal.string("timestamp"), exp.Literal.string("timestamp(3)"))
        .when(exp.Literal.string("timestamp with time zone"), exp.Literal.string("timestamp(3) with time zone"))
        .else_(name.copy())
    )


def _finish_outside(reduction: exp.Reduce) -> None:
    """Applies the final function of Trino's reduce() to DuckDB's result, because list_reduce takes no such function."""
    finish = reduction.args.get("finish")
    if not isinstance(finish, exp.Lambda):
        raise QueryFailedError("SYNTAX_ERROR: reduce: must have an array, a first state and two functions")
    reduction.set("finish", None)
    if finish.this.sql() != finish.expressions[0].sql():
        results = exp.Transform(this=exp.array(reduction.copy()), expression=finish.copy())
        reduction.replace(exp.Bracket(this=results, expressions=[exp.Literal.number(1)], offset=1))


def _arguments(function: exp.Func) -> list[exp.Expr]:
    first = [function.this] if isinstance(function, exp.Format) else []
    return [argument.copy() for argument in first + function.expressions]


# Athena's type by the id of DuckDB's; a name that both use maps to itself.
ATHENA_TYPES = {"hugeint": "bigint", "list": "array", "struct": "row"} | {
    name: name
    for name in (
        *("boolean", "tinyint", "smallint", "integer", "bigint", "float", "double", "decimal"),
        *("date", "timestamp", "timestamp with time zone", "array", "map"),
    )
}


def athena_text(value: Any) -> str | None:
    """Returns a value as Athena's results show it: doubles as Java writes them, rows as {a=1, b=2}."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _java_double(value)
    if isinstance(value, datetime.datetime):
        zone = " UTC" if value.tzinfo else ""
        return value.strftime("%Y-%m-%d %H:%M:%S.") + f"{value.microsecond // 1000:03d}{zone}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}={_nested_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_nested_text(item) for item in value) + "]"
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    return str(value)


def _nested_text(value: Any) -> str:
    shown = athena_text(value)
    return "null" if shown is None else shown


def _java_double(value: float) -> str:
    """Formats a number as Java's Double.toString does: plain from 10⁻³ to 10⁷, with an exponent otherwise."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return format(decimal.Decimal(repr(value)), "f") if "e" in repr(value) else repr(value)
    mantissa, exponent = f"{decimal.Decimal(repr(value)):E}".split("E")
    digits = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{digits if '.' in digits else digits + '.0'}E{int(exponent)}"
