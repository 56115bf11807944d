import { describe, expect, test } from '@jest/globals';
import { cellOf } from '../../domain/model/cell';
import type { MeasurementResult } from '../../domain/model/result';
import { resultFromJson, type MeasurementResultJson } from '../../domain/model/verdict-json';
import { measurementRow } from '../../domain/tables/columns';
import type { RunSummaryJson } from '../../domain/report/summary';
import type { PlannedRun } from '../../domain/model/planned-run';
import { plannedResult } from '../../domain/analysis/measurement-result';
import type { SummariseRunRequest } from '../../domain/workflow/contracts';
import {
  measurementResultKey,
  measurementRowsKey,
  planKey,
  reportKey,
  runRowKey,
  summaryKey,
} from '../../domain/workflow/object-keys';
import { makeSummariseRun, type SummariseRunDependencies } from '../../lambdas/summarise-run/summarise-run';
import { FakeExecutions } from '../support/fake-executions';
import { FakeStore } from '../support/fake-store';
import { DAY, plannedRun, RUN_ID } from '../support/planned-run';

const MACHINE = 'pair-machine';

function resultOf(
  run: PlannedRun,
  pairIndex: number,
  index: number,
  overrides: Partial<MeasurementResult> = {},
): MeasurementResult {
  const pair = run.pairs[pairIndex]!;
  return {
    ...plannedResult(run, pair, pair.measurements[index]!),
    status: 'complete',
    statistics:
      pair.measurements[index]!.tool === 'sockperf' ? { rttMicros: { mean: 60, min: 50, p50: 60, max: 90 } } : {},
    verdict: null,
    warnings: [],
    ...overrides,
  };
}

function setUp(planOverrides: Record<string, unknown> = {}, overrides: Partial<SummariseRunDependencies> = {}) {
  const run = plannedRun(planOverrides);
  const store = new FakeStore();
  const executions = new FakeExecutions();
  const queries: string[] = [];
  store.putJson(planKey(RUN_ID), run);
  const handler = makeSummariseRun({
    database: 'benchmark',
    workGroup: 'benchmark',
    describePairExecution: (name) => executions.describeExecution(MACHINE, name),
    runQuery: async (sql) => {
      queries.push(sql);
      return [];
    },
    store: store.adapter,
    now: () => new Date('2026-11-20T11:00:00.000Z'),
    log: () => undefined,
    ...overrides,
  });
  const put = async (result: MeasurementResult) => {
    const seconds = result.tool === 'iperf3' && result.status !== 'failed' ? 10 : 0;
    const samples = Array.from({ length: seconds }, (_, startSeconds) => ({
      metric: 'throughput' as const,
      hostRole: 'server' as const,
      direction: 'forward' as const,
      stream: 'sum',
      startSeconds,
      lengthSeconds: 1,
      throughputBitsPerSecond: 1e9,
    }));
    await store.adapter.writeResult(result, samples);
  };
  const summarise = (request: Partial<SummariseRunRequest> = {}) =>
    handler({ runId: RUN_ID, pairs: [{ pairIndex: 0, status: 'complete' }], interruptedReason: null, ...request });
  const summary = () => store.json<RunSummaryJson>(summaryKey(RUN_ID));
  return { run, store, executions, queries, put, summarise, summary };
}

