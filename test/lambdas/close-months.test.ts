/** What a closing makes of the objects of runs, and when it deletes them. */
import { measurementRow, runRow, TABLES, type Row } from '../../domain/tables/columns';
import {
  closedPieceKey,
  CLOSED_MONTHS_KEY,
  measurementRowsKey,
  pairRowsKey,
  runRowKey,
} from '../../domain/workflow/object-keys';
import { makeCloseMonths } from '../../lambdas/close-months/close-months';
import { closedMonthsStore, closedRunRemoval } from '../../lambdas/result-store/closed-months';
import { encodeGzipRows, encodeRows } from '../../lambdas/result-store/encoding';
import { parquetColumns } from '../../lambdas/result-store/parquet';
import { FakeStore } from '../support/fake-store';
import { decodedRows } from '../support/parquet-rows';
import { steadyResult, throttledResult } from '../support/measurement-results';

const HOUR = 3_600_000;
const MIDNIGHT = '2026-12-01T00:20:00.000Z';

function closingOf(store: FakeStore, rowsPerPiece?: number) {
  const clock = { now: new Date(MIDNIGHT) };
  const close = makeCloseMonths({
    store: closedMonthsStore(store),
    now: () => clock.now,
    log: () => undefined,
    rowsPerPiece,
  });
  const closeAfter = (milliseconds: number) => {
    clock.now = new Date(clock.now.getTime() + milliseconds);
    return close({});
  };
  return { close, closeAfter, clock };
}

/** A run with the rows of two measurements and no pair. */
function putRun(store: FakeStore, day: string, runId: string, planName = 'a plan'): void {
  const ids = { runId, planName };
  const run = runRow({
    ...ids,
    createdAt: `${day}T10:00:00.000Z`,
    outcome: 'complete',
    pairCount: 1,
    failedPairCount: 0,
    repetitions: 1,
    concurrency: 1,
    measurementStatuses: ['complete', 'complete'],
  });
  store.objects.set(runRowKey(day, runId), encodeRows([run]));
  const results = [
    throttledResult({ ...ids, measurementId: 'p0001-m01' }),
    steadyResult({ ...ids, measurementId: 'p0001-m02' }),
  ];
  store.objects.set(measurementRowsKey(day, runId), encodeGzipRows(results.map(measurementRow)));
  store.objects.set(pairRowsKey(day, runId), encodeGzipRows([]));
}

const closedRows = async (store: FakeStore, table: 'runs' | 'pairs' | 'measurements', month: string) => {
  const generations = store
    .rows(CLOSED_MONTHS_KEY)
    .filter((each) => each.month === month && each.valid_to === undefined);
  const [{ generation = '' } = {}] = generations as { generation?: string }[];
  const columns = parquetColumns(TABLES[`closed_${table}`].columns);
  const keys = store.keys(closedPieceKey(table, { month, generation }, 0).replace(/0000\.parquet$/, ''));
  const rows: Row[][] = [];
  for (const key of keys) rows.push(await decodedRows(columns, store.objects.get(key)!));
  return rows.map((piece) => piece.map((row) => [row.day, row.run_id, row.measurement_id, row.plan_name].join(' ')));
};

test('closes the days that are over, month by month, and leaves the objects of the runs', async () => {
  const store = new FakeStore();
  putRun(store, '2026-11-29', 'run-b');
  putRun(store, '2026-11-29', 'run-a');
  putRun(store, '2026-11-03', 'run-c');
  putRun(store, '2026-10-31', 'run-d');
  putRun(store, '2026-12-01', 'run-e');
  const before = store.keys();
  const { close } = closingOf(store);

  const { closed, deletedCount } = await close({});

  expect(deletedCount).toBe(0);
  expect(closed.map(({ month, until, valid_from }) => [month, until, valid_from])).toEqual([
    ['2026-10', '2026-10-31', '2026-12-01T00:30:00.000Z'],
    ['2026-11', '2026-11-30', '2026-12-01T00:30:00.000Z'],
  ]);
  expect(store.rows(CLOSED_MONTHS_KEY)).toEqual(closed);
  expect(await closedRows(store, 'runs', '2026-11')).toEqual([
    ['2026-11-03 run-c  a plan', '2026-11-29 run-a  a plan', '2026-11-29 run-b  a plan'],
  ]);
  expect((await closedRows(store, 'measurements', '2026-10')).flat()).toEqual([
    '2026-10-31 run-d p0001-m01 a plan',
    '2026-10-31 run-d p0001-m02 a plan',
  ]);
  expect(await closedRows(store, 'pairs', '2026-11')).toEqual([]);
  expect(store.keys()).toEqual(expect.arrayContaining(before));
});

test('nothing is written while nothing has changed', async () => {
  const store = new FakeStore();
  putRun(store, '2026-11-29', 'run-a');
  const { close, closeAfter } = closingOf(store);
  await close({});
  const before = store.keys();
  expect(await closeAfter(HOUR)).toEqual({ closed: [], deletedCount: 0 });
  expect(store.keys()).toEqual(before);
});

