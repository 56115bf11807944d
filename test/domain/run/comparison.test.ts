import type { MeasurementResult } from '../../../domain/model/result';
import { tailRoundTrip } from '../../../domain/tables/figures';
import { comparisonLine, compareRuns as comparedRuns, runComparison } from '../../../domain/run/comparison';
import { numbered, roundTrips } from '../../support/compared-results';
import { host, steadyResult, throttledResult, throttledVerdict } from '../../support/measurement-results';

const compareRuns = (...args: Parameters<typeof comparedRuns>) => runComparison(comparedRuns(...args));

const rates = (...gigabits: readonly number[]): MeasurementResult[] =>
  numbered([gigabits.map((rate) => steadyResult({ statistics: { throughputBitsPerSecond: { mean: rate * 1e9 } } }))]);

const onOnePair = (...gigabits: readonly number[]) =>
  rates(...gigabits).map((result) => ({ ...result, pairId: 'p0001' }));

const changeOf = (earlier: MeasurementResult[], now: MeasurementResult[], figure = 'meanBitsPerSecond') =>
  compareRuns('earlier', earlier, now).cells[0]?.figures.find((change) => change.figure === figure);

const inZones = (...micros: readonly number[]) =>
  numbered([
    micros.map((mean, zone) =>
      roundTrips(mean, { client: host('i-0aaaaaaaaaaaaaaa1', `eu-central-1${'abc'[zone]}`, 11) }),
    ),
  ]);

/** A verdict's figure with an interval of its own, in Gbit, Gbit/s or seconds; a second one is of the pair that is named. */
const withVerdict = (figure: 'onset' | 'baseline' | 'bucket', values: readonly number[], half: number, pairs = 1) =>
  values.map((value, index) =>
    throttledResult({
      pairId: `p000${1 + (index % pairs)}`,
      verdict: { ...throttledVerdict, [figure]: { value, low: value - half, high: value + half } },
    }),
  );
const onset = (value: number) => withVerdict('onset', [value], 0.2);
const baseline = (value: number) => withVerdict('baseline', [value * 1e9], 1e7);
const bucket = (value: number) => withVerdict('bucket', [value * 1e9], 0.5e9);
const buckets = (pairs: number, ...values: readonly number[]) =>
  withVerdict(
    'bucket',
    values.map((value) => value * 1e9),
    0,
    pairs,
  );

type Runs = readonly [earlier: MeasurementResult[], now: MeasurementResult[]];
/** The ratio with its 95 % interval, and whether it is beyond the noise and matters. */
type Judged = readonly [ratio: number, low: number, high: number, isBeyondNoise: boolean, matters: boolean];

// Repetitions by Welch, single pairs with how far another pair may differ, all by the logarithms of the values.
test.each<[what: string, figure: string, runs: Runs, basis: string, judged: Judged]>([
  [
    'a fall of 5 %',
    'meanBitsPerSecond',
    [rates(9.4, 9.5, 9.6), rates(8.9, 9.0, 9.1)],
    'repetitions',
    [0.94736, 0.92438, 0.97092, true, true],
  ],
  [
    'a rise within the noise',
    'meanBitsPerSecond',
    [rates(9.0, 9.5, 10.0), rates(9.2, 9.6, 10.1)],
    'repetitions',
    [1.01423, 0.90539, 1.13616, false, false],
  ],
  [
    'one against repetitions',
    'meanBitsPerSecond',
    [rates(9.4, 9.5, 9.6), rates(8)],
    'one_repeated',
    [0.84214, 0.79922, 0.88735, true, true],
  ],
  [
    'another pair may burst at half the rate',
    'onsetSeconds',
    [onset(50), onset(60.4)],
    'own_intervals',
    [1.208, 0.41655, 3.50324, false, true],
  ],
  [
    'a baseline of another pair',
    'baselineBitsPerSecond',
    [baseline(1.5), baseline(1.24)],
    'own_intervals',
    [0.82667, 0.81481, 0.83868, true, true],
  ],
  [
    'a bucket 4 % larger is another pair',
    'bucketBits',
    [bucket(500), bucket(520)],
    'own_intervals',
    [1.04, 0.92035, 1.17521, false, false],
  ],
  [
    'a bucket 40 % larger is not',
    'bucketBits',
    [bucket(500), bucket(700)],
    'own_intervals',
    [1.4, 1.23893, 1.58201, true, true],
  ],
  [
    '20 % in each of three zones that lie far apart',
    'rttP50Micros',
    [inZones(620, 800, 1010), inZones(744, 960, 1212)],
    'zones',
    [1.2, 1.2, 1.2, true, true],
  ],
  [
    'zones that scatter',
    'rttP50Micros',
    [inZones(620, 800, 1010), inZones(640, 780, 1030)],
    'zones',
    [1.00872, 0.93613, 1.08693, false, false],
  ],
  [
    'repetitions on two pairs',
    'bucketBits',
    [buckets(2, 500, 501), buckets(2, 540, 541)],
    'repetitions',
    [1.07992, 1.07358, 1.0863, true, true],
  ],
  [
    'repetitions on one pair',
    'bucketBits',
    [buckets(1, 500, 501), buckets(1, 540, 541)],
    'repetitions',
    [1.07992, 0.95568, 1.22031, false, true],
  ],
])('%s: %s', (_, figure, [earlier, now], basis, [ratio, low, high, isBeyondNoise, matters]) => {
  const change = changeOf(earlier, now, figure)!;
  expect(change).toMatchObject({ basis, isBeyondNoise, matters });
  const before = change.levels!.earlier;
  const found = [change.ratio!, 1 + change.interval!.low / before, 1 + change.interval!.high / before];
  expect(found.map((value) => Number(value.toFixed(5)))).toEqual([ratio, low, high]);
  expect(change.difference).toBeCloseTo((change.ratio! - 1) * before, 6);
});

