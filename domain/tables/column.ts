/** Declares each column together with its value, so that the Glue table and the written rows always match. */
import { settingColumns, type SettingTable } from '../model/setting';
import { snakeCase } from '../text/format';

/** The types that Athena's JSON SerDe, Trino and the lab's engine read in the same way. Instants are ISO 8601 text. */
export type ColumnType =
  'string' | 'bigint' | 'double' | 'boolean' | 'date' | 'array<double>' | 'array<string>' | `array<struct<${string}>>`;

/** One limit of the plan for one cell, as `ExpectationFacts` has it. */
export const EXPECTATIONS_TYPE =
  'array<struct<path:string,cell:string,plan_pair_index:bigint,plan_measurement_index:bigint,figure:string,limit_kind:string,limit_value:double,observed:double,low:double,high:double,status:string,note:string>>';

/** A type with the types in it: `array<struct<name:string>>` is an array of a struct with a string. */
export type TypeTree =
  | { readonly scalar: string }
  | { readonly item: TypeTree }
  | { readonly fields: readonly (readonly [name: string, type: TypeTree])[] };

export function typeTree(hive: string): TypeTree {
  const { container, content = '' } = /^(?<container>array|struct)<(?<content>.*)>$/.exec(hive)?.groups ?? {};
  if (container === 'array') return { item: typeTree(content) };
  if (container === undefined) return { scalar: hive };
  return { fields: fieldsOf(content) };
}

/** Splits at the commas that are not within the type of a field. */
function fieldsOf(content: string): [name: string, type: TypeTree][] {
  const fields: [string, TypeTree][] = [];
  let [depth, start] = [0, 0];
  for (let index = 0; index <= content.length; index++) {
    const character = content[index];
    if (character === '<') depth += 1;
    if (character === '>') depth -= 1;
    if (character !== undefined && (character !== ',' || depth > 0)) continue;
    const field = content.slice(start, index);
    const colon = field.indexOf(':');
    fields.push([field.slice(0, colon), typeTree(field.slice(colon + 1))]);
    start = index + 1;
  }
  return fields;
}

export interface Column {
  /** snake_case, with the unit at the end. */
  readonly name: string;
  /** Spelled as in Glue (Hive). */
  readonly type: ColumnType;
  readonly comment: string;
}

/** A column whose value is in the object's key (`day=2026-11-20/`) and not in the row. */
export interface PartitionColumn extends Column {
  /** Athena's partition projection (`projection.<name>.…`); without it, partitions would have to be added. */
  readonly projection: Readonly<Record<string, string>>;
}

export interface TableDefinition {
  readonly name: string;
  readonly description: string;
  /** What the keys of its objects begin with, up to the partitions. */
  readonly prefix: string;
  /** How its objects hold rows: as lines of JSON, compressed or not, or as Parquet. */
  readonly format: 'json' | 'parquet';
  /** In the order of the key. */
  readonly partitions: readonly PartitionColumn[];
  /** What follows the prefix in the keys of a partition, with `${name}` for the value of a partition column. */
  readonly partitionPath: string;
  readonly columns: readonly Column[];
}

/** A line of a table's NDJSON. A missing value has no key, which readers show as NULL; it is never written as 0. */
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

/** Declares the column of a field. Its name is the field's in snake_case, unless `name` is given. */
export type FieldColumn = readonly [type: ColumnType, comment: string, name?: string];

/** Returns a column for each of the fields, which stores the field's value unchanged. */
export function fieldColumns<Source, Fields>(
  objectOf: (source: Source) => Fields | null | undefined,
  fields: Readonly<Partial<Record<keyof Fields, FieldColumn>>>,
): ColumnOf<Source>[] {
  return Object.entries<FieldColumn>(fields as Record<string, FieldColumn>).map(([field, [type, comment, name]]) =>
    column(name ?? snakeCase(field), type, comment, (source) => objectOf(source)?.[field as keyof Fields]),
  );
}

export function columnsOfSettings<Source>(
  table: SettingTable,
  settingsOf: (source: Source) => object,
): ColumnOf<Source>[] {
  return settingColumns(table).map(({ column: name, type, comment, value }) =>
    column(name, type, comment, (source) => value({ ...settingsOf(source) })),
  );
}

/** Renames columns that exist for several objects, e.g. for client and server, to tell them apart. */
export function renamedColumns<Source>(
  columns: readonly ColumnOf<Source>[],
  prefix: string,
  suffix: string,
): ColumnOf<Source>[] {
  return columns.map((each) => ({ ...each, name: `${prefix}${each.name}`, comment: `${each.comment} ${suffix}` }));
}

/** Returns the declaration of a Glue table: the columns without their accessors. */
export function tableDefinition(
  name: string,
  description: string,
  partitions: readonly PartitionColumn[],
  columns: readonly Column[],
  given: Partial<Pick<TableDefinition, 'prefix' | 'format' | 'partitionPath'>> = {},
): TableDefinition {
  return {
    name,
    description,
    prefix: `${name}/`,
    format: 'json',
    partitions,
    partitionPath: partitions.map((partition) => `${partition.name}=\${${partition.name}}/`).join(''),
    columns: columns.map(({ name, type, comment }) => ({ name, type, comment })),
    ...given,
  };
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

/** Rejects NaN, which JSON writes as null ("not measured"), and rounds bigints, because fractions fail queries. */
function numberCell(name: string, type: ColumnType, value: number): number {
  if (!Number.isFinite(value)) throw new Error(`column ${name}: must be a finite number, got ${value}`);
  return type === 'bigint' ? Math.round(value) : value;
}