test('merged objects are deleted once no query reads them any more, and superseded generations hours later', async () => {
  const store = new FakeStore();
  putRun(store, '2026-11-29', 'run-a');
  const { close, closeAfter } = closingOf(store);
  await close({});
  expect((await closeAfter(5 * HOUR)).deletedCount).toBe(0);
  expect((await closeAfter(HOUR)).deletedCount).toBe(3);
  expect(store.keys('runs/')).toEqual([]);

  putRun(store, '2026-11-29', 'run-b');
  const { closed } = await closeAfter(HOUR);
  expect(await closedRows(store, 'runs', '2026-11')).toEqual([
    ['2026-11-29 run-a  a plan', '2026-11-29 run-b  a plan'],
  ]);
  expect(store.rows(CLOSED_MONTHS_KEY).map((each) => each.valid_to)).toEqual([closed[0]!.valid_from, undefined]);
  await closeAfter(5 * HOUR);
  expect(new Set(store.keys('closed/runs/')).size).toBe(2);
  await closeAfter(HOUR);
  expect(store.keys('closed/').every((key) => key.includes(closed[0]!.generation))).toBe(true);
});

test('a late fold replaces the rows of its run, and empty objects remove them', async () => {
  const store = new FakeStore();
  putRun(store, '2026-11-29', 'run-a');
  putRun(store, '2026-11-29', 'run-b');
  const { close, closeAfter } = closingOf(store);
  await close({});
  await closeAfter(13 * HOUR);

  putRun(store, '2026-11-29', 'run-a', 'a late plan');
  store.objects.set(runRowKey('2026-11-29', 'run-b'), encodeRows([]));
  await closeAfter(HOUR);

  expect(await closedRows(store, 'runs', '2026-11')).toEqual([['2026-11-29 run-a  a late plan']]);
  expect((await closedRows(store, 'measurements', '2026-11')).flat().map((row) => row.slice(11))).toEqual([
    'run-a p0001-m01 a late plan',
    'run-a p0001-m02 a late plan',
    'run-b p0001-m01 a plan',
    'run-b p0001-m02 a plan',
  ]);
});

test('an object has at most so many rows', async () => {
  const store = new FakeStore();
  for (const run of ['a', 'b', 'c']) putRun(store, '2026-11-29', `run-${run}`);
  const { close, closeAfter } = closingOf(store, 4);
  await close({});
  expect((await closedRows(store, 'measurements', '2026-11')).map((piece) => piece.length)).toEqual([4, 2]);
  putRun(store, '2026-11-01', 'run-d');
  await closeAfter(HOUR);
  const pieces = await closedRows(store, 'measurements', '2026-11');
  expect(pieces.map((piece) => piece.length)).toEqual([4, 4]);
  expect(pieces.flat()).toEqual(pieces.flat().sort());
});

test('a month that has expired is closed again with what is new', async () => {
  const store = new FakeStore();
  putRun(store, '2026-11-29', 'run-a');
  const { close, closeAfter } = closingOf(store);
  await close({});
  await closeAfter(13 * HOUR);
  for (const key of store.keys('closed/')) store.objects.delete(key);

  putRun(store, '2026-11-29', 'run-b');
  await closeAfter(HOUR);
  expect(await closedRows(store, 'runs', '2026-11')).toEqual([['2026-11-29 run-b  a plan']]);
});

test('fails if an object of a generation is missing, closes the other months, and changes nothing', async () => {
  const store = new FakeStore();
  putRun(store, '2026-11-29', 'run-a');
  const { close, closeAfter } = closingOf(store);
  await close({});
  store.objects.delete(store.keys('closed/measurements/')[0]!);
  putRun(store, '2026-11-29', 'run-b');
  putRun(store, '2026-10-29', 'run-c');

  const key = store.keys('closed/manifests/')[0]!;
  const reason = `must be closed later: month 2026-11: Error: ${key}: measurements must have 1 objects, has 0`;
  await expect(closeAfter(HOUR)).rejects.toThrow(reason);
  const listed = store.rows(CLOSED_MONTHS_KEY).map((each) => [each.month, each.valid_to]);
  expect(listed).toEqual([
    ['2026-11', undefined],
    ['2026-10', undefined],
  ]);
});

test.each([
  ['2026-12-02T00:20:00Z', ['2026-12-01']],
  // An event that Lambda delivers again hours later announces nothing in the past.
  ['2026-11-30T00:20:00Z', []],
])('an event of %s closes what is over then or now', async (time, untils) => {
  const store = new FakeStore();
  putRun(store, '2026-12-01', 'run-a');
  const { close } = closingOf(store);
  const { closed } = await close({ time });
  expect(closed.map(({ until }) => until)).toEqual(untils);
  for (const { valid_from: from } of closed) expect(from).toBe('2026-12-02T00:30:00.000Z');
});

test('a deleted run has no rows in the next generation, and its objects without rows go like merged ones', async () => {
  const store = new FakeStore();
  putRun(store, '2026-11-29', 'run-a');
  putRun(store, '2026-11-29', 'run-b');
  putRun(store, '2026-10-31', 'run-a-too');
  const { close, closeAfter } = closingOf(store);
  await close({});
  await closeAfter(13 * HOUR);
  const { findClosedKeys, emptyRows } = closedRunRemoval(store);

  const keys = await findClosedKeys('run-a');
  // The run has no pair.
  expect(keys).toEqual([runRowKey('2026-11-29', 'run-a'), measurementRowsKey('2026-11-29', 'run-a')]);
  await emptyRows(keys);
  await closeAfter(HOUR);

  expect(await closedRows(store, 'runs', '2026-11')).toEqual([['2026-11-29 run-b  a plan']]);
  expect((await closedRows(store, 'measurements', '2026-11')).flat()).toHaveLength(2);
  expect(await findClosedKeys('run-a')).toEqual([]);
  await closeAfter(13 * HOUR);
  expect(keys.filter((key) => store.objects.has(key))).toEqual([]);
});