describe('a run with everything measured', () => {
  test('is complete: it has summary, row, report, and a short outcome that names where they are', async () => {
    const { run, store, put, summarise, summary } = setUp();
    await put(resultOf(run, 0, 0));
    await put(resultOf(run, 0, 1));

    const outcome = await summarise();

    expect(Object.keys(outcome).slice(0, 4)).toEqual(['runId', 'outcome', 'failedPairs', 'verdicts']);
    expect(outcome).toEqual({
      runId: RUN_ID,
      outcome: 'complete',
      verdicts: [
        expect.stringMatching(/^p0001-m01 c5\.xlarge to c5\.xlarge, same_zone: round trip p50 60/),
        expect.stringMatching(/^p0001-m02 c5\.xlarge to c5\.xlarge, same_zone/),
      ],
      failedPairs: [],
      report: 's3://results/reports/run-1/report.html',
      summary: 's3://results/reports/run-1/summary.json',
    });
    expect(summary()).toMatchObject({
      runId: RUN_ID,
      outcome: 'complete',
      pairs: [{ pairId: 'p0001', status: 'complete', reason: null }],
      measurements: [
        {
          measurementId: 'p0001-m01',
          pairId: 'p0001',
          tool: 'sockperf',
          clientType: 'c5.xlarge',
          serverType: 'c5.xlarge',
          zoneRelation: 'same_zone',
          path: 'private',
          status: 'complete',
          statistics: { rttMicros: { p50: 60 } },
          verdict: null,
        },
        { measurementId: 'p0001-m02', tool: 'iperf3' },
      ],
      warnings: [],
    });
    expect(store.rows(runRowKey(DAY, RUN_ID))).toEqual([
      expect.objectContaining({ run_id: RUN_ID, outcome: 'complete', measurement_count: 2, complete_count: 2 }),
    ]);
    const report = Buffer.from(store.objects.get(reportKey(RUN_ID))!).toString('utf8');
    expect(report).toMatch(/^<!doctype html>/);
    expect(report).toContain('<svg');
  });
});

describe('a planned measurement without a result', () => {
  test("gets a failed result with its pair's reason, as object, row and in the summary", async () => {
    const { run, store, executions, put, summarise, summary } = setUp();
    await put(resultOf(run, 0, 0));
    executions.add(MACHINE, 'run-1-p0001', 'FAILED', {
      error: 'PairFailed',
      cause: JSON.stringify({ pairId: 'p0001', status: 'failed', reason: 'server i-1 is gone' }),
    });

    const outcome = await summarise({ pairs: [{ pairIndex: 0, status: 'failed' }] });

    expect(outcome).toMatchObject({ outcome: 'incomplete', failedPairs: ['p0001: server i-1 is gone'] });
    expect(summary().measurements[1]).toMatchObject({
      measurementId: 'p0001-m02',
      status: 'failed',
      reason: 'server i-1 is gone',
      statistics: {},
    });
    const written = store.json<MeasurementResultJson>(measurementResultKey(RUN_ID, 'p0001-m02'));
    expect(store.rows(measurementRowsKey(DAY, RUN_ID))).toContainEqual(measurementRow(resultFromJson(written)));
  });

  test.each<[string, (executions: FakeExecutions) => void, string]>([
    ['never started', () => undefined, 'the pair was never started'],
    [
      'stopped',
      (executions) => executions.add(MACHINE, 'run-1-p0001', 'ABORTED', { cause: 'by hand' }),
      "the pair's execution was stopped: by hand",
    ],
    [
      'timed out',
      (executions) => executions.add(MACHINE, 'run-1-p0001', 'TIMED_OUT', { error: 'States.Timeout' }),
      "the pair's execution timed out",
    ],
    [
      'failed in a way of its own',
      (executions) => executions.add(MACHINE, 'run-1-p0001', 'FAILED', { error: 'States.DataLimitExceeded' }),
      "the pair's execution failed: States.DataLimitExceeded",
    ],
    [
      'said to be well',
      (executions) => executions.add(MACHINE, 'run-1-p0001', 'SUCCEEDED'),
      'p0001-m01: no result was written; p0001-m02: no result was written',
    ],
  ])('a pair that was %s', async (_, arrange, reason) => {
    const { executions, summarise, summary } = setUp();
    arrange(executions);

    const outcome = await summarise();

    expect(outcome.outcome).toBe('failed');
    expect(summary().pairs).toEqual([
      { pairId: 'p0001', status: 'failed', reason, clientType: 'c5.xlarge', serverType: 'c5.xlarge' },
    ]);
  });
});

