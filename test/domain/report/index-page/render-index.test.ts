import { describe, expect, test } from '@jest/globals';
import { LEAST_RUNS, LEAST_RUNS_OF_POSSIBLE } from '../../../../domain/history/change-point';
import { watchedFigures } from '../../../../domain/history/changes';
import { EMPTY_HISTORY, renewedHistory, type UnreadableRun } from '../../../../domain/history/history';
import { runDigest } from '../../../../domain/history/run-digest';
import { renderIndex } from '../../../../domain/report/index-page/render-index';
import { summaryToJson } from '../../../../domain/run/summary';
import { endedSummary, type EndedRunFacts } from '../../../support/ended-runs';
import {
  latencyResult,
  published,
  steadyResult,
  throttledResult,
  throttledVerdict,
} from '../../../support/measurement-results';
import { INDEX_SCRIPT, rowsOf, sectionOf, textOf } from '../../../support/page-markup';

const plan = { instanceTypes: { 'c5.xlarge': published('c5.xlarge', 1.25e9, 10e9) } };

const WHERE = { region: 'eu-central-1', bucketName: 'results', renewedAt: '2026-11-21T08:00:00Z' };

function pageOf(
  count: number,
  facts: EndedRunFacts | ((index: number) => EndedRunFacts) = {},
  unreadable: readonly UnreadableRun[] = [],
): string {
  const runs = Array.from({ length: count }, (_, index) => {
    const createdAt = new Date(Date.UTC(2026, 0, 1) + index * 3_600_000).toISOString();
    const ofRun = typeof facts === 'function' ? facts(index) : facts;
    return runDigest(summaryToJson(endedSummary(`run-${index}`, { createdAt, ...ofRun })), plan);
  });
  const history = renewedHistory(EMPTY_HISTORY, runs, () => true);
  return renderIndex({ history, watched: watchedFigures(history), unreadable, ...WHERE }, INDEX_SCRIPT);
}

test('lists runs with the newest first, each with its report beside the page and in the console', () => {
  const page = pageOf(3);
  const order = [...page.matchAll(/href="(reports\/run-\d\/report\.html)" aria-label="report of run-\d">report</g)];
  expect(order.map(([, href]) => href)).toEqual([2, 1, 0].map((run) => `reports/run-${run}/report.html`));
  expect(page).toContain(
    'https://eu-central-1.console.aws.amazon.com/s3/object/results?region=eu-central-1&amp;prefix=reports%2Frun-2%2Freport.html',
  );
});

test('names the scaled model of EC2 that was measured, for the page and for each run', () => {
  const scaledModel = { name: 'lab', rateDivisor: 10, timeDivisor: 20 };
  const page = textOf(pageOf(2, (index) => (index === 0 ? {} : { scaledModel })));
  expect(page.split('Measured in "lab", a scaled model of EC2')).toHaveLength(2);
  expect(page).toContain('run-1, measured in lab');
  expect(page).not.toContain('run-0, measured in');
  expect(pageOf(1)).not.toContain('model of EC2');
});

test('counts the verdicts of each run, the most frequent one first, with the badges of the report', () => {
  const results = [steadyResult(), throttledResult(), throttledResult({ repetition: 2 }), latencyResult()];
  const [, run = ''] = rowsOf(sectionOf(pageOf(1, { results }), 'runs'));
  expect(run).toContain(' | 2 [falls: drop, network credits] 1 [holds: steady] | 4 of 4 | ');
  expect(pageOf(1, { results: [latencyResult()] })).not.toContain('>Verdicts<');
});

/** A baseline of 1 Gbit/s, give or take 0.4 %, which falls to 0.8 with the run `from`. */
function falling(from: number) {
  return (index: number): EndedRunFacts => {
    const value = (index < from ? 1e9 : 0.8e9) * (1 + 0.002 * (index % 3));
    const verdict = { ...throttledVerdict, baseline: { value, low: value, high: value } };
    return { results: [throttledResult({ verdict })] };
  };
}

