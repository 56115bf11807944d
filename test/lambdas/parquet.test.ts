/** Rows come back from Parquet as they went in, with the types of their columns. */
import { parquetMetadata, type SchemaElement } from 'hyparquet';
import { measurementRow, TABLES, type Row } from '../../domain/tables/columns';
import { decodeParquet, encodeParquet, parquetColumns } from '../../lambdas/result-store/parquet';
import {
  bidirectionalResult,
  failedResult,
  latencyResult,
  packetResult,
  throttledResult,
} from '../support/measurement-results';

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
  expect(await decodeParquet(EVERY_TYPE, encodeParquet(EVERY_TYPE, ROWS))).toEqual(ROWS);
});

test('the types in the object are those that Athena, Trino and DuckDB read as the declared ones', () => {
  const { schema } = parquetMetadata(new Uint8Array(encodeParquet(EVERY_TYPE, ROWS)).buffer);
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
  expect(await decodeParquet(columns, encodeParquet(columns, rows))).toEqual(rows);
});

test('an object with fewer columns gives rows without the others', async () => {
  const [text] = EVERY_TYPE;
  expect(await decodeParquet(EVERY_TYPE, encodeParquet([text!], [{ text: 'a' }, {}]))).toEqual([{ text: 'a' }, {}]);
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
  expect(() => encodeParquet(EVERY_TYPE, [{ [name]: value }])).toThrow(`column ${name}: its rows can't have the value`);
});

test('of many columns those are read that are asked for, and one that the object lacks is missing', async () => {
  const asked = EVERY_TYPE.filter(({ name }) => ['ratio', 'text'].includes(name));
  const and = [...asked, ...parquetColumns([{ name: 'newer', type: 'double' }])];
  expect(await decodeParquet(and, encodeParquet(EVERY_TYPE, ROWS))).toEqual([
    { text: 'straße\n', ratio: 0.1 },
    {},
    { ratio: -1e300 },
  ]);
});
