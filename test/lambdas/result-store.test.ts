/**
 * The store adapter: what it writes stays as it is under its keys, and what it reads carries the name of its schema.
 */
import { unmeasuredResult } from '../../domain/analysis/measurement-result';
import type { Sample } from '../../domain/model/sample';
import {
  launchIntentKey,
  measurementResultKey,
  liveMeasurementRowKey,
  measurementSamplesKey,
  planKey,
  rowPartKey,
  reportPrefix,
  summaryKey,
} from '../../domain/workflow/object-keys';
import { FakeStore } from '../support/fake-store';
import { DAY, plannedRun, RUN_ID } from '../support/planned-run';

const MEASUREMENT_ID = 'p0001-m01';
const run = plannedRun();
const [pair] = run.pairs;
const result = unmeasuredResult(run, pair!, pair!.measurements[0]!, 'no room');

describe('what is written', () => {
  const sample = (metric: Sample['metric']): Sample => ({
    metric,
    hostRole: 'server',
    direction: 'forward',
    stream: 'sum',
    startSeconds: 0,
    lengthSeconds: 1,
    throughputBitsPerSecond: 1e9,
  });

  test('documents are indented JSON with a newline at the end', async () => {
    const store = new FakeStore();

    await store.adapter.writePlan(run);

    expect(store.text(planKey(RUN_ID))).toBe(`${JSON.stringify(run, null, 1)}\n`);
    expect(await store.adapter.plan(RUN_ID)).toEqual(run);
  });

  test('the rows of a result are in the store before the result', async () => {
    const store = new FakeStore();

    await store.adapter.writeResult(result, []);

    expect([...store.objects.keys()]).toEqual([
      measurementSamplesKey(RUN_ID, MEASUREMENT_ID),
      rowPartKey(RUN_ID, MEASUREMENT_ID),
      liveMeasurementRowKey(DAY, RUN_ID, MEASUREMENT_ID),
      measurementResultKey(RUN_ID, MEASUREMENT_ID),
    ]);
    expect(await store.adapter.measurementIds(RUN_ID)).toEqual([MEASUREMENT_ID]);
    expect(await store.adapter.result(RUN_ID, MEASUREMENT_ID)).toEqual(JSON.parse(JSON.stringify(result)));
  });

  test('samples come back by metric as they were written', async () => {
    const store = new FakeStore();

    await store.adapter.writeResult(result, [sample('throughput'), sample('stream_throughput')]);

    expect(await store.adapter.sampledIds(RUN_ID)).toEqual(new Set([MEASUREMENT_ID]));
    expect(await store.adapter.samples(result, ['throughput', 'round_trip'])).toEqual([sample('throughput')]);
  });

  test('the series lies beside the report as a table; without samples there is no file', async () => {
    const store = new FakeStore();

    await store.adapter.writeResult({ ...result, measurementId: 'p0001-m09' }, []);
    await store.adapter.writeResult(result, [sample('throughput')]);

    const file = 'series/p0001-m01.csv.gz';
    expect(await store.adapter.seriesFiles(RUN_ID)).toEqual(new Map([[MEASUREMENT_ID, [file]]]));
    expect(store.text(`reports/run-1/${file}`)).toMatch(/^second,throughput_forward_/);
  });

  test('the files of a series that 0.3.0 wrote are found until the measurement is analysed again', async () => {
    const store = new FakeStore();
    const [csv, lines] = ['csv', 'ndjson'].map((suffix) => `series/${MEASUREMENT_ID}.${suffix}`) as [string, string];
    for (const file of [csv, lines]) store.objects.set(reportPrefix(RUN_ID) + file, new Uint8Array([1]));
    expect(await store.adapter.seriesFiles(RUN_ID)).toEqual(new Map([[MEASUREMENT_ID, [csv, lines]]]));

    await store.adapter.writeResult(result, [sample('throughput')]);

    expect(await store.adapter.seriesFiles(RUN_ID)).toEqual(new Map([[MEASUREMENT_ID, [`${csv}.gz`]]]));
  });

  test('a result that nobody analysed leaves the samples that an analysis has stored meanwhile', async () => {
    const store = new FakeStore();
    await store.adapter.writeResult(result, [sample('throughput')]);

    await store.adapter.writeResult({ ...result, status: 'failed' });

    expect(await store.adapter.samples(result, ['throughput'])).toEqual([sample('throughput')]);
  });

  test('samples that are cut off, or whose metadata is no JSON, are refused by their key', async () => {
    const store = new FakeStore();
    await store.adapter.writeResult(result, []);
    const key = measurementSamplesKey(RUN_ID, MEASUREMENT_ID);

    store.objects.set(key, new Uint8Array(4));
    store.metadata.set(key, { 'member-bytes': '{"throughput":5}' });
    await expect(store.adapter.samples(result, [])).rejects.toThrow(
      `${key}: must have 5 bytes by its metadata member-bytes, has 4`,
    );

    store.metadata.set(key, { 'member-bytes': 'throughput' });
    await expect(store.adapter.samples(result, [])).rejects.toThrow(
      `${key}: metadata member-bytes must be JSON, got "throughput"`,
    );
  });

  test('the first launch intent is kept', async () => {
    const store = new FakeStore();
    const first = new Date('2026-11-20T10:00:00.000Z');

    expect(await store.adapter.writeLaunchIntentOnce(RUN_ID, 'p0001', first)).toBe(true);
    expect(await store.adapter.writeLaunchIntentOnce(RUN_ID, 'p0001', new Date())).toBe(false);

    expect(store.text(launchIntentKey(RUN_ID, 'p0001'))).toBe('{\n "launchedAt": "2026-11-20T10:00:00.000Z"\n}\n');
    expect(await store.adapter.launchIntent(RUN_ID, 'p0001')).toEqual(first);
  });
});

describe('what is refused', () => {
  test.each<[string, string, (store: FakeStore) => Promise<unknown>, string]>([
    ['plan', planKey(RUN_ID), ({ adapter }) => adapter.plan(RUN_ID), 'plan.v1'],
    [
      'result',
      measurementResultKey(RUN_ID, MEASUREMENT_ID),
      ({ adapter }) => adapter.result(RUN_ID, MEASUREMENT_ID),
      'measurement.v1',
    ],
    ['summary', summaryKey(RUN_ID), ({ adapter }) => adapter.summary(RUN_ID), 'summary.v1'],
  ])('a %s of another schema, or none', async (_, key, read, schema) => {
    const store = new FakeStore();
    store.putJson(key, { schema: 'another' });
    await expect(read(store)).rejects.toThrow(`${key}: schema must be network-benchmark.${schema}, got "another"`);

    store.putJson(key, null);
    await expect(read(store)).rejects.toThrow(`${key}: schema must be network-benchmark.${schema}, got undefined`);
  });

  test('a document that is not JSON', async () => {
    const store = new FakeStore();
    store.objects.set(planKey(RUN_ID), new TextEncoder().encode('{"half'));

    await expect(store.adapter.plan(RUN_ID)).rejects.toThrow(`${planKey(RUN_ID)}: must be JSON, got "{\\"half"`);
  });
});