test('has the last change of each cell: which figure, how far, since when, with a link to that run', () => {
  const page = pageOf(24, falling(15));
  expect(textOf(page)).toContain(
    'Baseline fell by 20 % from 1.00 to 0.802 Gbit/s, since 2026-01-01, in the newest 9 of 24 runs',
  );
  expect(page).toMatch(
    /<a class="nowrap" href="reports\/run-15\/report\.html" aria-label="2026-01-01, report of run-15">2026-01-01<\/a/,
  );
  // Nothing else of the cell has changed.
  expect(page.match(/ in the newest /g)).toHaveLength(1);
});

test('has the level since the last certain change, and the one before it struck out with its date', () => {
  const [, row = ''] = rowsOf(sectionOf(pageOf(24, falling(15)), 'atlas'));
  expect(row).toContain(' | 0.802 / 0.800 to 0.803 / 1.00 until 2026-01-01 | ');
  expect(pageOf(24, falling(15))).toContain('<del>1.00</del> until 2026-01-01');
  expect(pageOf(14, falling(99))).not.toContain('<del>');
});

test('says which change the runs so far would show', () => {
  const rows = (runs: number) => textOf(sectionOf(pageOf(runs, falling(99)), 'atlas'));
  expect(rows(40)).toMatch(/none of 8 % or more in 40 runs; (9|\d\d) % would be seen/);
});

test('says that no change was found only where there are enough runs to find one', () => {
  expect(textOf(pageOf(LEAST_RUNS, falling(99)))).toContain(`none of 8 % or more in ${LEAST_RUNS} runs`);
  const few = textOf(pageOf(LEAST_RUNS - 1, falling(LEAST_RUNS - 3)));
  expect(few).toContain(`too few runs ${LEAST_RUNS - 1} of at least ${LEAST_RUNS}`);
  expect(few).not.toMatch(/none of 8|fell by/);
});

test('has a possible change of each cell, as one that is not certain, until it is', () => {
  const possible = textOf(pageOf(LEAST_RUNS_OF_POSSIBLE, falling(5)));
  expect(possible).toMatch(
    /Possible change: baseline fell by about 20 % from 1\.00 to 0\.80\d Gbit\/s \(95 % interval 0\.7\d+ to 0\.8\d+\), since 2026-01-01, in the newest 3 of 8 runs, too few to be sure/,
  );
  expect(possible).not.toMatch(/too few runs|none of 8/);
  const certain = textOf(pageOf(LEAST_RUNS, falling(5)));
  expect(certain).toMatch(/Baseline fell by 20 % from .*, in the newest 7 of 12 runs/);
  expect(certain).not.toMatch(/Possible change:|to be sure/);
});

