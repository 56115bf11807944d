/**
 * Folding a run: whatever is cut off, repeated or done at the same time, in the end each table has every row once, and
 * on the way none has a row twice.
 */
import { plannedResult } from '../../domain/analysis/measurement-result';
import type { MeasurementResult } from '../../domain/model/result';
import type { Metric, Sample } from '../../domain/model/sample';
import { measurementSamplesKey } from '../../domain/workflow/object-keys';
import { runFolding } from '../../lambdas/result-store/folding';
import { writeDocuments } from '../support/fold-schedules';
import { FakeStore } from '../support/fake-store';
import { plannedRun, RUN_ID } from '../support/planned-run';

const PAIRS = { clientType: 'c5.xlarge', serverType: 'c5.xlarge' };
const run = plannedRun({ pairs: [PAIRS, PAIRS], repetitions: 60 });
const planned = run.pairs.flatMap((pair) => pair.measurements.map((measurement) => ({ pair, measurement })));

const sample = (metric: Metric, startSeconds: number): Sample => ({
  metric,
  hostRole: 'server',
  direction: 'forward',
  stream: 'sum',
  startSeconds,
  lengthSeconds: 1,
});

function resultOf(index: number): MeasurementResult {
  const { pair, measurement } = planned[index]!;
  const facts = plannedResult(run, pair, measurement);
  return { ...facts, status: 'complete', statistics: {}, verdict: null, warnings: [] };
}

async function analysed(store: FakeStore, index: number, seconds = 2): Promise<void> {
  const result = resultOf(index);
  const of = (metric: Metric) => Array.from({ length: seconds }, (_, second) => sample(metric, second));
  await store.adapter.writeResult(result, [...of('throughput'), ...of('interface')]);
}

async function storeOf(measurementCount: number): Promise<FakeStore> {
  const store = new FakeStore();
  await writeDocuments(store.adapter, run, 1);
  for (let index = 0; index < measurementCount; index++) await analysed(store, index);
  return store;
}

/** `measurement metric second`, or `measurement` for a row of `measurements`. */
function rowsOf(store: FakeStore, table: string): string[] {
  return store.keys(`${table}/`).flatMap((key) => {
    const metric = /metric=([a-z_]+)/.exec(key)?.[1];
    return store.rows(key).map(({ measurement_id, start_seconds }) => {
      return metric === undefined ? String(measurement_id) : [measurement_id, metric, start_seconds].join(' ');
    });
  });
}

const expectedSamples = (count: number, seconds = 2) =>
  planned
    .slice(0, count)
    .flatMap(({ measurement: { measurementId } }) =>
      ['throughput', 'interface'].flatMap((metric) =>
        Array.from({ length: seconds }, (_, second) => `${measurementId} ${metric} ${second}`),
      ),
    );

function expectFolded(store: FakeStore, count: number): void {
  expect(rowsOf(store, 'samples').sort()).toEqual(expectedSamples(count).sort());
  expect(rowsOf(store, 'measurements').sort()).toEqual(
    planned.slice(0, count).map(({ measurement }) => measurement.measurementId),
  );
  expect(store.keys('live_measurements/')).toEqual([]);
}

function expectNoRowTwice(store: FakeStore): void {
  for (const table of ['samples', 'measurements']) {
    const rows = rowsOf(store, table);
    expect(rows).toHaveLength(new Set(rows).size);
  }
}

describe('a folded run', () => {
  test('has one object of measurements, and one per metric and hundred measurements of samples', async () => {
    const store = await storeOf(planned.length);

    await store.adapter.foldRun(run);

    expect(planned).toHaveLength(240);
    expect(store.keys('measurements/')).toEqual([`measurements/day=${run.day}/${RUN_ID}.ndjson.gz`]);
    const pieces = (metric: Metric) =>
      [0, 1, 2].map((piece) => `samples/metric=${metric}/day=${run.day}/${RUN_ID}.000${piece}.ndjson.gz`);
    expect(store.keys('samples/')).toEqual([...pieces('interface'), ...pieces('throughput')]);
    expectFolded(store, planned.length);
  });

  test('is the same when it is folded again', async () => {
    const store = await storeOf(3);
    await store.adapter.foldRun(run);
    const before = new Map(store.objects);

    await store.adapter.foldRun(run);

    expect(store.objects).toEqual(before);
  });

  test('has prices and the ending of its run in the rows of its measurements, of a late analysis too', async () => {
    const store = await storeOf(2);
    await writeDocuments(store.adapter, run, 3, { outcome: 'incomplete', interruptedReason: 'the run was stopped' });
    const rows = () =>
      store
        .rows(`measurements/day=${run.day}/${RUN_ID}.ndjson.gz`)
        .map((row) => [row.cost_usd, row.run_outcome, row.run_interrupted_reason]);
    const expected = [3, 'incomplete', 'the run was stopped'];

    await store.adapter.foldRun(run);
    expect(rows()).toEqual([expected, expected]);
    await analysed(store, 1, 5);
    await store.adapter.foldRun(run, planned[1]!.measurement.measurementId);
    expect(rows()).toEqual([expected, expected]);
  });

  test('is folded from a copy of the bucket that has no metadata', async () => {
    const store = await storeOf(3);
    store.metadata.clear();

    await store.adapter.foldRun(run);

    expectFolded(store, 3);
  });

  test('has no object of a metric that nothing has samples of', async () => {
    const store = await storeOf(3);

    await store.adapter.foldRun(run);

    const metrics = store.keys('samples/').map((key) => key.split('/')[1]);
    expect(metrics).toEqual(['metric=interface', 'metric=throughput']);
  });
});

