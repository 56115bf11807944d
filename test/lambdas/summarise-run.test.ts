import { describe, expect, test } from '@jest/globals';
import { cellOf } from '../../domain/model/cell';
import type { MeasurementResult } from '../../domain/model/result';
import { resultFromJson, type MeasurementResultJson } from '../../domain/model/verdict-json';
import { answerRows } from '../../domain/tables/answer-columns';
import { measurementRow } from '../../domain/tables/columns';
import type { RunSummaryJson } from '../../domain/run/summary';
import { forecastRun } from '../../domain/forecast/forecast-run';
import { pricesOf, SERVICE_PRICES } from '../../domain/forecast/prices/price-table';
import type { RunCost } from '../../domain/model/cost';
import { workOf } from '../../domain/plan/prepare-plan';
import type { PlannedRun } from '../../domain/model/planned-run';
import { plannedResult } from '../../domain/analysis/measurement-result';
import type { SummariseRunRequest } from '../../domain/workflow/contracts';
import {
  costKey,
  executionKey,
  forecastKey,
  launchIntentKey,
  measurementResultKey,
  measurementRowsKey,
  pairHostsKey,
  pairRowsKey,
  planKey,
  probedPathKey,
  refusedLaunchKey,
  reportKey,
  runRowKey,
  summaryKey,
} from '../../domain/workflow/object-keys';
import { runLinks } from '../../domain/workflow/console-links';
import { makeSummariseRun, type SummariseRunDependencies } from '../../lambdas/summarise-run/summarise-run';
import { FakeExecutions } from '../support/fake-executions';
import { FakeStore } from '../support/fake-store';
import { DAY, plannedRun, RUN_ID, subnet } from '../support/planned-run';
import { renderReport } from '../support/report-input';

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
    findStarter: async () => undefined,
    runQuery: async (sql) => {
      queries.push(sql);
      return [];
    },
    store: store.adapter,
    renderReport,
    links: async (runId) => runLinks('eu-central-1', 'results', runId),
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
  const ALICE = 'arn:aws:sts::123456789012:assumed-role/Engineer/alice';

  test.each([
    ['the role session that CloudTrail names', RUN_ID, async () => ALICE, ALICE],
    ['nobody where CloudTrail has not got it yet', RUN_ID, async () => undefined, 'unknown'],
    ['nobody where CloudTrail may not be asked', RUN_ID, () => Promise.reject(new Error('AccessDenied')), 'unknown'],
  ])('its row says who started it: %s', async (_what, runId, find, startedBy) => {
    const asked: unknown[] = [];
    const { summarise, store, run } = setUp(
      {},
      {
        findStarter: (...given) => {
          asked.push(given);
          return find();
        },
      },
    );
    await summarise();
    expect(store.rows(runRowKey(DAY, runId))).toMatchObject([{ started_by: startedBy }]);
    expect(asked).toEqual([[RUN_ID, new Date(run.createdAt)]]);
  });

  test('a scheduled run was started by its schedule, and CloudTrail is not asked', async () => {
    const runId = 'scheduled-d32c5kddcf5bb8c3';
    const { summarise, store, run } = setUp({}, { findStarter: () => Promise.reject(new Error('asked')) });
    store.putJson(planKey(runId), { ...run, runId });
    await summarise({ runId });
    expect(store.rows(runRowKey(DAY, runId))).toMatchObject([{ started_by: 'schedule' }]);
  });

  test('keeps the tags of the user in its summary and its row, and has no key for none', async () => {
    const tagged = setUp();
    tagged.store.putJson(planKey(RUN_ID), { ...tagged.run, tags: { Environment: 'lab' } });
    await tagged.summarise();
    expect(tagged.summary().tags).toEqual({ Environment: 'lab' });
    expect(tagged.store.rows(runRowKey(DAY, RUN_ID))).toMatchObject([{ tags: '{"Environment":"lab"}' }]);

    const untagged = setUp();
    await untagged.summarise();
    expect(untagged.summary()).not.toHaveProperty('tags');
    expect(untagged.store.rows(runRowKey(DAY, RUN_ID))[0]).not.toHaveProperty('tags');
  });

  test('is complete: it has summary, row, report, and a short outcome that names where they are', async () => {
    const { run, store, put, summarise, summary } = setUp();
    await put(resultOf(run, 0, 0));
    await put(resultOf(run, 0, 1));

    const outcome = await summarise();

    expect(Object.keys(JSON.parse(JSON.stringify(outcome)) as object).slice(0, 4)).toEqual([
      'runId',
      'outcome',
      'failedPairs',
      'verdicts',
    ]);
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
      links: {
        reportConsole:
          'https://eu-central-1.console.aws.amazon.com/s3/object/results?region=eu-central-1&prefix=reports%2Frun-1%2Freport.html',
        indexConsole:
          'https://eu-central-1.console.aws.amazon.com/s3/object/results?region=eu-central-1&prefix=index.html',
      },
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
      expect.objectContaining({
        run_id: RUN_ID,
        outcome: 'complete',
        measurement_count: 2,
        complete_count: 2,
        answers: answerRows(summary().answer),
      }),
    ]);
    expect(summary().answer?.rows).toHaveLength(1);
    const report = store.text(reportKey(RUN_ID));
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
    expect(store.rows(measurementRowsKey(DAY, RUN_ID))).toContainEqual(
      expect.objectContaining(measurementRow(resultFromJson(written))),
    );
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
    expect(store.rows(measurementRowsKey(DAY, RUN_ID))).toContainEqual(
      expect.objectContaining(measurementRow(resultFromJson(written))),
    );
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
    const report = store.text(reportKey(RUN_ID));
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
    expect(outcome.verdicts.slice(0, 2)).toContain(
      `compared with ${EARLIER}: the noise of 2 figures is unknown, 1 measurement only in this run`,
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
    expect(store.text(reportKey(RUN_ID))).toContain(`Compared with run ${EARLIER}`);
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
    expect(store.text(reportKey(RUN_ID))).toContain(`no comparison with run ${EARLIER}`);
  });
});