describe('the outcome is red', () => {
  test('incomplete, when a measurement ended early', async () => {
    const { run, executions, put, summarise } = setUp();
    await put(resultOf(run, 0, 0));
    await put(resultOf(run, 0, 1, { status: 'truncated', reason: 'host killed' }));
    executions.add(MACHINE, 'run-1-p0001', 'FAILED', { cause: 'host killed' });

    expect((await summarise({ pairs: [{ pairIndex: 0, status: 'failed' }] })).outcome).toBe('incomplete');
  });

  test('incomplete, when everything was measured but its pair failed to clean up', async () => {
    const { run, executions, put, summarise } = setUp();
    await put(resultOf(run, 0, 0));
    await put(resultOf(run, 0, 1));
    executions.add(MACHINE, 'run-1-p0001', 'FAILED', { cause: 'hosts are still there' });

    expect(await summarise({ pairs: [{ pairIndex: 0, status: 'failed' }] })).toMatchObject({
      outcome: 'incomplete',
      failedPairs: ['p0001: hosts are still there'],
    });
  });

  test('incomplete, when the run was interrupted, whatever was measured', async () => {
    const { run, put, summarise, summary } = setUp();
    await put(resultOf(run, 0, 0));
    await put(resultOf(run, 0, 1));

    expect((await summarise({ pairs: [], interruptedReason: 'the run was stopped' })).outcome).toBe('incomplete');
    expect(summary().interruptedReason).toBe('the run was stopped');
  });

  test('failed, when nothing was measured', async () => {
    const { run, put, summarise } = setUp();
    await put(resultOf(run, 0, 0, { status: 'failed', reason: 'no tool' }));
    await put(resultOf(run, 0, 1, { status: 'failed', reason: 'no tool' }));

    expect((await summarise()).outcome).toBe('failed');
  });
});

describe('the comparison with earlier runs', () => {
  const rowOf = (result: MeasurementResult) => ({
    cell: cellOf(result),
    earlier_count: '3',
    pair_count: '3',
    first_day: '2026-11-01',
    last_day: '2026-11-19',
    throughput_mean_bits_per_second: '4.9E8 5.0E8 5.1E8',
    onset_seconds: '25.4 25.5 25.6',
    burst_bits_per_second: '1.0E9',
  });

  test('queries this run’s types, and compares measurements with the same conditions', async () => {
    const asked: string[] = [];
    const rows: Record<string, string>[] = [];
    const { run, put, summarise, summary } = setUp(
      {},
      {
        runQuery: async (sql) => {
          asked.push(sql);
          return rows;
        },
      },
    );
    await put(resultOf(run, 0, 0));
    const measured = resultOf(run, 0, 1);
    await put(measured);
    rows.push(rowOf(measured), rowOf({ ...measured, clientType: 'm5.large' }));

    await summarise();

    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("client_type IN ('c5.xlarge')");
    expect(asked[0]).toContain("run_id <> 'run-1'");
    expect(summary().comparisons).toEqual([
      {
        measurementId: 'p0001-m02',
        earlierCount: 3,
        firstDay: '2026-11-01',
        lastDay: '2026-11-19',
        meanBitsPerSecond: 5e8,
        onsetSeconds: 25.5,
        burstBitsPerSecond: 1e9,
      },
    ]);
  });

  test('that Athena refuses leaves a visible warning and the rest of the summary', async () => {
    const { run, put, summarise, summary } = setUp(
      {},
      {
        runQuery: async () => {
          throw new Error('Athena query: failed: TABLE_NOT_FOUND');
        },
      },
    );
    await put(resultOf(run, 0, 0));
    await put(resultOf(run, 0, 1));

    expect((await summarise()).outcome).toBe('complete');
    expect(summary().warnings).toEqual(['no comparison with earlier runs: Athena query: failed: TABLE_NOT_FOUND']);
  });
});

