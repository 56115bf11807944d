/** Two ticked runs say the same as the report of the later one that names the earlier, of the same values. */
import { describe, expect, test } from '@jest/globals';
import { watchedFigures } from '../../../../domain/history/changes';
import { EMPTY_HISTORY, renewedHistory } from '../../../../domain/history/history';
import { runDigest, type RunDigest } from '../../../../domain/history/run-digest';
import type { MeasurementResult } from '../../../../domain/model/result';
import { renderIndex } from '../../../../domain/report/index-page/render-index';
import {
  comparableRuns,
  tickedComparison,
  type ComparableRuns,
} from '../../../../domain/report/index-page/ticked-runs';
import { compareRuns } from '../../../../domain/run/comparison';
import { summaryToJson } from '../../../../domain/run/summary';
import { numbered, roundTrips } from '../../../support/compared-results';
import { endedSummary } from '../../../support/ended-runs';
import { steadyResult, throttledResult, throttledVerdict } from '../../../support/measurement-results';
import { INDEX_SCRIPT, rowsOf, sectionOf, textOf } from '../../../support/page-markup';
import { renderReport, reportInput } from '../../../support/report-input';

const digestOf = (runId: string, results: readonly MeasurementResult[]): RunDigest =>
  runDigest(summaryToJson(endedSummary(runId, { results })), undefined);

const throttled = (...baselines: readonly number[]) =>
  baselines.map((value) => {
    const baseline = { value: value * 1e9, low: value * 0.99e9, high: value * 1.01e9 };
    return throttledResult({ verdict: { ...throttledVerdict, baseline } });
  });
const trips = (...micros: readonly number[]) => micros.map((mean) => roundTrips(mean));
const rates = (...gigabits: readonly number[]) =>
  gigabits.map((rate) => steadyResult({ statistics: { throughputBitsPerSecond: { mean: rate * 1e9 } } }));
const onPairs = (count: number, results: readonly MeasurementResult[]) =>
  results.map((result, index) => ({ ...result, pairId: `p000${1 + (index % count)}` }));

type Runs = readonly [earlier: MeasurementResult[], now: MeasurementResult[]];

const RUNS: Readonly<Record<string, Runs>> = {
  repetitions: [
    numbered([throttled(1.24, 1.25, 1.26), trips(112, 113, 115)]),
    numbered([throttled(1.01, 1.02, 1.03), trips(113, 112, 116)]),
  ],
  'a cell that only one has': [
    numbered([throttled(1.24, 1.25, 1.26), trips(112, 113, 115)]),
    numbered([throttled(1.01, 1.02, 1.03)]),
  ],
  'single measurements': [numbered([throttled(1.24), trips(112)]), numbered([throttled(0.9), trips(140)])],
  'one against repetitions': [numbered([trips(112, 113, 115)]), numbered([trips(180)])],
  'several modes': [
    numbered([rates(5.02, 9.69, 9.69, 5.02, 9.69, 9.69, 9.69)]),
    numbered([rates(5.02, 5.02, 5.02, 5.02, 5.02, 5.02, 5.02)]),
  ],
  'repetitions on the same pair': [
    onPairs(1, numbered([throttled(1.24, 1.25, 1.26)])),
    onPairs(1, numbered([throttled(1.11, 1.12, 1.13)])),
  ],
  'repetitions on two pairs': [
    onPairs(2, numbered([throttled(1.24, 1.25, 1.26, 1.25)])),
    onPairs(2, numbered([throttled(1.11, 1.12, 1.13, 1.12)])),
  ],
  'busy processors': [
    numbered([throttled(1.24, 1.25, 1.26)]).map((result, index) =>
      index === 1 ? { ...result, cpuContention: 'other work kept the processors of the client busy' } : result,
    ),
    numbered([throttled(1.01, 1.02, 1.03)]),
  ],
};

const embedded = ([earlier, now]: Runs) => comparableRuns([digestOf('later', now), digestOf('earlier', earlier)]);

