/** The script of the report and the data it reads. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { renderReport } from '../../../domain/report/render-report';
import { chartSeries } from '../../../domain/report/interactive/series-data';
import { decodeSeries, encodeSeries } from '../../../domain/report/interactive/series-codec';
import { BUNDLE_FILE, reportScriptModule } from '../../../scripts/write-report-script';
import { throttledResult, throttledSeries } from '../../support/measurement-results';
import { reportInput } from '../../support/report-input';

test('the script is what its sources and its libraries make: npm run report-script', async () => {
  expect(readFileSync(BUNDLE_FILE, 'utf8')).toBe(await reportScriptModule());
});

test('the browser runs exactly the script of the page, which names its licences', () => {
  const page = renderReport(reportInput());
  const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text = '']) => text);
  expect(scripts).toHaveLength(1);
  const hash = createHash('sha256')
    .update(scripts[0] ?? '')
    .digest('base64');
  expect(page).toContain(`script-src &#39;sha256-${hash}&#39;`);
  expect(scripts[0]).toContain('MIT License');
  expect(scripts[0]).toContain('Unlicense');
});

describe('the series in the page', () => {
  const samples = throttledSeries(120).filter(({ startSeconds }) => startSeconds < 80 || startSeconds > 84);
  const series = chartSeries(throttledResult(), samples);

  test('has every second of every line, to one part in 10,000 of the largest value', () => {
    if (series === undefined) throw new Error('there must be a series');
    const decoded = decodeSeries(encodeSeries(series));
    expect(decoded.onsetSeconds).toBe(60.4);
    expect(decoded.lines.map(({ name, unit }) => `${name}, ${unit}`)).toEqual([
      'throughput forward, Gbit/s',
      'shaped, bw out (client), packets/s',
    ]);
    series.lines.forEach(({ seconds, values }, index) => {
      const line = decoded.lines[index];
      const largest = Math.max(...values.map((value) => value ?? 0));
      expect(line?.seconds).toEqual(seconds.map((second) => expect.closeTo(second, 1) as number));
      expect(line?.values).toEqual(
        values.map((value) => (value === null ? null : (expect.closeTo(value, -Math.log10(largest / 5000)) as number))),
      );
    });
  });

  test('is broken where seconds are missing', () => {
    const [line] = series?.lines ?? [];
    expect(line?.values.indexOf(null)).toBe(80);
  });

  test('never ends its script element', () => {
    const named = { lines: [{ name: '</script><b>', unit: '', seconds: [1], values: [1] }] };
    expect(encodeSeries(named)).not.toContain('<');
    expect(decodeSeries(encodeSeries(named)).lines[0]?.name).toBe('</script><b>');
  });

  test('of 30 minutes with its counters takes less than 18 kB', () => {
    const long = chartSeries(throttledResult({ durationSeconds: 1800 }), throttledSeries(1800, 1060));
    expect(long && encodeSeries(long).length).toBeLessThan(18_000);
  });
});
