/** The report of a run that compares all that a plan can: its charts, its statistics, and the comparison with another run. */
import type { EnaExpress } from '../../../domain/model/conditions';
import type { MeasurementResult } from '../../../domain/model/result';
import { renderReport } from '../../../domain/report/render-report';
import { compareRuns } from '../../../domain/run/comparison';
import { judgeExpectations } from '../../../domain/run/expectations';
import {
  loadedResult,
  loadedSeries,
  notApplicableResult,
  placementMatrix,
  roundTrips,
  typeMatrix,
} from '../../support/compared-results';
import { latencyResult, steadyResult } from '../../support/measurement-results';
import { markupOf } from '../../support/page-markup';
import { comparedInput, reportInput } from '../../support/report-input';

function textOf(page: string): string {
  return markupOf(page)
    .replace(/<style>[\s\S]*?<\/style>/g, '')
    .replace(/<\/?a\b[^>]*>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&amp;', '&')
    .replaceAll('&#39;', "'")
    .replace(/\s+/g, ' ');
}

const only = (results: readonly MeasurementResult[], seriesOf = new Map()) =>
  renderReport(reportInput({ results, seriesOf, failedPairs: [], earlierRuns: [] }));

describe('expectations', () => {
  const judge = (limits: Parameters<typeof judgeExpectations>[0]['plan']['expect'], failOn?: 'expectations') =>
    judgeExpectations({ plan: { expect: limits, failOn }, results: [latencyResult()], costUsd: 1 });

  test('stand first, each with figure, limit and outcome in words', () => {
    const expectations = judge([{ 'rttMicros.p50': { max: 200 } }, { 'rttMicros.p99': { max: 200 } }], 'expectations');
    const page = renderReport(reportInput({ results: [latencyResult()], seriesOf: new Map(), expectations }));
    const text = textOf(page);
    expect(text).toContain('expectations not met');
    expect(text).toContain('What the plan expects: 1 met, 1 not met.');
    expect(text).toContain('The execution failed because of it, as the plan asks.');
    expect(text).toMatch(
      /p99 of the round trips of c5\.xlarge to c5\.9xlarge .{0,120}at most 200 µs 201 µs p0001-m01 not met judged by values/,
    );
    expect(page.indexOf('id="expectations"')).toBeLessThan(page.indexOf('id="verdicts"'));
    expect(text.indexOf('p99 of the round trips')).toBeLessThan(text.indexOf('median round trip'));
  });

  test('that are met are said to be', () => {
    const expectations = judge([{ 'rttMicros.p50': { max: 200 } }]);
    expect(textOf(renderReport(reportInput({ expectations })))).toContain('Expectations met');
  });

  test('are absent for a plan that has none', () => {
    expect(markupOf(renderReport(reportInput()))).not.toMatch(/expectation/i);
  });
});

describe('the page', () => {
  const page = markupOf(renderReport(comparedInput()));
  const text = textOf(page);

  test('runs nothing and fetches nothing, is the same every time, and has every id once', () => {
    expect(page).not.toMatch(/<(script|link|img|iframe|object)\b/i);
    expect(page).not.toMatch(/\b(src=|href="[^#])/i);
    expect(markupOf(renderReport(comparedInput()))).toBe(page);
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('takes every colour from the style sheet', () => {
    const drawn = (page.match(/<svg [\s\S]*?<\/svg>/g) ?? [])
      .join('')
      .replace(/<defs[\s\S]*?<\/defs>/g, '')
      .replace(/(<path d="[^"Z]*"[^>]*) fill="[^"]*"/g, '$1');
    const colours = [...drawn.matchAll(/\b(?:fill|stroke)="([^"]+)"/g)].map(([, colour = '']) => colour);
    expect(colours.length).toBeGreaterThan(500);
    expect(
      [...new Set(colours)].filter((colour) => colour !== 'none' && !/^var\(--[a-z0-9-]+\)$/.test(colour)),
    ).toEqual([]);
  });

  test.each([
    ['the order and its seed', 'random, seed 1804289383'],
    ['the estimated price', '0.42 USD, at most 1.34 USD'],
    ['each reason once', 'a cluster placement group is within one zone: p0701-m01 c5.xlarge ⇄ c5.9xlarge, p0702-m01'],
    ['modes, and no mean of them', '2 modes 4.96 in 4 of 10, 4.85–4.99 9.48 in 6 of 10, 9.31–9.56'],
    ['the means of requests and responses', 'Transactions per second'],
    ['how many streams are enough', 'http, HTTP Flattens at 4 streams.'],
    ['which stream lags behind', 'stream 6: 0.568 Gbit/s'],
    ['the CPU time of both ends', '48 + 88 % 16 + 72 %'],
    ['round trips after the throttle', 'after the onset 2 408'],
    ['how much longer they became', '× 14.0'],
    ['hops and path MTU', '1 9 001'],
    ['what the driver reports about ENA Express', 'on driver: reports no mode'],
    ['what ENA Express never carries', 'It never carries ICMP echoes'],
    ['the run that it is compared with', 'Compared with run all-articles-20261101'],
    ['a change beyond the noise', 'beyond the noise'],
    ['what only this run has', 'Only in this run, '],
    [
      'what only the earlier run has',
      'Only in the earlier run, c5.xlarge → c5.9xlarge, same zone, no placement group, VPC peering',
    ],
  ])('says: %s', (_, words) => {
    // With toContain the message would be the whole page, and nobody would find the missing words in it.
    expect(text.includes(words) ? words : `not on the page: ${words}`).toBe(words);
  });
});

describe('charts appear where the run has what they compare', () => {
  test('a run of one measurement has none', () => {
    const page = only([steadyResult()]);
    for (const id of ['charts', 'repetitions', 'streams', 'routes', 'loaded-latency', 'run-comparison']) {
      expect(page).not.toContain(`id="${id}"`);
    }
  });

  test('several types get one chart per family', () => {
    const text = textOf(only(typeMatrix()));
    expect(text).toContain('Throughput by instance type');
    expect(text).not.toContain('Round trips by placement');
  });

  test('a single placement has a chart where its zones or ENA Express differ', () => {
    const spread = placementMatrix().filter(({ placement }) => placement === 'spread');
    expect(textOf(only(spread))).toContain('Round trips by placement and ENA Express');
  });

  test('the round trips of a probe are drawn below the throughput', () => {
    const result = loadedResult();
    const drawn = only([result], new Map([[result.measurementId, loadedSeries()]]));
    expect(drawn).toContain('round trip of the probe, µs');
    const without = loadedSeries().filter(({ metric }) => metric !== 'round_trip');
    expect(only([result], new Map([[result.measurementId, without]]))).not.toContain('round trip of the probe, µs');
  });
});

test('a thousand pairs make a page that is small enough to open', () => {
  const results = Array.from({ length: 1000 }, (_, index) => {
    const [type, path] = [`c${index >> 1}.large`, index % 2 === 0 ? ('private' as const) : ('public' as const)];
    const pairId = `p${String(index + 1).padStart(4, '0')}`;
    return roundTrips(100 + index, {
      path,
      pairId,
      measurementId: `${pairId}-m01`,
      clientType: type,
      serverType: type,
    });
  });
  const page = only(results);
  expect(page.length).toBeLessThan(4_000_000);
  expect(textOf(page)).toContain('The first 60 of 1000 rows.');
});

test('a comparison of repetitions with a single measurement gives the reason for the missing interval', () => {
  const several = [1, 2, 3].map((repetition) => steadyResult({ repetition, measurementId: `p000${repetition}-m01` }));
  const compared = compareRuns('weekly-1', several, [steadyResult()]);
  const page = textOf(renderReport(reportInput({ results: [steadyResult()], comparedRun: compared })));
  expect(page).toContain('no interval, because one side is a single measurement');
});

test('repetitions on the same pair are marked as such, those on fresh pairs are not', () => {
  const repeated = (isFresh: boolean) =>
    [100, 101, 102].map((mean, index) =>
      roundTrips(mean, { pairId: isFresh ? `p000${index + 1}` : 'p0001', measurementId: `p0001-m0${index + 1}` }),
    );
  const pageOf = (isFresh: boolean) => {
    const comparedRun = compareRuns('weekly-1', repeated(isFresh), repeated(isFresh));
    return textOf(renderReport(reportInput({ results: repeated(isFresh), seriesOf: new Map(), comparedRun })));
  };
  expect(pageOf(false)).toContain('repeated on the same pair; another pair may differ by more');
  expect(pageOf(false)).toContain('Repetitions on the same pair only show how much that pair varies');
  expect(pageOf(true)).not.toContain('repeated on the same pair');
});

describe('percentiles that the count cannot support', () => {
  const rowOf = (observations: number) =>
    textOf(only([latencyResult({ statistics: { ...latencyResult().statistics, observations } })]));

  test('are marked, and the mark is explained', () => {
    expect(rowOf(3_417)).toContain('201 403 1 180*');
    expect(rowOf(3_417)).toContain('* There were too few round trips for this percentile');
  });

  test('are not marked where there are enough round trips', () => {
    expect(rowOf(10_000)).toContain('201 403 1 180 ');
    expect(rowOf(10_000)).not.toContain('* There were too few');
  });
});

/** A result whose hosts both exist. */
function placedResult(enaExpress: EnaExpress) {
  const result = placementMatrix().find((each) => each.enaExpress === enaExpress);
  if (result?.client === undefined || result.server === undefined) throw new Error(`no hosts with ${enaExpress}`);
  return { ...result, client: result.client, server: result.server };
}

test('ENA Express is shown as planned and as the driver reports it', () => {
  const result = placedResult('one_side');
  const client = { ...result.client, facts: { ...result.client.facts, enaSrdMode: 3 } };
  const text = textOf(only([{ ...result, client }]));
  expect(text).toContain('on driver: on, for UDP too');
  expect(text).toContain('off driver: reports no mode');
  expect(textOf(only([steadyResult()]))).not.toContain('driver: reports no mode');
});

test('packets sent over ENA Express are summed over the measurements of hosts that share a row', () => {
  const result = placedResult('both');
  const counted = (sent: number) => ({ ...result.client, enaSrdPackets: { sent, eligible: 10_000, received: 1 } });
  const text = textOf(only([1_000, 234].map((sent) => ({ ...result, client: counted(sent) }))));
  expect(text).toContain('sent 1 234 of 20 000 eligible packets');
});

test('a host that reported its facts in only one of its measurements has one row', () => {
  const result = placedResult('off');
  const server = { ...result.server, instanceId: 'i-reported-once' };
  const reported = { ...server, facts: { ...server.facts, kernel: '6.8.0-reported-once' } };
  const text = textOf(only([reported, { ...server, facts: undefined }].map((each) => ({ ...result, server: each }))));
  const conditions = text.slice(text.indexOf('What the measured hosts reported about themselves'));
  expect(conditions.match(/6\.8\.0-reported-once/g)).toHaveLength(1);
  expect(conditions.match(/1 host /g)).toHaveLength(2);
});

test('a chart shows text in braces as text, not as a style', () => {
  const results = [1, 2].map((repetition) =>
    roundTrips(100, { repetition, clientType: '{second|c5.large}', measurementId: `p000${repetition}-m01` }),
  );
  expect(only(results)).toContain('second c5.large');
});

test('the page of a run with nothing applicable says so', () => {
  const page = textOf(only([notApplicableResult('an NLB carries no ICMP')]));
  expect(page).toContain('Nothing that the plan asks for can be measured, so nothing was launched');
  expect(page).toContain('an NLB carries no ICMP');
});

test('warnings about how the report was made are on it', () => {
  const page = renderReport(reportInput({ warnings: ['no comparison with run gone: the store has no results of it'] }));
  expect(textOf(page)).toContain('no comparison with run gone: the store has no results of it');
});

test('hostile words stay text in every section of a comparison', () => {
  const hostile = `"><script>alert(1)</script>{second|`;
  const results = [
    ...['private', 'public'].flatMap((path) =>
      [1, 2].map((repetition) =>
        roundTrips(100, {
          path: path as 'private',
          repetition,
          clientType: hostile,
          mode: hostile,
          measurementId: `p000${repetition}-m0${path.length - 5}`,
        }),
      ),
    ),
    notApplicableResult(hostile),
  ];
  const page = only(results);
  expect(markupOf(page)).not.toMatch(/<script/i);
  expect(page).toContain('&lt;script&gt;');
});
