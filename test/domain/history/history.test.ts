import { describe, expect, test } from '@jest/globals';
import { atlasOf } from '../../../domain/history/atlas';
import {
  EMPTY_HISTORY,
  readHistory,
  renewedHistory,
  runCountOf,
  type RunHistory,
} from '../../../domain/history/history';
import { runDigest } from '../../../domain/history/run-digest';
import type { MeasurementResult } from '../../../domain/model/result';
import { runSummary, summaryToJson } from '../../../domain/run/summary';
import { cellOf } from '../../../domain/model/cell';
import { FIGURES } from '../../../domain/tables/figures';
import { endedSummary } from '../../support/ended-runs';
import { reportInput } from '../../support/report-input';
import { latencyResult, published, throttledResult } from '../../support/measurement-results';

const plan = {
  instanceTypes: {
    'c5.xlarge': published('c5.xlarge', 1.25e9, 10e9),
    'c5.9xlarge': published('c5.9xlarge', 12e9, 12e9),
  },
};

function digestOf(results: readonly MeasurementResult[], runId = 'run-1', createdAt = '2026-11-20T10:00:00.000Z') {
  return runDigest(summaryToJson(endedSummary(runId, { results, createdAt })), plan);
}

describe('the digest of a run', () => {
  test('has the figures of the results, cell by cell, though it reads the summary alone', () => {
    const { results } = reportInput();
    const complete = results.filter(({ status, isDisplaced }) => status === 'complete' && isDisplaced !== true);
    const digest = digestOf(results);
    expect(digest.cells.map(({ cell }) => cell)).toEqual([...new Set(complete.map((result) => cellOf(result)))]);
    for (const { cell, figures } of digest.cells) {
      const same = complete.filter((result) => cellOf(result) === cell);
      const expected = FIGURES.flatMap((figure) => {
        const values = same.flatMap((result) => figure.of(result) ?? []);
        const [only, ...others] = same.filter((result) => figure.of(result) !== undefined);
        const { low, high } = (others.length === 0 ? only && figure.intervalOf(only) : undefined) ?? {};
        const interval = low === undefined ? undefined : { low, high };
        return values.length === 0 ? [] : [{ key: figure.key, values, interval }];
      });
      expect(figures).toEqual(expected);
    }
    expect(digest.cells.flatMap(({ figures }) => figures).length).toBeGreaterThan(15);
  });

  test('leaves displaced repetitions out', () => {
    const [near, far] = [throttledResult(), throttledResult({ repetition: 2, isDisplaced: true })];
    const [cell] = digestOf([near, far]).cells;
    expect(cell?.figures.find(({ key }) => key === 'baselineBitsPerSecond')?.values).toEqual([1.24e9]);
  });

  test('keeps the values of hosts whose processors were busy with other work apart', () => {
    const cpuContention = 'other work kept the processors of both hosts busy';
    const [quiet, busy] = [throttledResult(), throttledResult({ repetition: 2, cpuContention })];
    const baselineOf = (...results: readonly MeasurementResult[]) =>
      digestOf(results).cells[0]?.figures.find(({ key }) => key === 'baselineBitsPerSecond');
    const key = 'baselineBitsPerSecond';
    const interval = { low: 1.23e9, high: 1.25e9 };
    expect(baselineOf(quiet, busy)).toEqual({ key, values: [1.24e9], contendedValues: [1.24e9] });
    expect(baselineOf(busy)).toEqual({ key, values: [], contendedValues: [1.24e9], interval });
    expect(baselineOf(quiet)).toEqual({ key, values: [1.24e9], interval });
  });

  test('has what EC2 publishes of the end that has less', () => {
    const [cell] = digestOf([throttledResult()]).cells;
    expect(cell).toMatchObject({ publishedBaselineBitsPerSecond: 1.25e9, publishedPeakBitsPerSecond: 10e9 });
  });

  test('says why a run is not complete', () => {
    const summary = runSummary({
      run: { runId: 'r', createdAt: 'x', plan: { name: 'p' }, expectedUsd: null, upperUsd: null },
      results: [],
      pairs: [{ pairId: 'p0001', status: 'failed', reason: 'no room', clientType: 'a', serverType: 'a' }],
      endedAt: 'x',
      interruptedReason: null,
      earlierRuns: [],
      warnings: [],
      reportUri: '',
    });
    expect(runDigest(summaryToJson(summary), undefined)).toMatchObject({ outcome: 'failed', reason: 'p0001: no room' });
  });

  test('knows a run that a schedule has started', () => {
    expect(digestOf([], 'scheduled-1234').isScheduled).toBe(true);
    expect(digestOf([], 'run-1').isScheduled).toBe(false);
  });
});

