/** The table by type: one row for durations that differ, what the newest answer says, and the line of the last runs. */
import { watchedFigures } from '../../../../domain/history/changes';
import { EMPTY_HISTORY, readHistory, renewedHistory } from '../../../../domain/history/history';
import { runDigest, type DigestedSummary } from '../../../../domain/history/run-digest';
import { renderIndex } from '../../../../domain/report/index-page/render-index';
import { summaryToJson } from '../../../../domain/run/summary';
import type { AnsweredHold } from '../../../../domain/model/answer';
import type { MeasurementResult } from '../../../../domain/model/result';
import { endedSummary } from '../../../support/ended-runs';
import { latencyResult, steadyResult, throttledResult, throttledVerdict } from '../../../support/measurement-results';
import { INDEX_SCRIPT, rowsOf, sectionOf } from '../../../support/page-markup';

const RATE = { p5: 5e9, p50: 5e9, p95: 5e9, min: 5e9, max: 5e9 };
const WHERE = { region: 'eu-central-1', bucketName: 'results', renewedAt: '2026-11-21T08:00:00Z', unreadable: [] };

const hold = (changes: Partial<AnsweredHold>): AnsweredHold => ({
  ...{ bitsPerSecond: 1e9, kind: 'always', seconds: null, lowSeconds: null, highSeconds: null },
  ...{ reachedPairCount: 7, pairCount: 7 },
  ...changes,
});

const ANSWER: DigestedSummary['answer'] = {
  rows: [
    {
      measurementIds: [throttledResult().measurementId],
      sustained: { value: 1.24e9, bound: 'measured', low: null, high: null, count: 1 },
      burst: { value: 9.6e9, low: 9.5e9, high: 9.7e9, count: 1 },
      burstSeconds: { value: 58, low: null, high: null, count: 1 },
      pairHourlyUsd: 0.34,
      sustainedBitsPerSecondPerUsd: 3.65e9,
      holds: [
        hold({ bitsPerSecond: 1e9, kind: 'always' }),
        hold({ bitsPerSecond: 5e9, kind: 'for', seconds: 132, reachedPairCount: 4 }),
        hold({ bitsPerSecond: 10e9, kind: 'never', reachedPairCount: 0 }),
      ],
    },
  ],
};

function historyOf(runs: readonly (readonly MeasurementResult[])[], answer?: DigestedSummary['answer']) {
  const digests = runs.map((results, index) => {
    const createdAt = new Date(Date.UTC(2026, 0, 1 + index)).toISOString();
    return runDigest({ ...summaryToJson(endedSummary(`run-${index}`, { createdAt, results })), answer }, undefined);
  });
  return renewedHistory(EMPTY_HISTORY, digests, () => true);
}

function pageOf(...args: Parameters<typeof historyOf>): string {
  const history = historyOf(...args);
  return renderIndex({ history, watched: watchedFigures(history), ...WHERE }, INDEX_SCRIPT);
}

const withBaseline = (value: number, changes: Partial<MeasurementResult> = {}) =>
  throttledResult({ verdict: { ...throttledVerdict, baseline: { value, low: value, high: value } }, ...changes });

test('measurements that differ in duration alone are one row', () => {
  const long = { measurementId: 'p0001-m03', durationSeconds: 1800 };
  const page = pageOf([[withBaseline(1.2e9), withBaseline(1.3e9, long)]]);
  expect(rowsOf(sectionOf(page, 'types'))).toEqual([
    'Types | Sustained now, Gbit/s | Burst, Gbit/s | Burst lasts, s | Runs | Newest',
    'c5.xlarge, c5.9xlarge | 1.25 | 9.52 | 60.4 | 1 | 2026-01-01',
  ]);
  expect(
    rowsOf(sectionOf(pageOf([[withBaseline(1e9), withBaseline(1e9, { parallelStreams: 1 })]]), 'types')),
  ).toHaveLength(3);
});

test('where nothing dropped, the mean of the newest duration is what is sustained', () => {
  const steady = (mean: number, durationSeconds: number, measurementId: string) =>
    steadyResult({ statistics: { throughputBitsPerSecond: { ...RATE, mean } }, durationSeconds, measurementId });
  const page = pageOf([[steady(9.6e9, 20, 'p0001-m01')], [steady(4.9e9, 1800, 'p0001-m02')]]);
  expect(rowsOf(sectionOf(page, 'types'))[1]).toContain(' | 4.90 / mean | ');
});

