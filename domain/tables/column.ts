/** How a column is declared: with its value beside it, so that Glue table and writer of the rows always match. */
import { settingColumns, type SettingTable } from '../model/setting';
import { snakeCase } from '../text/format';

/** The types that Athena's JSON SerDe, Trino and the lab's reader read alike. Instants are ISO 8601 text. */
export type ColumnType =
  | 'string'
  | 'bigint'
  | 'double'
  | 'boolean'
  | 'date'
  | 'array<double>'
  | 'array<string>'
  | 'array<struct<name:string,agrees:boolean,detail:string>>'
  | 'array<struct<cause:string,standing:string,reason:string>>';

export interface Column {
  /** snake_case, with the unit at the end. */
  readonly name: string;
  /** Glue's (Hive's) own spelling. */
  readonly type: ColumnType;
  readonly comment: string;
}

/** A column whose value stands in the object's key (`day=2026-11-20/`) and not in the row. */
export interface PartitionColumn extends Column {
  /** Athena's partition projection: the properties `projection.<name>.…`, without which a table needs its partitions added. */
  readonly projection: Readonly<Record<string, string>>;
}

export interface TableDefinition {
  readonly name: string;
  readonly description: string;
  /** In the order in which they stand in the key. */
  readonly partitions: readonly PartitionColumn[];
  readonly columns: readonly Column[];
}

/** A line of a table's NDJSON object. A missing value has no key, which every reader shows as NULL; it is never 0. */
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

/** The column of a field; its name is that of the field in snake_case, unless it has one of its own. */
export type FieldColumn = readonly [type: ColumnType, comment: string, name?: string];

/** The columns that store fields of an object of the source as they are. */
export function fieldColumns<Source, Fields>(
  objectOf: (source: Source) => Fields | null | undefined,
  fields: Readonly<Partial<Record<keyof Fields, FieldColumn>>>,
): ColumnOf<Source>[] {
  return Object.entries<FieldColumn>(fields as Record<string, FieldColumn>).map(([field, [type, comment, name]]) =>
    column(name ?? snakeCase(field), type, comment, (source) => objectOf(source)?.[field as keyof Fields]),
  );
}

/** A column for each setting or condition of a table. */
export function columnsOfSettings<Source>(
  table: SettingTable,
  settingsOf: (source: Source) => object,
): ColumnOf<Source>[] {
  return settingColumns(table).map(({ column: name, type, comment, value }) =>
    column(name, type, comment, (source) => value({ ...settingsOf(source) })),
  );
}

/** Columns that several objects of a source have, with what tells this object's from the others'. */
export function renamedColumns<Source>(
  columns: readonly ColumnOf<Source>[],
  prefix: string,
  suffix: string,
): ColumnOf<Source>[] {
  return columns.map((each) => ({ ...each, name: `${prefix}${each.name}`, comment: `${each.comment} ${suffix}` }));
}

/** The declaration without the accessors, which is what a Glue table is made of. */
export function tableDefinition(
  name: string,
  description: string,
  partitions: readonly PartitionColumn[],
  columns: readonly Column[],
): TableDefinition {
  const declared = columns.map(({ name, type, comment }) => ({ name, type, comment }));
  return { name, description, partitions, columns: declared };
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

/** JSON writes NaN as null, which would hide a bug as "not measured". A fraction in a bigint column fails the query. */
function numberCell(name: string, type: ColumnType, value: number): number {
  if (!Number.isFinite(value)) throw new Error(`column ${name}: must be a finite number, got ${value}`);
  return type === 'bigint' ? Math.round(value) : value;
}