/** An instant some hours after that of the index before. */
const dayOf = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 3 * 3_600_000).toISOString();

describe('the history', () => {
  const withRuns = (...runs: ReturnType<typeof digestOf>[]): RunHistory =>
    renewedHistory(EMPTY_HISTORY, runs, () => true);

  test('is in the order of planning, and survives JSON', () => {
    const late = digestOf([throttledResult()], 'a', '2026-11-22T10:00:00.000Z');
    const early = digestOf([throttledResult()], 'b', '2026-11-21T10:00:00.000Z');
    const history = withRuns(late, early);
    expect(history.runs.map(({ runId }) => runId)).toEqual(['b', 'a']);
    expect(readHistory(JSON.parse(JSON.stringify(history)))).toEqual(JSON.parse(JSON.stringify(history)));
  });

  test('of many runs has the newest of each cell, and counts the others', () => {
    const often = digestOf([throttledResult()]);
    const rare = digestOf([throttledResult(), latencyResult()], 'rare', '2025-01-01T00:00:00.000Z');
    const runs = Array.from({ length: 1200 }, (_, index) => ({
      ...often,
      runId: `run-${index}`,
      createdAt: dayOf(index),
    }));
    const history = withRuns(rare, ...runs);
    expect(runCountOf(history)).toBe(1201);
    // A repetition of each: the newest thousand.
    expect(history.runs.map(({ runId }) => runId)).toEqual(['rare', ...runs.slice(200).map(({ runId }) => runId)]);
    expect(history.runs[0]?.cells.map(({ tool }) => tool)).toEqual(['sockperf']);
    expect(readHistory(JSON.parse(JSON.stringify(history)))).toEqual(JSON.parse(JSON.stringify(history)));

    const again = renewedHistory(history, [runs[5]!], (runId) => runId !== 'run-7');
    expect(again.runs).toEqual(history.runs);
    expect(new Set(again.olderRunIds)).toEqual(new Set(history.olderRunIds.filter((runId) => runId !== 'run-7')));
    expect(runCountOf(again)).toBe(1200);
  });

  test('lists the newest runs, whatever they measured, and has enough of a cell to find its changes', () => {
    const repetitions = Array.from({ length: 100 }, (_, index) => throttledResult({ repetition: index + 1 }));
    const [large, none] = [digestOf(repetitions), digestOf([])];
    const runs = Array.from({ length: 1300 }, (_, index) => {
      return { ...(index < 300 ? large : none), runId: `run-${index}`, createdAt: dayOf(index) };
    });
    const history = withRuns(...runs);
    expect(history.runs.map(({ runId }) => runId)).toEqual(runs.slice(150).map(({ runId }) => runId));
    expect(atlasOf(history)).toMatchObject([{ runCount: 10, lastRunId: 'run-299' }]);
  });

  test('of 0.3.0 only lacks the runs that are counted', () => {
    const { olderRunIds, ...earlier } = withRuns(digestOf([throttledResult()]));
    expect(readHistory(earlier)).toEqual({ ...earlier, olderRunIds });
  });

  test.each([[{}], [null], [{ schema: 'network-benchmark.history.v0', runs: [] }], [{ ...EMPTY_HISTORY, runs: [{}] }]])(
    'is not %j',
    (document) => expect(readHistory(document)).toBeUndefined(),
  );

  test('of a version that did not count verdicts is none, so that it is made again', () => {
    const digest = digestOf([throttledResult()]);
    expect(digest.verdictCounts).toEqual([{ kind: 'drop', cause: 'network_credits', count: 1 }]);
    const history = withRuns(digest);
    expect(readHistory({ ...history, schema: 'network-benchmark.history.v2' })).toBeUndefined();
    expect(readHistory(history)).toBeDefined();
  });
});

describe('the atlas', () => {
  test('has each cell once, with the median over the repetitions of all runs', () => {
    const runs = [1, 2, 3, 4, 5, 6].map((day) =>
      digestOf([throttledResult(), latencyResult()], `run-${day}`, `2026-11-0${day}T10:00:00.000Z`),
    );
    const entries = atlasOf(renewedHistory(EMPTY_HISTORY, runs, () => true));
    expect(entries.map(({ cell }) => cell.tool).sort()).toEqual(['iperf3', 'sockperf']);
    const throttled = entries.find(({ cell }) => cell.tool === 'iperf3');
    expect(throttled).toMatchObject({ runCount: 6, lastRunId: 'run-6', lastMeasuredAt: '2026-11-06T10:00:00.000Z' });
    expect(throttled?.figures.get('baselineBitsPerSecond')).toMatchObject({
      count: 6,
      median: 1.24e9,
      medianInterval: { low: 1.24e9, high: 1.24e9 },
    });
  });
});
