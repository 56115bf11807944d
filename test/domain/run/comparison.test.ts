import type { MeasurementResult } from '../../../domain/model/result';
import { tailRoundTrip } from '../../../domain/tables/figures';
import { comparisonLine, compareRuns as comparedRuns, runComparison } from '../../../domain/run/comparison';
import { numbered, roundTrips } from '../../support/compared-results';
import { host, steadyResult, throttledResult, throttledVerdict } from '../../support/measurement-results';

const compareRuns = (...args: Parameters<typeof comparedRuns>) => runComparison(comparedRuns(...args));

const rates = (...gigabits: readonly number[]): MeasurementResult[] =>
  numbered([gigabits.map((rate) => steadyResult({ statistics: { throughputBitsPerSecond: { mean: rate * 1e9 } } }))]);

const changeOf = (earlier: MeasurementResult[], now: MeasurementResult[], figure = 'meanBitsPerSecond') =>
  compareRuns('earlier', earlier, now).cells[0]?.figures.find((change) => change.figure === figure);

describe('a figure of two runs', () => {
  test('changes beyond the noise of their repetitions', () => {
    const change = changeOf(rates(9.4, 9.5, 9.6), rates(8.9, 9.0, 9.1));
    expect(change).toMatchObject({ basis: 'repetitions', isBeyondNoise: true });
    expect(change?.difference).toBeCloseTo(-0.5e9, -6);
    expect(change?.interval?.low).toBeLessThan(-0.5e9);
    expect(change?.interval?.high).toBeLessThan(0);
  });

  test('changes within that noise', () => {
    expect(changeOf(rates(9.0, 9.5, 10.0), rates(9.2, 9.6, 10.1))).toMatchObject({
      basis: 'repetitions',
      isBeyondNoise: false,
    });
  });

  test('of one measurement each, without its own interval, is not judged', () => {
    expect(changeOf(rates(9.5), rates(8.5))).toMatchObject({
      basis: 'single_measurement',
      difference: -1e9,
      interval: null,
      isBeyondNoise: null,
    });
  });

  test('of one measurement each is judged by the intervals of the verdicts', () => {
    const later = throttledResult();
    const earlier = {
      ...later,
      verdict: { ...throttledVerdict, onset: { value: 50, low: 49.8, high: 50.2 } },
    };
    // Another pair may burst at half the rate.
    expect(changeOf([earlier], [later], 'onsetSeconds')).toMatchObject({
      basis: 'own_intervals',
      isBeyondNoise: false,
    });
    const verdict = { ...throttledVerdict, baseline: { value: 1.5e9, low: 1.49e9, high: 1.51e9 } };
    expect(changeOf([{ ...later, verdict }], [later], 'baselineBitsPerSecond')).toMatchObject({ isBeyondNoise: true });
  });

  test('of one measurement each: a bucket 4 % larger is another pair, not a change', () => {
    const bucketOf = (factor: number) => {
      const [value, half] = [500e9 * factor, 0.5e9];
      return throttledResult({
        verdict: { ...throttledVerdict, bucket: { value, low: value - half, high: value + half } },
      });
    };
    expect(changeOf([bucketOf(1)], [bucketOf(1.04)], 'bucketBits')?.isBeyondNoise).toBe(false);
    expect(changeOf([bucketOf(1)], [bucketOf(1.4)], 'bucketBits')?.isBeyondNoise).toBe(true);
  });

  test('within three zone pairs that lie far apart changes by 20 % in each', () => {
    const inZones = (...micros: readonly number[]) =>
      numbered([
        micros.map((mean, zone) =>
          roundTrips(mean, { client: host('i-0aaaaaaaaaaaaaaa1', `eu-central-1${'abc'[zone]}`, 11) }),
        ),
      ]);
    const change = changeOf(inZones(620, 800, 1010), inZones(744, 960, 1212), 'rttP50Micros');
    expect(change).toMatchObject({ basis: 'zones', isBeyondNoise: true, matters: true });
    expect(change?.ratio).toBeCloseTo(1.2, 6);
    expect(changeOf(inZones(620, 800, 1010), inZones(640, 780, 1030), 'rttP50Micros')?.isBeyondNoise).toBe(false);
  });

  test('with several modes in either run has no difference', () => {
    expect(changeOf(rates(9.5, 9.4, 9.6, 9.5), rates(9.5, 5, 9.4, 5.1))).toMatchObject({
      basis: 'several_modes',
      difference: null,
      interval: null,
      isBeyondNoise: null,
    });
  });
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
    expect(comparisonLine(mixed)).toMatch(
      /: 1 of 1 figure changed beyond the noise, the noise of \d+ more is unknown$/,
    );
    expect(comparisonLine(compareRuns('weekly-1', [], []))).toBe('compared with weekly-1: no figure in common');
  });
});
