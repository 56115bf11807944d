"""Partition projection of type `injected`: the partitions to read are those that the query names.

Athena determines their values before it reads anything, and refuses a query that does not name them:
https://docs.aws.amazon.com/athena/latest/ug/partition-projection-dynamic-id-partitioning.html
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

import duckdb
from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

Values = dict[str, str]
"""One value for each injected partition."""


def injected_partitions(definition: dict[str, Any]) -> list[str]:
    parameters = definition.get("Parameters") or {}
    names = [key["Name"] for key in definition.get("PartitionKeys") or []]
    return [name for name in names if parameters.get(f"projection.{name}.type") == "injected"]


def injected_values(
    connection: duckdb.DuckDBPyConnection, qualified: exp.Expr, schema: str, table: str, partitions: list[str]
) -> list[Values]:
    """Returns the partition values that a query of qualified columns names; raises ValueError if it names none.

    `table` may be a view that shows a table's partitions as its columns.
    """
    found: list[Values] = []
    for scope in traverse_scope(qualified):
        for alias, (_, source) in scope.selected_sources.items():
            if not isinstance(source, exp.Table) or (source.db, source.name.lower()) != (schema, table):
                continue
            values = [_values_of(connection, scope, alias, partition) for partition in partitions]
            found += [dict(zip(partitions, each, strict=True)) for each in product(*values)]
    return found


def _values_of(connection: duckdb.DuckDBPyConnection, scope: Scope, alias: str, partition: str) -> set[str]:
    conditions = [named for condition in _conditions(scope) if (named := _named(condition, alias, partition))]
    constants = [[_constant(scope, value) for value in named] for named in conditions]
    static = [[value for value in values if value is not None] for values in constants if None not in values]
    if not static:
        raise ValueError(
            f"CONSTRAINT_VIOLATION: For the injected projected partition column {partition}, the WHERE clause must "
            "contain only static equality conditions, and at least one such condition must be present."
        )
    evaluated = [{_evaluated(connection, value) for value in values} for values in static]
    return {value for value in set.intersection(*evaluated) if value is not None}


def _conditions(scope: Scope) -> Iterator[exp.Expr]:
    """Yields the conditions joined by AND in WHERE and in the ON clauses of inner joins."""
    clauses = [join.args.get("on") for join in scope.expression.args.get("joins") or [] if not join.side]
    where = scope.expression.args.get("where")
    for clause in [*clauses, where.this if where else None]:
        if clause is not None:
            yield from clause.flatten() if isinstance(clause, exp.And) else [clause]


def _named(condition: exp.Expr, alias: str, partition: str) -> list[exp.Expr]:
    """Returns the values to which a condition restricts a column by `column = value` or `column IN (value, …)`."""
    unnested = condition.unnest()

    def is_column(side: Any) -> bool:
        return isinstance(side, exp.Column) and (side.table, side.name.lower()) == (alias, partition)

    if isinstance(unnested, exp.In) and is_column(unnested.this):
        return list(unnested.expressions)
    if isinstance(unnested, exp.EQ):
        sides = (unnested.left, unnested.right)
        return [other for side, other in zip(sides, reversed(sides), strict=True) if is_column(side)]
    return []


def _constant(scope: Scope, value: exp.Expr) -> exp.Expr | None:
    """Returns the value as an expression without columns; None if it depends on the rows of a table."""
    if value.find(exp.Query):
        return None
    if isinstance(value, exp.Column):
        source = scope.sources.get(value.table)
        if not isinstance(source, Scope) or _has_tables(source) or not isinstance(source.expression, exp.Select):
            return None
        selected = next((each for each in source.expression.selects if each.alias_or_name == value.name), None)
        return None if selected is None else _constant(source, selected.unalias())
    if any(column is not value for column in value.find_all(exp.Column)):
        copied = exp.Paren(this=value.copy())
        for column in list(copied.find_all(exp.Column)):
            constant = _constant(scope, column)
            if constant is None:
                return None
            column.replace(constant.copy())
        return copied
    return value


def _has_tables(scope: Scope) -> bool:
    return any(not isinstance(source, Scope) or _has_tables(source) for source in scope.sources.values())


def _evaluated(connection: duckdb.DuckDBPyConnection, constant: exp.Expr) -> str | None:
    """Returns the value as text; None for NULL, which no partition equals."""
    row = connection.execute(f"SELECT CAST({constant.sql(dialect='duckdb')} AS VARCHAR)").fetchone()
    return None if row is None else row[0]
