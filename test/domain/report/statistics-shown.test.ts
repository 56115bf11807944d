/** What the report shows of statistics is supported by what was measured. */
import { keepUnits } from '../../../domain/report/page/html';
import { latencySection } from '../../../domain/report/sections/latency';
import {
  latencyResult,
  quietVerdict,
  steadyResult,
  throttledResult,
  throttledSeries,
} from '../../support/measurement-results';
import { renderReport, reportInput } from '../../support/report-input';

const chartTexts = (page = '') => [...page.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);

test('the chart of percentiles leaves out those of too few round trips', () => {
  const few = latencyResult();
  const drawn = latencySection([{ ...few, statistics: { ...few.statistics, observations: 24_795 } }]);
  expect(chartTexts(drawn?.html.text)).toContain('p99.99');
  expect(chartTexts(drawn?.html.text)).not.toContain('p99.999');
  expect(chartTexts(latencySection([few])?.html.text)).toContain('p99.999');
});

test('the counters of several hosts have a key, and every other line is dashed', () => {
  const result = throttledResult();
  const both = throttledSeries().flatMap((sample) =>
    sample.metric === 'allowance' ? [sample, { ...sample, hostRole: 'server' as const }] : [sample],
  );
  const page = renderReport(reportInput({ results: [result], seriesOf: new Map([[result.measurementId, both]]) }));
  expect(page).toMatch(/fill="var\(--series-3\)"[^>]*>━<\/tspan><tspan[^>]*> bw out \(client\), </);
  expect(page).toMatch(/fill="var\(--series-4\)"[^>]*>╍<\/tspan><tspan[^>]*> bw out \(server\)</);
});

test('the header shows the tags of the run', () => {
  const { run } = reportInput();
  expect(renderReport(reportInput({ run: { ...run, tags: { Environment: 'lab', Team: 'net' } } }))).toContain(
    'Environment=lab, Team=net',
  );
});

describe('measurements beside other work', () => {
  const cpuContention =
    'other work kept the processors of the client busy (at least one program waited for a processor 99 % of the time)';
  const page = renderReport(
    reportInput({
      results: [
        throttledResult(),
        latencyResult({ cpuContention, latencyVerdict: { ...quietVerdict, cause: 'cpu', explanation: cpuContention } }),
        steadyResult({ cpuContention }),
      ],
    }),
  );

  test('are named above the verdicts', () => {
    const [, names] = /<h2>2 measurements on busy processors<\/h2>.*?<\/p>\s*<p>(.*?)<\/p>/s.exec(page) ?? [];
    expect(names?.match(/p\d+-m\d+(?=<)/g)).toEqual(['p0001-m01', 'p0002-m02']);
  });

  test('say so in their cards, with the figures', () => {
    expect(page).toContain(`<p>${keepUnits(cpuContention)}</p>`);
    // Two in the tables, two on the cards, the row of the answer that both stand in, and the chart of the throughput.
    expect(page.match(/>processors busy</g)).toHaveLength(6);
  });

  test('are nowhere in a report without any', () => {
    expect(renderReport(reportInput())).not.toMatch(/busy processors|processors busy/);
  });
});