const NOT_JUDGED = { interval: null, chance: null, isBeyondNoise: null };
test.each<[what: string, runs: Runs, expected: object]>([
  [
    'one each, without intervals',
    [rates(9.5), rates(8.5)],
    { basis: 'single_measurement', difference: -1e9, matters: true },
  ],
  ['a small difference of one each', [rates(10), rates(9.51)], { basis: 'single_measurement', matters: false }],
  ['just 5 %', [rates(10), rates(9.5)], { basis: 'single_measurement', ratio: 0.95, matters: true }],
  [
    'something after nothing',
    [rates(0, 0), rates(1, 1)],
    { basis: 'single_measurement', ratio: null, difference: 1e9, matters: null },
  ],
  [
    'several modes on the same pair',
    [rates(9.5, 9.4, 9.6, 9.5), onOnePair(9.5, 5, 9.4, 5.1)],
    { basis: 'several_modes', levels: null, ratio: null, difference: null, matters: null },
  ],
])('%s: nothing shows the noise', (_, [earlier, now], expected) => {
  expect(changeOf(earlier, now)).toMatchObject({ ...NOT_JUDGED, ...expected });
});

describe('pairs at several modes', () => {
  const [FAST, SLOW] = [9.69, 5.02];
  const mixed = (fast: number, of = 7) =>
    rates(...Array.from({ length: of }, (_, index) => (index < fast ? FAST : SLOW) * (1 + 0.001 * index)));

  test.each([
    [4, 0, 0.0699, false],
    [7, 1, 0.0047, true],
    [0, 6, 0.0047, true],
    [4, 4, 1, false],
  ])('are compared by their shares: %d of 7, then %d', (earlier, now, chance, isBeyondNoise) => {
    const change = changeOf(mixed(earlier), mixed(now))!;
    expect(change).toMatchObject({ basis: 'several_modes', levels: null, ratio: null, interval: null, isBeyondNoise });
    expect(change.shares).toMatchObject({ earlier: { count: earlier, of: 7 }, now: { count: now, of: 7 } });
    expect(change.chance).toBeCloseTo(chance, 4);
  });

  test('are not compared where they are the same pairs', () => {
    const change = changeOf(mixed(4), onOnePair(SLOW, SLOW, SLOW, SLOW))!;
    expect(change).toMatchObject({ basis: 'several_modes', shares: { now: { count: 0, of: 4 } }, ...NOT_JUDGED });
  });

  test('may each have shown one mode by chance, where other cells show both', () => {
    const cell = (parallelStreams: number, results: MeasurementResult[]) =>
      results.map((result) => ({ ...result, parallelStreams }));
    const of = (other: MeasurementResult[], slow = SLOW) => {
      const now = rates(slow, slow, slow);
      const runs = [mixed(3, 3), now].map((results) => [...cell(1, results), ...cell(2, other)]) as [Runs[0], Runs[1]];
      return compareRuns('earlier', ...runs).cells[0]!.figures[0]!;
    };
    expect(of(mixed(2, 3))).toMatchObject({ basis: 'repetitions', isBeyondNoise: false });
    expect(of(mixed(2, 3)).chance).toBeCloseTo(0.1, 9);
    // Only steps as large as that between the modes may be one of them.
    expect(of(mixed(2, 3), 7).isBeyondNoise).toBe(true);
    expect(of(mixed(0, 3)).isBeyondNoise).toBe(true);
  });
});

test.each([
  ['one of 20 that alone would count does not count', [9.4, 9.5, 9.6], [9.25, 9.15, 9.3]],
  ['three that lie close together by chance scatter as the others', [9.5, 9.501, 9.502], [9.47, 9.471, 9.472]],
])('all cells are judged together: %s', (_, earlier, now) => {
  const cell = (parallelStreams: number, gigabits: readonly number[]) =>
    rates(...gigabits).map((result) => ({ ...result, parallelStreams }));
  const alone = compareRuns('earlier', cell(1, earlier), cell(1, now)).cells[0]!.figures[0]!;
  expect(alone.isBeyondNoise).toBe(true);
  const others = Array.from({ length: 19 }, (_, index) => cell(index + 2, [9.4, 9.5, 9.6])).flat();
  const all = compareRuns('earlier', [...cell(1, earlier), ...others], [...cell(1, now), ...others]);
  expect(all.cells.map(({ figures: [figure] }) => figure!.isBeyondNoise)).toEqual(new Array(20).fill(false));
});

