/** Rows come back from Parquet as they went in, with the types of their columns. */
import { parquetMetadata, type SchemaElement } from 'hyparquet';
import { measurementRow, TABLES, type Row } from '../../domain/tables/columns';
import { parquetColumns } from '../../lambdas/result-store/parquet';
import {
  bidirectionalResult,
  failedResult,
  latencyResult,
  packetResult,
  throttledResult,
} from '../support/measurement-results';
import { decodedRows, encodedRows } from '../support/parquet-rows';

const EVERY_TYPE = parquetColumns([
  { name: 'text', type: 'string' },
  { name: 'count', type: 'bigint' },
  { name: 'ratio', type: 'double' },
  { name: 'is_so', type: 'boolean' },
  { name: 'day', type: 'date' },
  { name: 'rates', type: 'array<double>' },
  { name: 'warnings', type: 'array<string>' },
  { name: 'witnesses', type: 'array<struct<name:string,agrees:boolean,detail:string>>' },
]);

const ROWS: readonly Row[] = [
  {
    text: 'straße\n',
    count: 9_007_199_254_740_991,
    ratio: 0.1,
    is_so: false,
    day: '2026-02-28',
    rates: [1.5, 2],
    warnings: ['', 'a,b'],
    witnesses: [{ name: 'series', agrees: true, detail: '' }, { name: 'counters' }],
  },
  {},
  { count: 0, ratio: -1e300, is_so: true, rates: [], warnings: [], witnesses: [] },
];

test('every type, missing values, empty arrays and fields that are missing', async () => {
  expect(await decodedRows(EVERY_TYPE, encodedRows(EVERY_TYPE, ROWS))).toEqual(ROWS);
});

test('the types in the object are those that Athena, Trino and DuckDB read as the declared ones', () => {
  const { schema } = parquetMetadata(new Uint8Array(encodedRows(EVERY_TYPE, ROWS)).buffer);
  const inWords = ({ name, type, converted_type, repetition_type }: SchemaElement) =>
    [name, type, converted_type, repetition_type].filter((word) => word !== undefined).join(' ');
  expect(schema.slice(1).map(inWords)).toEqual([
    'text BYTE_ARRAY UTF8 OPTIONAL',
    'count INT64 OPTIONAL',
    'ratio DOUBLE OPTIONAL',
    'is_so BOOLEAN OPTIONAL',
    'day INT32 DATE OPTIONAL',
    'rates LIST OPTIONAL',
    'list REPEATED',
    'element DOUBLE OPTIONAL',
    'warnings LIST OPTIONAL',
    'list REPEATED',
    'element BYTE_ARRAY UTF8 OPTIONAL',
    'witnesses LIST OPTIONAL',
    'list REPEATED',
    'element OPTIONAL',
    'name BYTE_ARRAY UTF8 OPTIONAL',
    'agrees BOOLEAN OPTIONAL',
    'detail BYTE_ARRAY UTF8 OPTIONAL',
  ]);
});

test('whole measurements', async () => {
  const columns = parquetColumns(TABLES.closed_measurements.columns);
  const results = [latencyResult(), throttledResult(), bidirectionalResult(), failedResult(), packetResult()];
  // NULL in an array of structs is no field, as NULL in a row is no column.
  const rows = JSON.parse(JSON.stringify(results.map(measurementRow)).replace(/"agrees":null,/g, '')) as Row[];
  expect(await decodedRows(columns, encodedRows(columns, rows))).toEqual(rows);
});

test('an object with fewer columns gives rows without the others', async () => {
  const [text] = EVERY_TYPE;
  expect(await decodedRows(EVERY_TYPE, encodedRows([text!], [{ text: 'a' }, {}]))).toEqual([{ text: 'a' }, {}]);
});

test.each([
  ['text', 1],
  ['count', 1.5],
  ['count', 2 ** 53],
  ['ratio', 'high'],
  ['is_so', 'true'],
  ['day', '28.2.2026'],
  ['rates', ['high']],
])('fails for a value that column %s can not have: %j', (name, value) => {
  expect(() => encodedRows(EVERY_TYPE, [{ [name]: value }])).toThrow(`column ${name}: its rows can't have the value`);
});

test('of many columns those are read that are asked for, and one that the object lacks is missing', async () => {
  const asked = EVERY_TYPE.filter(({ name }) => ['ratio', 'text'].includes(name));
  const and = [...asked, ...parquetColumns([{ name: 'newer', type: 'double' }])];
  expect(await decodedRows(and, encodedRows(EVERY_TYPE, ROWS))).toEqual([
    { text: 'straße\n', ratio: 0.1 },
    {},
    { ratio: -1e300 },
  ]);
});

test('all rows are one group, and the columns are in the order in which they were given', () => {
  const rows = Array.from({ length: 1500 }, (_, index): Row => ({ count: index }));
  const { row_groups: groups } = parquetMetadata(new Uint8Array(encodedRows(EVERY_TYPE, rows)).buffer);
  expect(groups.map(({ num_rows: rowCount }) => rowCount)).toEqual([1500n]);
  const order = groups[0]!.columns.map((chunk) => chunk.meta_data!.path_in_schema[0]);
  expect([...new Set(order)]).toEqual(EVERY_TYPE.map(({ name }) => name));
});

test('columns of several pages keep the order of their rows', async () => {
  // A page has a megabyte.
  const rows = Array.from({ length: 300 }, (_, index): Row => ({ text: String(index).padStart(10_000, '-') }));
  expect(await decodedRows(EVERY_TYPE, encodedRows(EVERY_TYPE, rows))).toEqual(rows);
});

test('of days alone there are the least and the greatest, and no dictionary that a reader would ask for', () => {
  const days = ['2026-02-01', '2026-02-01', '2026-02-28'];
  const rows = days.map((day): Row => ({ day, text: 'the same' }));
  const [group] = parquetMetadata(new Uint8Array(encodedRows(EVERY_TYPE, rows)).buffer).row_groups;
  const chunkOf = (name: string) =>
    group!.columns.map((chunk) => chunk.meta_data!).find((each) => each.path_in_schema[0] === name)!;
  const { statistics, encodings } = chunkOf('day');
  expect([statistics?.min_value, statistics?.max_value]).toEqual([new Date('2026-02-01'), new Date('2026-02-28')]);
  expect(encodings).not.toContain('RLE_DICTIONARY');
  expect(chunkOf('text')).toMatchObject({ statistics: undefined, encoding_stats: undefined });
});
