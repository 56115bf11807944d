import { estimateBucketBits, holdSeconds, refillSeconds, spentBits } from '../../../domain/throttling/token-bucket';

/** c5.xlarge as recorded in public: 10 Gbit/s for nine minutes, then 1.25. */
const bucket = { burstBitsPerSecond: 10e9, baselineBitsPerSecond: 1.25e9, bucketBits: 4445e9 };

describe('the token bucket', () => {
  test('holds a rate for as long as its volume lasts above the baseline', () => {
    expect(holdSeconds(bucket, 10e9)).toBeCloseTo(508, 0);
    expect(holdSeconds(bucket, 5e9)).toBeCloseTo(1185.3, 1);
  });

  test('holds the baseline, and anything below, for ever', () => {
    expect(holdSeconds(bucket, 1.25e9)).toBe(Infinity);
    expect(holdSeconds(bucket, 0)).toBe(Infinity);
  });

  test.each([-1, 10.1e9, NaN])('fails to hold %d bit/s', (rate) => {
    expect(() => holdSeconds(bucket, rate)).toThrow(/^rateBitsPerSecond: must be 0–10000000000, got/);
  });

  test('refills at what the baseline leaves over', () => {
    expect(refillSeconds(bucket)).toBeCloseTo(3556, 0);
    expect(refillSeconds(bucket, 0.625e9)).toBeCloseTo(7112, 0);
    expect(refillSeconds(bucket, 1.25e9)).toBe(Infinity);
  });

  test('its volume carries the interval of the onset', () => {
    const volume = estimateBucketBits(2e9, 0.5e9, { value: 30, low: 29.9, high: 30.1 });
    expect(volume).toEqual({ value: 45e9, low: 44.85e9, high: 45.15e9 });
  });

  test('fails to estimate a bucket without a fall', () => {
    expect(() => estimateBucketBits(1e9, 1e9, { value: 30, low: 30, high: 30 })).toThrow(
      /^burstBitsPerSecond: must be above/,
    );
  });

  test('what was spent is a lower bound, and never negative', () => {
    expect(spentBits(5e9, 1.25e9, 1800)).toBe(6750e9);
    expect(spentBits(1e9, 1.25e9, 1800)).toBe(0);
  });
});