test('repetitions on one pair of either side are marked', () => {
  const of = (earlier: number, now: number) =>
    compareRuns('earlier', buckets(earlier, 500, 501), buckets(now, 500, 501)).cells[0]?.sharesPairs;
  expect([of(2, 2), of(1, 2), of(2, 1)]).toEqual([false, true, true]);
});

test('the end of an interval that faces the other value decides', () => {
  const wideBelow = throttledResult({
    verdict: { ...throttledVerdict, baseline: { value: 1.24e9, low: 0.9e9, high: 1.25e9 } },
  });
  expect(changeOf(baseline(1.5), [wideBelow], 'baselineBitsPerSecond')?.isBeyondNoise).toBe(true);
  expect(changeOf(baseline(1), [wideBelow], 'baselineBitsPerSecond')?.isBeyondNoise).toBe(false);
});

test('the measurements that other work disturbed are counted, of either side', () => {
  const busy = { cpuContention: 'other work kept the processors of the client busy' };
  const [earlier, now] = [rates(9.4, 9.5, 9.6), rates(8.9, 9, 9.1)];
  const contended = [{ ...now[0]!, ...busy }, { ...now[1]!, ...busy }, now[2]!];
  const both = compareRuns('earlier', [{ ...earlier[0]!, ...busy }, ...earlier.slice(1)], contended);
  expect(both.cells[0]).toMatchObject({ contendedCount: 2, earlierContendedCount: 1 });
  expect(compareRuns('earlier', earlier, now).cells[0]).toMatchObject({
    contendedCount: undefined,
    earlierContendedCount: undefined,
  });
  expect(comparisonLine(both)).toBe(
    'compared with earlier: 1 of 1 figure changed beyond the noise (1 of them measured on busy processors)',
  );
});

test('a percentile that the count can’t support is not compared', () => {
  const resultsOf = (observations: number) => {
    const result = roundTrips(120);
    return numbered([[{ ...result, statistics: { ...result.statistics, observations } }]]);
  };
  for (const [observations, p99, p99_99] of [
    [99, false, false],
    [100, true, false],
    [10_000, true, true],
  ] as const) {
    const figures = compareRuns('earlier', resultsOf(observations), resultsOf(observations)).cells[0]?.figures ?? [];
    const has = (key: string) => figures.some(({ figure }) => figure === key);
    expect([observations, has('rttP99Micros'), has('rttP99_99Micros')]).toEqual([observations, p99, p99_99]);
  }
});

test('a tail is shown for the results that can support it', () => {
  const resultOf = (observations: number) => {
    const result = roundTrips(120);
    return { ...result, statistics: { ...result.statistics, observations } };
  };
  const [few, many] = [resultOf(50), resultOf(20_000)];
  const both = tailRoundTrip([few, many]);
  expect([both.shortName, both.of(few), typeof both.of(many)]).toEqual(['p99', undefined, 'number']);
  expect(tailRoundTrip([many])).toMatchObject({ shortName: 'p99.99' });
});

describe('cells', () => {
  const earlier = [...rates(9.5), roundTrips(120, { path: 'public', measurementId: 'p0100-m01' })];
  const now = [...rates(9.5), roundTrips(120, { path: 'nlb', measurementId: 'p0200-m01' })];

  test('that only one run has are named', () => {
    expect(compareRuns('earlier', earlier, now)).toMatchObject({
      onlyNow: ['p0200-m01'],
      onlyEarlier: ['p0100-m01'],
      cells: [{ measurementIds: ['p0001-m01'], earlierMeasurementIds: ['p0001-m01'] }],
    });
  });

  test('that only one run has are counted in the execution’s output', () => {
    expect(comparisonLine(compareRuns('weekly-1', earlier, now))).toBe(
      'compared with weekly-1: the noise of 1 figure is unknown, ' +
        '1 measurement only in this run, 1 measurement only in the earlier one',
    );
    const slower = compareRuns('weekly-1', rates(9.4, 9.5, 9.6), rates(8.9, 9.0, 9.1));
    expect(comparisonLine(slower)).toBe('compared with weekly-1: 1 of 1 figure changed beyond the noise');
    const mixed = compareRuns(
      'weekly-1',
      [...rates(9.4, 9.5, 9.6), roundTrips(120)],
      [...rates(8.9, 9.0, 9.1), roundTrips(120)],
    );
    expect(comparisonLine(mixed)).toBe(
      'compared with weekly-1: 1 of 1 figure changed beyond the noise, the noise of 5 more is unknown',
    );
    expect(comparisonLine(compareRuns('weekly-1', [], []))).toBe('compared with weekly-1: no figure in common');
  });
});