test('the outcome of a thousand failed pairs fits into the cause of an execution', async () => {
  const { run, executions, summarise, summary } = setUp({
    pairs: Array.from({ length: 1000 }, () => ({ clientType: 'c5.xlarge', serverType: 'c5.xlarge' })),
  });
  for (const { pairId } of run.pairs) {
    executions.add(MACHINE, `run-1-${pairId}`, 'FAILED', {
      cause: `no room for "${pairId}" ${'in any zone '.repeat(20)}`,
    });
  }

  const outcome = await summarise({ pairs: run.pairs.map(({ pairIndex }) => ({ pairIndex, status: 'failed' })) });

  expect(JSON.stringify(outcome).length).toBeLessThan(32_000);
  expect(outcome.failedPairs.at(-1)).toMatch(/^and \d+ more$/);
  expect(outcome.verdicts.at(-1)).toMatch(/^and \d+ more$/);
  expect(summary().pairs).toHaveLength(1000);
});

describe('what can’t be measured', () => {
  /** The plan's reason for one measurement, or for all of its only pair. */
  function notApplicable(which: 'first' | 'all') {
    const set = setUp();
    const [pair] = set.run.pairs;
    const measurements = pair!.measurements.map((measurement, index) =>
      which === 'all' || index === 0
        ? { ...measurement, notApplicable: 'a load balancer carries no ICMP' }
        : measurement,
    );
    set.store.putJson(planKey(RUN_ID), { ...set.run, pairs: [{ ...pair!, measurements }] });
    return set;
  }

  test('has a result and a row with its reason, and is no failure', async () => {
    const { run, store, put, summarise, summary } = notApplicable('first');
    await put(resultOf(run, 0, 1));

    expect(await summarise()).toMatchObject({ outcome: 'complete', failedPairs: [] });
    const written = store.json<MeasurementResultJson>(measurementResultKey(RUN_ID, 'p0001-m01'));
    expect(written).toMatchObject({
      status: 'not_applicable',
      reason: 'a load balancer carries no ICMP',
      kind: 'latency',
      statistics: {},
      verdict: null,
    });
    expect(store.rows(measurementRowsKey(DAY, RUN_ID))).toContainEqual(measurementRow(resultFromJson(written)));
    expect(summary().pairs).toEqual([expect.objectContaining({ pairId: 'p0001', status: 'complete' })]);
    expect(store.rows(runRowKey(DAY, RUN_ID))).toEqual([
      expect.objectContaining({ outcome: 'complete', failed_pair_count: 0 }),
    ]);
  });

  test('does not hide that the rest of its pair failed', async () => {
    const { executions, summarise, summary } = notApplicable('first');
    executions.add(MACHINE, 'run-1-p0001', 'SUCCEEDED');

    expect((await summarise()).outcome).toBe('failed');
    expect(summary().pairs[0]).toMatchObject({ status: 'failed', reason: 'p0001-m02: no result was written' });
  });

  test('a pair without any possible measurement is not launched and not failed, and the run says so', async () => {
    const { store, summarise, summary } = notApplicable('all');

    const outcome = await summarise({ pairs: [] });

    expect(outcome).toMatchObject({ outcome: 'complete', failedPairs: [] });
    expect(outcome.verdicts[0]).toMatch(/^Nothing that the plan asks for can be measured/);
    expect(summary().pairs).toEqual([expect.objectContaining({ status: 'not_applicable', reason: null })]);
    const report = Buffer.from(store.objects.get(reportKey(RUN_ID))!).toString('utf8');
    expect(report).toContain('a load balancer carries no ICMP');
  });
});