describe('what the plan expects', () => {
  const EXPECTED = [{ 'rttMicros.p50': { max: 100, maxPercentAbove: 10 } }, { costUsd: { min: 0 } }];
  const PREVIOUS = 'weekly-20261113';

  /** A complete run whose median round trip is 60 us, and 79 us in the previous run where there is one. */
  async function expectant(changes: Record<string, unknown> = {}, previousRun?: PlannedRun['previousRun']) {
    const test = setUp({ expect: EXPECTED, compareTo: 'previous', ...changes });
    test.store.putJson(planKey(RUN_ID), { ...test.run, previousRun });
    await test.put(resultOf(test.run, 0, 0));
    await test.put(resultOf(test.run, 0, 1));
    const before = resultOf(test.run, 0, 0, { statistics: { rttMicros: { mean: 80, min: 60, p50: 79, max: 120 } } });
    test.store.putJson(measurementResultKey(PREVIOUS, 'p0001-m01'), { ...before, runId: PREVIOUS });
    return test;
  }

  test('is in the summary, the row, the report and the output', async () => {
    const { run, store, summarise, summary } = await expectant({}, { runId: PREVIOUS, reason: null });

    const outcome = await summarise();

    const line = 'median round trip of c5.xlarge to c5.xlarge (pairs[0]), sockperf (measurements[1]): 60.0 us, ';
    expect(outcome).toMatchObject({
      outcome: 'complete',
      expectations: {
        outcome: 'not_met',
        failsRun: false,
        lines: [
          // No host was launched in this test, so that there is no price.
          expect.stringMatching(/^(not measured|met): price of the run: /),
          expect.stringContaining(`met: ${line}`),
          expect.stringContaining(`met: ${line}a change of -24.1 %, `),
        ],
      },
    });
    expect(summary().expectations).toMatchObject({
      comparedRunId: PREVIOUS,
      judged: [
        { path: 'plan.expect[0]["rttMicros.p50"].max', status: 'met', measurementIds: ['p0001-m01'] },
        { path: 'plan.expect[0]["rttMicros.p50"].maxPercentAbove', status: 'met', earlier: { value: 79 } },
        { path: 'plan.expect[1].costUsd.min' },
      ],
    });
    expect(summary().comparedRun).toMatchObject({ earlierRunId: PREVIOUS });
    expect(store.rows(runRowKey(DAY, RUN_ID))).toMatchObject([
      {
        expectations_outcome: 'not_met',
        expectations_met_count: 2,
        expectations_not_met_count: 0,
        expectations: [
          {
            path: 'plan.expect[0]["rttMicros.p50"].max',
            cell: cellOf(resultOf(run, 0, 0)),
            plan_pair_index: 0,
            plan_measurement_index: 1,
            figure: 'rttMicros.p50',
            limit_kind: 'max',
            observed: 60,
            status: 'met',
          },
          // Of a limit in percent, what was observed is the change.
          { limit_kind: 'maxPercentAbove', observed: expect.closeTo(100 * (60 / 79 - 1)), status: 'met' },
          { path: 'plan.expect[1].costUsd.min', figure: 'costUsd', limit_kind: 'min' },
        ],
      },
    ]);
    expect(store.text(reportKey(RUN_ID))).toContain('Expectations not met');
  });

  test('is the same when the run is summarised again, with the run that was the previous one then', async () => {
    const { run, store, summarise } = await expectant({}, { runId: PREVIOUS, reason: null });
    await summarise();
    const first = store.text(summaryKey(RUN_ID));
    const later = resultOf(run, 0, 0, { statistics: { rttMicros: { mean: 9, min: 9, p50: 9, max: 9 } } });
    store.putJson(measurementResultKey('weekly-later', 'p0001-m01'), { ...later, runId: 'weekly-later' });

    await summarise();

    expect(store.text(summaryKey(RUN_ID))).toBe(first);
  });

  test('fails the execution only where the plan says so', async () => {
    const strict = { expect: [{ 'rttMicros.p50': { max: 50 } }], compareTo: undefined };
    const outcomeOf = async (changes: Record<string, unknown>) =>
      (await (await expectant({ ...strict, ...changes })).summarise()).expectations;
    expect(await outcomeOf({})).toMatchObject({ outcome: 'not_met', failsRun: false });
    expect(await outcomeOf({ failOn: 'expectations' })).toMatchObject({ outcome: 'not_met', failsRun: true });
    const lenient = { expect: [{ 'rttMicros.p50': { max: 60 } }] };
    expect(await outcomeOf({ ...lenient, failOn: 'expectations' })).toMatchObject({ outcome: 'met', failsRun: false });
  });

  test('is not measured against a previous run that there is not, which a warning says as well', async () => {
    const reason = 'no earlier complete run of plan test plan in 180 days';
    const { summarise, summary } = await expectant({}, { runId: null, reason });

    expect((await summarise()).outcome).toBe('complete');
    expect(summary()).toMatchObject({
      comparedRun: null,
      warnings: [`no comparison with the previous run: ${reason}`],
      expectations: { comparedRunId: null, judged: [{ status: 'met' }, { status: 'not_measured', note: reason }, {}] },
    });
  });

  test('is not measured against a run that was removed', async () => {
    const { summarise, summary } = await expectant({}, { runId: 'removed', reason: null });

    await summarise();

    const note = 'no comparison with run removed: the store has no results of it';
    expect(summary().expectations?.judged[1]).toMatchObject({ status: 'not_measured', note });
    expect(summary().warnings).toEqual([note]);
  });

  test('of a thousand pairs leaves room for the rest of the output', async () => {
    const pairs = Array.from({ length: 400 }, () => ({ clientType: 'c5.xlarge', serverType: 'c5.xlarge' }));
    const { summarise } = setUp({
      pairs: pairs.map((pair, index) => ({ ...pair, mtuBytes: index % 2 === 0 ? 9001 : 1500 })),
      expect: pairs.slice(0, 100).map((_, pair) => ({ pair, 'rttMicros.p50': { max: 50 } })),
    });

    const outcome = await summarise();

    expect(outcome.expectations?.lines.at(-1)).toMatch(/^and \d+ more$/);
    expect(outcome.verdicts.at(-1)).toMatch(/^and \d+ more$/);
    expect(JSON.stringify(outcome).length).toBeLessThan(32_000);
  });
});