test('has a row for each cell, and one for each run with how it ended', () => {
  const complete = runDigest(summaryToJson(endedSummary('run-0')), plan);
  const scheduled = { runId: 'scheduled-1', createdAt: '2026-11-21T10:00:00.000Z', isScheduled: true, cells: [] };
  const incomplete = {
    outcome: 'incomplete',
    expectations: 'not_met',
    reason: 'p0001: no room',
    costUsd: 1.5,
  } as const;
  const digests = [
    { ...complete, expectations: 'met' as const },
    { ...complete, ...scheduled, ...incomplete },
  ];
  const history = renewedHistory(EMPTY_HISTORY, digests, () => true);
  expect(
    rowsOf(renderIndex({ history, watched: watchedFigures(history), unreadable: [], ...WHERE }, INDEX_SCRIPT)),
  ).toEqual([
    'Types | Sustained now, Gbit/s | Burst, Gbit/s | Burst lasts, s | Holds 1 Gbit/s | Holds 2 Gbit/s | Holds 5 Gbit/s | Holds 10 Gbit/s | Runs | Newest',
    'c5.xlarge, c5.9xlarge | 1.24 / 1.23 to 1.25 | 9.52 / 4.88 to 10.0 | 60.4 / 53.5 to 68.3 | always | 10 min 58 s | 2 min 13 s | 1 min | 1 | 2026-11-20',
    'Types and how they were measured | Throughput, mean, Gbit/s | Burst, Gbit/s | Baseline, Gbit/s | Throttle onset, s | Bucket, Gbit | Published baseline, Gbit/s | Published peak, Gbit/s | Runs | Last measured | Last change',
    'c5.xlarge, c5.9xlarge / iperf3: TCP, 8 streams, forward, 3 min; same zone, no placement group, private address, ENA Express off, MTU 9001 | 4.02 | 9.52 | 1.24 | 60.4 | 500 / 443 to 565 | 1.25 | 10.0 | 1 | 2026-11-20 | too few runs / 1 of at least 12',
    'Types and how they were measured | Round trip, median, µs | Round trip, p99, µs | Runs | Last measured | Last change',
    'c5.xlarge, c5.9xlarge / sockperf: TCP, messages of 64 bytes, 30 s; same zone, no placement group, private address, ENA Express off, MTU 9001 | 115 | 201 | 1 | 2026-11-20 | too few runs / 1 of at least 12',
    'Run | Planned | Outcome | Expectations | Verdicts | Complete measurements | Price, USD | Report',
    'Burst of c5 / scheduled-1, by schedule | 2026-11-21 10:00:00 UTC | [bad: incomplete] / p0001: no room | [bad: not met] | 1 [falls: drop, network credits] | 2 of 2 | 1.50 | report / in the console',
    'Burst of c5 / run-0 | 2026-11-20 10:00:00 UTC | [good: complete] | [good: met] | 1 [falls: drop, network credits] | 2 of 2 | – | report / in the console',
  ]);
});

test('repetitions are counted beside the runs where there are more of them', () => {
  const twice = (index: number): EndedRunFacts => {
    const { results = [] } = falling(99)(index);
    return { results: results.flatMap((result) => [result, { ...result, repetition: 2 }]) };
  };
  expect(textOf(pageOf(3, twice))).toContain(' 3 6 repetitions 2026-01-01');
});

describe('runs on busy processors', () => {
  const busy = (index: number): EndedRunFacts => {
    const [{ results = [] }, cpuContention] = [falling(99)(index), 'other work kept the processors of both hosts busy'];
    return { results: index % 3 === 0 ? results.map((result) => ({ ...result, cpuContention })) : results };
  };

  test('are counted beside the medians, and are none of the runs in which changes are sought', () => {
    const text = textOf(pageOf(6, busy));
    expect(text).toContain('6 2 of 6 on busy processors');
    expect(text).toContain(`too few runs 4 of at least ${LEAST_RUNS} 2 runs on busy processors`);
    expect(textOf(pageOf(6, falling(99)))).not.toMatch(/\d (runs )?on busy processors/);
  });

  test('alone are in the atlas, too', () => {
    const text = textOf(pageOf(1, busy));
    expect(text).toContain('1 on busy processors');
    expect(text).toContain('1 run on busy processors');
  });
});

test('escapes the names of plans, and loads nothing', () => {
  const page = pageOf(1, { planName: '<img src=x onerror=alert(1)>' });
  expect(page).not.toContain('<img');
  expect(page).toContain('&lt;img src=x');
  expect(page).toContain('default-src &#39;none&#39;');
});

test('names runs that it leaves out, each with its reason', () => {
  const unreadable = Array.from({ length: 22 }, (_, index) => ({ runId: `old-${index}`, reason: 'no <json>' }));
  const page = pageOf(1, {}, unreadable);
  expect(textOf(page)).toMatch(
    /22 runs cannot be read, and are left out .* old-0: no &lt;json&gt; old-1: .* and 2 more/,
  );
  expect(page).toContain('href="reports/old-19/report.html"');
  expect(page).not.toContain('old-20');
  expect(textOf(pageOf(1))).not.toContain('be read');
});

test('lists at most a thousand runs, says how many are left out, and stays below 2 MB', () => {
  const page = pageOf(1002);
  expect(page.match(/>report</g)).toHaveLength(1000);
  expect(page).toContain('2 older runs can be queried');
  expect(page.length).toBeLessThan(2e6);
});
