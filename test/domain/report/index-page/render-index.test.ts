import { expect, test } from '@jest/globals';
import { EMPTY_HISTORY, renewedHistory } from '../../../../domain/history/history';
import { runDigest } from '../../../../domain/history/run-digest';
import { renderIndex } from '../../../../domain/report/index-page/render-index';
import { summaryToJson } from '../../../../domain/report/summary';
import { endedSummary, type EndedRunFacts } from '../../../support/ended-runs';
import { published } from '../../../support/measurement-results';

const plan = { instanceTypes: { 'c5.xlarge': published('c5.xlarge', 1.25e9, 10e9) } };

function pageOf(count: number, facts: EndedRunFacts = {}): string {
  const runs = Array.from({ length: count }, (_, index) => {
    const createdAt = new Date(Date.UTC(2026, 0, 1) + index * 3_600_000).toISOString();
    return runDigest(summaryToJson(endedSummary(`run-${index}`, { createdAt, ...facts })), plan);
  });
  const history = renewedHistory(EMPTY_HISTORY, runs, () => true);
  return renderIndex({ history, region: 'eu-central-1', bucketName: 'results', renewedAt: '2026-11-21T08:00:00Z' });
}

test('lists runs with the newest first, each with its report beside the page and in the console', () => {
  const page = pageOf(3);
  const order = [...page.matchAll(/href="(reports\/run-\d\/report\.html)" aria-label="report of run-\d">report</g)];
  expect(order.map(([, href]) => href)).toEqual([2, 1, 0].map((run) => `reports/run-${run}/report.html`));
  expect(page).toContain(
    'https://eu-central-1.console.aws.amazon.com/s3/object/results?region=eu-central-1&amp;prefix=reports%2Frun-2%2Freport.html',
  );
});

test('has medians and published figures of what was measured', () => {
  const text = pageOf(6)
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');
  expect(text).toMatch(/Baseline, Gbit\/s .*Published baseline, Gbit\/s/);
  expect(text).toMatch(
    /c5\.xlarge, c5\.9xlarge iperf3: .* 1\.24 1\.24 to 1\.24 .* 1\.25 10\.0 6 6 repetitions 2026-01-01/,
  );
});

test('escapes the names of plans, and loads nothing', () => {
  const page = pageOf(1, { planName: '<img src=x onerror=alert(1)>' });
  expect(page).not.toContain('<img');
  expect(page).toContain('&lt;img src=x');
  expect(page).toContain('default-src &#39;none&#39;');
});

test('lists at most a thousand runs, says how many are left out, and stays below 2 MB', () => {
  const page = pageOf(1002);
  expect(page.match(/>report</g)).toHaveLength(1000);
  expect(page).toContain('2 older runs can be queried');
  expect(page.length).toBeLessThan(2e6);
});