/** The rows of a table of changes, without its head and the titles of its groups. */
const figureRows = (markup: string) => rowsOf(markup).filter((row) => !/^(#|Figure)/.test(row));

function reported([earlier, now]: Runs): string[] {
  const page = renderReport(reportInput({ results: now, comparedRun: compareRuns('earlier', earlier, now) }));
  // The last table has all figures; one of the changes beyond the noise may stand before it.
  return figureRows(
    sectionOf(page, 'run-comparison')
      .split(/<summary>|<div class="card">/)
      .at(-1) ?? '',
  );
}

const ticked = (runs: ComparableRuns) => figureRows(tickedComparison(runs, ['later', 'earlier']).table);

describe.each(Object.entries(RUNS))('%s', (_, runs) => {
  test('are compared as in the report', () => {
    expect(ticked(embedded(runs)).length).toBeGreaterThan(0);
    expect(ticked(embedded(runs))).toEqual(reported(runs));
  });

  test('a wrong value is noticed', () => {
    const wrong = JSON.parse(
      JSON.stringify(embedded(runs)).replace(/"values":\[([\d.]+)/g, (_, value) => `"values":[${Number(value) * 1.02}`),
    ) as ComparableRuns;
    expect(ticked(wrong)).not.toEqual(reported(runs));
  });
});

test('says which run is the earlier, whatever was ticked first, and how many figures changed', () => {
  const runs = embedded(RUNS.repetitions!);
  const { sentence, table } = tickedComparison(runs, ['earlier', 'later']);
  expect(tickedComparison(runs, ['later', 'earlier'])).toEqual({ sentence, table });
  expect(textOf(sentence)).toMatch(/^Earlier: earlier\. Later: later\. 1 of \d+ figures changed beyond the noise\./);
  const [title = ''] = rowsOf(table).filter((row) => row.startsWith('#'));
  expect(title).toMatch(/^# c5\.xlarge, c5\.9xlarge \/ iperf3: TCP, 8 streams, forward, 3 min; same zone, /);
  const baseline = rowsOf(table).find((row) => row.startsWith('Baseline'));
  expect(baseline).toMatch(
    / \| 1\.25 \(1\.23–1\.27\), n 3 \| 1\.02 \(.*\), n 3 \| −0\.230 \/ −18 % \/ −0\.25\d to −0\.20\d \| \[warn: beyond the noise\]$/,
  );
});

test('marks what was measured on busy processors', () => {
  const { table } = tickedComparison(embedded(RUNS['busy processors']!), ['later', 'earlier']);
  expect(textOf(table)).toContain('processors busy in the earlier run');
});

test('has a sentence for runs that have nothing in common', () => {
  const [a, b] = [numbered([throttled(1.2)]), numbered([trips(100)])];
  const runs = comparableRuns([digestOf('d', a), digestOf('c', b), digestOf('b', a), digestOf('a', b)]);
  expect(tickedComparison(runs, ['d', 'c'])).toEqual({
    sentence: 'Earlier: c. Later: d. The two runs have no measurement in common.',
    table: '',
  });
});

describe('on the page', () => {
  const pageOf = (digests: readonly RunDigest[]) => {
    const dated = digests.map((digest, index) => ({
      ...digest,
      createdAt: new Date(Date.UTC(2026, 0, 1) + index * 3_600_000).toISOString(),
    }));
    const history = renewedHistory(EMPTY_HISTORY, dated, () => true);
    const where = { region: 'eu-central-1', bucketName: 'results', renewedAt: '2026-11-21T08:00:00Z' };
    return renderIndex({ history, watched: watchedFigures(history), unreadable: [], ...where }, INDEX_SCRIPT);
  };
  const boxesOf = (page: string) =>
    [...page.matchAll(/type="checkbox" autocomplete="off" value="([^"]*)"/g)].map(([, runId]) => runId);
  const [one, other] = [numbered([throttled(1.2)]), numbered([trips(100)])];

  test('only runs that share a measurement have a box, which is hidden without a script', () => {
    const page = pageOf([digestOf('a', one), digestOf('b', other), digestOf('c', one)]);
    expect(boxesOf(page)).toEqual(['c', 'a']);
    expect(page.match(/<label class="tick" hidden/g)).toHaveLength(2);
    expect(page).toContain('<div class="ticked" hidden>');
    expect(boxesOf(pageOf([digestOf('a', one), digestOf('b', other)]))).toEqual([]);
    expect(pageOf([digestOf('a', one), digestOf('b', other)])).not.toContain('class="tick');
  });

  test('the values of the newest runs are embedded once, with nothing that ends the script', () => {
    const hostile = { ...digestOf('a', one), runId: 'a</script>' };
    const page = pageOf([hostile, digestOf('b', one)]);
    const [, data = ''] = /<script type="application\/json">([^<]*)<\/script>/.exec(sectionOf(page, 'runs')) ?? [];
    const { cells, runs } = JSON.parse(data) as ComparableRuns;
    expect(cells).toHaveLength(1);
    expect(runs.map(({ runId }) => runId)).toEqual(['b', 'a</script>']);
    expect(runs[0]?.cells[0]?.figures).toContainEqual({
      key: 'baselineBitsPerSecond',
      values: [1.2e9],
      interval: { low: 1.188e9, high: 1.212e9 },
    });
  });

  test('many runs add less than 300 kB, and the page says which can be ticked', () => {
    const digest = digestOf('run', [...one, ...other]);
    const digests = Array.from({ length: 400 }, (_, index) => ({ ...digest, runId: `run-${index}` }));
    const [page, without] = [pageOf(digests), pageOf(digests.map((digest) => ({ ...digest, cells: [] })))];
    const boxes = boxesOf(page).length;
    expect(boxes).toBeGreaterThan(100);
    expect(boxesOf(page)[0]).toBe('run-399');
    expect(textOf(page)).toContain('Only the newest runs with measurements in common can be ticked.');
    const data = /<script type="application\/json">[^<]*<\/script>/.exec(sectionOf(page, 'runs'))?.[0] ?? '';
    const box = /<label class="tick".*?<\/label\s*>/s.exec(page)?.[0] ?? '';
    expect(data.length + boxes * box.length).toBeLessThan(300_000);
    expect(without).not.toContain('class="tick');
  });

  test('a run that is too large leaves room for the others', () => {
    const large = digestOf('large', one);
    const [cell] = large.cells;
    const cells = Array.from({ length: 1000 }, (_, index) => ({ ...cell!, cell: `${cell!.cell}${index}` }));
    const page = pageOf([digestOf('a', one), digestOf('b', one), { ...large, cells }]);
    expect(boxesOf(page)).toEqual(['b', 'a']);
  });
});