describe('folding that is cut off', () => {
  /** Fails at the n-th write or deletion, after it was done or before. */
  async function cutOff(store: FakeStore, after: number, isDone: boolean): Promise<void> {
    let writes = 0;
    const breaking =
      <Args extends unknown[], Answer>(write: (...args: Args) => Promise<Answer>) =>
      async (...args: Args) => {
        writes += 1;
        if (writes === after && !isDone) throw new Error('killed');
        const answer = await write(...args);
        if (writes === after) throw new Error('killed');
        return answer;
      };
    const { replaceObject, deleteObjects } = store;
    const killed = runFolding({
      ...store,
      replaceObject: breaking(replaceObject),
      deleteObjects: breaking(deleteObjects),
    });
    await expect(killed.foldRun(run)).rejects.toThrow('killed');
  }

  // 110 measurements: an object of measurements and a deletion, two pieces of two metrics, an object of pairs and of runs.
  test.each([1, 2, 3, 4, 5, 6, 7, 8].flatMap((write) => [[write, true] as const, [write, false] as const]))(
    'at write %i (done: %s) leaves no row twice, and is whole when it is repeated',
    async (write, isDone) => {
      const store = await storeOf(110);

      await cutOff(store, write, isDone);
      expectNoRowTwice(store);
      await store.adapter.foldRun(run);

      expectFolded(store, 110);
    },
  );
});

describe('an analysis that comes late', () => {
  test('is folded beside what was folded before, and nothing else is written', async () => {
    const store = await storeOf(110);
    await store.adapter.foldRun(run);
    await analysed(store, 110);
    const before = new Map(store.objects);

    await store.adapter.foldRun(run, planned[110]!.measurement.measurementId);

    expectFolded(store, 111);
    const written = store.keys().filter((key) => store.objects.get(key) !== before.get(key));
    expect(written).toEqual([
      `measurements/day=${run.day}/${RUN_ID}.ndjson.gz`,
      `samples/metric=interface/day=${run.day}/${RUN_ID}.0001.ndjson.gz`,
      `samples/metric=throughput/day=${run.day}/${RUN_ID}.0001.ndjson.gz`,
    ]);
  });

  test('replaces what was folded of the same measurement', async () => {
    const store = await storeOf(2);
    await store.adapter.foldRun(run);
    await analysed(store, 1, 5);

    await store.adapter.foldRun(run, planned[1]!.measurement.measurementId);

    expect(rowsOf(store, 'samples')).toHaveLength(2 * 2 + 2 * 5);
    expectNoRowTwice(store);
  });

  test('leaves no rows of a metric that it does not have any more', async () => {
    const store = await storeOf(2);
    await store.adapter.foldRun(run);
    for (const index of [0, 1]) await store.adapter.writeResult(resultOf(index), [sample('throughput', 0)]);

    for (const index of [0, 1]) await store.adapter.foldRun(run, planned[index]!.measurement.measurementId);

    const [first, second] = planned.map(({ measurement }) => measurement.measurementId);
    expect(rowsOf(store, 'samples')).toEqual([`${first} throughput 0`, `${second} throughput 0`]);
  });

  test.each(['row', 'samples'])(
    'is not lost when it comes while a %s is read, even if it folds first',
    async (kind) => {
      const store = await storeOf(2);
      let isLate = true;
      const comesLate =
        <Found>(read: (key: string) => Promise<Found>) =>
        async (key: string) => {
          const found = await read(key);
          if (isLate) {
            isLate = false;
            await analysed(store, 2);
            await store.adapter.foldRun(run, planned[2]!.measurement.measurementId);
          }
          return found;
        };
      const { getObject, getDescribedObject } = store;
      const reading =
        kind === 'row' ? { getObject: comesLate(getObject) } : { getDescribedObject: comesLate(getDescribedObject) };

      await runFolding({ ...store, ...reading }).foldRun(run);

      expectFolded(store, 3);
    },
  );
});

test('a part of a measurement that the plan does not have is refused by its key', async () => {
  const store = await storeOf(1);
  const key = measurementSamplesKey(RUN_ID, 'p9999-m01');
  store.objects.set(key, new Uint8Array());

  await expect(store.adapter.foldRun(run)).rejects.toThrow(`${key}: the plan of run ${RUN_ID} has no such measurement`);
});
