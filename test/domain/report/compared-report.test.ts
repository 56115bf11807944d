/** The report of a run that compares all that a plan can: its charts, its statistics, and the comparison with another run. */
import type { EnaExpress } from '../../../domain/model/conditions';
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
import { markupOf, rowsOf, sectionOf, textOf } from '../../support/page-markup';
import { pageOf, renderReport, reportInput } from '../../support/report-input';

const RATE = { p5: 5e9, p50: 5e9, p95: 5e9, min: 5e9, max: 5e9 };

describe('expectations', () => {
  const judge = (limits: Parameters<typeof judgeExpectations>[0]['plan']['expect'], failOn?: 'expectations') =>
    judgeExpectations({ plan: { expect: limits, failOn }, results: [latencyResult()], costUsd: 1 });

  test('stand first, each with figure, limit and outcome in words', () => {
    const expectations = judge([{ 'rttMicros.p50': { max: 200 } }, { 'rttMicros.p99': { max: 200 } }], 'expectations');
    const page = renderReport(reportInput({ results: [latencyResult()], seriesOf: new Map(), expectations }));
    expect(page).toContain('<span class="badge bad">expectations not met</span>');
    const section = sectionOf(page, 'expectations');
    expect(textOf(section)).toMatch(
      /^Expectations not met Expectations of the plan: 1 met, 1 not met\. .* narrower\. The execution failed because not all expectations are met, as the plan asks\. Expectation Expected/,
    );
    expect(rowsOf(section)).toEqual([
      'Expectation | Expected | Measured (95 %) | Outcome',
      'p99 of the round trips of c5.xlarge to c5.9xlarge (pairs[0]), sockperf (measurements[1]) / plan.expect[1]["rttMicros.p99"].max | at most 200 µs | 201 µs / p0001-m01 | [bad: not met] / judged by values that have no interval',
      'median round trip of c5.xlarge to c5.9xlarge (pairs[0]), sockperf (measurements[1]) / plan.expect[0]["rttMicros.p50"].max | at most 200 µs | 115 µs / p0001-m01 | [good: met] / judged by values that have no interval',
    ]);
    expect(page.indexOf('id="expectations"')).toBeLessThan(page.indexOf('id="verdicts"'));
  });

  test('that are met are said to be', () => {
    const expectations = judge([{ 'rttMicros.p50': { max: 200 } }]);
    expect(textOf(renderReport(reportInput({ expectations })))).toContain('Expectations met');
  });

  test('are absent for a plan that has none', () => {
    expect(markupOf(renderReport(reportInput()))).not.toMatch(/expectation/i);
  });
});