test('a plan that expects nothing has nothing of it anywhere', async () => {
  const { run, store, put, summarise } = setUp();
  await put(resultOf(run, 0, 0));

  const outcome = await summarise();

  expect(JSON.stringify(outcome)).not.toContain('expectations');
  for (const key of [summaryKey(RUN_ID), runRowKey(DAY, RUN_ID), reportKey(RUN_ID)]) {
    expect(store.text(key)).not.toMatch(/expectation/i);
  }
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

describe('a run of the same name, 91 days ago', () => {
  const earlier = '2026-08-21T10:00:00.000Z';

  test('is not overwritten by an execution that was refused, or that plan-run never came to refuse', async () => {
    const { store, summarise } = setUp();
    store.putJson(executionKey(RUN_ID), {
      schema: 'network-benchmark.execution.v1',
      runId: RUN_ID,
      startedAt: earlier,
    });
    await summarise({ startedAt: earlier });
    const before = store.keys().map((key) => [key, store.text(key)]);

    const refused = summarise({ pairs: [], interruptedReason: 'refused', startedAt: `${DAY}T09:59:59.000Z` });

    await expect(refused).rejects.toMatchObject({ name: 'RunIdTakenError' });
    expect(store.keys().map((key) => [key, store.text(key)])).toEqual(before);
  });

  test('leaves the next one room where its plan was refused before it was claimed', async () => {
    const { store, summarise } = setUp();
    store.objects.clear();

    await summarise({ pairs: [], interruptedReason: 'a crash', startedAt: `${DAY}T10:59:59.000Z` });
    await summarise({ pairs: [], interruptedReason: 'a crash', startedAt: `${DAY}T10:59:59.000Z` });

    expect(store.json(executionKey(RUN_ID))).toMatchObject({ startedAt: `${DAY}T10:59:59.000Z` });
  });
});

describe('what the run cost', () => {
  const launchedAt = '2026-11-20T10:00:00.000Z';
  const goneAt = '2026-11-20T10:10:00.000Z';
  const ENDED = JSON.stringify({ pairId: 'p0001', status: 'complete', tearDownStartedAtMillis: Date.parse(goneAt) });

  /** A pair that was launched at 10:00:00, at 3.6 USD per hour and host and nothing else. */
  function launched() {
    const free = Object.fromEntries(Object.keys(SERVICE_PRICES).map((name) => [name, 0]));
    const set = setUp({ prices: { ...free, instanceUsdPerHour: { 'c5.xlarge': 3.6 } } });
    const hostOf = (letter: string) => ({ instanceType: 'c5.xlarge', ...subnet(letter), launchedAt });
    set.store.putJson(launchIntentKey(RUN_ID, 'p0001'), { launchedAt });
    set.store.putJson(pairHostsKey(RUN_ID, 'p0001'), {
      launchedAt: '2026-11-20T09:59:00.000Z',
      client: hostOf('a'),
      server: hostOf('b'),
      isDisplaced: true,
    });
    return set;
  }

  /** Both measurements, of 100 and 300 s. */
  async function measured({ run, put }: ReturnType<typeof setUp>) {
    for (const [index, endedAt] of ['2026-11-20T10:02:40Z', '2026-11-20T10:06:00Z'].entries()) {
      await put(resultOf(run, 0, index, { startedAt: '2026-11-20T10:01:00Z', endedAt }));
    }
  }

  test.each([
    ['eu-south-9', 'services as of 2026-11-21, used because those of eu-south-9 are not recorded'],
    // As 0.3.0 planned it.
    [undefined, 'list prices in us-east-1, instances as of 2026-07-20, services as of 2026-11-21'],
  ])('names its price list in every place that has a price: %s', async (region, words) => {
    const set = launched();
    set.store.putJson(planKey(RUN_ID), { ...set.run, region });
    await measured(set);
    await set.summarise();
    const priceList = expect.stringMatching(new RegExp(`^the plan's own prices, otherwise .*${words}$`)) as unknown;
    expect(set.summary()).toMatchObject({ priceList });
    expect(set.store.rows(runRowKey(DAY, RUN_ID))).toMatchObject([{ price_list: priceList }]);
    expect(pairRows(set.store)).toMatchObject([{ price_list: priceList }]);
    expect(set.store.rows(measurementRowsKey(DAY, RUN_ID))).toMatchObject([
      { price_list: priceList },
      { price_list: priceList },
    ]);
    // In the header, below the answer's table and above the table of costs.
    expect(set.store.text(reportKey(RUN_ID)).split(words).length - 1).toBe(3);
  });

  const pairRows = (store: FakeStore) => store.rows(pairRowsKey(DAY, RUN_ID));

  test('of a pair over a route of the own account has the places of its hosts, and the probe of its route', async () => {
    const set = launched();
    const path = 'own' as const;
    set.store.putJson(planKey(RUN_ID), { ...set.run, pairs: set.run.pairs.map((pair) => ({ ...pair, path })) });
    const probed = { runId: RUN_ID, pairId: 'p0001', answer: 'refused', seconds: 0.2, to: { port: 5201 }, route: [] };
    set.store.putJson(probedPathKey(RUN_ID, 'p0001'), { ...probed, routeProblem: null });
    for (const index of [0, 1]) await set.put(resultOf(set.run, 0, index, { path }));
    set.executions.add(MACHINE, 'run-1-p0001', 'SUCCEEDED', { output: ENDED });

    await set.summarise();

    expect(set.summary().probedPaths).toEqual([{ ...probed, routeProblem: null }]);
    expect(set.store.text(reportKey(RUN_ID))).toContain('id="own-routes"');
    expect(pairRows(set.store)[0]).toMatchObject({
      client_subnet_id: 'subnet-a',
      server_subnet_id: 'subnet-b',
      client_vpc_id: 'vpc-hosts',
      server_vpc_id: 'vpc-hosts',
    });
  });

  test('is in the rows of its measurements, its pairs and itself, in the summary, the report and cost.json', async () => {
    const set = launched();
    const { store, executions, summarise, summary } = set;
    await measured(set);
    executions.add(MACHINE, 'run-1-p0001', 'SUCCEEDED', { output: ENDED });

    await summarise();

    // From the launch to the teardown 600 s, on two hosts.
    expect(pairRows(store)).toEqual([
      expect.objectContaining({
        run_id: RUN_ID,
        pair_id: 'p0001',
        client_zone: 'eu-test-1a',
        server_zone: 'eu-test-1b',
        client_zone_id: 'eut1-az3',
        server_zone_id: 'eut1-az2',
        is_displaced: true,
        status: 'complete',
        launched_at: launchedAt,
        gone_at: goneAt,
        host_seconds: 1200,
        cost_usd: expect.closeTo(1.2, 9),
      }),
    ]);
    expect(store.rows(measurementRowsKey(DAY, RUN_ID)).map((row) => row.cost_usd)).toEqual([
      expect.closeTo(1.2 * (100 / 400), 9),
      expect.closeTo(1.2 * (300 / 400), 9),
    ]);
    expect(store.rows(runRowKey(DAY, RUN_ID))).toEqual([
      expect.objectContaining({ expected_usd: 0.5, upper_usd: 2.25, cost_usd: expect.closeTo(1.2, 9) }),
    ]);
    expect(summary()).toMatchObject({ expectedUsd: 0.5, costUsd: expect.closeTo(1.2, 9), costWarnings: [] });
    expect(store.json<RunCost>(costKey(RUN_ID)).pairs[0]!.cost.instances).toBeCloseTo(1.2, 9);
    const report = store.text(reportKey(RUN_ID));
    expect(report).toContain('Actual price');
    expect(report).toContain('1.20\u00a0USD');
  });

  test('beside what the forecast expected of each', async () => {
    const set = launched();
    await measured(set);
    const { pairs, instanceTypes } = set.run;
    const forecast = forecastRun({ pairs, instanceTypes, ...pricesOf('us-east-1'), workOf });
    set.store.putJson(forecastKey(RUN_ID), forecast);
    await set.summarise();
    expect(pairRows(set.store)).toEqual([
      expect.objectContaining({ upper_usd: expect.any(Number), expected_usd: expect.any(Number) }),
    ]);
    for (const row of set.store.rows(measurementRowsKey(DAY, RUN_ID))) expect(row.expected_usd).toBeGreaterThan(0);
  });

  test('asks nothing of a pair that the run knows to be complete, because descriptions are throttled', async () => {
    const set = launched();
    await measured(set);
    const outcome = { pairIndex: 0, status: 'complete' as const, tearDownStartedAtMillis: Date.parse(goneAt) };
    // No execution is known.
    await set.summarise({ pairs: [outcome] });
    expect(pairRows(set.store)).toEqual([expect.objectContaining({ gone_at: goneAt, host_seconds: 1200 })]);
  });

  test('of a pair whose first launch was refused has the discarded host, too', async () => {
    const set = launched();
    await measured(set);
    const discarded = { instanceType: 'c5.xlarge', launchedAt, terminatedAt: '2026-11-20T10:00:02.000Z' };
    set.store.putJson(refusedLaunchKey(RUN_ID, 'p0001', 0), { discarded });
    set.executions.add(MACHINE, 'run-1-p0001', 'SUCCEEDED', { output: ENDED });
    await set.summarise();
    expect(pairRows(set.store)).toEqual([expect.objectContaining({ host_seconds: 1260 })]);
  });

  test('is known of a pair that failed by itself, too', async () => {
    const { store, executions, summarise } = launched();
    const cause = JSON.stringify({ ...(JSON.parse(ENDED) as object), status: 'failed', reason: 'server i-1 is gone' });
    executions.add(MACHINE, 'run-1-p0001', 'FAILED', { error: 'PairFailed', cause });
    await summarise({ pairs: [{ pairIndex: 0, status: 'failed' }] });
    expect(pairRows(store)).toEqual([
      expect.objectContaining({ status: 'failed', reason: 'server i-1 is gone', gone_at: goneAt, host_seconds: 1200 }),
    ]);
  });

  test('of a stopped run is up to when its pair was stopped, and a warning says so', async () => {
    const { store, executions, summarise, summary } = launched();
    executions.add(MACHINE, 'run-1-p0001', 'ABORTED', { endedAt: new Date('2026-11-20T10:03:20Z') });
    await summarise({ pairs: [], interruptedReason: 'the run was stopped' });
    expect(pairRows(store)).toEqual([expect.objectContaining({ host_seconds: 400 })]);
    expect(summary().costWarnings).toEqual([
      "p0001: the price of its hosts is up to when the pair's execution was stopped, and they were terminated after that",
    ]);
  });

  test('stays known after 90 days, when Step Functions has forgotten the execution', async () => {
    const set = launched();
    await measured(set);
    set.executions.add(MACHINE, 'run-1-p0001', 'SUCCEEDED', { output: ENDED });
    await set.summarise();
    const before = pairRows(set.store);
    set.executions.executions.clear();
    await set.summarise();
    expect(pairRows(set.store)).toEqual(before);
  });

  test('is unknown while nobody knows when its hosts ended', async () => {
    const { store, summarise, summary } = launched();
    await summarise();
    expect(summary()).toMatchObject({
      costUsd: null,
      costWarnings: ["p0001: how long its hosts ran is unknown: the pair's execution is not known, or not any more"],
    });
    expect(pairRows(store)[0]).not.toHaveProperty('cost_usd');
    expect(pairRows(store)[0]).not.toHaveProperty('gone_at');
  });

  test('of a refused launch is the minute of the host that was discarded', async () => {
    const { store, summarise } = launched();
    store.objects.delete(pairHostsKey(RUN_ID, 'p0001'));
    const discarded = { instanceType: 'c5.xlarge', launchedAt, terminatedAt: '2026-11-20T10:00:02.000Z' };
    store.putJson(refusedLaunchKey(RUN_ID, 'p0001', 0), { discarded });
    store.putJson(refusedLaunchKey(RUN_ID, 'p0001', 1), { discarded: null });
    await summarise({ pairs: [{ pairIndex: 0, status: 'failed' }] });
    expect(pairRows(store)).toEqual([expect.objectContaining({ host_seconds: 60, cost_usd: expect.closeTo(0.06, 9) })]);
  });

  test('of a launch that left no record is unknown', async () => {
    const { store, summarise, summary } = launched();
    store.objects.delete(pairHostsKey(RUN_ID, 'p0001'));
    await summarise({ pairs: [{ pairIndex: 0, status: 'failed' }] });
    expect(summary().costUsd).toBeNull();
  });
});
