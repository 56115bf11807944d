import { differenceOfIntervals, differenceOfMeans, isBeyondNoise } from '../../../domain/maths/difference';
import { repetitionStatistics } from '../../../domain/maths/repetition-statistics';
import { seededRandom } from '../../support/random';

describe('repetitions', () => {
  test('mean with its interval, median with its own', () => {
    const statistics = repetitionStatistics([10.2, 9.8, 10.1, 9.9, 10, 10, 10.3, 9.7])!;
    expect(statistics).toMatchObject({ count: 8, min: 9.7, max: 10.3, median: 10, modes: [{ count: 8 }] });
    expect(statistics.mean).toBeCloseTo(10, 9);
    // t(7) 2.3646 × 0.2 / √8
    expect(statistics.meanInterval!.low).toBeCloseTo(10 - 0.1672, 3);
    expect(statistics.meanInterval!.high).toBeCloseTo(10 + 0.1672, 3);
    // Of eight values the first and the last: each end is left out once in 256.
    expect(statistics.medianInterval).toEqual({ low: 9.7, high: 10.3 });
  });

  test.each([
    [5, undefined],
    [6, [1, 6]],
    [9, [2, 8]],
    [20, [6, 15]],
    [100, [40, 61]],
    [1000, [469, 532]],
    // Half of 1,075 multiplied 1,075 times is nothing in a double.
    [1075, [505, 571]],
    [5000, [2431, 2570]],
  ])('the interval of the median of %i values comes from order statistics', (count, ranks) => {
    const values = Array.from({ length: count }, (_, index) => 1000 + index + 1);
    const { medianInterval } = repetitionStatistics(values)!;
    expect(medianInterval).toEqual(ranks === undefined ? null : { low: 1000 + ranks[0]!, high: 1000 + ranks[1]! });
  });

  test('a single value has no interval, and no values have no statistics', () => {
    expect(repetitionStatistics([5])).toMatchObject({ count: 1, mean: 5, meanInterval: null, medianInterval: null });
    expect(repetitionStatistics([])).toBeUndefined();
  });

  test('with two modes there is no mean and no median', () => {
    expect(repetitionStatistics([9.5, 9.4, 5, 5.1, 9.6, 4.9])).toMatchObject({
      mean: null,
      meanInterval: null,
      median: null,
      medianInterval: null,
      modes: [{ count: 3 }, { count: 3 }],
    });
  });

  test.each([2, 3, 10])('the interval of a mean of %i values covers it 95 times in 100', (count) => {
    const random = seededRandom(4);
    const sets = Array.from({ length: 4000 }, () =>
      repetitionStatistics(Array.from({ length: count }, () => 100 + random.normal())),
    );
    const covered = sets.filter((set) => set!.meanInterval!.low <= 100 && 100 <= set!.meanInterval!.high);
    expect(covered.length / sets.length).toBeGreaterThan(0.94);
    expect(covered.length / sets.length).toBeLessThan(0.96);
  });
});

describe('the interval of a skewed mean', () => {
  const skewed = (values: readonly number[]) => repetitionStatistics(values, { usualScatter: 0.5, isSkewed: true });

  test('is never negative: two round trips of which one is long', () => {
    const { mean, meanInterval } = skewed([9_720, 17_001])!;
    expect(mean).toBe(13_360.5);
    // cv = 3640.5 / 13360.5; C = exp(12.7062 × √ln(1 + cv²)) = 29.7
    expect(meanInterval!.low).toBeCloseTo(13_360.5 / 29.7, -1);
    expect(meanInterval!.high / 13_360.5).toBeCloseTo(29.7, 0);
  });

  test("is Student's where the values hardly scatter", () => {
    const values = [100, 100.1, 99.9, 100.05, 99.95];
    const [log, student] = [skewed(values)!.meanInterval!, repetitionStatistics(values)!.meanInterval!];
    expect(log.low).toBeCloseTo(student.low, 3);
    expect(log.high).toBeCloseTo(student.high, 3);
  });

  test.each([3, 5, 10])('covers the mean of %i log-normal values in 90 to 99 of 100 cases', (count) => {
    const random = seededRandom(14);
    const sigma = 0.25;
    const truth = Math.exp(sigma ** 2 / 2);
    const sets = Array.from({ length: 4000 }, () =>
      skewed(Array.from({ length: count }, () => Math.exp(sigma * random.normal()))),
    ).filter((set) => set!.meanInterval !== null);
    const covered = sets.filter(
      ({ meanInterval } = {} as never) => meanInterval!.low <= truth && truth <= meanInterval!.high,
    );
    expect(sets.length).toBeGreaterThan(3500);
    expect(covered.length / sets.length).toBeGreaterThan(0.9);
    expect(covered.length / sets.length).toBeLessThan(0.99);
  });

  test('and that of any mean ends at 0', () => {
    expect(repetitionStatistics([10, 11.9])!.meanInterval!.low).toBe(0);
  });
});

describe('a difference', () => {
  test("of means is Welch's", () => {
    // By hand: variances 1 and 4, five values each; 5.88 degrees of freedom.
    const difference = differenceOfMeans(
      [10, 11, 9, 10 + Math.SQRT1_2 * Math.SQRT2, 10 - 1],
      [14, 16, 12, 14 + 2, 14 - 2],
    );
    expect(difference.value).toBeCloseTo(4, 9);
    expect(difference.low).toBeCloseTo(4 - 2.4587 * Math.sqrt(1 / 5 + 4 / 5), 2);
    expect(isBeyondNoise(difference)).toBe(true);
  });

  test('of values that scatter more than they differ is within the noise', () => {
    expect(isBeyondNoise(differenceOfMeans([10, 12, 8], [11, 13, 9]))).toBe(false);
  });

  test('of values without scatter is exact', () => {
    expect(differenceOfMeans([5, 5], [6, 6])).toEqual({ value: 1, low: 1, high: 1 });
    expect(isBeyondNoise(differenceOfMeans([5, 5], [5, 5]))).toBe(false);
  });

  test('covers the true one 95 times in 100, even if one side scatters three times as much', () => {
    const random = seededRandom(5);
    const draw = (mean: number, scatter: number, count: number) =>
      Array.from({ length: count }, () => mean + scatter * random.normal());
    const all = Array.from({ length: 4000 }, () => differenceOfMeans(draw(10, 1, 5), draw(12, 3, 4)));
    const covered = all.filter(({ low, high }) => low <= 2 && 2 <= high).length / all.length;
    expect(covered).toBeGreaterThan(0.935);
    expect(covered).toBeLessThan(0.965);
  });

  test('of estimates with their own intervals stays asymmetric', () => {
    expect(differenceOfIntervals({ value: 10, low: 6, high: 13 }, { value: 20, low: 16, high: 23 })).toEqual({
      value: 10,
      low: 10 - Math.hypot(4, 3),
      high: 10 + Math.hypot(3, 4),
    });
  });
});
