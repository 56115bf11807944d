import type { MeasurementResult } from '../../../domain/model/result';
import { chartedMeasurementIds, MAX_CHARTS } from '../../../domain/run/charted';
import {
  bidirectionalResult,
  failedResult,
  latencyResult,
  published,
  steadyResult,
  throttledResult,
  throttledSeries,
} from '../../support/measurement-results';
import { markupOf, textOf } from '../../support/page-markup';
import { comparedInput, pageOf, renderReport, reportInput } from '../../support/report-input';

const chartsOf = (page: string) => page.match(/<svg [\s\S]*?<\/svg>/g) ?? [];

test('the files of a series are named as their links are, beside the report', () => {
  const files = ['series/p0001-m01.csv', 'series/p0001-m01.ndjson'];
  const seriesFiles = new Map([[throttledResult().measurementId, files]]);
  const page = markupOf(renderReport(reportInput({ seriesFiles })));
  const links = [...page.matchAll(/<a href="(series\/[^"]+)">([^<]*)<\/a>/g)].map(([, target, text]) => [target, text]);
  expect(links).toEqual(files.map((file) => [file, file]));
});

describe.each([
  ['one measurement of each kind', reportInput],
  ['all that plans compare', comparedInput],
])('the page of %s', (_, input) => {
  const page = markupOf(renderReport(input()));

  test('runs nothing but its own script, and fetches nothing', () => {
    expect(page).not.toMatch(/<(script|link|img|iframe|object)\b/i);
    // Of what is outside of the page, only the report of the earlier run is linked.
    expect(page).not.toMatch(/\b(src=|href="(?!#|\.\.\/[\w-]+\/report\.html#))/i);
    expect(page).not.toMatch(/url\((?!#)/);
    expect(page.replaceAll(/http:\/\/www\.w3\.org\/[\w/]+/g, '')).not.toMatch(/https?:\/\//);
    expect(page).toContain('Content-Security-Policy');
  });

  test('is the same every time, so that summarising a run again writes the same object', () => {
    expect(markupOf(renderReport(input()))).toBe(page);
  });

  test('has charts whose tags are well-formed', () => {
    const tags = chartsOf(page).flatMap((svg) => svg.match(/<[a-zA-Z](?:[^<>"]|"[^"]*")*>/g) ?? []);
    expect(tags.length).toBeGreaterThan(100);
    const malformed = tags.filter((tag) => !/^<[\w:]+(?:\s+[\w:-]+="[^"<]*")*\s*\/?>$/.test(tag));
    expect(malformed).toEqual([]);
  });

  test('takes every colour of its charts from the style sheet, so that they are readable in the dark theme', () => {
    // Clip paths are invisible, and ECharts gives an open line a fill, which has no effect.
    const visible = chartsOf(page)
      .join('')
      .replace(/<defs[\s\S]*?<\/defs>/g, '');
    const drawn = visible.replace(/(<path d="[^"Z]*"[^>]*) fill="[^"]*"/g, '$1');
    const colours = [...drawn.matchAll(/\b(?:fill|stroke)="([^"]+)"/g)].map(([, colour = '']) => colour);
    expect(colours.length).toBeGreaterThan(100);
    expect([...new Set(colours)].filter((each) => each !== 'none' && !/^var\(--[a-z0-9-]+\)$/.test(each))).toEqual([]);
  });

  test('has every id once', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.length).toBeGreaterThan(10);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('closes every element that it opens', () => {
    const open: string[] = [];
    for (const [, slash, name = '', rest = ''] of page.matchAll(/<(\/?)([a-zA-Z][a-zA-Z0-9]*)([^>]*)>/g)) {
      if (/^(meta|br|wbr)$/.test(name) || rest.endsWith('/')) continue;
      if (slash === '') open.push(name);
      else expect(open.pop()).toBe(name);
    }
    expect(open).toEqual([]);
  });
});

describe('what failed', () => {
  const pageWith = (count: number) => {
    const failedPairs = Array.from({ length: count }, (_, index) => ({
      pairId: `p${1001 + index}`,
      reason: 'no room',
    }));
    return renderReport(reportInput({ failedPairs }));
  };

  test('unfolds where it would push the answer away, and all of it is on the page', () => {
    const page = pageWith(17);
    expect(page).toMatch(/<b>p1003<\/b>: no room<\/li> ?<\/ul> ?<details> ?<summary>14 more<\/summary>/);
    for (let pair = 1001; pair <= 1017; pair += 1) expect(page).toContain(`<b>p${pair}</b>: no room`);
  });

  test('stands as it is where it is short', () => {
    expect(pageWith(4)).not.toContain(' more</summary>');
  });

  test('stands as it is where a plan was refused and there is nothing else to read', () => {
    const { run } = reportInput();
    const problems = Array.from({ length: 20 }, (_, index) => `plan.pairs[${index}]: must be another`);
    const refused = { ...run, outcome: 'failed' as const, pairCount: 0, interruptedReason: problems.join('\n') };
    const page = renderReport(reportInput({ run: refused, results: [], seriesOf: new Map(), failedPairs: [] }));
    expect(page).toContain('plan.pairs[19]: must be another');
    expect(page).not.toContain(' more</summary>');
  });
});

describe('missing values', () => {
  test('a run without a single measurement still has a page', () => {
    const page = pageOf([], { failedPairs: [{ pairId: 'p0001', reason: 'no capacity' }] });
    expect(textOf(page)).toContain('Nothing was measured.');
    expect(textOf(page)).toContain('no capacity');
  });

  test('a mean without a series has no percentiles beside it', () => {
    const result = steadyResult({ statistics: { throughputBitsPerSecond: { mean: 1e9 } } });
    const words = textOf(renderReport({ ...reportInput(), results: [result] }));
    expect(words).toContain('Mean 1.00 Gbit/s');
    expect(words).not.toContain('5th to 95th percentile');
  });

  test('a measurement without its series has a sentence instead of an empty chart', () => {
    const page = renderReport(reportInput({ results: [throttledResult()], seriesOf: new Map() }));
    expect(chartsOf(page)).toEqual([]);
    expect(textOf(page)).toContain('The series is not available.');
  });
});

describe('hostile values', () => {
  const HOSTILE = `"><script>alert('1')</script></style></svg><img src=x onerror=alert(2)>&lt;{{{7*7}}`;
  const WORD =
    /^(?:iperf3|sockperf|tcp|udp|forward|reverse|bidirectional|throughput|latency|conditions|complete|truncated|failed)$/;

  function poisoned<T>(value: T): T {
    if (typeof value === 'string') return (WORD.test(value) ? value : HOSTILE) as T;
    if (Array.isArray(value)) return value.map(poisoned) as T;
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, poisoned(child)])) as T;
  }

  test('stay text wherever they appear', () => {
    const input = reportInput();
    const { run, results, failedPairs, earlierRuns, athena } = input;
    const ids = (result: MeasurementResult): MeasurementResult => ({
      ...poisoned(result),
      measurementId: result.measurementId,
    });
    const page = renderReport({
      run: { ...poisoned(run), interruptedReason: HOSTILE },
      results: results.map(ids),
      seriesOf: input.seriesOf,
      failedPairs: poisoned(failedPairs),
      earlierRuns: earlierRuns?.map((each) => ({
        ...each,
        now: { ...each.now, results: [ids(each.now.results[0]), ...each.now.results.slice(1).map(ids)] as const },
        earlier: { ...each.earlier, firstDay: `${HOSTILE}1`, lastDay: HOSTILE },
      })),
      athena: poisoned(athena),
    });
    expect(markupOf(page)).not.toMatch(/<(script|img)/i);
    expect(page.match(/<\/style>/g)).toHaveLength(1);
    expect(page.match(/<\/svg>/g)).toHaveLength(page.match(/<svg /g)?.length ?? 0);
    expect(page).toContain('&lt;script&gt;');
    expect(page).not.toContain('onerror=alert(2)>');
  });
});

describe('charts', () => {
  const chart = (result: MeasurementResult, series = throttledSeries()) =>
    chartsOf(
      renderReport(reportInput({ results: [result], seriesOf: new Map([[result.measurementId, series]]) })),
    )[0] ?? 'no chart';

  test('name onset, burst, baseline and the published figures', () => {
    const words = textOf(chart(throttledResult()));
    for (const word of [
      'onset 60.4 s',
      'burst 9.52',
      'baseline 1.24',
      'published peak 10.0',
      'Gbit/s',
      'bw out (client)',
    ]) {
      expect(words).toContain(word);
    }
  });

  test('have round numbers on their axis, also at the low rates of the lab', () => {
    const slow = throttledSeries().map((sample) =>
      sample.throughputBitsPerSecond === undefined
        ? sample
        : { ...sample, throughputBitsPerSecond: sample.throughputBitsPerSecond / 10 },
    );
    const [, axis = ''] = /<g text-anchor="end">(.*?)<\/g>/.exec(chart(steadyResult(), slow)) ?? [];
    const labels = [...axis.matchAll(/>([^<]+)<\/text>/g)].map(([, label]) => label);
    expect(labels).toEqual(expect.arrayContaining(['0', '0.2', '0.4', '0.6', '0.8', '1', '1.2']));
  });

  test('draw a published level at its exact value, not rounded to hundredths', () => {
    const level = 0.075e9;
    const host = (type: string) => published(type, level, level);
    const svg = chart(
      steadyResult({
        publishedClient: host('m4.xlarge'),
        publishedServer: host('m4.xlarge'),
        statistics: { throughputBitsPerSecond: { mean: level } },
      }),
      throttledSeries().map((sample) => ({ ...sample, throughputBitsPerSecond: level })),
    );
    const heightOf = (colour: string) =>
      Number(new RegExp(`<path d="M[\\d.]+ ([\\d.]+)[lh][^"]+"[^>]*stroke="var\\(--${colour}\\)"`).exec(svg)?.[1]);
    expect(Math.abs(heightOf('published') - heightOf('series-1'))).toBeLessThan(1.5);
  });

  test.each([
    [5, 'start'],
    [90, 'middle'],
    [175, 'end'],
  ])('name an onset at %d of 180 s within the chart', (onset, anchor) => {
    const { verdict } = throttledResult();
    if (!verdict?.onset) throw new Error('there must be an onset');
    const changed = { ...verdict, onset: { ...verdict.onset, value: onset } };
    const svg = chart(throttledResult({ verdict: changed }));
    const [, attributes = ''] = /<text([^>]*)>onset/.exec(svg) ?? [];
    expect(/text-anchor="(\w+)"/.exec(attributes)?.[1] ?? 'start').toBe(anchor);
  });

  test('say the direction to a screen reader in words', () => {
    expect(chart(throttledResult())).toMatch(
      /aria-label="Throughput over time of p0001-m02, c5\.xlarge to c5\.9xlarge"/,
    );
  });

  test('break the line where seconds are missing', () => {
    const lineOf = (svg: string) => /<path d="([^"]+)"[^>]*stroke="var\(--series-1\)"/.exec(svg)?.[1] ?? '';
    const whole = lineOf(chart(throttledResult()));
    const broken = lineOf(
      chart(
        throttledResult(),
        throttledSeries().filter(({ startSeconds }) => startSeconds < 100 || startSeconds > 104),
      ),
    );
    expect(whole.match(/M/g)).toHaveLength(1);
    expect(broken.match(/M/g)).toHaveLength(2);
  });

  test('show the time that was planned but not measured', () => {
    expect(textOf(chart(throttledResult({ status: 'truncated' }), throttledSeries(118)))).toContain('not measured');
    expect(textOf(chart(throttledResult()))).not.toContain('not measured');
    const enough = { durationSeconds: 1800, stopAfterThrottledSeconds: 120 };
    expect(textOf(chart(throttledResult(enough)))).not.toContain('not measured');
    expect(textOf(chart(throttledResult({ ...enough, status: 'truncated' })))).toContain('not measured');
  });

  test('show a named line for each direction', () => {
    const both = [
      ...throttledSeries(),
      ...throttledSeries().map((sample) => ({ ...sample, direction: 'reverse' as const })),
    ];
    const words = textOf(chart(bidirectionalResult(), both));
    expect(words).toContain('forward');
    expect(words).toContain('reverse');
  });

  test('1,800 seconds make a page that is small enough to open', () => {
    const result = throttledResult({ durationSeconds: 1800 });
    const page = renderReport(
      reportInput({ results: [result], seriesOf: new Map([[result.measurementId, throttledSeries(1800, 900)]]) }),
    );
    expect(page.length).toBeLessThan(400_000);
  });

  test('a chart may have more samples than a call has arguments', () => {
    expect(textOf(chart(throttledResult(), throttledSeries(150_000, 900)))).toContain('onset');
  });
});

describe('many measurements', () => {
  const numbered = (result: MeasurementResult, index: number): MeasurementResult => ({
    ...result,
    measurementId: `p${String(index + 1).padStart(4, '0')}-m02`,
  });

  test('all throughput series are charted up to the limit, in their order; latency and failures are not', () => {
    const results = [latencyResult(), throttledResult(), failedResult(), steadyResult()];
    expect(chartedMeasurementIds(results)).toEqual(['p0001-m02', 'p0002-m02']);
  });

  test('what all hold times assume stands once, and only where there are hold times', () => {
    const pageOf = (results: readonly MeasurementResult[]) =>
      textOf(renderReport(reportInput({ results, seriesOf: new Map() })));
    const texts = pageOf([throttledResult(), throttledResult()].map(numbered));
    expect(texts.match(/How long can a rate be held/g)).toHaveLength(2);
    expect(texts.match(/bucket \/ \(rate - baseline\)/g)).toHaveLength(1);
    expect(pageOf([latencyResult()])).not.toContain('bucket / (rate - baseline)');
  });

  test('above the limit the most interesting ones are charted, and the page says so', () => {
    const results = Array.from({ length: 100 }, (_, index) =>
      numbered(
        index === 97 ? throttledResult() : index === 98 ? steadyResult({ status: 'truncated' }) : steadyResult(),
        index,
      ),
    );
    const charted = chartedMeasurementIds(results);
    expect(charted).toHaveLength(MAX_CHARTS);
    expect(charted).toEqual(expect.arrayContaining(['p0098-m02', 'p0099-m02']));
    const page = textOf(renderReport(reportInput({ results, seriesOf: new Map() })));
    expect(page).toContain(`Only ${MAX_CHARTS} of 100 series are drawn`);
  });
});
