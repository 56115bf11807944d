import { classifySeries } from '../../../domain/detection/index';
import { creditFigures, estimateThrottle, type ThrottleModel } from '../../../domain/verdict/throttle-model';
import { heldRates } from '../../../domain/model/token-bucket';
import { stretches } from '../../support/rates';

const GIGA = 1e9;

function modelOf(...parts: readonly (readonly [number, number])[]): ThrottleModel {
  const series = stretches(...parts);
  return estimateThrottle(classifySeries(series), series)!;
}

describe('the rates of the table', () => {
  test.each([
    [1.24, 9.52, [4, 6, 8, 9.52]],
    [0.5, 2, [1, 1.5, 2]],
    [0.75, 9.4, [2, 4, 6, 8, 9.4]],
    [5, 9.69, [6, 7, 8, 9, 9.69]],
    [12.5, 100, [40, 60, 80, 100]],
    [0.02, 0.1, [0.04, 0.06, 0.08, 0.1]],
  ])('between %d and %d Gbit/s are round', (baseline, burst, rates) => {
    const found = heldRates(baseline * GIGA, burst * GIGA).map((rate) => Number((rate / GIGA).toFixed(6)));
    expect(found).toEqual(rates);
  });

  test('are empty where the burst is not above the baseline', () => {
    expect(heldRates(GIGA, GIGA)).toEqual([]);
  });
});

describe('how long a rate can be held', () => {
  const { refill, holdTimes } = creditFigures(modelOf([30.4, 2 * GIGA], [59.6, 0.5 * GIGA]));

  test('is the bucket divided by the rate above the baseline, within its interval', () => {
    expect(holdTimes.map(({ bitsPerSecond }) => Math.round(bitsPerSecond / 1e7) / 100)).toEqual([1, 1.5, 2]);
    expect(holdTimes[0]!.seconds!.value).toBeCloseTo(91.2, 0);
    for (const { seconds } of holdTimes) {
      expect(seconds!.low).toBeLessThan(seconds!.value);
      expect(seconds!.high).toBeGreaterThan(seconds!.value);
    }
  });

  test('is the measured duration for the burst itself', () => {
    expect(holdTimes.at(-1)!.seconds!.value).toBeCloseTo(30.4, 1);
  });

  test('includes that another pair may have 13 % more or less', () => {
    const burst = holdTimes.at(-1)!.seconds!;
    expect(burst.high / burst.value).toBeCloseTo(1.13, 2);
    expect(burst.value / burst.low).toBeCloseTo(1.13, 1);
  });

  test('comes with the refill time at the baseline after the load, or at up to 1.64 times the baseline', () => {
    expect(refill!.value).toBeCloseTo(91.2, 0);
    expect(refill!.low).toBeCloseTo(91.2 / 1.64, 0);
    expect(refill!.high).toBeGreaterThan(refill!.value);
    expect(refill!.high).toBeLessThan(1.01 * refill!.value);
  });

  test('is unknown after several steps, because more than one bucket ran out', () => {
    const steps = modelOf([40, 8 * GIGA], [50, 4 * GIGA], [60, GIGA]);
    expect(steps.isSingleBucket).toBe(false);
    expect(creditFigures(steps)).toMatchObject({ refill: null, holdTimes: [] });
  });
});
