/**
 * Rows of a table as one Parquet object, which Athena, Trino and DuckDB read with the types of the table's lines of JSON.
 * A missing value is NULL in Parquet, and has no key in a row.
 */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { parquetMetadata, parquetRead, parquetSchema, type SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { typeTree, type Column, type ColumnType, type Row, type TypeTree } from '../../domain/tables/column';

export const PARQUET_TYPE = 'application/vnd.apache.parquet';

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

/**
 * Rows are in the order of their days, so that a reader skips an object by the least and greatest of them. Of any other
 * column that a query has a condition on, Trino would ask for the dictionary by a request of its own, which it does only
 * where the object has statistics and a dictionary, and which spares it nothing where an object has all values.
 */
const readBy = (kind: Kind) =>
  kind === SCALARS.date ? ({ statistics: true, encoding: 'PLAIN' } as const) : { statistics: false };

/** A Parquet object in the making, which keeps values by column: a row of its own has several times their size. */
export class ParquetObject {
  rowCount = 0;
  readonly #data: readonly { readonly name: string; readonly kind: Kind; readonly data: unknown[] }[];

  constructor(private readonly columns: ParquetColumns) {
    this.#data = columns.map(({ name, kind }) => ({ name, kind, data: [] }));
  }

  /** @throws with the column and the value if the row has a value of another type */
  add(row: Row): void {
    for (const { name, kind, data } of this.#data) data.push(encoded(name, kind, row[name]));
    this.rowCount += 1;
  }

  /** All rows are one group, in which a reader finds the values of a column, and of those beside it, by one request. */
  finish(): Uint8Array {
    const buffer = parquetWriteBuffer({
      schema: [
        { name: 'schema', num_children: this.columns.length },
        ...this.columns.flatMap(({ name, kind }) => schemaOf(name, kind)),
      ],
      columnData: this.#data.map(({ name, kind, data }) => ({ name, data, ...readBy(kind) })),
      codec: 'ZSTD',
      compressors: { ZSTD: (input) => zstdCompressSync(input) },
      rowGroupSize: Math.max(1, this.rowCount),
    });
    return new Uint8Array(buffer);
  }
}

/**
 * Reads the rows with the values of these columns; a column that the object lacks is NULL in all of them. Each row is made
 * when it is asked for.
 */
export async function* decodeParquet(columns: ParquetColumns, body: Uint8Array): AsyncGenerator<Row> {
  const file = new Uint8Array(body).buffer;
  const metadata = parquetMetadata(file);
  const stored = new Set(parquetSchema(metadata).children.map(({ element }) => element.name));
  const read = columns.filter(({ name }) => stored.has(name));
  let groupStart = 0;
  for (const { num_rows: rowCount } of metadata.row_groups) {
    const groupEnd = groupStart + Number(rowCount);
    const chunks = new Map<string, { readonly rowStart: number; readonly columnData: ArrayLike<unknown> }[]>();
    await parquetRead({
      file,
      metadata,
      columns: read.map(({ name }) => name),
      rowStart: groupStart,
      rowEnd: groupEnd,
      compressors: { ZSTD: (input) => zstdDecompressSync(input) },
      onChunk: ({ columnName, ...chunk }) => chunks.set(columnName, [...(chunks.get(columnName) ?? []), chunk]),
    });
    const values = read.map(({ name, kind }) => ({ name, kind, cells: cellsOf(chunks.get(name) ?? []) }));
    for (let index = 0; index < groupEnd - groupStart; index++) {
      yield rowOfEntries(values.map(({ name, kind, cells }) => [name, decoded(kind, cells[index])]));
    }
    groupStart = groupEnd;
  }
}

function cellsOf(
  chunks: readonly { readonly rowStart: number; readonly columnData: ArrayLike<unknown> }[],
): ArrayLike<unknown> {
  const [first, ...others] = chunks.toSorted((one, other) => one.rowStart - other.rowStart);
  if (first === undefined) return [];
  return others.length === 0
    ? first.columnData
    : [first, ...others].flatMap(({ columnData }) => Array.from(columnData));
}
