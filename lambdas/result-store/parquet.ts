/**
 * Rows of a table as one Parquet object, which Athena, Trino and DuckDB read with the types of the table's lines of JSON.
 * A missing value is NULL in Parquet, and has no key in a row.
 */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { parquetMetadata, parquetReadObjects, parquetSchema, type SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { typeTree, type Column, type ColumnType, type Row, type TypeTree } from '../../domain/tables/column';

export const PARQUET_TYPE = 'application/vnd.apache.parquet';

/** Readers skip a group of rows by the least and greatest value of a column, for example of the day. */
const ROWS_PER_GROUP = 10_000;
const DAY_MILLISECONDS = 86_400_000;

type Scalar = Exclude<ColumnType, `array<${string}`>;

interface ScalarKind {
  readonly element: Pick<SchemaElement, 'type' | 'converted_type'>;
  /** @returns undefined for a value of another type */
  readonly encode: (value: unknown) => unknown;
  readonly decode: (value: unknown) => unknown;
}

const same = (value: unknown) => value;
const SCALARS: Readonly<Record<Scalar, ScalarKind>> = {
  string: {
    element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
    encode: (value) => (typeof value === 'string' ? value : undefined),
    decode: same,
  },
  bigint: {
    element: { type: 'INT64' },
    encode: (value) => (Number.isSafeInteger(value) ? BigInt(value as number) : undefined),
    decode: Number,
  },
  double: {
    element: { type: 'DOUBLE' },
    encode: (value) => (Number.isFinite(value) ? value : undefined),
    decode: same,
  },
  boolean: {
    element: { type: 'BOOLEAN' },
    encode: (value) => (typeof value === 'boolean' ? value : undefined),
    decode: same,
  },
  date: {
    element: { type: 'INT32', converted_type: 'DATE' },
    encode: (value) => {
      const days = typeof value === 'string' ? Date.parse(value) / DAY_MILLISECONDS : NaN;
      return Number.isInteger(days) ? days : undefined;
    },
    decode: (value) => (value as Date).toISOString().slice(0, 10),
  },
};

/** A type of `typeTree` with what its scalars are in Parquet. */
type Kind =
  ScalarKind | { readonly item: Kind } | { readonly fields: readonly (readonly [name: string, kind: Kind])[] };

function kindOf(type: TypeTree): Kind {
  if ('item' in type) return { item: kindOf(type.item) };
  if ('fields' in type) return { fields: type.fields.map(([name, field]) => [name, kindOf(field)]) };
  return SCALARS[type.scalar as Scalar];
}

/** The columns of a table with their kinds, so that they are worked out once for many objects. */
export type ParquetColumns = readonly { readonly name: string; readonly type: string; readonly kind: Kind }[];

export const parquetColumns = (columns: readonly Pick<Column, 'name' | 'type'>[]): ParquetColumns =>
  columns.map(({ name, type }) => ({ name, type, kind: kindOf(typeTree(type)) }));

/** Arrays have three levels, which every reader of Parquet understands. */
function schemaOf(name: string, kind: Kind): SchemaElement[] {
  const optional = { name, repetition_type: 'OPTIONAL' } as const;
  if ('element' in kind) return [{ ...optional, ...kind.element }];
  if ('fields' in kind) {
    const children = kind.fields.flatMap(([field, fieldKind]) => schemaOf(field, fieldKind));
    return [{ ...optional, num_children: kind.fields.length }, ...children];
  }
  return [
    { ...optional, num_children: 1, converted_type: 'LIST' },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    ...schemaOf('element', kind.item),
  ];
}

function encoded(name: string, kind: Kind, value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  if ('item' in kind) return (value as unknown[]).map((item) => encoded(name, kind.item, item));
  if ('fields' in kind) {
    return Object.fromEntries(
      kind.fields.map(([field, fieldKind]) => [field, encoded(`${name}.${field}`, fieldKind, (value as Row)[field])]),
    );
  }
  const stored = kind.encode(value);
  if (stored === undefined) throw new Error(`column ${name}: its rows can't have the value ${JSON.stringify(value)}`);
  return stored;
}

/** @returns undefined for NULL */
function decoded(kind: Kind, value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  if ('item' in kind) return (value as unknown[]).map((item) => decoded(kind.item, item));
  if ('fields' in kind) {
    return rowOfEntries(kind.fields.map(([name, fieldKind]) => [name, decoded(fieldKind, (value as Row)[name])]));
  }
  return kind.decode(value);
}

function rowOfEntries(entries: readonly (readonly [name: string, value: unknown])[]): Row {
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** @throws with the column and the value if a row has a value of another type */
export function encodeParquet(columns: ParquetColumns, rows: readonly Row[]): Uint8Array {
  const buffer = parquetWriteBuffer({
    schema: [
      { name: 'schema', num_children: columns.length },
      ...columns.flatMap(({ name, kind }) => schemaOf(name, kind)),
    ],
    columnData: columns.map(({ name, kind }) => ({ name, data: rows.map((row) => encoded(name, kind, row[name])) })),
    codec: 'ZSTD',
    compressors: { ZSTD: (input) => zstdCompressSync(input) },
    rowGroupSize: ROWS_PER_GROUP,
  });
  return new Uint8Array(buffer);
}

/** Returns the rows with the values of these columns; a column that the object lacks is NULL in all of them. */
export async function decodeParquet(columns: ParquetColumns, body: Uint8Array): Promise<Row[]> {
  const file = new Uint8Array(body).buffer;
  const stored = new Set(parquetSchema(parquetMetadata(file)).children.map(({ element }) => element.name));
  const rows = await parquetReadObjects({
    file,
    columns: columns.map(({ name }) => name).filter((name) => stored.has(name)),
    compressors: { ZSTD: (input) => zstdDecompressSync(input) },
  });
  return rows.map((row) => rowOfEntries(columns.map(({ name, kind }) => [name, decoded(kind, (row as Row)[name])])));
}