describe('charts appear where the run has what they compare', () => {
  test('a run of one measurement has none', () => {
    const page = pageOf([steadyResult()]);
    for (const id of ['charts', 'repetitions', 'streams', 'routes', 'loaded-latency', 'run-comparison']) {
      expect(page).not.toContain(`id="${id}"`);
    }
  });

  test('several types get one chart per family', () => {
    const text = textOf(pageOf(typeMatrix()));
    expect(text).toContain('Throughput by instance type');
    expect(text).not.toContain('Round trips by placement');
  });

  test('a single placement has a chart where its zones or ENA Express differ', () => {
    const spread = placementMatrix().filter(({ placement }) => placement === 'spread');
    expect(textOf(pageOf(spread))).toContain('Round trips by placement and ENA Express');
  });

  test('the round trips of a probe are drawn below the throughput', () => {
    const result = loadedResult();
    const drawn = pageOf([result], { seriesOf: new Map([[result.measurementId, loadedSeries()]]) });
    expect(drawn).toContain('round trip of the probe, µs');
    const without = loadedSeries().filter(({ metric }) => metric !== 'round_trip');
    expect(pageOf([result], { seriesOf: new Map([[result.measurementId, without]]) })).not.toContain(
      'round trip of the probe, µs',
    );
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
  const page = pageOf(results);
  expect(page.length).toBeLessThan(4_000_000);
  expect(textOf(page)).toContain('Only the first 60 of 1000 rows are shown.');
});

test('repetitions on the same pair are marked as such, those on fresh pairs are not', () => {
  const repeated = (isFresh: boolean) =>
    [100, 101, 102].map((mean, index) =>
      roundTrips(mean, { pairId: isFresh ? `p000${index + 1}` : 'p0001', measurementId: `p0001-m0${index + 1}` }),
    );
  const wordsOf = (isFresh: boolean) => {
    const comparedRun = compareRuns('weekly-1', repeated(isFresh), repeated(isFresh));
    return textOf(pageOf(repeated(isFresh), { comparedRun }));
  };
  expect(wordsOf(false)).toContain('repeated on the same pair; another pair may differ by more');
  expect(wordsOf(false)).toContain('Repetitions on the same pair only show how much that pair varies');
  expect(wordsOf(true)).not.toContain('repeated on the same pair');
});

test('the measurements of the earlier run link to its report, those of this run to their cards', () => {
  const measured = (mean: number, messageBytes = 64) =>
    roundTrips(mean, { pairId: 'p0001', measurementId: 'p0001-m01', messageBytes });
  const [gone, same] = [roundTrips(90, { measurementId: 'p0002-m01', messageBytes: 1024 }), measured(100)];
  const comparedRun = compareRuns('weekly-1', [same, gone], [same]);
  const section = sectionOf(pageOf([same], { comparedRun }), 'run-comparison');
  const links = [...section.matchAll(/<a href="([^"]+)">([^<]+)/g)].map(([, href, words]) => [href, words]);
  expect(links).toEqual([
    ['#p0001-m01', 'p0001-m01'],
    ['../weekly-1/report.html#p0001-m01', 'p0001-m01'],
    ['../weekly-1/report.html#p0002-m01', 'p0002-m01'],
  ]);
});

test('pairs at two modes are compared by how many were at which', () => {
  const run = (fast: number) =>
    Array.from({ length: 7 }, (_, index) => {
      const pairId = `p000${index + 1}`;
      const mean = index < fast ? 9.69e9 : 5.02e9;
      const statistics = { throughputBitsPerSecond: { ...RATE, mean } };
      return steadyResult({ statistics, pairId, measurementId: `${pairId}-m01`, repetition: index + 1 });
    });
  const certain = pageOf(run(0), { comparedRun: compareRuns('weekly-1', run(7).slice(0, 6), run(0)) });
  expect(certain).not.toContain('pairs were at');
  const mostly = pageOf(run(0), { comparedRun: compareRuns('weekly-1', run(6), run(0)) });
  expect(textOf(mostly)).toMatch(
    /1 of 1 figure changed \. The largest change: throughput, mean of c5\.9xlarge: 6 of 7 pairs were at 9\.69 Gbit\/s, now 0 of 7 \(all at 5\.02\)\./,
  );
  const comparedRun = compareRuns('weekly-1', run(4), run(0));
  const rows = rowsOf(sectionOf(pageOf(run(0), { comparedRun }), 'run-comparison'));
  expect(rows.find((row) => row.startsWith('Throughput, mean'))).toContain(
    ' | 4 of 7 pairs were at 9.69 Gbit/s, now 0 of 7 (all at 5.02) | [: within the noise] / chance alone would do this 7 times in 100',
  );
});

test('percentiles that the count cannot support are marked, and the mark is explained', () => {
  const sectionWith = (observations: number) =>
    sectionOf(pageOf([latencyResult({ statistics: { ...latencyResult().statistics, observations } })]), 'verdicts');
  const [few, enough] = [sectionWith(3_417), sectionWith(10_000)];
  expect(rowsOf(few)[1]).toContain(' | 115 | 133 | 201 | 403 | 1 180* | 4 024 | ');
  expect(textOf(few)).toContain('* There were too few round trips for this percentile');
  expect(rowsOf(enough)[1]).toContain(' | 115 | 133 | 201 | 403 | 1 180 | 4 024 | ');
  expect(textOf(enough)).not.toContain('* There were too few');
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
  const text = textOf(pageOf([{ ...result, client }]));
  expect(text).toContain('on driver: on, for UDP too');
  expect(text).toContain('off driver: reports no mode');
  expect(textOf(pageOf([steadyResult()]))).not.toContain('driver: reports no mode');
});

test('packets sent over ENA Express are summed over the measurements of hosts that share a row', () => {
  const result = placedResult('both');
  const counted = (sent: number) => ({ ...result.client, enaSrdPackets: { sent, eligible: 10_000, received: 1 } });
  const text = textOf(pageOf([1_000, 234].map((sent) => ({ ...result, client: counted(sent) }))));
  expect(text).toContain('sent 1 234 of 20 000 eligible packets');
});

test('a host that reported its facts in only one of its measurements has one row', () => {
  const result = placedResult('off');
  const server = { ...result.server, instanceId: 'i-reported-once' };
  const reported = { ...server, facts: { ...server.facts, kernel: '6.8.0-reported-once' } };
  const text = textOf(pageOf([reported, { ...server, facts: undefined }].map((each) => ({ ...result, server: each }))));
  const conditions = text.slice(text.indexOf('What the measured hosts reported about themselves'));
  expect(conditions.match(/6\.8\.0-reported-once/g)).toHaveLength(1);
  expect(conditions.match(/1 host /g)).toHaveLength(2);
});

test('a chart shows text in braces as text, not as a style', () => {
  const results = [1, 2].map((repetition) =>
    roundTrips(100, { repetition, clientType: '{second|c5.large}', measurementId: `p000${repetition}-m01` }),
  );
  expect(pageOf(results)).toContain('second c5.large');
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
  const page = pageOf(results);
  expect(markupOf(page)).not.toMatch(/<script/i);
  expect(page).toContain('&lt;script&gt;');
});
