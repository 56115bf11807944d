import type { Sample } from '../../../domain/model/sample';
import { ascending, nearestRank } from '../../../domain/maths/statistics';
import { throughputQuantiles } from '../../../domain/assembly/throughput-statistics';

function samples(...parts: readonly (readonly [rate: number | undefined, lengthSeconds?: number])[]): Sample[] {
  return parts.map(([throughputBitsPerSecond, lengthSeconds = 1], startSeconds) => ({
    metric: 'throughput',
    hostRole: 'server',
    direction: 'forward',
    stream: 'sum',
    startSeconds,
    lengthSeconds,
    ...(throughputBitsPerSecond !== undefined && { throughputBitsPerSecond }),
  }));
}

describe('nearest rank', () => {
  const hundred = ascending(Array.from({ length: 100 }, (_, index) => 100 - index));
  test.each([
    [0, 1],
    [5, 5],
    [50, 50],
    [95, 95],
    [99.99, 100],
    [100, 100],
  ])('p%d of 1 to 100 is %d', (percent, expected) => {
    expect(nearestRank(hundred, percent)).toBe(expected);
  });

  test('the percentile of one value is that value', () => {
    expect(nearestRank([7], 5)).toBe(7);
  });

  test('fails without a value', () => {
    expect(() => nearestRank([], 50)).toThrow('values: must hold at least one, got none');
  });
});

describe('throughput quantiles', () => {
  test('the mean is weighted by time', () => {
    expect(throughputQuantiles(samples([100, 1], [400, 0.5]))?.mean).toBe(200);
  });

  test('each percentile is a measured value', () => {
    const rates = throughputQuantiles(samples(...Array.from({ length: 60 }, (_, index) => [index + 1] as const)));
    expect(rates).toEqual({ mean: 30.5, p5: 3, p50: 30, p95: 57, min: 1, max: 60 });
  });

  test('a sample without a rate does not count as zero', () => {
    expect(throughputQuantiles(samples([100], [undefined], [100]))).toMatchObject({ mean: 100, min: 100 });
  });

  test('a measured zero counts', () => {
    expect(throughputQuantiles(samples([100], [0]))).toMatchObject({ mean: 50, min: 0 });
  });

  test('nothing measured is absent', () => {
    expect(throughputQuantiles([])).toBeUndefined();
    expect(throughputQuantiles(samples([undefined]))).toBeUndefined();
  });
});
