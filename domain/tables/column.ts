/**
 * How a column is declared: its name, type and meaning stand beside the value it takes, so that table and writer cannot
 * part.
 */

/** The types that Athena's JSON SerDe, Trino and the lab's reader all take the same way. Instants are ISO 8601 text. */
export type ColumnType =
  | 'string'
  | 'bigint'
  | 'double'
  | 'boolean'
  | 'array<double>'
  | 'array<string>'
  | 'array<struct<name:string,agrees:boolean,detail:string>>';

export interface Column {
  /** snake_case, with the unit at the end. */
  readonly name: string;
  /** Glue's (Hive's) own spelling. */
  readonly type: ColumnType;
  readonly comment: string;
}

export interface TableDefinition {
  readonly name: string;
  readonly description: string;
  readonly columns: readonly Column[];
}

/** A line of a table's NDJSON object. A column without a value has no key, which every reader shows as NULL. */
export type Row = Readonly<Record<string, unknown>>;

export interface ColumnOf<Source> extends Column {
  readonly value: (source: Source) => unknown;
}

export function column<Source>(
  name: string,
  type: ColumnType,
  comment: string,
  value: (source: Source) => unknown,
): ColumnOf<Source> {
  return { name, type, comment, value };
}

/** The declaration without the accessors: what the Glue table is made of. */
export function tableDefinition<Source>(
  name: string,
  description: string,
  columns: readonly ColumnOf<Source>[],
): TableDefinition {
  return { name, description, columns: columns.map(({ name, type, comment }) => ({ name, type, comment })) };
}

export function rowOf<Source>(columns: readonly ColumnOf<Source>[], source: Source): Row {
  const row: Record<string, unknown> = {};
  for (const { name, type, value } of columns) {
    const cell = value(source);
    if (cell === undefined || cell === null) continue;
    row[name] = typeof cell === 'number' ? numberCell(name, type, cell) : cell;
  }
  return row;
}

/**
 * JSON writes NaN as null, which would turn a bug into "not measured"; a fraction in a bigint column fails the whole
 * query.
 */
function numberCell(name: string, type: ColumnType, value: number): number {
  if (!Number.isFinite(value)) throw new Error(`column ${name}: must be a finite number, got ${value}`);
  return type === 'bigint' ? Math.round(value) : value;
}
