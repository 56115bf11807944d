/** Every key that names a run is found, whatever folder it is in, and no key of a run with a similar name. */
import { METRICS } from '../../domain/model/sample';
import { TABLES } from '../../domain/tables/columns';
import * as keys from '../../domain/workflow/object-keys';
import { runRemoval } from '../../lambdas/result-store/run-removal';
import { FakeStore } from '../support/fake-store';

const DAYS = ['2026-10-31', '2026-11-20'];
const MEASUREMENT = 'p0001-m01';

/** Everything that a run stores, by the functions that build its keys. */
function keysOf(runId: string): string[] {
  const streams = ['AROA:i-1', 'AROA:i-2'].map((userId) => {
    return { userId, runId, measurementId: MEASUREMENT, hostRole: 'client' } as const;
  });
  return [
    ...streams.flatMap((stream) => [
      keys.rawChunkKey(stream, 0),
      keys.rawChunkKey(stream, 1),
      keys.manifestKey(stream),
    ]),
    ...DAYS.flatMap((day) => [
      keys.liveSamplesKey(day, streams[0]!, 0),
      keys.liveMeasurementRowKey(day, runId, MEASUREMENT),
      keys.measurementRowsKey(day, runId),
      keys.pairRowsKey(day, runId),
      keys.runRowKey(day, runId),
      ...METRICS.flatMap((metric) => [keys.samplesKey(metric, day, runId, 0), keys.samplesKey(metric, day, runId, 12)]),
    ]),
    keys.measurementSamplesKey(runId, MEASUREMENT),
    keys.rowPartKey(runId, MEASUREMENT),
    ...[keys.executionKey, keys.planKey, keys.costKey, keys.summaryKey, keys.reportKey, keys.publishedKey].map((key) =>
      key(runId),
    ),
    keys.seriesCsvKey(runId, MEASUREMENT),
    keys.pairHostsKey(runId, 'p0001'),
  ].sort();
}

function storeWith(...runIds: readonly string[]): FakeStore {
  const store = new FakeStore();
  for (const key of [...runIds.flatMap(keysOf), keys.HISTORY_KEY, keys.INDEX_KEY, 'athena-results/run-1.csv'])
    store.objects.set(key, new Uint8Array([1]));
  return store;
}

const OTHERS = ['run-10', 'run-1-x', 'xrun-1', 'run'];

test('finds and deletes what a run stored, and leaves the others', async () => {
  const store = storeWith('run-1', ...OTHERS);
  const { findKeys, deleteKeys } = runRemoval(store);

  const found = await findKeys('run-1');
  expect([...found].sort()).toEqual(keysOf('run-1'));

  await deleteKeys('run-1', found);
  expect(store.keys()).toEqual(storeWith(...OTHERS).keys());
  expect(await findKeys('run-1')).toEqual([]);
});

test('no table is forgotten', () => {
  const folders = new Set(keysOf('run-1').map((key) => key.slice(0, key.indexOf('/'))));
  // Rows in closed months are replaced by those of objects without rows (`test/lambdas/close-months.test.ts`).
  const prefixes = Object.values(TABLES).map(({ prefix }) => prefix);
  for (const prefix of prefixes.filter((each) => !each.startsWith('closed'))) {
    expect(folders).toContain(prefix.slice(0, -1));
  }
});

test('documents are deleted last, so that a deletion that was cut off can be repeated and is seen in the page', async () => {
  const store = storeWith('run-1');
  const batches: string[][] = [];
  const deleteObjects = async (batch: readonly string[]) => void batches.push([...batch]);
  const { findKeys, deleteKeys } = runRemoval({ ...store, deleteObjects });

  await deleteKeys('run-1', await findKeys('run-1'));

  expect(batches.map((batch) => batch.every((key) => key.startsWith('reports/run-1/')))).toEqual([false, true]);
  expect(batches[0]!.some((key) => key.startsWith('reports/'))).toBe(false);
});
