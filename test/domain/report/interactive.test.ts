/** The script of the report and the data it reads. */
import { createHash } from 'node:crypto';
import { chartSeries } from '../../../domain/report/charts/chart-series';
import { decodeSeries, encodeSeries } from '../../../domain/report/interactive/series-codec';
import { throttledResult, throttledSeries } from '../../support/measurement-results';
import { renderReport, reportInput } from '../../support/report-input';

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

  test('has every second of every line as exactly as the line says', () => {
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
      expect(line?.values.map((value) => value === null)).toEqual(values.map((value) => value === null));
      line?.values.forEach((value, at) => {
        const exact = values[at] ?? 0;
        const off = Math.abs((value ?? 0) - exact);
        expect(off).toBeLessThanOrEqual(line.precision === 'linear' ? largest / 9_900 : Math.max(0.5, exact * 0.0101));
      });
    });
  });

  test('is broken where seconds are missing', () => {
    const [line] = series?.lines ?? [];
    expect(line?.values.indexOf(null)).toBe(80);
  });

  test('never ends its script element', () => {
    const named = {
      lines: [{ name: '</script><b>', unit: '', precision: 'linear' as const, seconds: [1], values: [1] }],
    };
    expect(encodeSeries(named)).not.toContain('<');
    expect(decodeSeries(encodeSeries(named)).lines[0]?.name).toBe('</script><b>');
  });

  test('of a long measurement has every second of the throughput, and says what stands for several seconds', () => {
    const long = chartSeries(throttledResult({ durationSeconds: 1800 }), throttledSeries(1800, 1060));
    const [throughput, counters] = decodeSeries(encodeSeries(long ?? { lines: [] })).lines;
    expect(throughput?.values).toHaveLength(1800);
    expect(counters?.values).toHaveLength(360);
    expect(counters?.name).toBe('shaped, bw out (client) (largest of 5 s)');
    expect(long && encodeSeries(long).length).toBeLessThan(6_000);
  });

  test.each([
    [[0, 0, 0, 0, 0, 7, 7, -3, -3.001, 1e6]],
    [[5, null, null, 5, 5, 5, 5, null, 5]],
    [[null, 12_345_678, 12_345_678, 12_345_678, 12_345_678, 0]],
    [[]],
  ])('%j comes back', (values: (number | null)[]) => {
    const seconds = values.map((_, index) => index + 0.5);
    const line = { name: 'a', unit: 'b', precision: 'linear' as const, seconds, values };
    const [decoded] = decodeSeries(encodeSeries({ lines: [line] })).lines;
    const largest = Math.max(1, ...values.map((value) => value ?? 0));
    expect(decoded?.seconds).toEqual(seconds);
    expect(decoded?.values).toEqual(
      values.map((value) => (value === null ? null : (expect.closeTo(value, -Math.log10(largest / 5000)) as number))),
    );
  });

  test('counts up to 100 are exact', () => {
    const values = Array.from({ length: 101 }, (_, index) => index);
    const line = { name: 'a', unit: 'b', precision: 'count' as const, seconds: values, values };
    expect(decodeSeries(encodeSeries({ lines: [line] })).lines[0]?.values).toEqual(values);
  });
});