test('what the run answered is in it: how long each asked rate is held, and the price', () => {
  const [head, row] = rowsOf(sectionOf(pageOf([[withBaseline(1.24e9), latencyResult()]], ANSWER), 'types'));
  expect(head).toContain('Holds 1 Gbit/s | Holds 5 Gbit/s | Holds 10 Gbit/s | Price, $/h | Gbit/s per $/h');
  expect(row).toContain(' | always | 2 min 12 s / 4 of 7 pairs | never | 0.34 | 3.65 | ');
});

test('a history without answers, as that of an earlier version, is read', () => {
  const history = historyOf([[withBaseline(1.24e9)]]);
  expect(readHistory(JSON.parse(JSON.stringify(history)))).toEqual(JSON.parse(JSON.stringify(history)));
  expect(rowsOf(sectionOf(pageOf([[withBaseline(1.24e9)]]), 'types'))[0]).not.toMatch(/Holds|\$/);
});

describe('the line of the newest runs', () => {
  const runs = (count: number, from: number) =>
    Array.from({ length: count }, (_, index) => [
      withBaseline((index < from ? 1e9 : 0.8e9) * (1 + 0.002 * (index % 3))),
    ]);

  test('has a mark where the level changed, and says so', () => {
    const section = sectionOf(pageOf(runs(24, 15)), 'types');
    expect(section).toContain(
      'aria-label="Baseline in the last 24 runs: 0.800 to 1.00 Gbit/s; baseline changed 2026-01-16"',
    );
    expect(section).toMatch(/<path class="change" d="M75\.1 0V28"/);
    expect(section).toContain('<del>1.00</del> until 2026-01-16');
  });

  test('has no more than 30 runs, and no mark for a change before them', () => {
    const section = sectionOf(pageOf(runs(60, 15)), 'types');
    expect(section).toContain('aria-label="Baseline in the last 30 runs: 0.800 to 0.803 Gbit/s"');
    expect(section).not.toContain('class="change"');
  });

  test('is nearly level where the runs differ by less than a tenth', () => {
    const [, line = ''] = /<path d="M([^"]+)"/.exec(pageOf(runs(5, 9))) ?? [];
    const heights = line.split('L').map((point) => Number(point.split(' ')[1]));
    expect(Math.max(...heights) - Math.min(...heights)).toBeLessThan(2);
  });
});

test('the rows can be downloaded as CSV without a script', () => {
  const page = pageOf([[withBaseline(1.24e9)]], ANSWER);
  const [, csv = ''] = /download="atlas\.csv" href="data:text\/csv;charset=utf-8,([^"]+)"/.exec(page) ?? [];
  const lines = decodeURIComponent(csv).split('\r\n');
  expect(lines[0]).toBe(
    'client_type,server_type,conditions,sustained_bits_per_second,burst_bits_per_second,burst_seconds,hold_1_gbit_seconds,hold_5_gbit_seconds,hold_10_gbit_seconds,pair_hourly_usd,sustained_bits_per_second_per_usd,runs,last_run_id,last_measured_at',
  );
  expect(lines[1]).toMatch(
    /^"c5\.xlarge","c5\.9xlarge","iperf3: TCP, .*",1240000000,.*,Infinity,132,0,0\.34,3650000000,1,"run-0",/,
  );
});

describe('the grid of clients and servers', () => {
  const between = (clientType: string, serverType: string, gigabits: number) =>
    withBaseline(gigabits * 1e9, { clientType, serverType, measurementId: `p000${gigabits}-m01` });

  test('is there where types were measured with each other', () => {
    const page = pageOf([[between('a1', 'a1', 1), between('a1', 'b1', 2), between('b1', 'a1', 3)]]);
    expect(rowsOf(sectionOf(page, 'types')).slice(-3)).toEqual([
      'Client | to a1 | to b1',
      'a1 | 1.00 | 2.00',
      'b1 | 3.00 | –',
    ]);
  });

  test('is not where each was measured with itself, or one with the others', () => {
    for (const pairs of [
      [between('a1', 'a1', 1), between('b1', 'b1', 2)],
      [between('a1', 'b1', 1), between('a1', 'c1', 2)],
    ]) {
      expect(sectionOf(pageOf([pairs]), 'types')).not.toContain('Client and server');
    }
  });
});