describe('the run that the plan names', () => {
  const EARLIER = 'weekly-20261113';

  test('is compared cell by cell, in the summary, the report and the output', async () => {
    const { run, store, put, summarise, summary } = setUp({ compareTo: EARLIER });
    await put(resultOf(run, 0, 0));
    await put(resultOf(run, 0, 1, { statistics: { throughputBitsPerSecond: { mean: 1e9 } } }));
    const before = resultOf(run, 0, 0, { statistics: { rttMicros: { mean: 80, min: 60, p50: 79, max: 120 } } });
    store.putJson(measurementResultKey(EARLIER, 'p0001-m01'), { ...before, runId: EARLIER });

    const outcome = await summarise();

    expect(outcome.outcome).toBe('complete');
    expect(outcome.verdicts[0]).toBe(
      `compared with ${EARLIER}: 0 of 0 figures changed beyond the noise, 2 without an interval, 1 measurement only in this run`,
    );
    expect(summary().comparedRun).toMatchObject({
      earlierRunId: EARLIER,
      onlyNow: ['p0001-m02'],
      cells: [
        {
          figures: [
            { figure: 'rttMeanMicros', difference: -20, basis: 'single_measurement' },
            { figure: 'rttP50Micros' },
          ],
        },
      ],
    });
    expect(Buffer.from(store.objects.get(reportKey(RUN_ID))!).toString('utf8')).toContain(
      `Compared with run ${EARLIER}`,
    );
  });

  test.each<[string, (store: FakeStore) => void, string]>([
    ['is not there', () => undefined, 'the store has no results of it'],
    [
      'can’t be read',
      (store) => store.objects.set(measurementResultKey(EARLIER, 'p0001-m01'), new TextEncoder().encode('{')),
      measurementResultKey(EARLIER, 'p0001-m01'),
    ],
  ])('that %s leaves a warning that names it, and a complete run', async (_, arrange, words) => {
    const { run, store, put, summarise, summary } = setUp({ compareTo: EARLIER });
    await put(resultOf(run, 0, 0));
    await put(resultOf(run, 0, 1));
    arrange(store);

    expect((await summarise()).outcome).toBe('complete');
    expect(summary().comparedRun).toBeNull();
    expect(summary().warnings).toEqual([expect.stringContaining(`no comparison with run ${EARLIER}: `)]);
    expect(summary().warnings[0]).toContain(words);
    expect(Buffer.from(store.objects.get(reportKey(RUN_ID))!).toString('utf8')).toContain(
      `no comparison with run ${EARLIER}`,
    );
  });
});

test('repetitions are in the summary, figure by figure', async () => {
  const { run, put, summarise, summary } = setUp({ repetitions: 2, order: 'as_written' });
  for (const pairIndex of [0, 1]) {
    await put(resultOf(run, pairIndex, 0));
    await put(
      resultOf(run, pairIndex, 1, { statistics: { throughputBitsPerSecond: { mean: (9 + pairIndex) * 1e9 } } }),
    );
  }

  await summarise({ pairs: [0, 1].map((pairIndex) => ({ pairIndex, status: 'complete' })) });

  expect(summary().repetitions).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        planPairIndex: 0,
        planMeasurementIndex: 0,
        figure: 'meanBitsPerSecond',
        count: 2,
        mean: 9.5e9,
        min: 9e9,
        max: 10e9,
      }),
    ]),
  );
});

describe('a run without a plan in the store', () => {
  const interruptedReason = 'plan.name: must be text, got 1\nplan.pairs: must be a list, got nothing';

  test('has a summary and a report with the reason, line by line, and no row', async () => {
    const { store, summarise, summary } = setUp();
    store.objects.clear();

    const outcome = await summarise({ pairs: [], interruptedReason, planName: '<b>bad</b>' });

    expect(outcome).toMatchObject({ outcome: 'failed', verdicts: [], failedPairs: [] });
    expect(summary()).toMatchObject({
      schema: 'network-benchmark.summary.v1',
      runId: RUN_ID,
      planName: '<b>bad</b>',
      outcome: 'failed',
      interruptedReason,
      pairs: [],
      measurements: [],
    });
    expect(store.keys()).toEqual([reportKey(RUN_ID), summaryKey(RUN_ID)].sort());
    const report = store.text(reportKey(RUN_ID));
    expect(report).toContain('<h2>Nothing was launched</h2>');
    expect(report).toContain('<li>plan.pairs: must be a list, got nothing</li>');
    expect(report).toContain('&lt;b&gt;bad&lt;/b&gt;');
  });

  test('says that the plan is gone where nobody gave a reason', async () => {
    const { store, summarise, summary } = setUp();
    store.objects.clear();

    await summarise({ pairs: [] });

    expect(summary().interruptedReason).toBe(`the store has no plan of run ${RUN_ID}`);
  });
});
